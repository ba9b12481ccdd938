"""How a figure of the answer came about: the estimate's own steps, or where a price is from."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from bot.answers.estimate.derivation import result_text
from bot.answers.pick import recommendation_of
from bot.answers.picks.explain import explain_turn
from bot.answers.question_asked import computed_reply, notes_of, question_of, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import ms, ms_range, plain_range, quantity, usd_per_hour
from bot.core.wording import machines, price_note
from engine.core.question import Question, serving_load, training_job
from engine.core.result import Number, Pick
from engine.derivation.derive import serving_derivation, training_derivation
from engine.derivation.step import ABOVE, Step
from engine.pick.explain import Explanation
from engine.placement.hosts import host_of

if TYPE_CHECKING:
    from engine.core.estimate import Figure

COLUMNS: Final = ("step", "formula", "with its numbers", "gives")
# The step a figure is, by the words of the question; the first of them that was taken.
TARGETS: Final[dict[str, tuple[str, ...]]] = {
    "ttft": ("first token (TTFT)",),
    "tpot": ("time per token (TPOT)",),
    "e2e": ("whole request",),
    "latency": ("first token (TTFT)", "whole request"),
    "rate": ("output tokens a second", "requests a second"),
    "mfu": ("model FLOPs utilisation (MFU)",),
    "time": ("time of the run, hours",),
    "all": ("first token (TTFT)", "whole request", "time of the run, hours"),
}
FIGURES: Final = {"ttft_ms": "first token", "tpot_ms": "time per token", "e2e_ms": "whole request"}
SOURCES: Final = (
    "`ec2-pick estimate --explain` prints every value with where it is from;"
    " docs/estimates.md says how far the figures were from measurements."
)
MEANS: Final = "The steps give means over requests; the card's figure is the percentile asked for."


def derivation_turn(turn: Turn) -> Reply:
    """Return the steps behind the figure asked about, else the card with its figures.

    A price's source is the list or the look-up it is from, with its date.
    """
    result = recommendation_of(turn)
    shown = (result.asked, *result.picks, *result.closest)
    pick = next((pick for pick in shown if pick is not None), None)
    question = question_of(turn, result)
    wanted = turn.understanding.asked.figure
    steps = () if pick is None else _pick_steps(pick, question)
    chosen = _memory_steps(steps) if wanted == "memory" else _steps_behind(steps, wanted)
    if pick is None or not (chosen or wanted == "price"):
        return explain_turn(turn)
    name = machines(pick.instance.instance_type, pick.instances)
    rows = _price_rows(pick) if wanted == "price" else list(map(_step_row, chosen))
    lead = _price_lead(name, pick) if wanted == "price" else _derivation_lead(name, pick, chosen)
    notes = (SOURCES, MEANS if turn.workload.percentile else "")
    view = table_view(
        f"How the figures of {name} for {short(result)} came about",
        f"{lead} Asked: {told(result)}.",
        COLUMNS,
        rows,
        notes_of(turn, result, *(notes if chosen else ())),
    )
    numbers = tuple(Number(step.name, step.result, step.unit) for step in chosen[-1:])
    return computed_reply(
        turn, view, result, explanation=Explanation(name, "derived", numbers, lead)
    )


def _pick_steps(pick: Pick, question: Question) -> tuple[Step, ...]:
    host = host_of(pick.instance, question.catalog)
    model, coefficients = question.model, question.coefficients
    if model is None or question.workload.cached_share:
        return ()  # the steps are of plain serving
    if question.trains:
        job = training_job(question.workload)
        return training_derivation(model, host, pick.estimate, job, coefficients)
    load, context = serving_load(question.workload), question.workload.context or 1
    return serving_derivation(
        model, host, pick.estimate, load, context_tokens=context, coefficients=coefficients
    )


def _memory_steps(steps: Sequence[Step]) -> tuple[Step, ...]:
    return tuple(step for step in steps if step.section.lower().startswith("memory"))


def _steps_behind(steps: Sequence[Step], wanted: str) -> tuple[Step, ...]:
    """Return the step of a figure after those whose results go into it, in their order."""
    names = [step.name for step in steps]
    target = next((name for name in TARGETS.get(wanted, ()) if name in names), None)
    if target is None:
        return ()
    needed, by_name = {target}, {step.name: step for step in steps}
    waiting = [target]
    while waiting:
        above = [v.meaning for v in by_name[waiting.pop()].values if v.source == ABOVE]
        new = [name for name in above if name in by_name and name not in needed]
        needed.update(new)
        waiting += new
    return tuple(step for step in steps if step.name in needed)


def _step_row(step: Step) -> tuple[str, ...]:
    return (step.name, step.formula, step.filled, result_text(step))


def _derivation_lead(name: str, pick: Pick, steps: Sequence[Step]) -> str:
    last = steps[-1]
    found = f"{name}: {last.name} = {result_text(last)}, in {len(steps)} steps."
    performance = pick.estimate.performance or pick.estimate.training
    ranges = "; ".join(_range_words(pick))
    if performance is None or not ranges:
        return found
    basis = {
        "measured_class": "measured on this class of hardware",
        "not_measured": "no measurement of this hardware",
    }[performance.basis]
    return f"{found} Eight of ten measurements fall within: {ranges}. Basis: {basis}."


def _range_words(pick: Pick) -> Iterator[str]:
    for field, words in FIGURES.items():
        figure: Figure | None = getattr(pick.estimate.performance, field, None)
        if figure is not None:
            yield f"{words} {ms(figure.value)} {ms_range(figure)}"
    training = pick.estimate.training
    if training is not None and training.time_h is not None:
        yield f"time {quantity(training.time_h.value)} h {plain_range(training.time_h)}"


def _price_lead(name: str, pick: Pick) -> str:
    cost = pick.cost.usd_per_hour
    told = "unpriced" if cost is None else usd_per_hour(cost)
    return f"{name} in {pick.region}: {told}. {price_note(pick.quote)}."


def _price_rows(pick: Pick) -> list[tuple[str, ...]]:
    one, cost = pick.quote.usd_per_hour, pick.cost
    if one is None or cost.usd_per_hour is None or cost.usd_per_month is None:
        return []
    each = usd_per_hour(one)
    return [
        ("one instance", "price list", pick.quote.as_of, each),
        (
            "an hour",
            "price × instances",
            f"{one:g} × {pick.instances}",
            usd_per_hour(cost.usd_per_hour),
        ),
        ("a month", "hour × 730", f"{cost.usd_per_hour:g} × 730", f"${cost.usd_per_month:,.0f}"),
    ]
