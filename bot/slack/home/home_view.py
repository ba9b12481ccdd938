"""The Home tab in words: saved picks, alerts, recent threads and defaults of one person."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.cards import slack_limits
from bot.cards.blocks import rendered
from bot.core.examples import example

if TYPE_CHECKING:
    from collections.abc import Sequence

FORGET: Final = "home.forget"
AGAIN: Final = "home.again"
PAUSE: Final = "home.pause"
RESUME: Final = "home.resume"
DELETE: Final = "home.delete"
ASK: Final = "home.ask"  # opens the conversation: Slack follows its link, we need not do a thing
EDIT_OWN: Final = "home.edit_own"
EDIT_WORKSPACE: Final = "home.edit_workspace"


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeRow:
    """A saved pick, an alert or a thread: `id` is what its buttons are about."""

    title: str
    lines: tuple[str, ...]
    id: str = ""
    link: str = ""  # to its thread; "": not known
    paused: bool = False


@dataclass(frozen=True, slots=True)
class DefaultInForce:
    """One default: what it is of, what holds, and whose it is."""

    name: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HomeView:
    """All that the Home tab shows. `saved_more` and the like say what is left out."""

    example: str  # a request that works
    note: str  # what became of the last click, or ""
    talk_link: str  # to the direct conversation; "": not known
    saved: Sequence[HomeRow]
    saved_more: str
    alerts: Sequence[HomeRow]
    alerts_more: str
    threads: Sequence[HomeRow]
    defaults: Sequence[DefaultInForce]
    set_by: str  # user id of who laid down the workspace's defaults last, or ""
    set_on: str


def home_message(view: HomeView) -> dict[str, Any]:
    """Return what views.publish takes as its view.

    Raises:
        CardError: the blocks break a Block Kit rule that cutting cannot mend.
    """
    values = {"home": view, "alert_example": example("alert_request")}
    blocks = rendered("home.json.j2", values, slack_limits.BLOCKS_PER_VIEW)
    return {"type": "home", "blocks": blocks}
