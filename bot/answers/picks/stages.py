"""Several models of different kinds in one text are stages: each has its pick, all one total."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from bot.answers.pick import recommendation_of
from bot.answers.planning import about
from bot.answers.question_asked import compared, computed_reply, notes_of, question_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.figures import ms, usd, usd_per_hour
from bot.core.wording import machines, model_words
from catalog.facts.schema import Model
from engine.ask import model_of
from engine.core.assumptions import generates_text
from engine.core.estimate import Figure, Performance
from engine.core.result import Pick, Recommendation
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.core.workload import Workload
from engine.pick.recommend import evaluate
from engine.what_if.stages import shares_of_limit

COLUMNS: Final = ("stage", "pick", "cost", "a month", "takes", "of the limit")
SHARED: Final = "ttft", "e2e"  # limits that the stages share: a wait, not a rate
OTHER_SIZE: Final = "other_size"  # a note that holds of one model alone
SAME_SIZE: Final = 0.2


@dataclass(frozen=True, slots=True)
class Stage:
    """One model of several that a request goes through, and what runs it."""

    model: Model
    workload: Workload
    result: Recommendation
    limit_ms: float | None = None  # its part of the limit of them all

    @property
    def pick(self) -> Pick | None:
        """What runs it, None where nothing does within its part of the limit."""
        return self.result.best

    @property
    def takes_ms(self) -> float | None:
        """How long a request waits for it: of text for the first token, since it streams."""
        served = None if self.pick is None else self.pick.estimate.performance
        if served is None:
            return None
        figure = _wait(served, self.model)
        return None if figure is None else figure.value


def _wait(served: Performance, model: Model) -> Figure | None:
    return served.ttft_ms if _streams(model) else served.e2e_ms


def stages_turn(turn: Turn) -> Reply | None:
    """Return every stage with its pick and the total; None where a text names one kind of model."""
    asked = _stages_asked(turn)
    if len({_kind(model) for model, _ in asked}) < len(SHARED):
        return None
    stages = _within_limit(turn, _at_one_rate(turn, asked))
    rows = [*map(_stage_row, stages), *_total_rows(stages)]
    lead = f"{len(stages)} stages, each on machines of its own: {_together(stages)}."
    view = table_view("A pick for every stage", lead, COLUMNS, rows, _notes(turn, stages))
    comparison = compared("stages", COLUMNS[1:], ((row[0], row[1:]) for row in rows))
    dearest = max(stages, key=lambda stage: _stages_hourly([stage.pick] if stage.pick else []))
    return computed_reply(turn, view, dearest.result, comparison=comparison)


def _stages_asked(turn: Turn) -> list[tuple[Model, Workload]]:
    """Return each model that the text names, with what it says of that one."""
    said, catalog = turn.workload, turn.world.catalog
    names = said.models or ((said.model,) if said.model else ())
    alone: dict[str, Any] = {"models": None, "params_b": None, "model_kind": None}
    apart = [(name, replace(said, **(alone | {"model": name}))) for name in names]
    parts = [part for _, part in each_at_its_load(turn, apart)]
    known = [model for part in parts if (model := model_of(part, catalog)[0]) is not None]
    if said.params_b and all(_differs(said.params_b, model) for model in known):
        parts.append(replace(said, models=None, model=None, model_kind=None))
    found = [(model_of(part, catalog)[0], part) for part in parts]
    return [(model, part) for model, part in found if model is not None]


def each_at_its_load(
    turn: Turn, variants: list[tuple[str, Workload]]
) -> list[tuple[str, Workload]]:
    """Return the models each under the load that was said beside it, where each has one."""
    field = turn.understanding.asked.load_of_each_model
    loads = turn.understanding.alternatives.get(field or "", ())
    if field is None or len(loads) != len(variants):
        return variants
    own: list[dict[str, Any]] = [{field: load} for load in loads]
    pairs = zip(variants, own, strict=True)
    return [(name, replace(workload, **load)) for (name, workload), load in pairs]


def _differs(size_b: float, model: Model) -> bool:
    return abs(size_b / model.total_params_b - 1) > SAME_SIZE and _kind(model) != "text"


def _kind(model: Model) -> str:
    if _streams(model):
        return "text"
    return "passages" if model.task in SINGLE_SHOT_TASKS else model.task


def _streams(model: Model) -> bool:
    return generates_text(model) and model.task != "speech"


def _at_one_rate(turn: Turn, asked: list[tuple[Model, Workload]]) -> list[Stage]:
    """Return the stages with the requests that the text's use brings, without a limit yet."""
    open_limit: dict[str, Any] = {"latency_ms": None, "latency_kind": None}
    if turn.workload.latency_kind not in SHARED:
        open_limit = {}
    text = next((part for model, part in asked if _streams(model)), None)
    rps = None if text is None else _run(turn, text, open_limit).workload.rps
    stages = []
    for model, part in asked:
        other: dict[str, Any] = {} if _streams(model) else {"use_case": None}
        if other and rps is not None and turn.workload.users:
            other |= {"rps": rps, "users": None}
        one = replace(part, **(other | open_limit))
        stages.append(Stage(model, one, _run(turn, one, {})))
    return stages


def _run(turn: Turn, workload: Workload, changes: dict[str, Any]) -> Recommendation:
    understanding = replace(turn.understanding, workload=workload)
    return recommendation_of(about(replace(turn, understanding=understanding), **changes))


def _within_limit(turn: Turn, stages: list[Stage]) -> list[Stage]:
    """Return the stages each within its part of the limit, the parts at which all cost least."""
    limit = turn.workload.latency_ms
    if limit is None or turn.workload.latency_kind not in SHARED:
        return stages
    times = shares_of_limit([_offers(turn, stage) for stage in stages], limit)
    return [_held(turn, stage, time) for stage, time in zip(stages, times, strict=True)]


def _offers(turn: Turn, stage: Stage) -> list[tuple[float, float]]:
    """Return what each type would cost an hour and take, unmeasured ones at their far end."""
    found = []
    for option in evaluate(question_of(turn, stage.result)).meeting:
        served, usd_an_hour = option.estimate.performance, option.usd_per_hour
        figure = (
            None if served is None else served.ttft_ms if _streams(stage.model) else served.e2e_ms
        )
        if served is not None and figure is not None and usd_an_hour is not None:
            measured = served.basis == "measured_class"
            found.append((usd_an_hour, figure.value if measured else figure.high))
    return found


def _held(turn: Turn, stage: Stage, limit_ms: float) -> Stage:
    kind = "ttft" if _streams(stage.model) else "e2e"
    held = _run(turn, stage.workload, {"latency_ms": limit_ms, "latency_kind": kind})
    return replace(stage, result=held, limit_ms=limit_ms)


def _stage_row(stage: Stage) -> tuple[str, ...]:
    pick, name = stage.pick, model_words(stage.model, stage.workload)
    part = "" if stage.limit_ms is None else ms(stage.limit_ms)
    if pick is None:
        return name, "nothing meets it", "", "", "", part
    hourly, monthly = pick.cost.usd_per_hour, pick.cost.usd_per_month
    return (
        name,
        machines(pick.instance.instance_type, pick.instances),
        "no price" if hourly is None else usd_per_hour(hourly),
        "" if monthly is None else usd(monthly),
        "" if stage.takes_ms is None else ms(stage.takes_ms),
        part,
    )


def _total_rows(stages: list[Stage]) -> Iterator[tuple[str, ...]]:
    """Yield what all stages cost and take, where each of them has a pick."""
    picks = [stage.pick for stage in stages if stage.pick is not None]
    if len(picks) == len(stages):
        monthly = sum(pick.cost.usd_per_month or 0.0 for pick in picks)
        taken = sum(stage.takes_ms or 0.0 for stage in stages)
        yield "all together", "", usd_per_hour(_stages_hourly(picks)), usd(monthly), ms(taken), ""


def _together(stages: list[Stage]) -> str:
    picks = [stage.pick for stage in stages if stage.pick is not None]
    if len(picks) == len(stages):
        return f"{usd_per_hour(_stages_hourly(picks))} together"
    missed = [model_words(one.model, one.workload) for one in stages if one.pick is None]
    return f"nothing runs {' or '.join(missed)} within its part of the limit"


def _stages_hourly(picks: list[Pick]) -> float:
    return sum(pick.cost.usd_per_hour or 0.0 for pick in picks)


def _notes(turn: Turn, stages: list[Stage]) -> tuple[str, ...]:
    codes, notes = turn.understanding.codes, turn.understanding.notes
    kept = [(c, n) for c, n in zip(codes, notes, strict=False) if c != OTHER_SIZE]
    plain = replace(
        turn.understanding, codes=tuple(c for c, _ in kept), notes=tuple(n for _, n in kept)
    )
    of_all = ["Text counts to its first token: what follows it streams."]
    if turn.understanding.not_understood:
        of_all.append("A stage that was not understood is in neither the total nor the limit.")
    return notes_of(replace(turn, understanding=plain), stages[-1].result, *of_all)
