"""What a text asks for beside its workload: one typed value for each kind of question."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engine.guides.asked import GuideQuestion


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What the answers look at that is no field of a workload; all of it may be unsaid."""

    guide: "GuideQuestion | None" = None  # of what the written guides print
    guide_words: frozenset[str] = frozenset()  # the words said that the guides branch on
