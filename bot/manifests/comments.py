"""What every file of node capacity says above its documents: for what, at what price, on what."""

from collections.abc import Iterator, Sequence

from bot.core.figures import usd_per_hour
from bot.core.wording import MARKET_WORDS, assumed_view, price_note, workload_words
from bot.manifests.purchase import Purchase
from catalog.catalog import Catalog
from catalog.facts.schema import Model
from engine.core.result import Pick
from engine.core.workload import Assumption, Workload

# Families of which spot seldom has a machine: they are reserved or sold in Capacity Blocks.
RARE_ON_SPOT = ("p5", "p6", "trn2")


def purpose_comments(
    pick: Pick, workload: Workload, catalog: Catalog, assumptions: Sequence[Assumption]
) -> Iterator[str]:
    """Yield what the file is for, what it costs and what was assumed."""
    yield f"{pick.instances} x {pick.instance.instance_type} in {pick.region}"
    yield f"For: {workload_words(_model(workload, catalog), workload)}"
    per_hour = pick.cost.usd_per_hour
    market = MARKET_WORDS[pick.quote.market]
    amount = "" if per_hour is None else f"{usd_per_hour(per_hour)} {market}, "
    yield f"Price: {amount}{price_note(pick.quote)}"
    if assumptions:
        yield f"Assumed: {', '.join(assumed_view(a).value for a in assumptions)}"


def purchase_notes(pick: Pick, purchase: Purchase, types: tuple[str, ...]) -> Iterator[str]:
    """Yield what a person must know of the way the machines are bought."""
    if purchase == "spot":
        yield "Spot machines can be taken back at two minutes' notice: checkpoint or tolerate it."
        if pick.instance.family.startswith(RARE_ON_SPOT):
            yield f"Spot seldom has {types[0]}: do not plan on it."
        if len(types) > 1:
            yield f"The estimate is for {types[0]}; the other types do at least as much."
    if pick.quote.market in {"reserved", "savings_plan"}:
        yield "The commitment is bought apart from this file and then applies by itself."


def _model(workload: Workload, catalog: Catalog) -> Model | None:
    typed = (workload.model or "").lower()
    return catalog.models.get(catalog.model_names.get(typed, workload.model or ""))
