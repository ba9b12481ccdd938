"""One understood turn and the world it is answered in."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from bot.answers.world import World
from bot.core.understanding import Understanding
from engine.core.workload import Workload

if TYPE_CHECKING:
    from datetime import date

    from bot.aws.live_session import LiveAnswer


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
        from bot.language.text.starts import DETAIL, start_date

        return start_date(self.understanding.details.get(DETAIL), self.world.today)

    @property
    def workload(self) -> Workload:
        """The workload as said, over all turns of the thread."""
        return self.understanding.workload
