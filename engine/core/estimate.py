"""What is computed for one plan: memory and performance, each figure with its range."""

from dataclasses import field
from typing import Literal

from engine.core.plan import Plan
from engine.core.value import kw_value, value

BoundBy = Literal["memory_bandwidth", "compute", "interconnect", "overhead"]
Basis = Literal["measured_class", "not_measured"]


@value
class Figure:
    """One estimated quantity with its 80 % range; low <= value <= high."""

    value: float
    low: float
    high: float


@kw_value
class Memory:
    """GiB per accelerator (CPU: of the host). Terms not applicable are 0.0; `total` is their sum.

    `available` is what the device reports as usable, before the utilisation cap. `room_gib` is what
    the serving engine can give to the KV cache under that cap. `sequences_max` is how many
    sequences of the asked length one replica holds.
    """

    weights: float
    kv_cache: float
    activations: float
    optimizer: float
    gradients: float
    overhead: float
    total: float
    available: float
    fits: bool
    tight: bool
    why_not: str | None = None  # one sentence with the two numbers, when it does not fit
    needed_gib: float = 0.0  # the figure compared with `limit_gib` to decide `fits`
    limit_gib: float = 0.0
    room_gib: float | None = None
    kv_bytes_per_token: float | None = None  # whole replica, all layers
    kv_tokens_max: int | None = None  # whole replica
    sequences_max: float | None = None
    full_sequences: float | None = None  # of the whole context, however short the requests are
    context_max: int | None = None  # longest single sequence that would fit
    approximate: bool = False  # the cache formula is not checked for this model
    at_worst_gib: float | None = None  # the same figure where the usual library cannot quantise all
    host_gib: float = 0.0  # of training kept, or needed to compile, in the memory of each host
    notes: tuple[str, ...] = ()  # topic codes and short sentences the card must raise

    @property
    def unsure(self) -> bool:
        """Whether it may not fit after all.

        A cache whose layout is not checked with little to spare, or what holds only at best.
        """
        if not self.fits:
            return False
        at_worst = self.at_worst_gib or 0.0
        return at_worst > self.limit_gib or (self.approximate and self.tight)


@kw_value
class Performance:
    """Serving figures at the asked load. Unknown is None, never 0."""

    ttft_ms: Figure | None
    tpot_ms: Figure | None
    e2e_ms: Figure | None
    output_tokens_per_s: Figure | None
    total_tokens_per_s: Figure | None
    requests_per_s: Figure | None
    bound_by: BoundBy
    basis: Basis
    saturated: bool = False  # the asked load is above what the plan can take
    concurrency: float | None = None  # requests in flight behind these figures, whole system
    steady_requests_per_s: float | None = None  # most that may arrive; known where a rate was asked
    planned_requests_per_s: float | None = None  # the part of it that replicas are planned for


@kw_value
class TrainingPerformance:
    """Training figures. Time and step are None when the tokens or the batch are unknown.

    `restart_factor` is what spot interruptions stretch the time by; `time_h` holds it already.
    """

    tokens_per_s_per_accelerator: Figure
    mfu: Figure
    step_s: Figure | None
    time_h: Figure | None
    bound_by: BoundBy
    basis: Basis
    restart_factor: float = 1.0


@kw_value
class ServingJob:
    """All items of a serving job on all machines of a plan at full load.

    `restart_factor` is what spot interruptions stretch the time by; `time_h` holds it already.
    """

    items: float
    time_h: Figure
    restart_factor: float = 1.0


@kw_value
class Estimate:
    """Everything known about one plan. `at_max` is the plan's own full load (serving only)."""

    plan: Plan
    memory: Memory
    performance: Performance | None = None
    at_max: Performance | None = None
    training: TrainingPerformance | None = None
    job: ServingJob | None = None
    notes: tuple[str, ...] = field(default=())

    @property
    def fits(self) -> bool:
        """Whether the plan fits in memory."""
        return self.memory.fits
