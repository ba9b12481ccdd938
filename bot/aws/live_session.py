"""Live look-ups for one answer after the other, each within one budget."""

import time
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from catalog.prices.live.desk import DeskAnswer, DeskQuestion, LiveDesk
from catalog.prices.live.lookup import BUDGET_S


class LiveAnswer:
    """The look-ups of one answer: nothing is asked twice, and all of it shares one budget."""

    def __init__(
        self,
        desk: LiveDesk,
        *,
        fresh: bool = False,
        budget_s: float | None = None,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the desk to ask, and whether a current cached figure counts as an answer.

        `budget_s` is the time all look-ups of the answer may take; None for the usual budget.
        """
        self._desk = desk
        self._fresh = fresh
        self._left_s = BUDGET_S if budget_s is None else budget_s
        self._monotonic = monotonic
        self._asked: set[Any] = set()
        self._told = DeskAnswer()

    @property
    def desk(self) -> LiveDesk:
        """The desk behind the answers (its cache holds the history)."""
        return self._desk

    def ask(self, wanted: DeskQuestion) -> DeskAnswer:
        """Return everything told in this answer so far, with what is wanted now."""
        asked = {one.name: getattr(wanted, one.name) for one in fields(DeskQuestion)}
        new = DeskQuestion(**{name: self._new(value) for name, value in asked.items()})
        started = self._monotonic()
        told = self._desk.ask(new, fresh=self._fresh, budget_s=max(0.0, self._left_s))
        self._left_s -= self._monotonic() - started
        names = [one.name for one in fields(DeskAnswer)]
        self._told = DeskAnswer(
            **{n: {**getattr(self._told, n), **getattr(told, n)} for n in names}
        )
        return self._told

    def _new(self, asked: Any) -> tuple[Any, ...]:  # noqa: ANN401 - any kind of question
        fresh = tuple(ask for ask in dict.fromkeys(asked) if ask not in self._asked)
        self._asked.update(fresh)
        return fresh


@dataclass(frozen=True, slots=True)
class Live:
    """What an answer may ask AWS: `fresh` insists on AWS even where the cache is current."""

    desk: LiveDesk
    fresh: bool = False

    def answer(self) -> LiveAnswer:
        """Return the look-ups of a new answer."""
        return LiveAnswer(self.desk, fresh=self.fresh)
