"""How a price has changed: dated lines, and in a word whether it is lower than it was."""

from collections.abc import Sequence
from itertools import pairwise

from bot.answers.costs.price import quote_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.notices import notice_view
from bot.cards.pictures.of_answer import history_picture
from bot.core.errors import RequestError
from bot.core.examples import example
from catalog.facts.schema import Instance, Quote
from catalog.prices.history import PriceChange, PricePoint, history, published_changes
from catalog.prices.prices import live_key
from engine.core.result import Number
from engine.pick.explain import Explanation
from engine.pick.reasons import quantity

BAR_WIDTH = 20
SAME = 0.005  # half a per cent: below that nobody speaks of a change


def history_turn(turn: Turn) -> Reply:
    """Return what the price of a type was and is, as a chart in text."""
    instance = _history_instance(turn)
    quote, changes = _known(turn, instance)
    term = round(turn.workload.term_years or 1)
    key = live_key(quote.market, quote.region, quote.instance_type, term)
    points = history(key, quote, changes)
    explanation = _history_explanation(quote, points)
    lines = (*chart(points), *turn.understanding.notes)
    return Reply(
        request=turn.request,
        intent="price",
        view=notice_view(explanation.subject, explanation.text, lines),
        explanation=explanation,
        notes=lines,
        quotes=(quote,),
        picture=history_picture(explanation.subject, points),
    )


def _history_instance(turn: Turn) -> Instance:
    """Return the type named; of a family or a GPU the one whose price changed most often.

    The largest, where several did.
    """
    workload, types = turn.workload, turn.world.catalog.instances
    if workload.instance is not None:
        return types[workload.instance]
    families = set(workload.allow or ())
    meant = [
        instance
        for instance in types.values()
        if instance.family in families or instance.accelerator_id == (workload.gpu or "none")
    ]
    if not meant:
        raise RequestError(
            "not_understood",
            "A price history needs an instance type.",
            field="instance",
            example=example("history"),
        )
    changed = [change.instance_type for change in published_changes()]
    return max(meant, key=lambda i: (changed.count(i.instance_type), i.accelerators, i.vcpus))


def _known(turn: Turn, instance: Instance) -> tuple[Quote, Sequence[PriceChange]]:
    """Return today's quote and the changes: published ones, and those seen from here."""
    quote, changes = quote_of(turn, instance), published_changes()
    if turn.live is None:
        return quote, changes
    from bot.answers.live.repricing import live_quote_of

    quote, _ = live_quote_of(turn.world.catalog, turn.live, quote, turn.workload)
    term = round(turn.workload.term_years or 1)
    key = live_key(quote.market, quote.region, quote.instance_type, term)
    return quote, (*changes, *turn.live.desk.cache.changes(key))


def chart(points: Sequence[PricePoint]) -> tuple[str, ...]:
    """Return one line a point: day, bar, price, and by how much it differs from the one before."""
    if not points:
        return ()
    highest = max(point.usd_per_hour for point in points)
    lines = []
    for before, point in zip((None, *points), points, strict=False):
        bar = "█" * max(1, round(BAR_WIDTH * point.usd_per_hour / highest))
        lines.append(
            f"{point.day} {bar} {quantity(point.usd_per_hour, 'USD/h')}{_step(before, point)}"
        )
    return tuple(lines)


def _step(before: PricePoint | None, point: PricePoint) -> str:
    if before is None:
        return ""
    ratio = point.usd_per_hour / before.usd_per_hour - 1
    return "" if abs(ratio) < SAME else f" ({_percent_of(ratio)})"


def _percent_of(ratio: float) -> str:
    return f"{'+' if ratio > 0 else '−'}{abs(100 * ratio):.0f} %"


def _history_explanation(quote: Quote, points: Sequence[PricePoint]) -> Explanation:
    subject = f"{quote.instance_type} in {quote.region}, {quote.market.replace('_', ' ')}"
    if not points:
        why = quote.why_unpriced or "no price is known"
        return Explanation(subject, "unknown", (), f"{subject}: no price history; {why}.")
    first, last = points[0], points[-1]
    numbers = tuple(Number(f"price {p.day}", p.usd_per_hour, "USD/h") for p in points)
    now = f"{quantity(last.usd_per_hour, 'USD/h')} on {last.day} (source {last.source})"
    changes = [(a, b) for a, b in pairwise(points) if _step(a, b)]
    if not changes:
        text = f"{subject}: {now}; no change of this price is known."
        return Explanation(subject, "unchanged", numbers, text)
    ratio = last.usd_per_hour / first.usd_per_hour - 1
    verdict = "unchanged" if abs(ratio) < SAME else "cheaper" if ratio < 0 else "dearer"
    before, after = changes[-1]
    text = (
        f"{subject}: {verdict} than on {first.day} ({_percent_of(ratio)}). "
        f"The last change known, {_percent_of(after.usd_per_hour / before.usd_per_hour - 1)}, came "
        f"between {before.day} and {after.day}; {now}."
    )
    return Explanation(subject, verdict, numbers, text)
