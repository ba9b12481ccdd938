"""The flags that make a server run the plan that was estimated."""

from dataclasses import dataclass
from math import ceil

from bot.manifests.served_model import FULL_DTYPES, QUANTISED_WHILE_LOADING, ServedModel
from bot.manifests.workload.storage import ModelStore
from catalog.facts.schema import Model
from engine.core.plan import Plan
from engine.core.result import Pick
from engine.core.workload import Workload

Flags = tuple[str, ...]
PLACEHOLDER_MODEL = "FILL_IN_MODEL"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServingReplica:
    """One replica of a serving pick: what runs, in which length, with how many at once."""

    plan: Plan
    served: ServedModel
    context: int
    sequences: int | None  # at once, within the limits; None where nothing was estimated
    input_tokens: int
    room_gib: float | None  # for the KV cache
    weights_gib: float  # CPU: of the whole host
    path: str = ""  # where the checkpoint is mounted; empty where it is downloaded
    hf_home: str = "/models"

    @property
    def sized(self) -> Flags:
        """Return the sequences at once as a tuple: empty where they are unknown."""
        return () if self.sequences is None else (str(self.sequences),)

    @property
    def repo(self) -> str:
        """The repository or path to serve; a placeholder where a person has to fill one in."""
        return self.path or self.served.repo or PLACEHOLDER_MODEL

    @property
    def model(self) -> Model:
        """The model as the estimate knows it."""
        return self.served.model

    @property
    def fill_in(self) -> str:
        """What has to be filled in for the model, if anything."""
        return "" if self.path else self.served.fill_in

    @property
    def published_args(self) -> Flags:
        """Return the arguments without which its publisher's checkpoint does not load."""
        return self.served.checkpoint.server_args


def serving_of(
    pick: Pick, workload: Workload, served: ServedModel, store: ModelStore
) -> ServingReplica:
    """Return what one replica of the pick serves, its model from `store`."""
    return ServingReplica(
        plan=pick.estimate.plan,
        served=served,
        context=workload.context or served.model.max_context or 4096,
        sequences=replica_sequences(pick),
        input_tokens=workload.input_tokens or 512,
        room_gib=pick.estimate.memory.room_gib,
        weights_gib=pick.estimate.memory.weights,
        path=store.path,
        hf_home=store.hf_home,
    )


def replica_sequences(pick: Pick) -> int | None:
    """Return the requests in flight one replica carries within the limits, or was asked for."""
    estimate = pick.estimate
    timed = (estimate.at_max, estimate.performance)
    known = [t.concurrency for t in timed if t is not None and t.concurrency is not None]
    return ceil(max(known) / max(1, estimate.plan.data_parallel)) if known else None


def served_name(serving: ServingReplica) -> Flags:
    """Return the name clients ask for, where the server would call the model by its path."""
    name = serving.served.checkpoint.repo or serving.model.id
    return ("--served-model-name", name) if serving.path else ()


def vllm_flags(serving: ServingReplica) -> Flags:
    """Return vLLM's flags on GPUs."""
    plan, copies = serving.plan, serving.plan.attention_data_parallel
    return (
        *("--tensor-parallel-size", str(plan.tensor_parallel // copies)),
        *(("--data-parallel-size", str(copies)) * (copies > 1)),
        *(("--pipeline-parallel-size", str(plan.pipeline_parallel)) * (plan.pipeline_parallel > 1)),
        *(("--enable-expert-parallel",) * (plan.expert_parallel > 1)),
        *("--max-model-len", str(serving.context)),
        *_repeated_flag("--max-num-seqs", serving.sized),
        *("--gpu-memory-utilization", f"{plan.memory_utilisation:g}"),
        *_vllm_dtype(serving),
        *(("--kv-cache-dtype", "fp8") * (plan.kv_dtype == "fp8")),
        *_vllm_options(plan),
        *serving.published_args,
        *served_name(serving),
    )


def vllm_cpu_flags(serving: ServingReplica) -> Flags:
    """Return vLLM's flags on CPUs; cache and threads are environment variables there."""
    return (
        *(
            ("--tensor-parallel-size", str(serving.plan.tensor_parallel))
            * (serving.plan.tensor_parallel > 1)
        ),
        *("--max-model-len", str(serving.context)),
        *_repeated_flag("--max-num-seqs", serving.sized),
        *_vllm_dtype(serving),
        *serving.published_args,
        *served_name(serving),
    )


def vllm_neuron_flags(serving: ServingReplica) -> Flags:
    """Return vLLM's flags on Neuron: shapes are compiled in, so batch and length are exact."""
    return (
        *("--tensor-parallel-size", str(serving.plan.tensor_parallel)),
        *("--max-model-len", str(serving.context)),
        *("--max-num-seqs", str(serving.sequences or 1)),
        *("--no-enable-prefix-caching",),
        *serving.published_args,
        *served_name(serving),
    )


def sglang_flags(serving: ServingReplica) -> Flags:
    """Return SGLang's flags; its tensor parallel degree counts the copies of the attention in."""
    plan, copies = serving.plan, serving.plan.attention_data_parallel
    return (
        *("--tp-size", str(plan.tensor_parallel)),
        *(("--dp-size", str(copies), "--enable-dp-attention") * (copies > 1)),
        *(("--pp-size", str(plan.pipeline_parallel)) * (plan.pipeline_parallel > 1)),
        *(("--ep-size", str(plan.expert_parallel)) * (plan.expert_parallel > 1)),
        *("--context-length", str(serving.context)),
        *_repeated_flag("--max-running-requests", serving.sized),
        *("--mem-fraction-static", f"{plan.memory_utilisation:g}"),
        *_vllm_dtype(serving),
        *(("--kv-cache-dtype", "fp8_e5m2") * (plan.kv_dtype == "fp8")),
        *serving.published_args,
        *served_name(serving),
    )


def tgi_flags(serving: ServingReplica) -> Flags:
    """Return TGI's flags."""
    plan, dtype = serving.plan, FULL_DTYPES.get(serving.plan.weights_dtype)
    quantised = dtype is None and not serving.served.ready
    return (
        *("--num-shard", str(plan.tensor_parallel)),
        *("--max-total-tokens", str(serving.context)),
        *("--max-input-tokens", str(max(1, serving.context - 1))),
        *_repeated_flag("--max-concurrent-requests", serving.sized),
        *("--cuda-memory-fraction", f"{plan.memory_utilisation:g}"),
        *(("--dtype", dtype) if dtype else ()),
        *(("--quantize", plan.weights_dtype) * quantised),
        *serving.published_args,
    )


def tensorrt_llm_flags(serving: ServingReplica) -> Flags:
    """Return the flags of TensorRT-LLM's `trtllm-serve`."""
    plan = serving.plan
    return (
        *("--backend", "pytorch"),
        *("--tp_size", str(plan.tensor_parallel)),
        *(("--pp_size", str(plan.pipeline_parallel)) * (plan.pipeline_parallel > 1)),
        *("--max_seq_len", str(serving.context)),
        *_repeated_flag("--max_batch_size", serving.sized),
        *("--kv_cache_free_gpu_memory_fraction", f"{plan.memory_utilisation:g}"),
        *(f"--{flag.lstrip('-').replace('-', '_')}" for flag in serving.published_args),
    )


def llama_cpp_flags(serving: ServingReplica, *, gpu: bool) -> Flags:
    """Return llama.cpp's flags: its context is shared by all sequences at once."""
    sequences = serving.sequences or 1
    threads = serving.plan.threads
    return (
        *("--ctx-size", str(serving.context * sequences)),
        *("--parallel", str(sequences)),
        *(("--threads", str(threads)) if threads else ()),
        *(("--n-gpu-layers", "999") * gpu),
        *(("--cache-type-k", "q8_0") * (serving.plan.kv_dtype in {"fp8", "int8"})),
    )


def tei_flags(serving: ServingReplica) -> Flags:
    """Return TEI's flags: the batch is counted in tokens."""
    sequences = serving.sequences or 1
    dtype = "float32" if serving.plan.weights_dtype == "fp32" else "float16"
    return (
        *("--dtype", dtype),
        *("--max-concurrent-requests", str(max(512, 2 * sequences))),
        *("--max-batch-tokens", str(max(16384, sequences * serving.input_tokens))),
        "--auto-truncate",
    )


def _vllm_dtype(serving: ServingReplica) -> Flags:
    """Return how the weights are held: as published, cast, or quantised while they load."""
    dtype = serving.plan.weights_dtype
    if dtype in FULL_DTYPES:
        return ("--dtype", FULL_DTYPES[dtype])
    if dtype in QUANTISED_WHILE_LOADING and not serving.served.ready:
        return ("--quantization", dtype)
    return ()  # the checkpoint says it itself


def _vllm_options(plan: Plan) -> Flags:
    chunk = plan.options.chunk_tokens
    return () if chunk is None else ("--max-num-batched-tokens", str(chunk))


def _repeated_flag(flag: str, values: Flags) -> Flags:
    return tuple(part for value in values for part in (flag, value))
