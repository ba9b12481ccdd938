"""What a text was understood to say."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from bot.core.asked import LikelyKind, Questions
from bot.core.manifest import ManifestKind
from engine.core.workload import OtherReading, Workload

Intent = Literal[
    "pick",
    "explain",
    "compare",
    "manifest",
    "price",
    "alert",
    "migrate",
    "reset",
    "help",
    "estimate",
]


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of the text that was not understood, and the nearest thing that would be."""

    start: int
    end: int
    text: str
    suggestion: str | None = None


Role = Literal["want", "have", "had", "ask"]
Polarity = Literal["for", "against"]


@dataclass(frozen=True, slots=True)
class Mention:
    """A stretch of the text that was read: as which field or signal, in which role.

    `kind` is a workload field, the name of a fact, or "question"; `role` says whether it is
    wished for, runs today, ran before, or is asked about; `against` means that it is left out.
    """

    start: int
    end: int
    text: str
    kind: str
    value: object
    role: Role = "want"
    polarity: Polarity = "for"


@dataclass(frozen=True, slots=True, kw_only=True)
class Understanding:
    """Intent and workload of one turn. `text` is the normalised text that spans point into.

    `notes` are readings the answer must state ("`latency<100` has no unit: read as ms").
    `codes` are the topic codes behind them.
    """

    text: str
    intent: Intent
    workload: Workload
    mentions: tuple[Mention, ...] = ()  # what was read, in the order of the text
    not_understood: tuple[Span, ...] = ()
    notes: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    readings: tuple[OtherReading, ...] = ()  # what else its words may mean
    manifest_kind: ManifestKind | None = None
    topic: str | None = None  # explain/estimate turns: "kv", "fit", "memory", "plan", "latency", …
    said: frozenset[str] = frozenset()  # fields that this text names, rather than takes for granted
    follow_up: bool = False  # the text amends an earlier turn rather than standing alone
    begins: bool = False  # in a thread: another question, or one that it goes back to
    # Figures said in the thread so far: the field and the words of each, the latest last.
    filled: tuple[tuple[str, str], ...] = ()
    asked: Questions = field(default_factory=Questions)
    question: LikelyKind | None = None  # which kind of question it looks like
    # Facts the answer uses that are no workload field: k8s, zone, kv_mem, host_ram, offload,
    # claimed_usd_per_hour, observed_latency_ms, alert_drop_percent, architecture, model_kind …
    details: Mapping[str, str] = field(default_factory=dict)
    # Fields named with several values side by side ("g5 or g6", "compare=full,lora"): all values,
    # in the order said. The workload holds the first.
    alternatives: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
