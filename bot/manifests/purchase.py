"""How the machines of a pick are bought, which decides what a node pool has to say."""

from typing import Literal

from bot.core.manifest import ManifestError
from engine.core.result import Pick
from engine.core.workload import Workload

Purchase = Literal["on_demand", "spot", "reservation", "capacity_block"]
# Legal by every schema and never anybody's: a person has to replace it.
RESERVATION_PLACEHOLDER = "cr-00000000000000000"


def purchase_of(pick: Pick, workload: Workload) -> Purchase:
    """Return how the machines are launched; commitments (reserved, savings plan) are on demand.

    Raises:
        ManifestError: a Capacity Block was asked for and none is sold of the type.
    """
    instance, market = pick.instance, pick.quote.market
    if "capacity_block" in {workload.market, market}:
        if not instance.capacity_block:
            raise ManifestError(f"{instance.instance_type} is not sold in Capacity Blocks")
        return "capacity_block"
    if market == "spot" and instance.spot_sold:
        return "spot"
    if instance.capacity_block and not instance.on_demand_sold:
        return "capacity_block"
    return "reservation" if workload.reservation else "on_demand"


def reservation_id(workload: Workload) -> str:
    """Return the id of the reservation or block that was named, else a placeholder to fill in."""
    return workload.reservation or RESERVATION_PLACEHOLDER
