"""Carries out what a reply wishes of saved picks, for the surface that knows who said it.

In two steps, as `alert_wishes` does: what is answered is decided first and said, then done.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.answers.reply import Reply
from bot.cards.notices import notice_view
from bot.cards.price_lines import bought_words, price_line, saved_price_words
from bot.cards.table import table_view
from bot.core.errors import RequestError
from bot.core.figures import counted
from bot.core.subscription import Place
from bot.store.kept_of_people import SavedPick
from bot.store.owner import Owner

if TYPE_CHECKING:
    from bot.answers.world import World
    from bot.language.questions.saved_words import SaveWish
    from bot.store.store import Items

Act = Callable[[Place], None]  # where: the thread that the answer may have opened meanwhile
COLUMNS: Final = ("#", "Pick", "For", "Price")
AT_LIST: Final = "Kept at AWS’s own price: discounts change."
HOW_TO: Final = "“my saved picks” lists them, “forget saved pick 1” ends one."
HOW_TO_FORGET: Final = "“forget saved pick 1” ends one."


def prepared(
    reply: Reply, place: Place, items: "Items", world: "World"
) -> tuple[Reply, Act | None]:
    """Return the reply as it is said in a place, and what is to be done once it was.

    `world` is where today's prices are looked up.
    """
    wish = reply.saving
    if wish is None:
        return reply, None
    from bot.store.kept_of_people import saved_by

    person = Owner(place.team, place.user)
    kept = saved_by(items, person)
    try:
        if wish.pick is not None:
            return _save_reply(reply, wish.pick, kept), _save(items, person, wish.pick)
        if wish.action == "list":
            return _saved_table(reply, kept, world), None
        meant = _saved_pick_meant(wish, kept)
        return _forgotten(reply, meant), _forget_pick(items, person, meant)
    except RequestError as error:
        from bot.conversation.conversation import error_reply

        return error_reply(reply.request, error), None


def _save_reply(reply: Reply, pick: SavedPick, kept: tuple[SavedPick, ...]) -> Reply:
    """Return the reply that promises to keep the pick.

    Raises:
        RequestError: no more can be kept.
    """
    from bot.store.kept_of_people import MOST_SAVED

    if len(kept) >= MOST_SAVED and pick.id not in {one.id for one in kept}:
        raise RequestError(
            "out_of_range",
            f"You have {len(kept)} saved picks, and no more can be kept: forget one first.",
            example="forget saved pick 1",
        )
    text = f"Saved for you: {bought_words(pick)}, {saved_price_words(pick)}, for: {pick.workload}."
    return replace(reply, view=notice_view("Saved", text, (AT_LIST, HOW_TO)))


def _save(items: "Items", person: Owner, pick: SavedPick) -> Act:
    from bot.store.kept_of_people import save

    def act(place: Place) -> None:
        if not save(items, person, replace(pick, place=place)):
            msg = "another save has filled the list meanwhile"
            raise RuntimeError(msg)

    return act


def _saved_pick_meant(wish: "SaveWish", kept: tuple[SavedPick, ...]) -> SavedPick:
    if 1 <= wish.number <= len(kept):
        return kept[wish.number - 1]
    raise RequestError(
        "invalid_value",
        f"There is no saved pick {wish.number}. You have {counted(len(kept), 'saved pick')}.",
        example="my saved picks",
    )


def _forget_pick(items: "Items", person: Owner, pick: SavedPick) -> Act:
    from bot.store.kept_of_people import forget

    def act(_: Place) -> None:
        forget(items, person, pick.id)

    return act


def _forgotten(reply: Reply, pick: SavedPick) -> Reply:
    text = f"Forgotten: {bought_words(pick)}, {saved_price_words(pick)}."
    return replace(reply, view=notice_view("Forgotten", text, ("“my saved picks” lists yours.",)))


def _saved_table(reply: Reply, kept: tuple[SavedPick, ...], world: "World") -> Reply:
    """Return a person's saved picks as a numbered table, with today's prices."""
    if not kept:
        text = "You have no saved picks. Say “save this pick” under an answer, or press Save on it."
        return replace(reply, view=notice_view("No saved picks", text))
    from bot.answers.price_today import drift, prices_today

    rows = [
        (str(n), bought_words(pick), pick.workload, price_line(pick, today, drift(pick, today)))
        for n, (pick, today) in enumerate(zip(kept, prices_today(world, kept), strict=True), 1)
    ]
    lead = f"{counted(len(kept), 'saved pick')} of yours, at AWS’s own prices."
    return replace(
        reply, view=table_view("Your saved picks", lead, COLUMNS, rows, (HOW_TO_FORGET,))
    )
