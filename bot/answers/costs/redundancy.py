"""What it takes that one machine, or one zone, may fail: machines and their bill."""

from collections.abc import Iterator
from typing import Final

from bot.answers.facts.startup import start_of, time_words
from bot.answers.facts.subject import Subject, subject_of, table_reply
from bot.answers.planning import about
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from bot.core.figures import usd
from bot.core.wording import machines
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.result import Number, Pick
from engine.plans.scaling import SparePlan, quota_code, spare_plans

COLUMNS: Final = ("plan", "machines", "survives", "a month", "more")
ONE_FAILURE: Final = "Two replicas on one machine fail together: only those on others count."
SPREAD: Final = (
    "Spread replicas with topologySpreadConstraints over kubernetes.io/hostname, for zones over"
    " topology.kubernetes.io/zone; a PodDisruptionBudget holds them through drains."
)


def redundancy_turn(turn: Turn) -> Reply:
    """Return how many machines stay enough when one, or a zone, fails, and what they cost.

    Raises:
        RequestError: there is no service to keep up.
    """
    turn = _without_spares(turn)
    subject = subject_of(turn)
    pick = subject.pick
    if pick is None or pick.estimate.training is not None:
        raise RequestError(
            "invalid_value",
            "Spare machines are for a service: name its model and load. A training job keeps"
            " checkpoints instead and goes on from the last one.",
            field="nodes",
        )
    plans, price = spare_plans(pick, subject.count), pick.quote.usd_per_hour
    rows = [_plan_row(plan, plans[0], price) for plan in plans]
    return table_reply(
        turn,
        subject,
        title=f"{subject.name} when one fails",
        line=_spare_line(subject, plans, price),
        columns=COLUMNS,
        rows=rows,
        notes=tuple(_redundancy_notes(subject, pick, plans)),
        numbers=tuple(Number(plan.name, plan.machines, "machines") for plan in plans),
        verdict="computed",
        sized=True,
    )


def _without_spares(turn: Turn) -> Turn:
    """Return the turn with the machines that the load alone takes: spares are what is asked for."""
    before = turn.previous
    return about(turn, nodes=None if before is None else before.nodes)


def _plan_row(plan: SparePlan, least: SparePlan, price: float | None) -> tuple[str, ...]:
    if price is None:
        return plan.name, str(plan.machines), plan.survives, "not known", ""
    month = price * HOURS_PER_MONTH
    more = (plan.machines - least.machines) * month
    bill, added = usd(plan.machines * month), usd(more) if more else "-"
    return plan.name, str(plan.machines), plan.survives, bill, added


def _spare_line(subject: Subject, plans: tuple[SparePlan, ...], price: float | None) -> str:
    least, spare = plans[0], plans[1]
    name = machines(subject.name, spare.machines)
    told = f"One machine may fail with {name}, where the load takes {least.machines}"
    if price is None:
        return f"{told}; no price is known."
    month = price * HOURS_PER_MONTH
    more = (spare.machines - least.machines) * month
    return f"{told}: {usd(spare.machines * month)} a month, {usd(more)} more."


def _redundancy_notes(subject: Subject, pick: Pick, plans: tuple[SparePlan, ...]) -> Iterator[str]:
    replicas = pick.estimate.plan.data_parallel
    if replicas > pick.instances:
        yield f"{replicas // pick.instances} replicas run on each machine. {ONE_FAILURE}"
    else:
        yield ONE_FAILURE
    start = time_words(start_of(subject).first.seconds)
    yield f"Without a spare nothing answers for about {start}, a start."
    yield SPREAD
    code = quota_code(pick.instance, pick.quote.market)
    if code is not None:
        vcpus = pick.instance.vcpus * plans[1].machines
        yield f"Quota {code}: {vcpus:,} vCPUs for N+1. Traffic between zones is billed apart."
