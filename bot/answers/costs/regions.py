"""The cheapest regions for the same work: the best pick in each, cheapest first."""

from dataclasses import replace
from typing import Any, Final

from bot.answers.pick import as_fast, recommendation_of
from bot.answers.planning import about
from bot.answers.question_asked import compared, computed_reply, notes_of, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import usd, usd_estimated, usd_per_hour
from bot.core.wording import machines
from catalog.catalog import Catalog
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.result import Number, Pick, Recommendation
from engine.pick.explain import Explanation
from engine.pick.rank import SAFE_PREMIUM

COLUMNS: Final = ("region", "where", "pick", "cost", "a month")
SHOWN: Final = 8


def regions_turn(turn: Turn) -> Reply:
    """Return the regions by what the work costs there; the thread stays where it is."""
    catalog, here = turn.world.catalog, recommendation_of(turn)
    picks = [
        p for code in _candidate_regions(turn) if (p := _best_in(turn, code, here)) is not None
    ]
    ranked = _surest_first(sorted(picks, key=lambda pick: (_cost(pick), pick.region)))
    rows = [_ranked_row(pick, catalog) for pick in ranked[:SHOWN]]
    text = _regions_text(ranked, here.workload.region or "", catalog)
    view = table_view(
        f"Cheapest regions for {short(here)}",
        f"{text} {told(here)}.",
        COLUMNS,
        rows,
        notes_of(turn, here, f"Say “in {ranked[0].region}” to go on there." if ranked else ""),
    )
    comparison = compared("cheapest_region", COLUMNS[1:], ((row[0], row[1:]) for row in rows))
    numbers = tuple(Number(pick.region, _cost(pick), _cost_unit(pick)) for pick in ranked[:SHOWN])
    explanation = Explanation(short(here), "computed", numbers, text)
    reply = computed_reply(turn, view, here, explanation=explanation, comparison=comparison)
    if turn.previous is None:
        return reply
    stays: dict[str, Any] = {"region": turn.previous.region, "regions": turn.previous.regions}
    return replace(reply, workload=replace(turn.workload, **stays))


def _candidate_regions(turn: Turn) -> tuple[str, ...]:
    """Return the regions named, else every commercial one that bills in dollars."""
    return turn.workload.regions or tuple(
        region.code
        for region in turn.world.catalog.regions.values()
        if region.location_type == "region" and "-gov-" not in region.code
        if region.currency == "USD"
    )


def _best_in(turn: Turn, code: str, here: Recommendation) -> Pick | None:
    """Return what a region would run it on as fast as here; None without a price."""
    said = turn.workload
    kind = said.latency_kind if said.latency_ms is None else here.workload.latency_kind
    # The reading of a bare latency is settled: the others need not be worked out in each region.
    there = recommendation_of(about(turn, region=code, regions=None, latency_kind=kind))
    best = there.best if as_fast(there, here) else None
    return None if best is None or best.cost.usd_per_hour is None else best


def _surest_first(picks: list[Pick]) -> list[Pick]:
    """Return picks by cost; where a region serves surely at little more, those that do first."""
    sure = [pick for pick in picks if not pick.may_miss or pick.cost.usd_total is not None]
    if not sure or _cost(sure[0]) > SAFE_PREMIUM * _cost(picks[0]):
        return picks
    return sure + [pick for pick in picks if pick not in sure]


def _cost(pick: Pick) -> float:
    cost = pick.cost.usd_total if pick.cost.usd_total is not None else pick.cost.usd_per_hour
    return cost or 0.0


def _cost_unit(pick: Pick) -> str:
    return "USD" if pick.cost.usd_total is not None else "USD/h"


def _ranked_row(pick: Pick, catalog: Catalog) -> tuple[str, ...]:
    hourly = pick.cost.usd_per_hour or 0.0
    job = pick.cost.usd_total
    return (
        pick.region,
        catalog.regions[pick.region].name,
        machines(pick.instance.instance_type, pick.instances),
        usd_per_hour(hourly) if job is None else f"{usd_estimated(job)} in total",
        usd(hourly * HOURS_PER_MONTH) if job is None else "",
    )


def _regions_text(ranked: list[Pick], here: str, catalog: Catalog) -> str:
    if not ranked:
        return "Nothing that is priced meets every limit in any of them."
    first = ranked[0]
    row = _ranked_row(first, catalog)
    text = f"Cheapest in {row[0]} ({row[1]}): {row[2]}, {row[3]}."
    cheapest = min(ranked, key=_cost)
    if _cost(cheapest) < _cost(first):
        price = _ranked_row(cheapest, catalog)[3]
        text += f" {cheapest.region} has only what may miss a limit, {price}."
    mine = next((pick for pick in ranked if pick.region == here), None)
    if mine is None or mine is first or _cost(mine) == _cost(first):
        return text
    more = _cost(mine) / _cost(first) - 1
    return f"{text} {here} costs {more:.0%} more."
