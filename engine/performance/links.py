"""Time on the links: two all-reduces a layer inside a replica, hops between its stages."""

from typing import NamedTuple

from catalog.facts.coefficients import Coefficients
from engine.performance.bytes import log2
from engine.performance.machine import GIGA, MICRO, Machine, link_class
from engine.shape.shape import Shape

ACTIVATION_BYTES = 2  # partial sums travel in 16 bit
REDUCES_PER_LAYER = 2  # after attention and after the feed-forward part


class LinkTime(NamedTuple):
    """Link time of one forward run: a fixed part, and a part per token in it."""

    fixed_s: float
    token_s: float


def link_costs(shape: Shape, machine: Machine, coefficients: Coefficients) -> LinkTime:
    """Return the all-reduce time of one run through all layers, both parts in seconds.

    Ring all-reduce: a latency that grows with the ring, and 2(N-1)/N of the message over the
    one-way link rate. A replica wider than one host adds a second ring between hosts over EFA.
    """
    ways, per_host = machine.layout.accelerators, machine.layout.per_host
    message = shape.hidden * ACTIVATION_BYTES
    fixed = token = 0.0
    inside = min(ways, per_host)
    if inside > 1:
        latency, rate = _inside_host(machine, inside, coefficients)
        fixed, token = latency, message * _ring_share(inside) / rate
    reduces = REDUCES_PER_LAYER * shape.layers
    over = between_hosts(shape, -(-ways // per_host), machine.network_gb_s, coefficients)
    return LinkTime(reduces * fixed + over.fixed_s, reduces * token + over.token_s)


def between_hosts(
    shape: Shape, hosts: int, network_gb_s: float | None, coefficients: Coefficients
) -> LinkTime:
    """Return what the all-reduces of a replica over `hosts` hosts add: a ring over EFA."""
    if hosts <= 1:
        return LinkTime(0.0, 0.0)
    network = coefficients.serving.link["network"]
    rate = (network_gb_s or coefficients.serving.shared.network_fallback_gb_s) * GIGA
    message = shape.hidden * ACTIVATION_BYTES * _ring_share(hosts)
    reduces = REDUCES_PER_LAYER * shape.layers
    token_s = message / (rate * network.rate_share)
    return LinkTime(reduces * network.latency_us * MICRO, reduces * token_s)


def _inside_host(machine: Machine, ways: int, coefficients: Coefficients) -> tuple[float, float]:
    """Return the latency of one all-reduce (s) and the link rate reached (bytes/s)."""
    shared = coefficients.serving.shared
    link = coefficients.serving.link[link_class(machine.accelerator)]
    growth = 1 + shared.link_latency_growth * log2(ways / 2)
    gb_s = machine.accelerator.link_gb_s_per_direction or shared.pcie_fallback_gb_s
    return link.latency_us * MICRO * growth, gb_s * GIGA * link.rate_share


def _ring_share(members: int) -> float:
    return 2 * (members - 1) / members


def all_reduce_s(links: LinkTime, tokens: float) -> float:
    """Return the link time of a run over `tokens` tokens."""
    return links.fixed_s + tokens * links.token_s


def hop_s(stages: int, coefficients: Coefficients) -> float:
    """Return the time a step spends crossing from one pipeline stage to the next."""
    return (stages - 1) * coefficients.serving.shared.hop_us * MICRO
