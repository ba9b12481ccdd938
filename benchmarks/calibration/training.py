"""Training rows: tokens per second and accelerator of published runs, one row a run.

A run told in two units (rate and MFU) counts once, by its rate. What a source does not state is
what its software does by default: checkpointing, the micro-batch, the attention kernel.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from benchmarks.calibration.family import Family
from benchmarks.calibration.rows import Record, Row, SharedDataError, number, records
from catalog.facts.coefficients import Coefficients, load_coefficients
from catalog.facts.schema import Model
from catalog.load import load_catalog
from engine.core.plan import Checkpointing, Host, Plan, Sharding, TrainingJob, TrainMethod
from engine.performance.machine import flops_16bit
from engine.performance.training import range_class, token_time
from engine.performance.training_flops import forward_flops
from engine.performance.training_setup import Run, is_encoder, run_of
from engine.placement.hosts import host_of
from engine.shape.shape import transformer_of

TRAINING = "benchmarks_training.csv"
USUAL_MICRO_TOKENS = 8192
RACK_NETWORK_GB_S = 400.0  # four 800 Gbit/s adapters to a tray of four, as NVIDIA's own racks have
RATES = ("tokens_s_per_accelerator", "step_s", "mfu_pct", "tflops_per_accelerator",
         "time_to_train_min")  # fmt: skip
# Mean tokens of a sample: Alpaca with its prompt template, and BERT's Wikipedia articles, where
# half of 512 positions are padding (both published with the data sets).
ALPACA_TOKENS, BERT_TOKENS = 194, 256
SHAPES = {  # layers, hidden size, heads, FFN, vocabulary: of models that are not in the catalog
    "mpt-125m": (12, 768, 12, 3072, 50368), "mpt-350m": (24, 1024, 16, 4096, 50368),
    "mpt-1b": (24, 2048, 16, 8192, 50368), "mpt-3b": (32, 2560, 20, 10240, 50368),
    "mpt-13b": (40, 5120, 40, 20480, 50368), "mpt-70b": (80, 8192, 64, 32768, 50368),
    "gpt3-125m": (12, 768, 12, 3072, 50257), "gpt3-760m": (24, 1536, 16, 6144, 50257),
    "gpt3-1.3b": (24, 2048, 16, 8192, 50257), "gpt3-2.7b": (32, 2560, 20, 10240, 50257),
    "gpt3-23b": (28, 8192, 64, 32768, 50257), "gpt3-175b": (96, 12288, 96, 49152, 50257),
    "qwen-1.8b": (24, 2048, 16, 5504, 151936), "qwen-7b": (32, 4096, 32, 11008, 151936),
}  # fmt: skip
MEGATRON = ("Megatron", "NeMo", "PyTorch (MLPerf", "PyTorch + DeepSpeed (MLPerf")
EAGER = ("HF ", "LitGPT", "torchtune", "PyTorch FSDP")
FULL_CHECKPOINTING = ("HF ", "torchtune", "PyTorch + DeepSpeed")
WHOLE_ATTENTION = "NeMo 25"  # counted attention over the whole square; later versions the half
LONG_RUNS = {
    "llama-3.1-405b": 2097152
}  # tokens a step where a source states it for one length only
FUSED_ADDONS = ("foak",)  # fused operations and kernels added to an eager trainer
Software = Literal["megatron", "fused", "eager"]
FOUR_BIT = ("nf4", "gptq")
UNSTATED_FORMAT = "nvfp4"  # of the Blackwell results of MLPerf 5.1, whose logs do not say
LESS_CERTAIN = 0.55  # weight of rows whose token count or recipe is a guess
UNCERTAIN = frozenset({"trn-0008", "trn-0009", "trn-0028", "trn-0096", "trn-0176", "trn-0177",
                       "trn-0029", "trn-0256"})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trained:
    """One run as the estimate takes it."""

    model: Model
    host: Host
    plan: Plan
    job: TrainingJob

    def run(self, coefficients: Coefficients) -> Run:
        """Return the run with every default filled."""
        return run_of(self.model, self.host, self.plan, self.job, coefficients)


def family() -> Family:
    """Return the training family."""
    return Family(
        name="training",
        prefix="training.",
        rows=tuple(training_rows()),
        predict=predict,
        touches=touches,
        populations=("training",),
    )


def predict(coefficients: Coefficients, rows: Sequence[Row]) -> list[float]:
    """Return useful tokens per second and accelerator of every row."""
    figures = []
    for row in rows:
        trained = trained_of(row)
        total = token_time(trained.run(coefficients), coefficients).total
        figures.append(1 / (total * trained.job.padding))
    return figures


def trained_of(row: Row) -> Trained:
    """Return the run behind a row of this family."""
    if not isinstance(row.run, Trained):
        raise SharedDataError(f"row {row.id} is not a training row")
    return row.run


def touches(name: str, row: Row) -> bool:
    """Whether a coefficient can change a row's figure."""
    trained, last = trained_of(row), name.rsplit(".", 1)[-1]
    if name.startswith("training.generation."):
        chip = trained.host.accelerator
        return chip is not None and (chip.vendor == "aws") == (last == "neuron")
    if last == "routing":
        return bool(trained.model.num_experts)
    if last == "unpack":
        return trained.job.method == "qlora"
    return True


def training_rows() -> Iterator[Row]:
    """Yield one row a run, in the unit that says most directly how fast it was."""
    runs: dict[tuple[str, ...], list[Record]] = {}
    for record in records(TRAINING):
        runs.setdefault(_run_key(record), []).append(record)
    for told in runs.values():
        best = min(RATES.index(record["metric"]) for record in told)
        yield from (_row(record) for record in told if RATES.index(record["metric"]) == best)


def _run_key(record: Record) -> tuple[str, ...]:
    columns = ("framework", "accelerator", "num_accelerators", "model", "seq_len", "precision",
               "global_batch_tokens", "parallelism", "method")  # fmt: skip
    return (record["source"].split("@")[0], *(record[name] for name in columns))


def _row(record: Record) -> Row:
    trained = _trained(record)
    repository = record["source"].split(":")[0]
    chip = record["accelerator"]
    regime = range_class(trained.run(load_coefficients()))
    return Row(
        file=TRAINING,
        id=record["id"],
        source=repository,
        model=record["model"],
        accelerator=chip,
        metric="throughput",
        regime=regime,
        class_name=f"training {regime.replace('_', ' ')}",
        cell=f"{repository} {record['model']} {chip}",
        measured=_tokens_per_s(record, trained),
        run=trained,
        population="training",
        weight=LESS_CERTAIN if record["id"] in UNCERTAIN else 1.0,
    )


def _tokens_per_s(record: Record, trained: Trained) -> float:
    """Return useful tokens per second and accelerator, whatever the source counts."""
    value, metric = number(record, "value"), record["metric"]
    if metric == "tokens_s_per_accelerator":
        return value
    accelerators = number(record, "num_accelerators")
    if metric == "step_s":
        return (trained.job.global_batch_tokens or 0.0) / (accelerators * value)
    if metric == "time_to_train_min":
        epochs = _stated(record, r"(\d+) epochs")
        return epochs * 2000 * ALPACA_TOKENS / (60 * value * accelerators)
    flops = forward_flops(
        transformer_of(trained.model), trained.job.seq_len, encoder=is_encoder(trained.model)
    )
    chip = trained.host.accelerator
    if metric == "tflops_per_accelerator" or chip is None:
        counted = 2.0 if record["framework"].startswith(WHOLE_ATTENTION) else 1.0
        return value * 1e12 / (3 * (flops.matrix + counted * flops.attention))
    return value / 100 * flops_16bit(chip) / (3 * flops.matrix)


def _stated(record: Record, pattern: str, default: float | None = None) -> float:
    """Return a number out of a row's words.

    Raises:
        SharedDataError: the words are not there and have no default.
    """
    found = re.search(pattern, f"{record['parallelism']}; {record['notes']}")
    if found:
        return float(found.group(1))
    if default is None:
        raise SharedDataError(f"row {record['id']}: no {pattern!r} in its notes")
    return default


def _trained(record: Record) -> Trained:
    model, plan = _model(record), _plan(record)
    catalog = load_catalog()
    host = host_of(catalog.instances[record["instance_type"]], catalog)
    if host.network_gb_s is None:
        host = replace(host, network_gb_s=RACK_NETWORK_GB_S)
    slower = re.search(r"at ([\d.]+) TB/s", record["instance_note"])
    if slower and host.accelerator:
        chip = replace(host.accelerator, mem_bw_gb_s=1e3 * float(slower.group(1)))
        host = replace(host, accelerator=chip)
    return Trained(model=model, host=host, plan=plan, job=_job(record, model, plan))


def _model(record: Record) -> Model:
    """Return a model of the catalog, or one with the shape listed above.

    Raises:
        SharedDataError: it is in neither.
    """
    catalog, name = load_catalog(), record["model"]
    if name in catalog.model_names:
        return catalog.models[catalog.model_names[name]]
    if name not in SHAPES:
        raise SharedDataError(f"model {name} is neither in the catalog nor among the shapes")
    layers, hidden, heads, ffn, vocabulary = SHAPES[name]
    return replace(
        catalog.models["llama-2-7b" if name.startswith("qwen") else "gpt2"],
        id=name,
        total_params_b=number(record, "params_b"),
        active_params_b=number(record, "params_b"),
        layers=layers,
        full_attention_layers=layers,
        hidden_size=hidden,
        intermediate_size=ffn,
        heads=heads,
        kv_heads=heads,
        head_dim=hidden // heads,
        vocab_size=vocabulary,
    )


def _plan(record: Record) -> Plan:
    def ways(name: str) -> int:
        return int(_stated(record, rf"\b{name} (\d+)", 1))

    accelerators = int(number(record, "num_accelerators"))
    return Plan(
        instance_type=record["instance_type"],
        instances=-(-accelerators // 8),
        accelerators=accelerators,
        tensor_parallel=ways("TP"),
        pipeline_parallel=ways("PP"),
        data_parallel=1,
        expert_parallel=ways("EP"),
        weights_dtype="bf16",
        kv_dtype="bf16",
        serving_engine="none",
        memory_utilisation=0.9,
    )


def _job(record: Record, model: Model, plan: Plan) -> TrainingJob:
    seq_len = int(number(record, "seq_len", 2048 if record["model"].startswith("gpt3") else 4096))
    global_batch = number(record, "global_batch_tokens", 0.0) or None
    if global_batch is None and record["framework"] == "torchtitan":
        global_batch = LONG_RUNS.get(record["model"])
    if "unpadded" in record["notes"]:
        seq_len = BERT_TOKENS
        global_batch = BERT_TOKENS * _stated(record, r"(\d+) sequences")
    tensor, pipeline, context = plan.tensor_parallel, plan.pipeline_parallel, 1
    context = int(_stated(record, r"\bCP (\d+)", 1))
    ranks = max(1.0, plan.accelerators / (tensor * pipeline * context))
    usual = max(1, USUAL_MICRO_TOKENS // seq_len)
    if global_batch:
        usual = max(1, min(usual, int(global_batch / ranks / seq_len)))
    micro = int(_stated(record, r"(?:micro batch|local batch|batch) (\d+)", usual))
    alpaca = "alpaca" in record["notes"]
    if alpaca:
        seq_len = ALPACA_TOKENS
    return TrainingJob(
        method=_method(record),
        seq_len=seq_len,
        tokens_total=None,
        global_batch_tokens=global_batch,
        micro_batch=micro,
        precision=_precision(record),
        sharding=_sharding(record),
        checkpointing=_checkpointing(record, model),
        software=_software(record),
        context_parallel=context,
        virtual_pipeline=int(_stated(record, r"\bVP (\d+)", 1)),
        padding={1: 1.0, 2: 1.25, 4: 1.5}[micro] if alpaca else 1.0,
    )


def _method(record: Record) -> TrainMethod:
    if record["method"] != "lora":
        return "full"
    return "qlora" if any(word in record["precision"] for word in FOUR_BIT) else "lora"


def _precision(record: Record) -> str:
    stated = record["precision"]
    if stated.startswith("not stated"):
        return UNSTATED_FORMAT
    if "fp8 mixed" in stated:
        return "fp8"
    return stated if stated in {"fp8", "mxfp8", "nvfp4", "fp32"} else "bf16"


def _sharding(record: Record) -> Sharding:
    words = f"{record['parallelism']} {record['framework']}"
    if "FSDP" in words or "ZeRO-3" in words or "torchtune" in words:
        return "zero3"
    if record["framework"].startswith(MEGATRON) or "ZeRO-1" in words or "TP" in words:
        return "zero1"
    return "ddp"


def _software(record: Record) -> Software:
    framework = record["framework"]
    if framework.startswith("NeMo AutoModel"):
        return "fused"
    if framework.startswith(MEGATRON):
        return "megatron"
    if framework.endswith(FUSED_ADDONS):
        return "fused"
    eager = framework.startswith(EAGER) or record["notes"] in {"eager", "default", "plain TP"}
    return "eager" if eager else "fused"


def _checkpointing(record: Record, model: Model) -> Checkpointing:
    words = f"{record['parallelism']} {record['notes']}"
    if "selective" in words:
        return "selective"
    if "full checkpointing" in words or "activation checkpointing" in words:
        return "full"
    framework = record["framework"]
    megatron = _software(record) == "megatron"
    if "LLM Foundry" in framework or model.num_experts or megatron:
        return "none"
    if framework.startswith(FULL_CHECKPOINTING):
        return "full"
    if "FSDP" in words and model.total_params_b >= 10:
        return "full" if model.total_params_b >= 20 else "selective"
    return "none"
