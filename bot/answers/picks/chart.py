"""A chart that was asked for: drawn where pictures can be shown, in words and bars everywhere."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

from bot.answers.reply import Reply
from bot.cards.notices import notice_view
from bot.cards.pictures.picture import FrontierPicture, MemoryPicture, Picture, chart_view
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.language.questions.chart_asked import ChartKind, ChartRequest
from bot.language.readings import format_request
from engine.core.workload import Workload

Again = Callable[[str, Workload | None], Reply]  # answers other words, in the light of a workload

OF_A_CARD: Final[dict[ChartKind, type[Picture]]] = {
    "frontier": FrontierPicture,
    "memory": MemoryPicture,
}
NOTHING: Final = "This answer has nothing to draw: {why}."
WHY_NOT: Final[dict[ChartKind | None, str]] = {
    "frontier": "fewer than two types are worth a place on the line of price against latency",
    "memory": "its memory is not known",
    "history": "fewer than two prices of it are known",
    "crossover": "no single type carries any load within the limits",
    None: "it holds neither a pick nor a price that changed",
}


def chart_reply(text: str, asked: ChartRequest, previous: Workload | None, again: Again) -> Reply:
    """Return the chart of what the text names, else of what the thread is about.

    Raises:
        RequestError: there is nothing yet to draw.
    """
    if not asked.rest and previous is None:
        raise RequestError(
            "no_context",
            "There is nothing to draw yet: say what to run, or name a type.",
            example=example("chart"),
        )
    reply = _answer_to_draw(asked, previous, again)
    if reply.error is not None:
        return replace(reply, request=text)
    reply = replace(reply, request=text, alert=None, manifest=None)  # a chart was asked for
    wanted = OF_A_CARD.get(asked.kind) if asked.kind else None
    pictures = tuple(p for p in reply.pictures if wanted is None or isinstance(p, wanted))
    if not pictures:
        view = notice_view("No chart", NOTHING.format(why=WHY_NOT[asked.kind]))
        return replace(reply, view=view)
    drawn = replace(reply, intent="explain", draws=pictures)
    return drawn if reply.picture is not None else replace(drawn, view=chart_view(pictures))


def _answer_to_draw(asked: ChartRequest, previous: Workload | None, again: Again) -> Reply:
    """Return the answer whose pictures are asked for."""
    if asked.kind == "history":
        return _history_reply(asked.rest, previous, again)
    if asked.kind == "crossover":
        return again(f"{asked.rest} cheapest at every load", previous)
    if asked.rest:
        return again(asked.rest, previous)
    return again(format_request(previous or Workload(task="inference")), None)


def _history_reply(rest: str, previous: Workload | None, again: Again) -> Reply:
    """Return the price history of the type named, else of the thread's pick."""
    found = again(f"price history {rest}", previous) if rest else None
    if found is not None and found.error is None and found.intent == "price":
        return found
    card = again(rest or format_request(previous or Workload(task="inference")), previous)
    result = card.recommendation
    pick = None if result is None else result.asked or next(iter(result.picks), None)
    if pick is None:
        return card
    named = f"price history {pick.instance.instance_type} region={pick.region}"
    return again(f"{named} market={pick.quote.market}", None)
