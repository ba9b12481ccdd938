"""The names a workload field answers to in `field=value`, as data: field, kind of value, names."""

from typing import Final, Literal

Kind = Literal[
    "choice",
    "model",
    "params",
    "length",
    "count",
    "rate",
    "token_rate",
    "latency",
    "latency_kind",
    "percentile",
    "amount",
    "duration",
    "term",
    "budget",
    "region",
    "instance",
    "chip",
    "memory",
    "fraction",
    "bandwidth",
    "flag",
    "groups",
    "text",
    "detail",
    "tokens",
    "compare",
    "sizes",
]

ROWS: Final[tuple[tuple[str, Kind, str], ...]] = (
    ("task", "choice", "task job"),
    ("mode", "choice", "mode"),
    ("model", "model", "model models m model_id model_name"),
    ("params_b", "params", "params_b params size parameters param model_size param_count"),
    ("active_params_b", "params", "active_params_b active active_params"),
    (
        "quant",
        "choice",
        "quant dtype precision weights_dtype quantisation quantization weights weight_dtype q",
    ),
    ("kv_dtype", "choice", "kv_dtype kv_cache_dtype kvdtype kv_quant"),
    (
        "context",
        "length",
        (
            "context ctx context_length ctx_len window max_len max_model_len context_window ctxlen "
            "n_ctx"
        ),
    ),
    (
        "input_tokens",
        "length",
        "input_tokens in input prompt isl prompt_tokens tokens_in input_len prompt_len",
    ),
    (
        "output_tokens",
        "length",
        (
            "output_tokens out output osl completion_tokens tokens_out max_tokens max_new_tokens "
            "output_len gen"
        ),
    ),
    ("seq_len", "length", "seq_len seq sequence_length seqlen max_seq_len max_seq_length sequence"),
    (
        "concurrency",
        "count",
        "concurrency conc concurrent users parallel_requests requests_in_flight max_num_seqs",
    ),
    ("rps", "rate", "rps qps req_s requests_per_second req/s tps_requests request_rate rate reqs"),
    ("rps", "rate", "rpm requests_per_minute qpm"),
    ("tokens_per_day", "token_rate", "tokens_per_day tokens_day tok_per_day daily_tokens tpd"),
    (
        "avg_tokens_per_s",
        "token_rate",
        "avg_tokens_per_s tokens_per_s tok_s tps tokens_per_second tok/s tokens/s",
    ),
    ("latency_ms", "latency", "latency_ms latency lat slo sla latenz"),
    (
        "latency_ms",
        "latency",
        (
            "ttft ttft_ms time_to_first_token first_token tpot tpot_ms itl itl_ms per_token"
            " e2e e2e_ms end_to_end response_time"
        ),
    ),
    ("latency_kind", "latency_kind", "latency_kind"),
    ("first_token_ms", "count", "first_token_ms"),
    ("percentile", "percentile", "percentile pct"),
    (
        "objective",
        "choice",
        "objective goal optimize optimise optimize_for optimise_for priority prefer obj",
    ),
    ("method", "choice", "method tuning"),
    (
        "tokens_total",
        "amount",
        "tokens_total total_tokens train_tokens training_tokens dataset_tokens dataset",
    ),
    ("tokens_total", "tokens", "tokens"),
    ("deadline_h", "duration", "deadline_h deadline finish_in max_hours hours"),
    (
        "budget_usd_per_hour",
        "budget",
        (
            "budget_usd_per_hour budget max_price hourly_budget max_cost budget_hour"
            " price_limit cost_limit max_usd_per_hour price cost usd_per_hour"
        ),
    ),
    (
        "budget_usd_per_month",
        "budget",
        "budget_usd_per_month monthly_budget budget_month usd_per_month",
    ),
    ("budget_usd_total", "budget", "budget_usd_total total_budget budget_total"),
    ("region", "region", "region regions where location zone az availability_zone r"),
    ("market", "choice", "market purchase pricing buy purchase_option capacity_type lifecycle"),
    ("term_years", "term", "term_years term"),
    ("instance", "instance", "instance instance_type type instances vm machine on box"),
    ("gpu", "chip", "gpu accelerator gpus gpu_type card chip hardware"),
    (
        "gpu_count",
        "count",
        "gpu_count accelerators num_gpus n_gpus gpucount ngpu gpus_count min_gpus",
    ),
    ("gpu_memory_gb", "memory", "gpu_memory_gb gpu_memory vram gpu_mem gpumem"),
    ("nodes", "count", "nodes node_count num_nodes node replicas replica_count"),
    ("framework", "choice", "framework engine serving_engine backend runtime server"),
    ("needs_cuda", "flag", "needs_cuda cuda"),
    ("allow", "groups", "allow only family families include vendor from to"),
    ("exclude", "groups", "exclude avoid not without except"),
    ("compare_family", "groups", "compare_family why_not"),
    ("throughput", "choice", "throughput"),
    ("network", "choice", "network"),
    ("network_gbps", "bandwidth", "network_gbps bandwidth"),
    ("tensor_parallel", "count", "tensor_parallel tp tensor_parallel_size tp_size"),
    ("pipeline_parallel", "count", "pipeline_parallel pp pipeline_parallel_size pp_size"),
    (
        "memory_utilisation",
        "fraction",
        (
            "memory_utilisation memory_utilization util gpu_memory_utilization"
            " gpu_memory_utilisation utilisation utilization mem_util"
        ),
    ),
    (
        "batch",
        "count",
        "batch batch_size bs micro_batch per_device_batch per_device_train_batch_size",
    ),
    ("global_batch_tokens", "amount", "global_batch_tokens global_batch"),
    ("model_kind", "choice", "model_kind"),
    ("guide", "text", "guide tree"),
    ("name", "text", "name cluster cluster_name called"),
    ("", "compare", "compare vs versus"),
    ("k8s", "detail", "k8s kubernetes k8s_version kubernetes_version eks_version eks"),
    ("kv_mem", "detail", "kv_mem kv_memory kv_gib kv_gb"),
    ("host_ram", "detail", "ram host_ram host_memory host_mem system_memory"),
    ("offload", "detail", "offload cpu_offload"),
    ("chunked_prefill", "detail", "chunked_prefill"),
    ("optimizer", "detail", "optim optimizer optimiser"),
    ("sharding", "detail", "sharding strategy zero"),
    ("account", "detail", "account"),
    ("quota_limit", "detail", "limit quota quota_limit"),
    ("quota_used", "detail", "used quota_used"),
    ("max_nodes", "detail", "max max_nodes max_size"),
    ("min_nodes", "detail", "min min_nodes min_size"),
    ("os", "detail", "os ami ami_family"),
    ("data_parallel", "detail", "dp data_parallel"),
    ("expert_parallel", "detail", "ep expert_parallel"),
    ("namespace", "detail", "namespace ns"),
    ("top", "detail", "top"),
)
KEYS: Final[dict[str, tuple[str, Kind]]] = {
    name: (field, kind) for field, kind, names in ROWS for name in names.split()
}
DETAILS: Final = frozenset(field for field, kind, _ in ROWS if kind == "detail")

# Words for "I leave this open": the field stays unsaid.
OPEN_VALUES: Final = frozenset(
    {
        "?",
        "any",
        "auto",
        "variable",
        "varies",
        "unknown",
        "default",
        "none",
        "whatever",
        "-",
        "mixed",
        "dynamic",
    }
)
# Values that a key accepts beside the lexicon's phrases.
CHOICES: Final[dict[str, dict[str, str]]] = {
    "task": {"training": "train", "dev": "development", "serve": "inference", "sft": "finetune"},
    "mode": {"real_time": "realtime", "rt": "realtime", "offline": "batch"},
    "objective": {
        "price": "cost",
        "cheap": "cost",
        "speed": "performance",
        "perf": "performance",
        "savings": "max_savings",
        "max_savings": "max_savings",
        "maxsavings": "max_savings",
        "balance": "balanced",
        "value": "value",
        "green": "energy",
        "cost": "cost",
        "latency": "latency",
        "throughput": "throughput",
        "experiment": "cost",
    },
    "model_kind": {"speech": "speech", "classical": "classical"},
    "throughput": {
        "standard": "standard",
        "normal": "standard",
        "low": "standard",
        "medium": "standard",
        "high": "high",
        "ultra_high": "ultra_high",
        "ultrahigh": "ultra_high",
        "very_high": "ultra_high",
    },
    "network": {
        "standard": "standard",
        "normal": "standard",
        "high": "ultra_high",
        "ultra_high": "ultra_high",
        "ultra": "ultra_high",
        "efa": "ultra_high",
    },
    "quant": {"float": "fp32", "half": "fp16", "none": "bf16", "native": ""},
    "kv_dtype": {"auto": "", "fp8_e5m2": "fp8", "fp8_e4m3": "fp8", "float": "fp32", "half": "fp16"},
    "market": {
        "ondemand": "on_demand",
        "sp": "savings_plan",
        "ri": "reserved",
        "cb": "capacity_block",
    },
    "method": {"full": "full", "none": "full", "sft": "full"},
    "framework": {
        "trt": "tensorrt-llm",
        "neuron": "neuronx",
        "llamacpp": "llama.cpp",
        "hf": "transformers",
    },
    "latency_kind": {
        "ttft": "ttft",
        "per_token": "per_token",
        "tpot": "per_token",
        "itl": "per_token",
        "e2e": "e2e",
    },
}
