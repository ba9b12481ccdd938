"""Single estimates a second by kind: memory and speed of one given plan, nothing kept between them.

Each round asks about several models, machines and loads, and starts with the engine's caches of
replicas empty, so that no estimate is a look-up of an earlier one.
"""

import gc
import statistics
import time
from collections.abc import Callable, Iterator

from bot.answers.estimate.answer import estimated
from bot.answers.estimate.request import estimate_request
from bot.answers.world import World
from engine.core.plan import TrainingJob
from engine.memory.serving import serving_memory
from engine.memory.training import training_memory
from engine.performance.replica import replica_of
from engine.performance.serving import serving_performance
from engine.performance.training import training_performance

ROUNDS = 25
DENSE = ("llama-3.1-8b", "qwen2.5-7b", "mistral-nemo-12b", "gemma-2-9b", "phi-4")
MOE = ("mixtral-8x7b", "qwen3-30b-a3b", "gpt-oss-20b", "qwen1.5-moe-a2.7b", "deepseek-v2-lite")
GPUS = ("g6e.12xlarge", "p4d.24xlarge", "p5.48xlarge")
LOADS = {"single": {}, "closed": {"concurrency": 16}, "open": {"rps": 1.5}}
PEER_MODEL, PEER_SYSTEM = "Qwen/Qwen3-32B", "h100_sxm"


def kinds() -> Iterator[tuple[str, list[dict[str, object]]]]:
    """Yield each kind of estimate with the plans it is timed on."""
    for name, models in (("dense", DENSE), ("MoE", MOE)):
        for load, fields in LOADS.items():
            plans = [{"model": m, "instance": i, **fields} for m in models for i in GPUS]
            yield f"GPU, {name}, {load}", plans
    cpus = ("c8g.24xlarge", "m7i.24xlarge", "c7a.24xlarge")
    yield "CPU", [{"model": m, "instance": i, "quant": "q4_k_m"} for m in DENSE for i in cpus]
    chips = ("inf2.24xlarge", "trn1.32xlarge")
    yield "Neuron", [{"model": m, "instance": i} for m in DENSE[:3] for i in chips]
    train = {"task": "train", "tokens_total": 1e9, "tp": 1}
    yield "training", [{"model": m, "instance": i, **train} for m in DENSE for i in GPUS]


def estimates_per_second(plans: list[dict[str, object]], world: World) -> float:
    """Return the median rate over rounds of all the plans."""
    work = [_estimate(fields, world) for fields in plans]
    rates = []
    gc.collect()
    for _ in range(ROUNDS):
        replica_of.cache_clear()
        start = time.process_time()
        for estimate in work:
            estimate()
        rates.append(len(work) / (time.process_time() - start))
    return statistics.median(rates)


def _estimate(fields: dict[str, object], world: World) -> Callable[[], object]:
    """Return the work of one estimate, its names looked up beforehand."""
    found = estimated(estimate_request(fields), world)
    if found.estimate is None:
        raise ValueError(f"not a valid plan: {fields}")
    model, host, plan, job = found.model, found.host, found.estimate.plan, found.work
    coefficients = world.coefficients

    def training() -> object:
        if not isinstance(job, TrainingJob):
            raise TypeError
        training_memory(model, host, plan, job)
        return training_performance(model, host, plan, job, coefficients)

    def serving() -> object:
        if isinstance(job, TrainingJob):
            raise TypeError
        memory = serving_memory(model, host, plan, context_tokens=found.context_tokens)
        return serving_performance(
            model, host, plan, job, sequences_max=memory.sequences_max, coefficients=coefficients
        )

    return training if isinstance(job, TrainingJob) else serving


def peer_seconds() -> float | None:
    """Return the time of one aiconfigurator estimate after a first one, None where it is absent."""
    try:
        from aiconfigurator.cli.api import cli_estimate
    except ImportError:
        return None

    def estimate() -> object:
        return cli_estimate(PEER_MODEL, PEER_SYSTEM, isl=1024, osl=1024, batch_size=32, tp_size=4)

    estimate()
    start = time.perf_counter()
    estimate()
    return time.perf_counter() - start
