"""The answer as the JSON object of the command-line contract. Field names are stable."""

from dataclasses import asdict
from typing import Any

from engine.core.estimate import Figure, Memory, Performance, TrainingPerformance
from engine.core.plan import Plan
from engine.core.result import Pick, Recommendation, Verdict
from engine.core.workload import Workload, owned_hardware
from engine.pick.explain import Explanation
from engine.pick.jobs import other_fleets

Json = dict[str, Any]

SERVING_FIGURES = (
    "ttft_ms",
    "tpot_ms",
    "e2e_ms",
    "output_tokens_per_s",
    "total_tokens_per_s",
    "requests_per_s",
)
TRAINING_FIGURES = ("tokens_per_s_per_accelerator", "mfu", "step_s", "time_h")


def answer_json(
    request: str,
    intent: str,
    result: Recommendation,
    *,
    explanation: Explanation | None = None,
    comparison: Json | None = None,
    notes: tuple[str, ...] = (),
) -> Json:
    """Return the whole answer as plain JSON types."""
    return {
        "request": request,
        "intent": intent,
        "workload": workload_json(result.workload),
        "assumptions": [asdict(assumption) for assumption in result.assumptions],
        "guides": [asdict(guide) for guide in result.guides],
        "picks": [pick_json(pick) for pick in result.picks],
        "closest": [pick_json(pick) for pick in result.closest],
        "rejected": [asdict(rejection) for rejection in result.rejected],
        "frontier": [asdict(point) for point in result.frontier],
        "readings": [asdict(reading) for reading in result.readings],
        "relaxations": [asdict(relaxation) for relaxation in result.relaxations],
        "verdict": verdict_json(result.verdict),
        "explanation": explanation_json(explanation),
        "comparison": comparison,
        "warnings": [*result.warnings, *notes],
        "codes": list(result.codes),
        "considered": result.considered,
    }


def workload_json(workload: Workload) -> Json:
    """Return the fields that hold something; tuples become lists, what is owned an object."""
    said: Json = {k: list(v) if isinstance(v, tuple) else v for k, v in workload.said().items()}
    if workload.owned is not None:
        owned = owned_hardware(workload.owned)
        said["owned"] = {
            "gpu" if owned.is_chip else "instance": owned.name,
            "count": owned.count,
            "price": owned.usd_per_hour,
        }
    return said


def pick_json(pick: Pick) -> Json:
    """Return one pick; an unknown figure is null, never 0."""
    estimate = pick.estimate
    quote = pick.quote
    return {
        "rank": pick.rank,
        "label": pick.label,
        "instance_type": pick.instance.instance_type,
        "instances": pick.instances,
        "region": pick.region,
        "purchase": quote.market,
        "plan": plan_json(estimate.plan),
        "memory": memory_json(estimate.memory),
        "performance": performance_json(estimate.performance or estimate.training),
        "performance_at_full_load": performance_json(estimate.at_max),
        "price": {
            "usd_per_hour": quote.usd_per_hour,
            "source": quote.source,
            "as_of": quote.as_of,
            "cached": quote.cached,
            "note": quote.note,
            "region": quote.region,
            "why_unpriced": quote.why_unpriced,
            "on_demand_ceiling_usd_per_hour": pick.ceiling.usd_per_hour if pick.ceiling else None,
        },
        "cost": {
            **asdict(pick.cost),
            "usd_per_million_tokens_at_load": pick.cost.usd_per_million_tokens,
        },
        "job": job_json(pick),
        "limits": [asdict(check) for check in pick.limits],
        "why": list(pick.why),
        "caveats": list(pick.caveats),
    }


def job_json(pick: Pick) -> Json | None:
    """Return the hours of a serving job, and of the same job on fewer and on more machines."""
    job = pick.estimate.job
    if job is None:
        return None
    return {
        "items": job.items,
        "hours": job.time_h.value,
        "hours_range": [job.time_h.low, job.time_h.high],
        "machine_hours": job.time_h.value * pick.instances,
        "restart_factor": job.restart_factor,
        "other_fleets": [asdict(f) for f in other_fleets(pick.estimate, pick.cost, pick.instances)],
    }


def plan_json(plan: Plan) -> Json:
    """Return the parallel plan."""
    return asdict(plan)


def memory_json(memory: Memory) -> Json:
    """Return memory per accelerator in GiB, and what the KV cache holds."""
    return {
        "weights": memory.weights,
        "kv_cache": memory.kv_cache,
        "activations": memory.activations,
        "optimizer": memory.optimizer,
        "gradients": memory.gradients,
        "overhead": memory.overhead,
        "total": memory.total,
        "available": memory.available,
        "kv_tokens_max": memory.kv_tokens_max,
        "kv_bytes_per_token": memory.kv_bytes_per_token,
        "room_gib": memory.room_gib,
        "sequences_max": memory.sequences_max,
        "sequences_of_context": memory.full_sequences,
        "tight": memory.tight,
    }


def performance_json(timed: Performance | TrainingPerformance | None) -> Json | None:
    """Return each figure with its 80 % range beside it."""
    if timed is None:
        return None
    names = TRAINING_FIGURES if isinstance(timed, TrainingPerformance) else SERVING_FIGURES
    found: Json = {}
    for name in names:
        figure: Figure | None = getattr(timed, name)
        found[name] = None if figure is None else figure.value
        found[f"{name}_range"] = None if figure is None else [figure.low, figure.high]
    found["bound_by"] = timed.bound_by
    found["basis"] = timed.basis
    if isinstance(timed, Performance):
        found["concurrency"] = timed.concurrency
        found["saturated"] = timed.saturated
    return found


def verdict_json(verdict: Verdict | None) -> Json | None:
    """Return whether the machine that was named does; null where none was asked about."""
    if verdict is None or verdict.named == "doubted":
        return None
    deciding = verdict.deciding
    return {
        "answer": verdict.answer,
        "subject": {
            "name": verdict.name,
            "count": verdict.count,
            "owned": verdict.named == "owned",
            "usd_per_hour": verdict.usd_per_hour,
        },
        "deciding": None
        if deciding is None
        else {
            "name": deciding.name,
            "asked": deciding.limit,
            "had": deciding.value,
            "unit": deciding.unit,
        },
        "requests_per_s": _carried_json(verdict),
        "text": verdict.text,
    }


def _carried_json(verdict: Verdict) -> Json | None:
    """Return what the named machines carry: planned with a share to spare, and the most."""
    performance = None if verdict.estimate is None else verdict.estimate.performance
    if performance is None or performance.planned_requests_per_s is None:
        return None
    return {
        "planned": performance.planned_requests_per_s,
        "most": performance.steady_requests_per_s,
    }


def explanation_json(explanation: Explanation | None) -> Json | None:
    """Return an explanation with its numbers."""
    return None if explanation is None else asdict(explanation)
