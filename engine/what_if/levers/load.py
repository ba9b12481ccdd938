"""At which load a type is the cheapest."""

from engine.core.question import Question
from engine.pick.candidates import in_group
from engine.pick.reasons import quantity
from engine.pick.recommend import evaluate
from engine.what_if.capacity import PRECISION as CAPACITY_PRECISION
from engine.what_if.capacity import at_load, load_field, units
from engine.what_if.crossover import DEFAULT_RANGE, LoadRange, crossover
from engine.what_if.levers.case import Case, Flip


def load_flip(case: Case) -> Flip:
    """Return the load nearest to today's at which the group is the cheapest, or that none is."""
    question = case.question
    field = load_field(question)
    word, low, high = _load_words(question)
    objective = question.workload.objective or "cost"
    if objective not in {"cost", "max_savings"} or question.workload.mode == "batch":
        text = f"not searched: ranked by {objective}, the order does not hang on the load"
        return Flip(lever="load", found=False, text=text)
    lines = crossover(units(question, field), field, low, high)
    wins = [s for s in lines.segments if in_group(s.first.unit.instance, case.subject, question)]
    today: float = getattr(question.workload, field) or 1.0
    if not wins:
        text = f"no load between {low:g} and {lines.carried_to or high:.4g} {word} does"
        return Flip(lever="load", found=False, text=text, unit=word)
    nearest = min(wins, key=lambda s: _distance(s, today))
    load = _inside(nearest, today)
    if not case.has(evaluate(at_load(question, field, load)).best):
        return Flip(lever="load", found=False, text=f"no load up to {high:g} {word} does")
    text = (
        f"from {nearest.first.load:.4g} to {nearest.last.load:.4g} {word} (today {today:.4g}) "
        f"{nearest.last.instances}x {nearest.name} is the cheapest, at "
        f"{quantity(nearest.last.usd_per_hour, 'USD/h')}"
    )
    return Flip(
        lever="load",
        found=True,
        text=text,
        instance_type=nearest.name,
        value=load,
        today=today,
        unit=word,
        change={field: load},
    )


def _load_words(question: Question) -> tuple[str, float, float]:
    field = load_field(question)
    word = "requests/s" if field == "rps" else "users at once"
    return word, *DEFAULT_RANGE[field]


def _inside(segment: LoadRange, today: float) -> float:
    """Return the load nearest to today's that is surely within a segment of known precision."""
    first, last = segment.first.load, segment.last.load
    if first <= today:
        return last
    return min(last, max(first, segment.above * CAPACITY_PRECISION**2))


def _distance(segment: LoadRange, load: float) -> float:
    """Return the factor between a load and the nearest end of a segment."""
    if segment.first.load > load:
        return segment.first.load / load
    return max(1.0, load / segment.last.load)
