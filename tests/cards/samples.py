"""Hand-made answers, one for every kind of card. Figures are plausible, not computed."""

from dataclasses import replace

from catalog.facts.schema import Instance, Model, Quote
from engine.core.estimate import Estimate, Figure, Memory, Performance, TrainingPerformance
from engine.core.plan import Plan
from engine.core.result import (
    Cost,
    GuideAdvice,
    LimitCheck,
    Pick,
    Reading,
    Recommendation,
    Rejection,
    Relaxation,
)
from engine.core.workload import Assumption, Workload

SNAPSHOT_DAY = "2026-07-20"


def model(name="7B", *, params_b=7.0, active_b=None, typical=True, task="decoder", **changes):
    filled = Model(
        id=name,
        aliases=(),
        family="llama",
        task=task,
        total_params_b=params_b,
        active_params_b=active_b or params_b,
        layers=32,
        encoder_layers=None,
        hidden_size=4096,
        intermediate_size=11008,
        moe_intermediate_size=None,
        heads=32,
        kv_heads=8,
        head_dim=128,
        vocab_size=32000,
        attention="full",
        attention_text="grouped-query attention",
        sliding_window=None,
        full_attention_layers=32,
        linear_layers=0,
        mla_kv_lora_rank=None,
        mla_rope_head_dim=None,
        sparse_indexer=False,
        num_experts=None,
        experts_per_token=None,
        shared_experts=0,
        moe_layers=0,
        gated_ffn=True,
        vision_params_b=0,
        max_context=131072,
        native_dtype="bf16",
        body_dtype="bf16",
        tied_embeddings=False,
        kv_approximate=False,
        licence="apache-2.0",
        gated=False,
        hf_repo="",
        typical=typical,
        source="made up for a test",
        notes="",
    )
    return replace(filled, **changes)


def instance(instance_type, accelerator_id=None, accelerators=0, **changes):
    filled = Instance(
        instance_type=instance_type,
        family=instance_type.split(".")[0],
        arch="x86_64",
        vcpus=4,
        cores=2,
        host_mem_gib=32.0,
        network_gbps=10.0,
        network_text="Up to 20 Gigabit",
        efa=False,
        efa_interfaces=0,
        local_nvme_gb=0,
        accelerator_id=accelerator_id,
        accelerators=accelerators,
        current_generation=True,
        bare_metal=False,
        burstable=False,
        hypervisor="nitro",
        lifecycle=None,
        eol=False,
        quota_code_on_demand=None,
        quota_code_spot=None,
        capacity_block=False,
        on_demand_sold=True,
        spot_sold=True,
        regions=("us-east-1",),
        source="made up for a test",
        rare_on_spot=instance_type.startswith(("p5", "p6", "trn2")),
        neuron=(accelerator_id or "").startswith(("Inferentia", "Trainium")),
    )
    return replace(filled, **changes)


def plan(
    instance_type, *, instances=1, accelerators=1, tp=1, pp=1, dp=1, ep=1, dtype="bf16", **changes
):
    filled = Plan(
        instance_type=instance_type,
        instances=instances,
        accelerators=accelerators,
        tensor_parallel=tp,
        pipeline_parallel=pp,
        data_parallel=dp,
        expert_parallel=ep,
        weights_dtype=dtype,
        kv_dtype=dtype,
        serving_engine="vllm",
        memory_utilisation=0.9,
    )
    return replace(filled, **changes)


def memory(weights, available, *, kv=0.1, activations=0.6, overhead=2.5, fits=True, **changes):
    parts = {"optimizer": 0.0, "gradients": 0.0} | {
        k: v for k, v in changes.items() if k in {"optimizer", "gradients"}
    }
    total = weights + kv + activations + overhead + sum(parts.values())
    filled = Memory(
        weights=weights,
        kv_cache=kv,
        activations=activations,
        overhead=overhead,
        total=total,
        available=available,
        fits=fits,
        tight=False,
        **parts,
    )
    return replace(filled, **{k: v for k, v in changes.items() if k not in parts})


def figure(value, low=0.8, high=1.27):
    return Figure(value, value * low, value * high)


def serving(
    ttft, tpot, *, e2e=None, rate=None, requests=None, users=1.0, basis="measured_class", **changes
):
    def known(value):
        return None if value is None else figure(value)

    filled = Performance(
        ttft_ms=known(ttft),
        tpot_ms=known(tpot),
        e2e_ms=known(e2e),
        output_tokens_per_s=known(rate),
        total_tokens_per_s=None,
        requests_per_s=known(requests),
        bound_by="memory_bandwidth",
        basis=basis,
        concurrency=users,
    )
    return replace(filled, **changes)


def quote(instance_type, usd_per_hour, *, market="on_demand", region="us-east-1", **changes):
    filled = Quote(
        instance_type=instance_type,
        region=region,
        market=market,
        usd_per_hour=usd_per_hour,
        source="snapshot",
        as_of=SNAPSHOT_DAY,
    )
    return replace(filled, **changes)


def cost(usd_per_hour, *, per_million=None, total=None, counted="output"):
    month = None if usd_per_hour is None else usd_per_hour * 730
    return Cost(
        usd_per_hour=usd_per_hour,
        usd_per_month=month,
        usd_per_million_tokens=per_million,
        usd_per_million_tokens_full_load=per_million,
        usd_total=total,
        tokens_counted=counted if per_million else "none",
    )


def pick(rank, label, machine, estimate, priced, **changes):
    price, money = priced
    filled = Pick(
        rank=rank,
        label=label,
        instance=machine,
        instances=1,
        region=price.region,
        estimate=estimate,
        quote=price,
        ceiling=None,
        cost=money,
        limits=(),
        why=(),
        caveats=(),
    )
    return replace(filled, **changes)


def answer(workload, picks, **changes):
    filled = Recommendation(
        workload=workload,
        said=workload,
        model=model(),
        assumptions=(),
        picks=tuple(picks),
        rejected=(),
        frontier=(),
        considered=312,
    )
    return replace(filled, **changes)


# --- inference, real time, with a limit -------------------------------------------------------

REALTIME_SAID = Workload(params_b=7.0, latency_ms=100.0)
REALTIME = replace(
    REALTIME_SAID,
    quant="bf16",
    context=4096,
    input_tokens=512,
    output_tokens=128,
    concurrency=1.0,
    latency_kind="ttft",
    region="us-east-1",
    market="on_demand",
    objective="cost",
    framework="vllm",
)
REALTIME_ASSUMED = (
    Assumption("region", "us-east-1", "no region was named"),
    Assumption("market", "on_demand", "no purchase option was named"),
    Assumption("quant", "bf16", "the dtype the checkpoint ships in"),
    Assumption("input_tokens", 512, "a typical chat prompt"),
    Assumption("output_tokens", 128, "a typical chat answer"),
    Assumption("concurrency", 1.0, "one request at a time: no load was named"),
    Assumption("latency_kind", "ttft", "a bare latency below 1 s is read as the first token"),
    Assumption("framework", "vllm", "the most used server"),
)
G6E = instance("g6e.xlarge", "L40S", 1, local_nvme_gb=250)


def realtime_pick():
    estimate = Estimate(
        plan=plan("g6e.xlarge"),
        memory=memory(13.5, 44.4, kv_tokens_max=47_104),
        performance=serving(48.0, 18.0, e2e=2350.0, rate=55.0),
        at_max=serving(900.0, 22.0, rate=1450.0, users=32.0),
    )
    return pick(
        1,
        "cheapest that meets every limit",
        G6E,
        estimate,
        (quote("g6e.xlarge", 1.861), cost(1.861, per_million=0.3565)),
        limits=(LimitCheck("ttft_ms", 100.0, 48.0, "meets"),),
        why=(
            "Decode reads 13.5 GiB of weights a token; 864 GB/s of memory bandwidth sets 18 ms.",
            "The first token is bound by compute: 512 prompt tokens at 362 dense bf16 TFLOPS.",
        ),
    )


def h100_pick():
    estimate = Estimate(
        plan=plan("p5.4xlarge"),
        memory=memory(13.5, 79.2),
        performance=serving(15.0, 5.1, e2e=660.0, rate=190.0),
    )
    machine = instance("p5.4xlarge", "H100-80", 1, vcpus=16, host_mem_gib=256.0, efa=True)
    return pick(
        2,
        "fastest",
        machine,
        estimate,
        (quote("p5.4xlarge", 6.88), cost(6.88, per_million=0.61)),
        limits=(LimitCheck("ttft_ms", 100.0, 15.0, "meets"),),
    )


def fp8_pick():
    estimate = Estimate(
        plan=plan("g6.2xlarge", dtype="fp8"),
        memory=memory(6.9, 22.2),
        performance=serving(96.0, 25.0),
    )
    return pick(
        3,
        "",
        instance("g6.2xlarge", "L4", 1),
        estimate,
        (quote("g6.2xlarge", 0.9776), cost(0.9776)),
        limits=(LimitCheck("ttft_ms", 100.0, 96.0, "tight"),),
    )


def inf2_pick(**changes):
    estimate = Estimate(
        plan=plan("inf2.xlarge", tp=2, serving_engine="neuronx"),
        memory=memory(13.5, 32.0, kv_tokens_max=90_000),
        performance=serving(210.0, 31.0, e2e=4150.0, rate=32.0, basis="not_measured"),
        at_max=serving(None, None, rate=310.0, users=16.0, basis="not_measured"),
    )
    filled = pick(
        4,
        "",
        instance("inf2.xlarge", "Inferentia2", 1, host_mem_gib=16.0),
        estimate,
        (quote("inf2.xlarge", 0.7582), cost(0.7582, per_million=0.679)),
        limits=(LimitCheck("ttft_ms", 100.0, 210.0, "misses"),),
        caveats=(
            "The first start compiles the model for fixed shapes: tens of minutes, then cached.",
        ),
    )
    return replace(filled, **changes)


def _other_guide(source, families):
    return GuideAdvice(
        source=source,
        document=f"{source}.md",
        path=("inference",),
        suggests=families,
        agrees=False,
        note="",
    )


def realtime():
    return answer(
        REALTIME,
        [realtime_pick(), h100_pick(), fp8_pick()],
        said=REALTIME_SAID,
        assumptions=REALTIME_ASSUMED,
        closest=(inf2_pick(),),
        readings=(Reading("per token", {"latency_kind": "per_token"}, "g6.xlarge", 0.8048),),
        guides=(
            GuideAdvice(
                source="000",
                document="000-decision-tree.md",
                path=("inference", "real-time", "standard"),
                suggests=("inf2",),
                agrees=False,
                note="here it misses the limit: 210 ms against 100 ms",
            ),
            _other_guide("001", ("inf2",)),
            _other_guide("002", ("inf1", "inf2")),
            _other_guide("004", ("inf2",)),
        ),
        unpriced=("g7.2xlarge",),
    )


# --- the other kinds ---------------------------------------------------------------------------


def nothing_fits():
    workload = replace(REALTIME, params_b=70.0, latency_ms=20.0, budget_usd_per_hour=2.0)
    head = replace(
        realtime_pick(),
        label="nearest to every limit",
        limits=(
            LimitCheck("ttft_ms", 20.0, 48.0, "misses"),
            LimitCheck("usd_per_hour", 2.0, 1.861, "meets"),
        ),
    )
    return answer(
        workload,
        [],
        said=replace(REALTIME_SAID, params_b=70.0, latency_ms=20.0, budget_usd_per_hour=2.0),
        closest=(head, inf2_pick()),
        relaxations=(
            Relaxation("fp8 weights", {"quant": "fp8"}, "g6e.2xlarge", 2.242),
            Relaxation("a budget of $6.88/h", {"budget_usd_per_hour": 6.88}, "p5.4xlarge", 6.88),
            Relaxation("a first token in 48 ms", {"latency_ms": 48.0}, "g6e.xlarge", 1.861),
        ),
    )


def too_big():
    """Nothing even comes close: the head does not fit in memory."""
    estimate = Estimate(
        plan=plan("g6.xlarge"),
        memory=memory(38.1, 22.2, fits=False, why_not="needs 41.3 GiB, a g6.xlarge has 20.0"),
    )
    head = pick(
        1, "", instance("g6.xlarge", "L4", 1), estimate, (quote("g6.xlarge", 0.8048), cost(0.8048))
    )
    return answer(
        replace(REALTIME, instance="g6.xlarge"),
        [],
        closest=(head,),
        asked_rejection=Rejection(
            instance_type="g6.xlarge", reason="does_not_fit", detail="needs 41.3 GiB, has 20.0"
        ),
    )


def training_workload():
    return Workload(
        task="train",
        model="llama-3.1-8b",
        quant="bf16",
        method="full",
        seq_len=4096,
        tokens_total=15e9,
        global_batch_tokens=4_194_304,
        deadline_h=72.0,
        region="us-east-2",
        market="on_demand",
    )


def training():
    estimate = Estimate(
        plan=plan("p5.48xlarge", instances=2, accelerators=16, dp=16, serving_engine=""),
        memory=memory(
            1.9, 79.2, kv=0.0, activations=22.0, overhead=4.0, optimizer=5.6, gradients=1.9
        ),
        training=TrainingPerformance(
            tokens_per_s_per_accelerator=figure(9_300.0),
            mfu=Figure(0.45, 0.38, 0.5),
            step_s=figure(28.2),
            time_h=figure(28.0, 0.88, 1.2),
            bound_by="compute",
            basis="measured_class",
        ),
    )
    machine = instance(
        "p5.48xlarge",
        "H100-80",
        8,
        vcpus=192,
        host_mem_gib=2048.0,
        efa=True,
        efa_interfaces=32,
        local_nvme_gb=30400,
        capacity_block=True,
    )
    first = pick(
        1,
        "cheapest job within the deadline",
        machine,
        estimate,
        (
            quote("p5.48xlarge", 55.04, region="us-east-2"),
            cost(110.08, per_million=0.2055, total=3082.0, counted="total"),
        ),
        instances=2,
        limits=(LimitCheck("time_h", 72.0, 28.0, "meets"),),
        why=("Two machines keep every shard in memory with room for full sequences.",),
        caveats=("Quota L-417A185B counts vCPUs: this needs 384 of running P instances.",),
    )
    spot = replace(
        first,
        rank=2,
        label="spot, with restarts",
        quote=quote("p5.48xlarge", 22.4, market="spot", region="us-east-2"),
        cost=cost(44.8, per_million=0.0836, total=1254.0, counted="total"),
        instances=2,
        instance=replace(machine, instance_type="p5e.48xlarge"),
    )
    return answer(
        training_workload(),
        [first, spot],
        model=model("llama-3.1-8b", params_b=8.03, typical=False),
    )


def cpu():
    workload = Workload(
        model="qwen2.5-1.5b", quant="int8", input_tokens=256, output_tokens=64, concurrency=1.0
    )
    estimate = Estimate(
        plan=plan(
            "c8g.2xlarge", accelerators=0, dtype="int8", threads=8, serving_engine="llama.cpp"
        ),
        memory=memory(1.6, 15.2, overhead=0.6, kv_tokens_max=120_000),
        performance=serving(380.0, 24.0, e2e=1900.0, rate=41.0),
    )
    machine = instance("c8g.2xlarge", vcpus=8, cores=8, host_mem_gib=16.0, arch="arm64")
    return answer(
        workload,
        [pick(1, "cheapest", machine, estimate, (quote("c8g.2xlarge", 0.31904), cost(0.31904)))],
        model=model("qwen2.5-1.5b", params_b=1.54, typical=False),
    )


def neuron():
    return answer(
        replace(REALTIME, latency_ms=None, latency_kind=None),
        [inf2_pick(rank=1, label="cheapest", limits=())],
        assumptions=REALTIME_ASSUMED[:2],
    )


def capacity_block_only():
    estimate = Estimate(
        plan=plan("p6-b200.48xlarge", accelerators=8, tp=8),
        memory=memory(85.3, 178.0, kv_tokens_max=3_100_000),
        performance=serving(60.0, 9.0, rate=110.0, basis="not_measured"),
        at_max=serving(None, None, rate=21_000.0, users=512.0, basis="not_measured"),
    )
    machine = instance(
        "p6-b200.48xlarge",
        "B200",
        8,
        local_nvme_gb=30400,
        efa=True,
        efa_interfaces=8,
        capacity_block=True,
        on_demand_sold=False,
        lifecycle="sold by Capacity Block only",
    )
    unpriced = quote(
        "p6-b200.48xlarge", None, why_unpriced="AWS publishes no on-demand price for this type"
    )
    return answer(
        Workload(
            model="deepseek-r1", quant="fp8", input_tokens=2048, output_tokens=512, concurrency=64.0
        ),
        [
            pick(
                1,
                "only type that holds it in one machine",
                machine,
                estimate,
                (unpriced, cost(None)),
                caveats=("Sold by Capacity Block only: reserve it for a window, paid up front.",),
            )
        ],
        model=model("deepseek-r1", params_b=671.0, active_b=37.0, typical=False),
        warnings=("No price is known for the first choice.",),
        unpriced=("p6-b200.48xlarge",),
    )


def moe():
    workload = Workload(
        model="mixtral-8x7b", quant="bf16", input_tokens=1024, output_tokens=256, concurrency=16.0
    )
    estimate = Estimate(
        plan=plan("g6e.12xlarge", accelerators=4, tp=4, ep=2),
        memory=memory(21.8, 44.4, kv=4.2, kv_tokens_max=410_000, approximate=True),
        performance=serving(210.0, 34.0, e2e=8900.0, rate=450.0, users=16.0),
        at_max=serving(None, None, rate=1900.0, users=96.0),
    )
    machine = instance("g6e.12xlarge", "L40S", 4, local_nvme_gb=3800)
    return answer(
        workload,
        [
            pick(
                1,
                "cheapest",
                machine,
                estimate,
                (quote("g6e.12xlarge", 10.493), cost(10.493, per_million=1.534)),
            )
        ],
        model=model("mixtral-8x7b", params_b=46.7, active_b=12.9, typical=False),
    )


def multi_node():
    workload = Workload(
        model="llama-3.1-405b", quant="bf16", input_tokens=2048, output_tokens=512, concurrency=32.0
    )
    estimate = Estimate(
        plan=plan("p4de.24xlarge", instances=2, accelerators=16, tp=8, pp=2),
        memory=memory(50.7, 79.2, kv=6.0, kv_tokens_max=620_000),
        performance=serving(1450.0, 62.0, e2e=33_000.0, rate=500.0, users=32.0),
        at_max=serving(None, None, rate=900.0, users=64.0),
    )
    machine = instance(
        "p4de.24xlarge", "A100-80", 8, efa=True, efa_interfaces=4, local_nvme_gb=8000, vcpus=96
    )
    return answer(
        workload,
        [
            pick(
                1,
                "cheapest that holds it",
                machine,
                estimate,
                (quote("p4de.24xlarge", 27.447), cost(54.894, per_million=16.94)),
                instances=2,
                caveats=("Both machines must sit in one zone: EFA does not cross zones.",),
            )
        ],
        model=model("llama-3.1-405b", params_b=405.0, typical=False),
    )


def encoder():
    workload = Workload(model="bge-m3", quant="fp16", input_tokens=128, output_tokens=0, rps=200.0)
    estimate = Estimate(
        plan=plan("g4dn.xlarge", dtype="fp16", serving_engine="tei"),
        memory=memory(1.1, 14.6, kv=0.0, overhead=0.9),
        performance=serving(None, None, e2e=6.1, requests=200.0, users=2.0),
        at_max=serving(None, None, requests=900.0, users=64.0),
    )
    return answer(
        workload,
        [
            pick(
                1,
                "cheapest",
                instance("g4dn.xlarge", "T4", 1, local_nvme_gb=125),
                estimate,
                (quote("g4dn.xlarge", 0.526), cost(0.526, per_million=0.0012, counted="total")),
                limits=(LimitCheck("e2e_ms", 50.0, 6.1, "meets"),),
            )
        ],
        model=model("bge-m3", params_b=0.57, typical=False, task="embedding"),
    )


def asked():
    """The user named an instance that works but is not the first choice."""
    recommendation = realtime()
    return replace(
        recommendation,
        workload=replace(REALTIME, instance="p5.4xlarge"),
        said=replace(REALTIME_SAID, instance="p5.4xlarge"),
        best=recommendation.picks[0],
        asked=recommendation.picks[1],
    )


SAMPLES = {
    "realtime": (realtime, "inference 7B latency<100ms"),
    "nothing_fits": (nothing_fits, "inference 70B latency<20ms under $2/h"),
    "too_big": (too_big, "can a g6.xlarge run 20B in bf16?"),
    "training": (training, "train llama-3.1-8b on 15B tokens within 3 days"),
    "cpu": (cpu, "inference qwen2.5-1.5b int8 on cpu"),
    "neuron": (neuron, "inference 7B on inferentia"),
    "capacity_block_only": (capacity_block_only, "inference deepseek-r1 fp8 concurrency=64"),
    "moe": (moe, "inference 8x7B concurrency=16"),
    "multi_node": (multi_node, "inference llama-3.1-405b bf16 concurrency=32"),
    "encoder": (encoder, "embed with bge-m3 at 200 rps latency<50ms"),
    "asked": (asked, "inference 7B latency<100ms instance=p5.4xlarge"),
}
