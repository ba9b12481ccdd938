"""The pictures of an answer, from what the engine worked out."""

from collections.abc import Sequence
from datetime import date

from bot.cards.pictures.picture import (
    CrossoverPicture,
    DatedPrice,
    Dot,
    FrontierPicture,
    HistoryPicture,
    MemoryPart,
    MemoryPicture,
    Picture,
    Stretch,
)
from bot.core.figures import usd_per_hour
from bot.core.views import CardView, MemoryBar, View
from bot.core.wording import model_words
from catalog.prices.history import PricePoint
from engine.core.result import Pick, Recommendation
from engine.what_if.crossover import Crossover, LoadRange

NAMED_IN_WORDS = 8


def pictures_of_card(result: Recommendation, view: View) -> tuple[Picture, ...]:
    """Return the pictures of a card: price against time, and the memory of its first pick."""
    if not isinstance(view, CardView) or view.head is None:
        return ()
    words = model_words(result.model, result.workload)
    frontier, bar = frontier_picture(result, words), view.head.memory
    memory = None if bar is None else memory_picture(bar, words)
    return tuple(picture for picture in (frontier, memory) if picture is not None)


def frontier_picture(result: Recommendation, workload: str) -> FrontierPicture | None:
    """Return the frontier of an answer with its pick; None where there is none to draw."""
    best = _marked_pick(result)
    if best is None:
        return None
    dots = tuple(
        Dot(
            name=point.instance_type,
            usd_per_hour=point.usd_per_hour,
            milliseconds=point.e2e_ms,
            picked=point.instance_type == best.instance.instance_type,
        )
        for point in result.frontier
        if point.e2e_ms is not None
    )
    if len(dots) < 2:
        return None
    return FrontierPicture(
        file_name="latency-versus-cost.png",
        title=f"Nothing is both cheaper and faster: {workload}",
        alt_text=_frontier_in_words(dots),
        figure="whole answer",
        dots=dots,
        limit_ms=_limit_ms(best),
    )


def _marked_pick(result: Recommendation) -> Pick | None:
    """Return the pick to mark: the type that was asked about where the frontier has it."""
    best, asked = result.best or next(iter(result.picks), None), result.asked
    names = {point.instance_type for point in result.frontier}
    return asked if asked is not None and asked.instance.instance_type in names else best


def _limit_ms(pick: Pick) -> float | None:
    return next((check.limit for check in pick.limits if check.field == "e2e_ms"), None)


def _frontier_in_words(dots: Sequence[Dot]) -> str:
    shown = [
        f"{dot.name}{' (the pick)' if dot.picked else ''} answers in {dot.milliseconds:,.0f} ms "
        f"at {usd_per_hour(dot.usd_per_hour)}"
        for dot in dots[:NAMED_IN_WORDS]
    ]
    more = len(dots) - len(shown)
    return (
        "Whole answer against price, cheapest first: "
        + "; ".join(shown)
        + (f"; and {more} dearer and faster." if more > 0 else ".")
    )


def crossover_picture(lines: Crossover, load: str, workload: str) -> CrossoverPicture | None:
    """Return the cheapest type at every load as a picture; None where none carries any."""
    stretches = tuple(
        Stretch(
            name=segment.name,
            machines=_segment_machines(segment),
            loads=(segment.first.load, segment.last.load),
            usd_per_hour=(segment.first.usd_per_hour, segment.last.usd_per_hour),
        )
        for segment in lines.segments
    )
    if not stretches:
        return None
    words = [
        f"{s.name} from {s.loads[0]:,.3g} to {s.loads[1]:,.3g}" for s in stretches[:NAMED_IN_WORDS]
    ]
    return CrossoverPicture(
        file_name="cheapest-at-every-load.png",
        title=f"Cheapest at every load: {workload}",
        alt_text=f"Cheapest by {load}: " + ", ".join(words) + ".",
        load=load,
        stretches=stretches,
    )


def _segment_machines(segment: LoadRange) -> str:
    count = segment.first.instances
    return segment.name if count == 1 else f"{count} × {segment.name}"


def history_picture(subject: str, points: Sequence[PricePoint]) -> HistoryPicture | None:
    """Return a price over the days it was seen; None for fewer than two of them."""
    if len(points) < 2:
        return None
    prices = tuple(
        DatedPrice(day=date.fromisoformat(p.day), usd_per_hour=p.usd_per_hour) for p in points
    )
    words = [f"{usd_per_hour(price.usd_per_hour)} on {price.day}" for price in prices]
    return HistoryPicture(
        file_name="price-history.png",
        title=f"Price of {subject}",
        alt_text=f"Price of {subject}: " + ", ".join(words) + ".",
        prices=prices,
    )


def memory_picture(bar: MemoryBar, workload: str) -> MemoryPicture:
    """Return what fills the memory of one device, or of the host."""
    device = bar.name.removeprefix("memory per ").removesuffix(" memory")
    parts = tuple(MemoryPart(name=segment.name, gib=float(segment.gib)) for segment in bar.segments)
    return MemoryPicture(
        file_name="memory.png",
        title=f"Memory of one {device}: {workload}",
        alt_text=f"Memory of one {device}: {bar.summary}.",
        device=device,
        parts=parts,
    )
