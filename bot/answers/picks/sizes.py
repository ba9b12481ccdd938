"""A use without a model: what a model of each size would cost for it, and which one it shall be."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from bot.answers.pick import recommendation_of
from bot.answers.planning import about
from bot.answers.question_asked import compared, computed_reply, notes_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import hours, ms, plain_line, usd, usd_estimated, usd_per_hour
from bot.core.views import Choice
from bot.core.wording import machines, use_words
from catalog.facts.schema import Model
from engine.ask import of_each_size
from engine.core.job import items_of_job
from engine.core.result import Pick, Recommendation
from engine.core.workload import OtherReading
from engine.pick.readings import MOST_READINGS

NAMED: Final = ("size", "for example", "pick", "cost")
OF_SERVICE: Final = (*NAMED, "a month", "first token", "per token")
OF_JOB: Final = (*NAMED, "done in")


def sizes_turn(turn: Turn) -> Reply | None:
    """Return a table of sizes for a request that names a use and no model; None for any other."""
    models = of_each_size(turn.workload, turn.world.catalog)
    if not models:
        return None
    sides = [(model, recommendation_of(about(turn, model=model.id))) for model in models]
    unnamed, readings = recommendation_of(turn), turn.understanding.readings[:MOST_READINGS]
    rows = [_size_row(model, result) for model, result in sides]
    filled = sides[0][1].workload
    columns = OF_SERVICE if items_of_job(filled) is None else OF_JOB
    view = table_view(
        "What the choice of a model costs",
        f"No model was named, and the model decides the cost. For {use_words(filled)}:",
        columns,
        rows,
        notes_of(turn, sides[0][1], _question_back(models), *map(_meant, readings)),
    )
    view = replace(view, choices=(*_sizes_offered(models), *map(_reading_offered, readings)))
    comparison = compared("model_sizes", columns[1:], ((row[0], row[1:]) for row in rows))
    reply = computed_reply(turn, view, unnamed, comparison=comparison)
    return replace(reply, workload=turn.workload)


def _question_back(models: tuple[Model, ...]) -> str:
    *dense, last = models
    sizes = ", ".join(f"“{_size_name(model)}”" for model in dense)
    return f"Which one shall it be? Say {sizes}, “{last.id}”, or the model you have in mind."


def _sizes_offered(models: tuple[Model, ...]) -> Iterator[Choice]:
    """Yield a button a size; a mixture goes by its name: its size alone is a dense model."""
    for model in models:
        size = _size_name(model)
        named = ("model", model.id) if model.num_experts else ("params_b", float(size.rstrip("B")))
        yield Choice(size, (named,))


def _meant(reading: OtherReading) -> str:
    return f"If you meant {reading.phrase}, say so."


def _reading_offered(reading: OtherReading) -> Choice:
    return Choice(f"I meant {plain_line(reading.phrase, 60)}", reading.change)


def _size_name(model: Model) -> str:
    """Return the class of size that a model shows: the example of a text is the smallest."""
    shown = model.stands_for
    return f"{model.total_params_b:.0f}B" if shown in {None, "example"} else str(shown)


def _size_row(model: Model, result: Recommendation) -> tuple[str, ...]:
    pick, named = result.best, (_size_name(model), model.id)
    if pick is None:
        near = next(iter(result.closest), None)
        told = () if near is None else (machines(near.instance.instance_type, near.instances),)
        figures = () if near is None else _figures(near)
        return (
            (*named, *(f"misses a limit: {one}" for one in told), *figures)
            if told
            else (
                *named,
                "nothing meets it",
            )
        )
    return (*named, machines(pick.instance.instance_type, pick.instances), *_figures(pick))


def _figures(pick: Pick) -> tuple[str, ...]:
    cost, served, job = pick.cost, pick.estimate.performance, pick.estimate.job
    if job is not None:
        total = "" if cost.usd_total is None else f"{usd_estimated(cost.usd_total)} in total"
        return total, hours(job.time_h.value)
    hourly = "" if cost.usd_per_hour is None else usd_per_hour(cost.usd_per_hour)
    month = "" if cost.usd_per_month is None else usd(cost.usd_per_month)
    waits = () if served is None else (served.ttft_ms, served.tpot_ms)
    return hourly, month, *("" if wait is None else ms(wait.value) for wait in waits)
