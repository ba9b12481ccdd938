"""Other readings of an ambiguous word, and what each would have picked."""

from engine.recommend import Evaluated, best_option, with_workload
from engine.result import Reading
from engine.serving import Serving

PHRASES = {
    "ttft": "time to first token",
    "per_token": "time per token",
    "e2e": "the whole answer",
}


def other_readings(evaluated: Evaluated) -> tuple[Reading, ...]:
    """Return what each other reading of a bare latency would pick.

    Only for models that write tokens, where the user gave a latency without saying of what.
    """
    question, said = evaluated.question, evaluated.question.said
    ambiguous = said.latency_ms is not None and said.latency_kind is None
    if not ambiguous or not question.workload.output_tokens or question.trains:
        return ()
    others = [kind for kind in PHRASES if kind != question.workload.latency_kind]
    return tuple(_reading(evaluated, kind) for kind in others)


def _reading(evaluated: Evaluated, kind: str) -> Reading:
    change: dict[str, object] = {"latency_kind": kind}
    worked = evaluated.works.worked if isinstance(evaluated.works, Serving) else None
    best = best_option(with_workload(evaluated.question, **change), worked)
    if best is None:
        return Reading(PHRASES[kind], change, None, None)
    return Reading(PHRASES[kind], change, best.instance.instance_type, best.usd_per_hour)
