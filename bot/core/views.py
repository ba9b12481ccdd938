"""What a card holds, already worded and rounded: surfaces lay it out and change nothing.

`Status` says how a figure stands to its limit; the words beside it say the same, so that no
surface has to rely on colour.
"""

from dataclasses import dataclass
from typing import Literal

Status = Literal["meets", "tight", "misses", "none"]
_MARKS = {"meets": "✓", "tight": "~", "misses": "✗", "none": ""}


def capitalised(text: str) -> str:
    """Return `text` with its first letter in upper case and the rest as it is."""
    return text[:1].upper() + text[1:]


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureLine:
    """One figure with its range, the limit it is held against and what else to know of it."""

    name: str  # "first token"
    value: str  # "48 ms"
    spread: str = ""  # "(38–61)"
    limit: str = ""  # "limit 100 ms"
    status: Status = "none"
    verdict: str = ""  # "meets, 2.1× headroom"
    note: str = ""  # "56 tok/s per user"

    @property
    def title(self) -> str:
        """The name as it starts a line."""
        return capitalised(self.name)

    @property
    def mark(self) -> str:
        """The sign beside the verdict, for the eye only: the words say the same."""
        return _MARKS[self.status]


@dataclass(frozen=True, slots=True)
class BarSegment:
    """A part of the memory bar; `share` is of the device, 0 to 1."""

    name: str
    gib: str
    share: float


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryBar:
    """Memory of one accelerator (CPU: of the host)."""

    name: str  # "memory per GPU"
    segments: tuple[BarSegment, ...]
    summary: str  # "13.5 weights · 3.1 runtime · 28.1 free of 44.9 GiB"
    room: str = ""  # "room for 47k tokens of KV cache"

    @property
    def title(self) -> str:
        """The name as it starts a line."""
        return capitalised(self.name)


@dataclass(frozen=True, slots=True, kw_only=True)
class PickView:
    """One pick, ready to be laid out."""

    instance_type: str  # "p5.48xlarge", for buttons
    instances: int
    machines: str  # "2 × p5.48xlarge"
    hardware: str  # "1× L40S", "16 vCPU"
    region: str
    label: str
    headline: str  # money first: "$1.861/h · $1,359/month"
    market: str  # "on-demand"
    bought: str  # "on_demand", for buttons
    price_note: str  # "AWS list price of 2026-07-20, snapshot"
    priced_on: str  # "2026-07-20", for buttons
    usd_per_hour: float | None  # of one machine, for buttons
    plan: str
    figures: tuple[FigureLine, ...]
    memory: MemoryBar | None
    basis: str  # "" or "not measured: …"
    why: tuple[str, ...]
    caveats: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunnerUp:
    """An alternative and the difference a person would pay for."""

    instance_type: str  # for buttons
    machines: str
    hardware: str
    price: str
    figures: str
    difference: str


@dataclass(frozen=True, slots=True)
class AssumedView:
    """One thing that was taken because nobody said it."""

    name: str
    value: str
    why: str  # "" where the value says it


@dataclass(frozen=True, slots=True)
class Choice:
    """A change the reader can make with one tap: button text and the workload fields it sets."""

    label: str
    change: tuple[tuple[str, object], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class CardView:
    """A whole answer. `head` is what is shown first; None only when nothing at all came close."""

    kind: Literal["serving", "training", "no_fit"]
    request: str
    workload: str  # "Typical 7B model, bf16, 512 in / 128 out, 1 request at a time"
    verdict: str  # no_fit: "Nothing meets this. …"
    explanation: str  # what an explain turn asked for, or ""
    since: str  # what differs from the answer before it in the thread, or ""
    head: PickView | None
    asked: str  # what became of the instance the user named, or ""
    runners: tuple[RunnerUp, ...]
    changes: tuple[str, ...]  # no_fit: the smallest changes that would help
    readings: tuple[str, ...]
    guides: tuple[str, ...]
    assumed: tuple[AssumedView, ...]
    warnings: tuple[str, ...]
    not_understood: tuple[str, ...]
    left_out: str  # the figures among them: what was sized is not what was asked
    choices: tuple[Choice, ...]
    considered: str  # "compared 312 instance types"
    said: str  # the workload as said, in JSON: what a button on this card is about


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorView:
    """A request that could not be answered as it stands."""

    title: str
    message: str
    words: str
    suggestions: tuple[str, ...]
    example: str
    questions: tuple[str, ...] = ()  # each asks when it is typed: buttons in Slack


@dataclass(frozen=True, slots=True, kw_only=True)
class HelpView:
    """How to ask."""

    title: str
    intro: str
    examples: tuple[tuple[str, str], ...]  # (what to type, what it does)
    follows: tuple[tuple[str, str], ...]  # (what it does, what to say once there is an answer)
    footer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeView:
    """One fact that was asked for, without a pick: a price, a confirmation."""

    title: str
    text: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlanLine:
    """One line of a plan: running text, an item of a list, or a command to copy."""

    kind: Literal["text", "item", "command"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanSection:
    """One phase or subject of a plan."""

    heading: str
    lines: tuple[PlanLine, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanView:
    """What to do, in sections; `lead` says the outcome in a sentence or two."""

    title: str
    lead: str
    sections: tuple[PlanSection, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table that was asked for; every row has as many cells as there are columns."""

    title: str
    lead: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()  # a button each


View = CardView | ErrorView | HelpView | NoticeView | PlanView | TableView
