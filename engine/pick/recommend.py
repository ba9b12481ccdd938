"""recommend(question): the stages in order, from every EC2 type to a ranked answer.

candidates -> plans, memory, performance, price -> limits -> ranking -> picks and reasons
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from catalog.facts.schema import Instance
from engine.core.job import items_of_job
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Number, Pick, Recommendation, Rejection, Rejections
from engine.pick.candidates import candidates, not_offered
from engine.pick.explain import nearest
from engine.pick.machines import MachineEvaluator
from engine.pick.picks import as_pick, cheaper_that_miss, distinct, near_misses, with_fallbacks
from engine.pick.rank import OF_WORK, daring_leader, frontier, ranked_value, ranked_within_money
from engine.pick.reasons import (
    beyond_quota,
    dominated,
    misses_limit,
    unpriced,
    unpriced_against_budget,
)
from engine.pick.serving import ServingEvaluator
from engine.pick.training import TrainingEvaluator
from engine.placement.work_cache import WorkCache

Evaluate = Callable[[Instance], Option | Rejection]


@dataclass(slots=True)
class Evaluation:
    """Every type of the catalog, sorted into what meets the limits, what misses, what can't."""

    question: Question
    works: ServingEvaluator | TrainingEvaluator | MachineEvaluator
    meeting: list[Option] = field(default_factory=list)
    missing: list[Option] = field(default_factory=list)
    rejected: list[Rejection] = field(default_factory=list)
    asked: Option | None = None
    asked_rejection: Rejection | None = None
    asked_barred: Rejection | None = None  # why the asked type is ranked among no others
    considered: int = 0

    @property
    def best(self) -> Option | None:
        """The option the objective ranks first, if any meets every limit."""
        return self.meeting[0] if self.meeting else None


def evaluator(
    question: Question, worked: WorkCache
) -> ServingEvaluator | TrainingEvaluator | MachineEvaluator:
    """Return the evaluator for this kind of work."""
    if question.model is None:
        return MachineEvaluator(question)
    return TrainingEvaluator(question) if question.trains else ServingEvaluator(question, worked)


def evaluate(question: Question, worked: WorkCache | None = None) -> Evaluation:
    """Return every type evaluated for the question, the meeting ones ranked best first.

    `worked` carries over what an earlier question worked out that differed only in its limits; it
    says where only what is picked will be told.
    """
    worked = worked or WorkCache()
    if worked.candidates is None:
        worked.candidates = candidates(question)
    types, rejected = worked.candidates
    works = evaluator(question, worked)
    considered = len(types) + len(rejected)
    result = Evaluation(question, works, rejected=list(rejected), considered=considered)
    if worked.leading and isinstance(works, ServingEvaluator):
        types = list(works.promising(types))
    for instance in types:
        _sort_in(result, works.evaluate(instance))
    _find_asked(result)
    _make_sure(result)
    result.meeting = ranked_within_money(result.meeting, question)
    return result


def _sort_in(result: Evaluation, outcome: Option | Rejection) -> None:
    if isinstance(outcome, Rejection):
        result.rejected.append(outcome)
    elif beyond := beyond_quota(outcome, result.question):
        result.rejected.append(beyond)
    elif outcome.usd_per_hour is None and has_budget(result.question):
        result.rejected.append(unpriced_against_budget(outcome))
    elif outcome.carries_load:
        result.meeting.append(outcome)
    else:
        result.missing.append(outcome)


def _make_sure(result: Evaluation) -> None:
    """Put a few more of what would lead where it stands, if they do not miss what it may miss."""
    works = result.works
    if not isinstance(works, ServingEvaluator) or not works.scales:
        return
    first = daring_leader(result.meeting, result.question)
    if first is None or first.usd_per_hour is None or not first.may_miss:
        return
    more = works.on_enough_to_be_sure(first)
    if more is not None:
        result.meeting[result.meeting.index(first)] = more
        result.asked = more if result.asked is first else result.asked


def _find_asked(result: Evaluation) -> None:
    """Find the type the user named; one that may not compete is worked out beside the others.

    It is held to what the others are held to, and never ranked where it would not be unnamed.
    """
    question = result.question
    asked = question.catalog.instances.get(question.workload.instance or "")
    if asked is None:
        return
    name = asked.instance_type
    ranked_ones = (*result.meeting, *result.missing)
    result.asked = next((o for o in ranked_ones if o.instance.instance_type == name), None)
    if result.asked is not None:
        return
    barred = next((one for one in result.rejected if one.instance_type == name), None)
    result.rejected = [one for one in result.rejected if one is not barred]
    outcome = result.works.evaluate(asked)
    if isinstance(outcome, Rejection) or question.region not in asked.regions:
        outcome = outcome if isinstance(outcome, Rejection) else not_offered(asked, question)
        result.asked_rejection = outcome
        result.rejected.append(outcome)
        return
    result.asked, result.asked_barred = outcome, barred
    if not outcome.carries_load:
        result.missing.append(outcome)


def has_budget(question: Question) -> bool:
    """Return whether a budget was stated: a type without a price cannot be said to meet it."""
    workload = question.workload
    budgets = (
        workload.budget_usd_per_hour,
        workload.budget_usd_per_month,
        workload.budget_usd_total,
    )
    return any(budget is not None for budget in budgets)


def recommend(question: Question, *, top: int = 3) -> Recommendation:
    """Return the whole answer to one question: picks, near misses, rejections, frontier.

    Pure: the same question gives the same answer, whatever the order of the catalog.
    """
    return answer(question, evaluate(question), top=top)


def answer(question: Question, result: Evaluation, *, top: int = 3) -> Recommendation:
    """Return the recommendation that an evaluation amounts to."""
    works = result.works
    shown = distinct(result.meeting, question, top=top)
    labelled = _asked_first(result, shown)
    picks = tuple(
        as_pick(works.at_full_load(option), question, rank=rank, label=label, best=result.best)
        for rank, (option, label) in enumerate(labelled, start=1)
    )
    if result.best is not None and picks and picks[0].instance == result.best.instance:
        reason = cheaper_that_miss(result.missing, result.best, question)
        first = with_fallbacks(picks[0], result.meeting)
        first = replace(first, why=(*first.why, reason) if reason else first.why)
        picks = (first, *picks[1:])
    closest = _closest(result)
    return Recommendation(
        workload=question.workload,
        said=question.said,
        model=question.model,
        assumptions=(),
        picks=picks,
        rejected=Rejections(lambda: _rejections(result, picks)),
        frontier=frontier(result.meeting),
        closest=closest,
        best=_pick_of(result.best, picks),
        asked=_pick_of(result.asked, (*picks, *closest) if picks else ()),  # it may miss a limit
        asked_rejection=result.asked_rejection,
        nearest_rejection=None if picks else nearest(result.rejected),
        considered=result.considered,
        unpriced=tuple(o.instance.instance_type for o in result.meeting if o.usd_per_hour is None),
    )


def _pick_of(option: Option | None, picks: tuple[Pick, ...]) -> Pick | None:
    if option is None:
        return None
    return next((pick for pick in picks if pick.instance == option.instance), None)


def _asked_first(result: Evaluation, shown: list[tuple[Option, str]]) -> list[tuple[Option, str]]:
    """Put the type the user named first, whether or not it would have been a pick."""
    asked = result.asked
    if asked is None or not asked.carries_load or asked in result.missing:
        return shown
    label = next((label for option, label in shown if option is asked), "the type you asked about")
    return [(asked, label)] + [(o, text) for o, text in shown if o is not asked]


def _closest(result: Evaluation) -> tuple[Pick, ...]:
    question, works = result.question, result.works
    return tuple(
        as_pick(works.at_full_load(option), question, rank=0, label=label, best=result.best)
        for option, label in near_misses(result.missing, question, result.best, asked=result.asked)
    )


def _rejections(result: Evaluation, picks: tuple[Pick, ...]) -> tuple[Rejection, ...]:
    """Return one rejection for every type that is not a pick, sorted by name."""
    shown = {pick.instance.instance_type for pick in picks}
    rejections = list(result.rejected)
    rejections += [misses_limit(option) for option in result.missing]
    if result.best is not None:
        rejections += [
            _beaten(option, result.best, result.question)
            for option in result.meeting
            if option.instance.instance_type not in shown
        ]
    return tuple(sorted(rejections, key=lambda rejection: rejection.instance_type))


def _beaten(option: Option, best: Option, question: Question) -> Rejection:
    if option.usd_per_hour is None:
        return unpriced(option)
    value = ranked_value(question)
    name, unit = ranked_by(question)
    return dominated(option, best, Number(name, value(option), unit, value(best)))


def ranked_by(question: Question) -> tuple[str, str]:
    """Return the name and unit of the figure that the objective ranks by."""
    objective = question.workload.objective or "cost"
    if question.trains:
        return TRAINING_RANKED_BY.get(objective, JOB_COST)
    if objective in OF_WORK and items_of_job(question.workload) is not None:
        return JOB_COST
    if objective in {"cost", "max_savings"} and question.workload.mode == "batch":
        return PER_MILLION
    return SERVING_RANKED_BY.get(objective, ("price", "USD/h"))


JOB_COST = ("job cost", "USD")
PER_MILLION = ("cost per 1M tokens", "USD")
SERVING_RANKED_BY = {
    "value": PER_MILLION,
    "throughput": ("time per 1M tokens", "h"),
    "performance": ("whole request", "ms"),
    "latency": ("latency", "ms"),
    "balanced": ("price x time", ""),
    "energy": ("energy per 1M tokens", "kWh"),
}
INSTANCE_HOURS = ("instance-hours", "instance-h")
TRAINING_RANKED_BY = {
    "performance": INSTANCE_HOURS,
    "latency": INSTANCE_HOURS,
    "throughput": INSTANCE_HOURS,
    "balanced": ("cost x time", ""),
    "energy": ("energy of the job", "kWh"),
}


def with_workload(question: Question, **changes: object) -> Question:
    """Return the same question with some fields of the filled workload changed."""
    return replace(question, workload=replace(question.workload, **changes))  # type: ignore[arg-type]
