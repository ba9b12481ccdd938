"""The cheapest mix of types for a load, beside the best single type."""

from collections.abc import Iterator

from bot.answers.costs.crossover import WORDS
from bot.answers.pick import recommendation_of
from bot.answers.question_asked import (
    compared,
    computed_reply,
    notes_of,
    serving_question,
    short,
    told,
)
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import percent, quantity, usd_per_hour
from engine.core.result import Number
from engine.pick.explain import Explanation
from engine.pick.recommend import with_workload
from engine.pick.serving import MAX_INSTANCES
from engine.what_if.capacity import load_field, units
from engine.what_if.fleet import MOST_TYPES, Fleet, cheapest_fleet

COLUMNS = ("instance_type", "instances", "usd_per_hour", "carries", "share_of_traffic")


def fleet_turn(turn: Turn) -> Reply:
    """Return the cheapest combination of at most three types that carries the load."""
    result = recommendation_of(turn)
    question = serving_question(turn, result, "Fleet")
    question = with_workload(question, instance=None)
    field = load_field(question)
    load = getattr(question.workload, field) or 1.0
    fleet = cheapest_fleet(units(question, field), load)
    word = WORDS[field]
    text = _fleet_text(fleet, load, word)
    view = table_view(
        f"Fleet for {short(result)} at {quantity(load)} {word}",
        f"{text} {told(result)}.",
        ("type", "machines", "$/h", f"carries, {word}", "share of traffic"),
        _fleet_rows(fleet),
        notes_of(turn, result, _split_notes(fleet)),
    )
    comparison = compared("fleet", COLUMNS, _json(fleet))
    verdict = "mix" if fleet is not None and fleet.worth_it else "one type"
    explanation = Explanation(short(result), verdict, _fleet_numbers(fleet), text)
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _fleet_text(fleet: Fleet | None, load: float, word: str) -> str:
    if fleet is None:
        return (
            f"No {MOST_TYPES} types together carry {quantity(load)} {word} within the limits on "
            f"{MAX_INSTANCES} machines."
        )
    parts = " + ".join(f"{part.instances}x {part.unit.name}" for part in fleet.parts)
    mix = f"{parts} at {usd_per_hour(fleet.usd_per_hour)}"
    if fleet.single is None:
        return f"No single type carries it; {mix} does."
    single = f"{fleet.single.instances}x {fleet.single.unit.name}"
    single += f" at {usd_per_hour(fleet.single.usd_per_hour)}"
    if not fleet.mixed:
        return f"No mix is cheaper than one type: {single}."
    saved = f"{percent(fleet.saving)} less than {single}"
    if fleet.worth_it:
        return f"{mix}: {saved}, the best single type."
    return f"Stay with one type, {single}: {mix} would save only {percent(fleet.saving)}."


def _fleet_rows(fleet: Fleet | None) -> list[tuple[str, ...]]:
    if fleet is None:
        return []
    rows: list[tuple[str, ...]] = [
        (
            part.unit.name,
            str(part.instances),
            usd_per_hour(part.usd_per_hour),
            f"{part.capacity:,.4g}",
            percent(fleet.share(part)),
        )
        for part in fleet.parts
    ]
    if fleet.mixed and fleet.single is not None:
        single = fleet.single
        carries = f"{single.units * single.unit.capacity:,.4g}"
        price = usd_per_hour(single.usd_per_hour)
        rows.append((f"or only {single.unit.name}", str(single.instances), price, carries, "100 %"))
    return rows


def _json(fleet: Fleet | None) -> Iterator[tuple[str, tuple[object, ...]]]:
    if fleet is None:
        return
    for part in fleet.parts:
        name, share = part.unit.name, fleet.share(part)
        yield name, (name, part.instances, part.usd_per_hour, part.capacity, share)


def _fleet_numbers(fleet: Fleet | None) -> tuple[Number, ...]:
    if fleet is None:
        return ()
    single = fleet.single.usd_per_hour if fleet.single is not None else None
    return (
        Number("fleet price", fleet.usd_per_hour, "USD/h", single),
        Number("load carried", fleet.capacity, "", fleet.load),
    )


def _split_notes(fleet: Fleet | None) -> str:
    if fleet is None or not fleet.mixed:
        return f"Exact search over up to {MOST_TYPES} types and {MAX_INSTANCES} machines."
    return (
        "Send each type its share of the traffic: at these shares every machine stays within the "
        f"limits. Exact search over up to {MOST_TYPES} types and {MAX_INSTANCES} machines."
    )
