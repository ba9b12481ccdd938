"""One understood turn and the world it is answered in."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from bot.answers.world import World
from bot.core.understanding import Understanding
from engine.core.workload import Workload

if TYPE_CHECKING:
    from datetime import date

    from bot.aws.live_session import LiveAnswer

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was asked, as understood, and the facts to answer it from."""

    request: str
    understanding: Understanding
    world: World
    top: int = 3
    previous: Workload | None = None  # what the thread was about before
    live: "LiveAnswer | None" = None  # the look-ups of this answer, all within one budget

    @property
    def starts(self) -> "date | None":
        """The first day of the capacity block asked for."""
        from bot.language.text.starts import start_date

        return start_date(self.understanding.asked.block_starts, self.world.today)

    def asked_of(self, kind: type[A]) -> A:
        """Return what the guides are asked for, of the kind that this turn's topic stands for.

        Raises:
            TypeError: nothing of that kind is asked for.
        """
        asked = self.understanding.asked.guide
        if not isinstance(asked, kind):
            msg = f"no {kind.__name__} in {self.understanding.topic!r}"
            raise TypeError(msg)
        return asked

    @property
    def workload(self) -> Workload:
        """The workload as said, over all turns of the thread."""
        return self.understanding.workload
