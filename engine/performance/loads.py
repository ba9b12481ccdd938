"""From the load on the whole deployment to the flow through one replica, and back.

Every kind of machine offers the same thing here: the flow with so many requests in flight.
"""

from collections.abc import Callable
from typing import NamedTuple

from catalog.facts.coefficients import ServingConstants
from engine.core.plan import Load
from engine.core.value import kw_value
from engine.performance.closed_loop import Flow

BISECTIONS = 8  # geometric: from a range of 256 to within 2 %


@kw_value
class Server:
    """Copies of one replica. A pipeline's stages each serve another batch, so they are copies.

    `capacity` is the most requests one copy works on at once; `batch_at` runs a static batch.
    `keeps_prompts`: prompts are found in its cache, which holds only as many as it works on.
    """

    flow_at: Callable[[float], Flow]
    batch_at: Callable[[float], Flow]
    capacity: float
    copies: int
    shared: ServingConstants
    keeps_prompts: bool = False


class DeploymentFlow(NamedTuple):
    """The flow through one copy under the load, and what the whole deployment does."""

    flow: Flow
    per_copy: float  # requests in flight on one copy
    concurrency: float  # in flight, whole deployment
    requests_per_s: float  # completed, whole deployment
    capacity_per_s: float  # most it completes
    saturated: bool
    steady_per_s: float | None = None  # most that may arrive without queues that grow
    planned_per_s: float | None = None  # most that is planned for


def flow_under(load: Load, server: Server) -> DeploymentFlow:
    """Return the outcome of any kind of load.

    Raises:
        ValueError: an open load without a rate.
    """
    if load.kind == "open":
        return open_loop(load, server)
    if load.kind == "max":
        return _in_flight(server, server.capacity * server.copies, server.flow_at)
    wanted = 1.0 if load.kind == "single" else load.concurrency or 1.0
    return _in_flight(server, wanted, server.batch_at if load.kind == "batch" else server.flow_at)


def _in_flight(server: Server, wanted: float, flow_at: Callable[[float], Flow]) -> DeploymentFlow:
    """Return the outcome of a number of requests in flight, spread evenly over the copies.

    Fewer requests than copies leave some idle: each request then runs alone. More sessions than
    a cache holds push one another out of it: what was to be found there is not.
    """
    per_copy = max(1.0, wanted / server.copies)
    flow = flow_at(per_copy)
    rate = wanted * flow.requests_per_s / per_copy
    crowded = server.keeps_prompts and per_copy > server.capacity
    return DeploymentFlow(flow, per_copy, wanted, rate, rate, saturated=crowded)


def open_loop(load: Load, server: Server) -> DeploymentFlow:
    """Return the outcome of requests arriving at a rate, steadily.

    The requests in flight are those at which as many are completed as arrive. Above
    `open_load_limit` of the capacity the plan is saturated: queues grow with every fluctuation.
    Above the capacity the figures are those of a full server, which completes its capacity.

    Raises:
        ValueError: the load has no rate.
    """
    if load.rps is None:
        raise ValueError("an open load needs a request rate: set Load.rps")
    rate = load.rps / server.copies
    full = server.flow_at(server.capacity)
    alone = server.flow_at(1.0) if server.capacity > 1 else full
    peak = max(full.requests_per_s, alone.requests_per_s)
    flow, per_copy = full, server.capacity
    if rate <= alone.requests_per_s:
        flow, per_copy = alone, rate * alone.e2e_s
    elif rate < peak:
        per_copy = _concurrency_at(rate, server)
        flow = server.flow_at(per_copy)
    completed, limit = min(rate, peak), server.shared.open_load_limit * peak
    wait = prompt_queue_s(flow.prompt_s, completed, server.shared.queue_share)
    return DeploymentFlow(
        flow=flow._replace(ttft_s=flow.ttft_s + wait, e2e_s=flow.e2e_s + wait),
        per_copy=max(1.0, per_copy),
        concurrency=(per_copy + completed * wait) * server.copies,
        requests_per_s=completed * server.copies,
        capacity_per_s=peak * server.copies,
        saturated=rate > limit,
        steady_per_s=limit * server.copies,
        planned_per_s=server.shared.planned_load_share * limit * server.copies,
    )


def prompt_queue_s(prompt_s: float, rate: float, queue_share: float) -> float:
    """Return how long a prompt waits for those before it when requests arrive at a rate.

    A queue with one server and steady service, softened at the far end where chunked prefill lets
    prompts share a pass. Closed loops have no such term: their clients wait for their answers.
    """
    busy = min(1.0, rate * prompt_s)
    return queue_share * busy / (1 - 0.9 * busy) * prompt_s


def _concurrency_at(rate: float, server: Server) -> float:
    low, high = 1.0, server.capacity
    for _ in range(BISECTIONS):
        middle = (low * high) ** 0.5
        if server.flow_at(middle).requests_per_s < rate:
            low = middle
        else:
            high = middle
    return high
