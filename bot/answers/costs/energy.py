"""Watts, kWh and CO2e of a plan; or the regions ordered by what the same work emits there."""

from typing import Any

from bot.answers.pick import recommendation_of
from bot.answers.picks.explain import explain_turn
from bot.answers.question_asked import compared, computed_reply, notes_of, question_of, short, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.examples import example
from bot.core.figures import quantity, usd_per_hour
from engine.core.estimate import Figure
from engine.core.question import Question
from engine.core.result import Number, Pick, Recommendation
from engine.pick.energy import PUE, Energy, energy_of
from engine.pick.explain import Explanation
from engine.pick.recommend import recommend, with_workload

COLUMNS = (
    "instances",
    "watts",
    "kwh_per_million_tokens",
    "kwh_per_million_tokens_full",
    "kwh_total",
    "kg_co2e_per_million_tokens",
    "kg_co2e_total",
    "usd_per_hour",
)
REGION_COLUMNS = ("grid", "g_co2e_per_kwh", "kg_co2e", "usd_per_hour")
REGIONS_SHOWN = 12
BASES = example("energy")
HOW = (
    "Rated accelerator power at 60 to 100 % while at work, plus host and memory by assumption, "
    f"times {PUE:g} for cooling and losses. Location-based: what the grid emits on average, "
    "whatever renewable power AWS buys."
)


def energy_turn(turn: Turn) -> Reply:
    """Return the energy of the picks, or the greenest regions where those are asked for."""
    result = recommendation_of(turn)
    if not result.picks or result.model is None:
        return explain_turn(turn)
    question = question_of(turn, result)
    if turn.understanding.asked.greenest_regions or turn.workload.regions:
        return _regions_reply(turn, result, question)
    picks = _energy_picks(result, question)
    found = [(pick, energy_of(pick, question.catalog, question.region)) for pick in picks]
    text = _energy_text(*found[0], question)
    view = table_view(
        f"Energy: {short(result)} in {question.region}",
        f"{text} {told(result)}.",
        ("type", "W", "kWh", "kg CO2e", "$/h", *(() if question.trains else ("kWh, full load",))),
        [_energy_row(pick, energy, question) for pick, energy in found],
        notes_of(turn, result, *_unit_note(question), HOW, *_grid_note(found[0][1], question)),
    )
    comparison = compared(
        "energy",
        COLUMNS,
        ((p.instance.instance_type, _energy_values(p, energy)) for p, energy in found),
    )
    explanation = Explanation(short(result), "computed", _energy_numbers(found[0][1]), text)
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _energy_picks(result: Recommendation, question: Question) -> list[Pick]:
    """Return the picks under the asked objective, and those that take the least energy."""
    greenest = recommend(with_workload(question, objective="energy", instance=None)).picks
    found: dict[str, Pick] = {}
    for pick in (*result.picks, *greenest):
        found.setdefault(pick.instance.instance_type, pick)
    return list(found.values())


def _energy_text(pick: Pick, energy: Energy, question: Question) -> str:
    machines = f"{pick.instances}x {pick.instance.instance_type}"
    kwh = _kwh(energy, question)
    if energy.watts is None or kwh is None:
        return f"{machines}: unknown, {energy.why_unknown or 'the amount of work is not known'}."
    text = f"{machines} draws {_figure_range(energy.watts)} W and takes {_figure_range(kwh)} kWh"
    text += f" for {_energy_work(question)}"
    emitted = _co2e_shown(energy, question)
    if emitted is None or energy.grid is None:
        return f"{text}; what {question.region}'s grid emits is unknown."
    grid = f"{quantity(energy.grid.g_co2e_per_kwh)} g/kWh"
    return f"{text}: {_figure_range(emitted)} kg CO2e on the grid of {energy.grid.grid} ({grid})."


def _energy_work(question: Question) -> str:
    return "the job" if question.trains else "1M tokens"


def _kwh(energy: Energy, question: Question) -> Figure | None:
    return energy.kwh_total if question.trains else energy.kwh_per_million_tokens


def _co2e_shown(energy: Energy, question: Question) -> Figure | None:
    return energy.kg_co2e_total if question.trains else energy.kg_co2e_per_million_tokens


def _figure_range(figure: Figure) -> str:
    return f"{quantity(figure.value)} ({quantity(figure.low)}–{quantity(figure.high)})"


def _energy_row(pick: Pick, energy: Energy, question: Question) -> tuple[str, ...]:
    price = pick.cost.usd_per_hour
    machines = f"{pick.instances}x {pick.instance.instance_type}"
    cost = "unpriced" if price is None else usd_per_hour(price)
    if energy.watts is None:
        return (machines, f"unknown: {energy.why_unknown}", "", "", cost)
    figures = (_kwh(energy, question), _co2e_shown(energy, question))
    full = energy.kwh_per_million_tokens_full
    return (machines, quantity(energy.watts.value), *map(_cell, figures), cost, _cell(full))


def _cell(figure: Figure | None) -> str:
    return "" if figure is None else _figure_range(figure)


def _unit_note(question: Question) -> tuple[str, ...]:
    if question.trains:
        return ("kWh and kg CO2e are of the whole job.",)
    kind = "output tokens" if (question.workload.output_tokens or 0) > 0 else "tokens"
    return (f"kWh and kg CO2e are per 1M {kind}.",)


def _grid_note(energy: Energy, question: Question) -> tuple[str, ...]:
    grid = energy.grid
    if grid is None:
        return (f"No grid factor is known for {question.region}.",)
    basis = "fuel and plants included" if grid.basis == "life_cycle" else "power plants alone"
    return (f"Grid factor of {grid.year}, {basis}: {grid.source}.",)


def _energy_values(pick: Pick, energy: Energy) -> list[Any]:
    figures = (
        energy.watts,
        energy.kwh_per_million_tokens,
        energy.kwh_per_million_tokens_full,
        energy.kwh_total,
        energy.kg_co2e_per_million_tokens,
        energy.kg_co2e_total,
    )
    ranges = [None if f is None else [f.value, f.low, f.high] for f in figures]
    return [pick.instances, *ranges, pick.cost.usd_per_hour]


def _energy_numbers(energy: Energy) -> tuple[Number, ...]:
    figures = (
        ("power", energy.watts, "W"),
        ("energy per 1M tokens", energy.kwh_per_million_tokens, "kWh"),
        ("energy of the job", energy.kwh_total, "kWh"),
        ("CO2e per 1M tokens", energy.kg_co2e_per_million_tokens, "kg"),
        ("CO2e of the job", energy.kg_co2e_total, "kg"),
    )
    return tuple(Number(name, f.value, unit) for name, f, unit in figures if f is not None)


# --- regions -------------------------------------------------------------------------------------


def _regions_reply(turn: Turn, result: Recommendation, question: Question) -> Reply:
    pick = _with_power(result, question)
    rows = _grid_regions(pick, question, turn.workload.regions)
    machines = f"{pick.instances}x {pick.instance.instance_type}"
    among = "of those named" if turn.workload.regions else "with a known grid"
    text = f"{machines} is offered in {len(rows)} regions {among}"
    kwh = _kwh(energy_of(pick, question.catalog, question.region), question)
    if kwh is not None:
        text += f", where it takes {_figure_range(kwh)} kWh for {_energy_work(question)}"
    if rows:
        first = rows[0]
        text += f"; the greenest is {first[0]}: {quantity(first[2])} g CO2e/kWh ({first[1]})"
    unit = "kg CO2e, the job" if question.trains else "kg CO2e, 1M tokens"
    view = table_view(
        f"Greenest region: {short(result)}",
        f"{text}. {told(result)}.",
        ("region", "grid", "g/kWh", unit, "$/h"),
        [_region_row(*row) for row in rows[:REGIONS_SHOWN]],
        notes_of(turn, result, HOW, BASES),
    )
    comparison = compared(
        "greenest_region",
        REGION_COLUMNS,
        ((row[0], row[1:]) for row in rows),
        instance_type=pick.instance.instance_type,
    )
    numbers = tuple(Number(f"grid of {row[0]}", row[2], "g/kWh") for row in rows[:2])
    explanation = Explanation(rows[0][0] if rows else "", "greenest", numbers, f"{text}.")
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _with_power(result: Recommendation, question: Question) -> Pick:
    """Return the first pick with a known power: the grid's order is the same for every type."""
    known = (
        pick
        for pick in result.picks
        if energy_of(pick, question.catalog, question.region).watts is not None
    )
    return next(known, result.picks[0])


RegionRow = tuple[str, str, float, float | None, float | None]


def _grid_regions(pick: Pick, question: Question, named: tuple[str, ...] | None) -> list[RegionRow]:
    """Return the regions that offer the type and have a known grid, least CO2e first."""
    rows: list[RegionRow] = []
    for region in pick.instance.regions:
        energy = energy_of(pick, question.catalog, region)
        if energy.grid is None or (named and region not in named):
            continue
        quote = with_workload(question, region=region).quote(pick.instance)
        emitted = _co2e_shown(energy, question)
        kilograms = None if emitted is None else emitted.value
        usd = None if quote.usd_per_hour is None else quote.usd_per_hour * pick.instances
        rows.append((region, energy.grid.grid, energy.grid.g_co2e_per_kwh, kilograms, usd))
    return sorted(rows, key=lambda row: (row[2], row[4] or float("inf"), row[0]))


def _region_row(
    region: str, grid: str, factor: float, kilograms: float | None, usd: float | None
) -> tuple[str, ...]:
    emitted = "unknown" if kilograms is None else quantity(kilograms)
    price = "unpriced" if usd is None else usd_per_hour(usd)
    return (region, grid, quantity(factor), emitted, price)
