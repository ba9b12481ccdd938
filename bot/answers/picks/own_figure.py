"""What machines that run today would have to be for another load, by what they carry today."""

from math import ceil

from bot.answers.turn import Turn
from bot.core.figures import percent, quantity, usd_per_hour
from bot.core.wording import machines
from engine.core.result import Recommendation, Verdict
from engine.core.workload import owned_hardware


def by_own_figure(turn: Turn, result: Recommendation, verdict: Verdict) -> str:
    """Return how many of what runs the asked load takes, by the figure its owner gave; "" without.

    Replicas share no work, so so many times the machines carry so many times the load.
    """
    carried, asked = turn.understanding.details.get("owned_carries_rps"), result.workload.rps
    if carried is None or asked is None or turn.workload.owned is None:
        return ""
    each = float(carried) / owned_hardware(turn.workload.owned).count
    share = turn.world.coefficients.serving.shared.planned_load_share
    planned, fewest = ceil(asked / (share * each)), ceil(asked / each)
    price = ""
    if verdict.usd_per_hour is not None:
        price = f" at {usd_per_hour(verdict.usd_per_hour / verdict.count * planned)}"
    return (
        f"By your own figure of {quantity(float(carried))} requests/s, {quantity(asked)} take "
        f"{machines(verdict.name, planned)} planned to {percent(share)}{price}; "
        f"{machines(verdict.name, fewest)} at the very least."
    )
