"""One understood turn and the world it is answered in."""

from dataclasses import dataclass

from bot.language.understanding import Understanding
from bot.world import World
from engine.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """What was asked, as understood, and the facts to answer it from."""

    request: str
    understanding: Understanding
    world: World
    top: int = 3

    @property
    def workload(self) -> Workload:
        """The workload as said, over all turns of the thread."""
        return self.understanding.workload
