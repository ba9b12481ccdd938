"""Other readings of an ambiguous word, and what each would have picked."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from engine.core.option import Option
from engine.core.result import Reading
from engine.core.workload import LatencyKind, OtherReading, Workload
from engine.pick.recommend import Evaluation

PHRASES: dict[LatencyKind, str] = {
    "ttft": "time to first token",
    "per_token": "time per token",
    "e2e": "the whole answer",
}
MOST_READINGS = 3


def latency_readings(
    evaluated: Evaluation, best_of: Callable[[Workload], Option | None]
) -> tuple[Reading, ...]:
    """Return what each other reading of a bare latency would pick.

    Only for models that write tokens, where the user gave a latency without saying of what.
    """
    question, said = evaluated.question, evaluated.question.said
    ambiguous = said.latency_ms is not None and said.latency_kind is None
    if not ambiguous or not question.workload.output_tokens or question.trains:
        return ()
    others: list[LatencyKind] = [k for k in PHRASES if k != question.workload.latency_kind]
    return tuple(
        _reading_of(
            PHRASES[kind], {"latency_kind": kind}, best_of(replace(said, latency_kind=kind))
        )
        for kind in others
    )


def worded_readings(
    evaluated: Evaluation,
    others: Iterable[OtherReading],
    best_of: Callable[[Workload], Option | None],
    *,
    most: int = MOST_READINGS,
) -> tuple[Reading, ...]:
    """Return what other readings of the text's words would pick, where that is another answer.

    `best_of` returns what would be picked for a workload as said, None where nothing meets it.
    """
    return tuple(islice(_differing(evaluated, others, best_of), most))


def _differing(
    evaluated: Evaluation,
    others: Iterable[OtherReading],
    best_of: Callable[[Workload], Option | None],
) -> Iterator[Reading]:
    answered = _best_key(evaluated.best)
    for other in others:
        best = best_of(other.of(evaluated.question.said))
        if _best_key(best) != answered:
            yield _reading_of(other.phrase, dict(other.change), best)


def _best_key(best: Option | None) -> tuple[object, ...] | None:
    if best is None:
        return None
    return best.instance.instance_type, best.instances, best.usd_per_hour


def _reading_of(phrase: str, change: dict[str, object], best: Option | None) -> Reading:
    if best is None:
        return Reading(phrase, change, None, None)
    return Reading(
        phrase,
        change,
        best.instance.instance_type,
        best.usd_per_hour,
        best.instances,
        best.cost.usd_total,
    )
