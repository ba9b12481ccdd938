"""Which chip has the most of something: every one that is sold, in order, with its price."""

from collections.abc import Callable
from typing import Final, NamedTuple

from bot.answers.facts.subject import fact_reply, speaks_of_a_workload
from bot.answers.pick import pick_turn
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import usd_per_hour
from catalog.facts.schema import Accelerator, Instance
from catalog.names import chip_words
from engine.pick.explain import Explanation

COLUMNS: Final = ("chip", "memory each", "bandwidth each", "16-bit each", "smallest type", "price")
SHOWN: Final = 12


class ChipOffer(NamedTuple):
    """A chip, the cheapest type that has it in a region, and what that costs an hour."""

    chip: Accelerator
    instance: Instance
    usd_per_hour: float

    @property
    def tflops(self) -> float:
        """Dense 16-bit TFLOPS; 0.0 where none are known."""
        return (self.chip.tflops_bf16 or self.chip.tflops_fp16) or 0.0

    @property
    def gb_per_usd(self) -> float:
        """GB of accelerator memory for a dollar an hour."""
        return self.chip.mem_gb_marketed * self.instance.accelerators / self.usd_per_hour


MEASURES: Final[dict[str, tuple[str, Callable[[ChipOffer], float]]]] = {
    "memory": ("has the most memory", lambda one: -one.chip.mem_gb_marketed),
    "bandwidth": ("has the highest memory bandwidth", lambda one: -one.chip.mem_bw_gb_s),
    "compute": ("has the most 16-bit compute", lambda one: -one.tflops),
    "price": ("has the lowest price an hour", lambda one: one.usd_per_hour),
    "value": ("has the most memory for a dollar", lambda one: -one.gb_per_usd),
    "year": ("is the newest", lambda one: -one.chip.year),
}


def records_turn(turn: Turn) -> Reply:
    """Return the chips that are sold in the region, in the order of what was asked."""
    if speaks_of_a_workload(turn.workload):
        return pick_turn(turn)  # of a model it is a pick that is asked for
    region = turn.workload.region or turn.world.default_region
    words, key = MEASURES.get(turn.understanding.asked.figure, MEASURES["memory"])
    found = sorted(_chips_sold_in(turn, region), key=lambda one: (key(one), one.chip.id))
    first = found[0]
    lead = (
        f"{chip_words(first.chip.id)} {words} of the chips with a price in {region}:"
        f" {first.instance.instance_type} at {usd_per_hour(first.usd_per_hour)}."
    )
    rows = [_chip_row(one) for one in found[:SHOWN]]
    notes = (
        *turn.understanding.notes,
        "For a pick say the model: which chip is best depends on it.",
    )
    view = table_view("Accelerators on EC2", lead, COLUMNS, rows, notes)
    explanation = Explanation(first.chip.id, words, (), lead)
    return fact_reply(turn, view, explanation)


def _chips_sold_in(turn: Turn, region: str) -> list[ChipOffer]:
    """Return each chip of a supported kind with the cheapest type on demand that has it whole."""
    catalog, best = turn.world.catalog, dict[str, ChipOffer]()
    for instance in catalog.instances.values():
        chip = catalog.accelerators.get(instance.accelerator_id or "")
        if chip is None or chip.unsupported is not None or instance.eol:
            continue
        usd = catalog.prices.quote(instance, region, "on_demand").usd_per_hour
        if usd is not None and (chip.id not in best or usd < best[chip.id].usd_per_hour):
            best[chip.id] = ChipOffer(chip, instance, usd)
    return list(best.values())


def _chip_row(one: ChipOffer) -> tuple[str, ...]:
    count = one.instance.accelerators
    return (
        f"{chip_words(one.chip.id)} ({one.chip.year})",
        f"{one.chip.mem_gb_marketed:g} GB",
        f"{one.chip.mem_bw_gb_s:,.0f} GB/s",
        f"{one.tflops:,.0f} TFLOPS" if one.tflops else "not known",
        f"{one.instance.instance_type} ({count}×)",
        usd_per_hour(one.usd_per_hour),
    )
