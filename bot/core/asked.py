"""What a text asks for beside its workload: one typed value for each thing an answer looks at."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from engine.guides.asked import GuideQuestion
    from engine.plans.strategy import StageName

# How it is asked whether a machine does: "enough?", "too big?", "too small?", "can't it?".
Whether = Literal["enough", "too_much", "too_little", "negated"]
AlertAction = Literal["add", "list", "pause", "resume", "delete"]
HOURS_PER_WEEK = 168.0


@dataclass(frozen=True, slots=True)
class LikelyKind:
    """The likeliest kind of a text, its probability, and the two next ones with theirs."""

    kind: str
    probability: float
    following: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class AlertQuestion:
    """What shall be done about alerts, and to which: by number, or by a type, family or "all"."""

    action: AlertAction
    number: int | None = None
    subject: str = ""


@dataclass(frozen=True, slots=True)
class StageQuestion:
    """A stage of a model's life, and the kinds of hardware named for it."""

    name: "StageName"
    hardware: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Questions:
    """What the answers look at that is no field of a workload; all of it may be unsaid."""

    # Of the written guides.
    guide: "GuideQuestion | None" = None
    guide_words: frozenset[str] = frozenset()  # the words said that the guides branch on
    serving: bool = False  # that it serves is said in so many words
    # Of the picks shown.
    choice: str | None = None  # "2", "last", "next", "safest", "bigger", "smaller"
    listed: int | None = None  # how many picks
    copies: int = 1  # for how many times the pick the bill is to be told
    hours_per_week: float = HOURS_PER_WEEK
    per_whom: str | None = None  # "user": the bill is to be told for each
    # Of an answer.
    figure: str = "all"  # whose derivation is wanted
    wished: frozenset[str] = frozenset()  # fields that are a wish, held where it costs little
    price_change_percent: float | None = None
    load_of_each_model: str | None = None  # the field in which every model has a load of its own
    greenest_regions: bool = False
    block_starts: str | None = None  # the day a capacity block begins: "monday", "2026-12-01"
    alert: AlertQuestion | None = None
    # How it is asked.
    doubts: bool = False  # hardware is held against the pick
    whether: Whether | None = None
    why: bool = False
    how_to_ask: bool = False
    shares_gpus: bool = False
    neuron_monitor: bool = False
    stages: tuple[StageQuestion, ...] = ()
    move: Literal["to_neuron", "from_neuron", "somewhere", ""] = ""
    hardware: tuple[str, ...] = ()  # types and families in the order named
