"""Saved picks: which pick a thread would save, as a wish; whoever keeps them carries it out."""

from dataclasses import replace
from typing import Final

from bot.answers.own_terms import on_own_terms
from bot.answers.pick import recommendation_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.answers.world import World
from bot.cards.card_view import head_pick
from bot.cards.notices import notice_view
from bot.core.errors import RequestError
from bot.core.understanding import Understanding
from bot.core.wording import machines, workload_words
from bot.language.parse import parse
from bot.language.questions.saved_words import SaveWish
from bot.language.readings import format_request
from bot.store.kept_of_people import SavedPick
from catalog.prices.prices import COMMITMENTS
from engine.core.result import Pick, Recommendation
from engine.core.workload import Workload

EXAMPLE: Final = "inference 7B latency<100ms"
# The answer where nothing is kept; `bot.conversation.saved_wishes` words it anew where picks are.
NOT_KEPT: Final = (
    "Nothing was saved or changed: picks are kept by the Slack app and by `ec2-pick chat`."
)


def saved_reply(text: str, wish: SaveWish, world: World, previous: Workload | None) -> Reply:
    """Return a notice about saved picks; the thread stays about what it was.

    Raises:
        RequestError: there is no pick here to save.
    """
    if wish.action == "save":
        wish = replace(wish, pick=_pick_to_save(wish, world, previous))
    title = "Saved picks" if wish.pick is None else f"Saved: {named(wish.pick)}"
    return Reply(request=text, intent="save", view=notice_view(title, NOT_KEPT), saving=wish)


def named(pick: SavedPick) -> str:
    """Return what was picked, in a few words."""
    return f"{machines(pick.instance_type, pick.instances)} in {pick.region}"


def _pick_to_save(wish: SaveWish, world: World, previous: Workload | None) -> SavedPick:
    if previous is None:
        raise RequestError(
            "no_context", "There is no pick here to save yet: ask for one first.", example=EXAMPLE
        )
    asked = Understanding(text=wish.named, intent="pick", workload=previous)
    if wish.named:
        asked = parse(wish.named, world.catalog, previous)
    world, asked = on_own_terms(world, asked, has_topic=False)
    live = None if world.live is None else world.live.answer()
    turn = Turn(request=wish.named, understanding=asked, world=world, live=live)
    result = recommendation_of(turn)
    best = result.asked if wish.named else head_pick(result) if result.picks else None
    if best is None:
        raise RequestError(
            "invalid_value",
            "This thread’s answer holds no pick that meets the request, so there is none to save.",
            example=EXAMPLE,
        )
    return _saved_pick(best, result, previous, world)


def _saved_pick(pick: Pick, result: Recommendation, asked: Workload, world: World) -> SavedPick:
    quote = pick.quote
    listed = quote.usd_per_hour if quote.list_usd_per_hour is None else quote.list_usd_per_hour
    term = round(result.workload.term_years or 1) if quote.market in COMMITMENTS else 0
    return SavedPick(
        instance_type=pick.instance.instance_type,
        instances=pick.instances,
        region=pick.region,
        market=quote.market,
        term_years=term,
        usd_per_hour=listed,
        priced_on=quote.as_of,
        workload=workload_words(result.model, result.workload),
        request=format_request(asked),
        saved_on=world.today.isoformat(),
    )
