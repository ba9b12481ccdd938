"""The answer of the engine: picks, rejections and what decided, ready for any surface."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field
from typing import Literal, overload

from catalog.facts.schema import Instance, Model, Quote
from engine.core.estimate import Estimate
from engine.core.value import kw_value, value
from engine.core.workload import Assumption, Workload

RejectionReason = Literal[
    "does_not_fit",
    "too_slow",
    "over_budget",
    "not_offered",
    "unsupported",
    "excluded",
    "dominated",
]


@value
class Number:
    """A named number beside the limit it was held against (for explanations)."""

    name: str
    value: float
    unit: str
    limit: float | None = None


@kw_value
class Cost:
    """What a pick costs. None where the price or the work is unknown."""

    usd_per_hour: float | None
    usd_per_month: float | None
    usd_per_million_tokens: float | None  # at the load of the figures
    usd_total: float | None
    usd_per_million_tokens_full_load: float | None = None
    # What the per-million figures count: output tokens of the plan, or all tokens.
    tokens_counted: Literal["output", "total", "none"] = "none"
    usd_per_million_requests: float | None = None  # of the plan at full load
    # What a month comes to as it is run, where that is not every hour of it: for so many hours a
    # week, or so many runs of a job. None where neither was said.
    usd_per_month_as_run: float | None = None
    hours_per_week: float | None = None
    runs_per_month: float | None = None


AT_LEAST = frozenset({"output_tokens_per_s", "total_tokens_per_s", "requests_per_s", "concurrency"})


@value
class LimitCheck:
    """One stated limit against the figure it limits: at most that much, of `AT_LEAST` at least."""

    field: str  # "ttft_ms"
    limit: float
    value: float
    verdict: Literal["meets", "tight", "misses"]  # tight: the range crosses the limit
    worst: float | None = None  # the far end of the range, where that crosses the limit

    @property
    def held(self) -> float:
        """The figure that decides: the middle, of what nobody measured the far end."""
        if self.verdict != "misses" or self.value > self.limit or self.worst is None:
            return self.value
        return self.worst

    @property
    def used(self) -> float:
        """How much of the limit is used: above 1.0 it is missed, by that factor."""
        if self.field in AT_LEAST:
            return self.limit / self.held if self.held > 0 else float("inf")
        return self.held / self.limit


@kw_value
class Pick:
    """A ranked plan with its estimate, quote, cost and reasons."""

    rank: int
    label: str  # what sets it apart: "cheapest that meets every limit", "fastest", …
    instance: Instance
    instances: int
    region: str
    estimate: Estimate
    quote: Quote
    ceiling: Quote | None  # the on-demand price where the asked market has no known figure
    cost: Cost
    limits: tuple[LimitCheck, ...]
    why: tuple[str, ...]
    caveats: tuple[str, ...]
    codes: tuple[str, ...] = ()  # topic codes behind the caveats

    @property
    def may_miss(self) -> bool:
        """Whether the range of some limited figure reaches past its limit."""
        return any(check.verdict == "tight" for check in self.limits)


@kw_value
class Rejection:
    """A type that is not picked, with its one reason and the two numbers that decided."""

    instance_type: str
    reason: RejectionReason
    detail: str
    numbers: tuple[Number, ...] = ()


class Rejections(Sequence[Rejection]):
    """The rejections of a whole answer, worded when somebody first asks for them.

    An answer turns down a thousand types; few readers ask why for more than one.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], tuple[Rejection, ...]]) -> None:
        """Take what makes them."""
        self._make = make
        self._made: tuple[Rejection, ...] | None = None

    def _all(self) -> tuple[Rejection, ...]:
        if self._made is None:
            self._made = self._make()
        return self._made

    @overload
    def __getitem__(self, index: int) -> Rejection: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Rejection, ...]: ...
    def __getitem__(self, index: int | slice) -> Rejection | tuple[Rejection, ...]:
        return self._all()[index]

    def __len__(self) -> int:
        return len(self._all())

    def __iter__(self) -> Iterator[Rejection]:
        return iter(self._all())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._all() == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all())

    def __repr__(self) -> str:
        return repr(self._all())


@kw_value
class FrontierPoint:
    """Nothing is both cheaper and faster than this one."""

    instance_type: str
    instances: int
    usd_per_hour: float
    ttft_ms: float | None
    tpot_ms: float | None
    output_tokens_per_s: float | None
    e2e_ms: float | None = None  # what decides; None for training


VerdictAnswer = Literal["yes", "no", "tight", "unknown"]
# How a verdict opens: as an answer to "is it enough?", and as a statement that answers whatever
# was asked ("isn't it too small?", where a bare yes could be read either way).
ANSWERS: dict[VerdictAnswer, tuple[str, str]] = {
    "yes": ("Yes on {subject}", "{subject} {does} it"),
    "no": ("No on {subject}", "{subject} {does} not"),
    "tight": ("May miss on {subject}", "{subject} may miss"),
    "unknown": ("May not fit on {subject}", "{subject} may not hold it"),
}
ANSWERS_OWNED: dict[VerdictAnswer, str] = {
    "yes": "Yes, {subject} {does} it",
    "no": "No, {subject} {does} not",
    "tight": "Just about: {subject} may miss",
    "unknown": "Not surely: {subject} may not hold it",
}


@kw_value
class Verdict:
    """Whether the hardware that was named does, as much of it as was named.

    `reason` are the numbers that decide, in words; `deciding` is the one nearest to its limit.
    """

    subject: str  # "two L40S", "your four g5.12xlarge"
    name: str  # the type or chip
    count: int
    named: Literal["asked", "owned", "doubted"]
    usd_per_hour: float | None  # of as many as were named; of a chip None
    answer: VerdictAnswer
    fits: bool
    holds: bool  # it fits, meets every limit and carries the load
    estimate: Estimate | None  # of the best plan on just that much of it
    limits: tuple[LimitCheck, ...]
    numbers: tuple[Number, ...]
    deciding: Number | None
    reason: str
    remedy: str = ""  # what would do instead
    leaner: str = ""  # what takes less where it fits with little to spare
    beside: str = ""  # what speaks against it beside the figures

    @property
    def text(self) -> str:
        """The verdict in a line, as an answer to whether it is enough."""
        answer, _ = ANSWERS[self.answer]
        return self._told(ANSWERS_OWNED[self.answer] if self.named == "owned" else answer)

    @property
    def statement(self) -> str:
        """The verdict in a line that stands by itself, however it was asked for."""
        return self._told(ANSWERS[self.answer][1])

    def _told(self, opening: str) -> str:
        opened = opening.format(subject=self.subject, does="does" if self.count == 1 else "do")
        told = f"{opened[0].upper()}{opened[1:]}: {self.reason}."
        return " ".join(filter(None, (told, self.remedy, self.leaner, self.beside)))


@value
class Reading:
    """Another way to read an ambiguous word, and what it would have picked."""

    phrase: str  # "per token"
    change: dict[str, object]  # workload fields under that reading
    instance_type: str | None
    usd_per_hour: float | None  # of all instances
    instances: int = 1
    usd_total: float | None = None  # of a training job


@value
class Relaxation:
    """The smallest change that would make something fit, and what it would give."""

    text: str
    change: dict[str, object]
    instance_type: str | None = None
    usd_per_hour: float | None = None  # of all of them
    instances: int = 1


@kw_value
class GuideAdvice:
    """What one written guide says about this workload."""

    source: str  # "000"
    document: str
    path: tuple[str, ...]
    suggests: tuple[str, ...]
    agrees: bool | None
    note: str
    section: str = ""  # where the document says it
    line: int = 0


@kw_value
class Recommendation:
    """The whole answer. `picks` is empty when nothing fits; `closest` then says what came nearest.

    `closest` also holds a cheaper type that misses a stated limit, beside picks that meet it.
    """

    workload: Workload  # filled in
    said: Workload  # as the user said it
    model: Model | None
    assumptions: tuple[Assumption, ...]
    picks: tuple[Pick, ...]
    rejected: Sequence[Rejection]
    frontier: tuple[FrontierPoint, ...]
    closest: tuple[Pick, ...] = ()
    best: Pick | None = None  # what the objective ranks first, wherever it stands in `picks`
    asked: Pick | None = None  # the instance the user named, where it fits (also in `picks`)
    asked_rejection: Rejection | None = None  # … and where it does not
    verdict: Verdict | None = None  # of the hardware that was named
    nearest_rejection: Rejection | None = None  # of the types the user's wishes left in
    relaxations: tuple[Relaxation, ...] = ()
    readings: tuple[Reading, ...] = ()
    guides: tuple[GuideAdvice, ...] = ()
    warnings: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    considered: int = 0
    unpriced: tuple[str, ...] = field(default=())
