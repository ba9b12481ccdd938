"""Saved picks in the terminal: kept in this machine's state file, for whoever sits here."""

import os
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from bot.answers.reply import Reply
from bot.answers.world import World
from bot.cards.notices import notice_view
from bot.core.subscription import Place
from bot.store.location import StateLocationError, dynamodb_table

if TYPE_CHECKING:
    from bot.store.items import Items

HERE: Final = Place(team="terminal", channel="terminal", user="terminal")
SHARED: Final = (
    "Nothing was saved or changed: the state is shared, and in it a terminal is nobody. Say it in "
    "Slack."
)


def with_saved(reply: Reply, world: World) -> Reply:
    """Carry out what a reply wishes of saved picks, and return it as it came out."""
    if reply.saving is None:
        return reply
    try:
        if dynamodb_table(os.environ) is not None:
            return replace(reply, view=notice_view("Saved picks", SHARED))
        items = _items()
    except StateLocationError as error:
        return replace(reply, view=notice_view("Saved picks", f"Nothing was saved: {error}"))
    from bot.slack.home.at_home import AtHome

    done, act = AtHome(world, items).prepared(reply, HERE)
    if act is not None:
        act(HERE)
    return done


@cache
def _items() -> "Items":
    """Return the state's documents, opened when they are first asked for."""
    from bot.aws.opened_state import opened_items

    return opened_items(os.environ)
