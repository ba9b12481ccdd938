"""Which bot token speaks in which workspace."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from bot.store.store import Items

INSTALLATIONS = "installations"  # the collection; a document per workspace, keyed by its id
CACHED_S = 300.0


class BotTokens(Protocol):
    """Finds bot tokens."""

    def of(self, team: str) -> str | None:
        """Return the bot token of a workspace; None where the app is not installed."""

    def forget(self, team: str) -> None:
        """Drop what is known of a workspace that removed the app."""


@dataclass(frozen=True, slots=True)
class OneToken:
    """The app of one workspace: its token comes from the settings."""

    token: str = field(repr=False)

    def of(self, team: str) -> str | None:  # noqa: ARG002
        """See `BotTokens.of`."""
        return self.token

    def forget(self, team: str) -> None:
        """See `BotTokens.forget`; the token in the settings is the operator's to remove."""


class InstalledTokens:
    """The app of many workspaces: each one's token was kept when it was installed there."""

    def __init__(self, items: Items, clock: Callable[[], float] = time.time) -> None:
        self._items = items
        self._clock = clock
        self._known: dict[str, tuple[str, float]] = {}

    def of(self, team: str) -> str | None:
        """See `BotTokens.of`. One found is remembered for five minutes, one missing is not."""
        token, until = self._known.get(team, ("", 0.0))
        if self._clock() < until:
            return token
        item = self._items.get_item(INSTALLATIONS, team) if team else None
        if item is None:
            return None
        token = str(item.body["bot_token"])
        self._known[team] = (token, self._clock() + CACHED_S)
        return token

    def forget(self, team: str) -> None:
        """See `BotTokens.forget`."""
        self._known.pop(team, None)
        if team:
            self._items.delete_item(INSTALLATIONS, team)


def tokens_of(bot_token: str, items: Items) -> BotTokens:
    """Return the one token of an app of one workspace, else those that installations left."""
    return OneToken(bot_token) if bot_token else InstalledTokens(items)
