"""The machines that a question of fact is about: a type named by itself, else the pick."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from bot.answers.costs.bill import WAYS
from bot.answers.pick import recommendation_of
from bot.answers.question_asked import notes_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from bot.core.examples import example
from catalog.facts.schema import Instance
from catalog.prices.prices import Prices
from engine.core.result import Pick, Recommendation
from engine.core.workload import Workload
from engine.pick.explain import Explanation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.core.views import View
    from engine.core.result import Number

# Fields that name hardware, a place or a way to buy: with nothing else said there is no workload.
OF_HARDWARE: Final = frozenset(
    {"task", "region", "regions", "market", "term_years", "name", "nodes"}
    | {"instance", "gpu", "gpu_count", "allow", "compare_family", "exclude", "without", "owned"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """So many machines of one type in a region; without a pick nobody spoke of a workload."""

    instance: Instance
    count: int
    region: str
    result: Recommendation | None = None
    pick: Pick | None = None

    @property
    def name(self) -> str:
        """The type's name."""
        return self.instance.instance_type


def speaks_of_a_workload(workload: Workload) -> bool:
    """Return whether there is something to size: anything but hardware, a place or a market."""
    return bool(workload.said().keys() - OF_HARDWARE)


def subject_of(turn: Turn) -> Subject:
    """Return what the question is about: the thread's pick, or the type that the text names.

    A type that does not run the workload is still what was asked about.

    Raises:
        RequestError: nothing is named, or nothing fits.
    """
    workload = turn.workload
    region = workload.region or turn.world.default_region
    named = _named_instance(turn)
    if not speaks_of_a_workload(workload):
        if named is None:
            raise RequestError(
                "no_context",
                "Say which instance type or model it is about.",
                example=example("price"),
            )
        return Subject(instance=named, count=_count_said(turn), region=region)
    result = recommendation_of(turn)
    pick = next((p for p in (result.asked, *result.picks, *result.closest) if p is not None), None)
    if named is not None and (pick is None or pick.instance != named):
        return Subject(instance=named, count=_count_said(turn), region=region, result=result)
    if pick is None:
        raise RequestError("invalid_value", "Nothing fits, so there is no machine to speak of.")
    boxes = pick.instances * turn.understanding.asked.copies
    return Subject(
        instance=pick.instance, count=boxes, region=pick.region, result=result, pick=pick
    )


def _named_instance(turn: Turn) -> Instance | None:
    """Return the type that is named; of a family or a GPU the smallest that is sold."""
    workload, types = turn.workload, turn.world.catalog.instances
    if workload.instance is not None:
        return types[workload.instance]
    if speaks_of_a_workload(workload):
        return None
    return next(iter(types_named(turn)), None)


def types_named(turn: Turn) -> list[Instance]:
    """Return the types that are named by themselves, their family or their chip, small first."""
    workload, types = turn.workload, turn.world.catalog.instances
    if workload.instance is not None:
        return [types[workload.instance]]
    groups = {workload.gpu, workload.compare_family, *(workload.allow or ())} - {None}
    meant = [i for i in types.values() if {i.family, i.accelerator_id} & groups and not i.eol]
    return sorted(meant, key=lambda i: (i.accelerators, i.vcpus, i.instance_type))


def _count_said(turn: Turn) -> int:
    return (turn.workload.nodes or 1) * turn.understanding.asked.copies


def prices_now(turn: Turn, instance: Instance, region: str) -> Prices:
    """Return the prices, with what AWS says today of each way to buy a type where it is asked."""
    prices = turn.world.catalog.prices
    if turn.live is None:
        return prices
    from catalog.prices.live.desk import DeskQuestion, price_asked

    ways = [price_asked(way, region, instance.instance_type, term_years=term) for way, term in WAYS]
    return prices.with_live(turn.live.ask(DeskQuestion(prices=ways)).quotes)


def fact_reply(
    turn: Turn,
    view: "View",
    explanation: Explanation,
    result: Recommendation | None = None,
    comparison: Mapping[str, Any] | None = None,
) -> Reply:
    """Return the reply to a question of fact; a thread goes on with what it was about."""
    stays = turn.previous is not None and turn.understanding.follow_up
    return Reply(
        request=turn.request,
        intent=turn.understanding.intent,
        view=view,
        workload=turn.previous if stays else turn.workload,
        recommendation=result,
        explanation=explanation,
        comparison=None if comparison is None else dict(comparison),
        notes=turn.understanding.notes,
    )


def table_reply(
    turn: Turn,
    subject: Subject,
    *,
    title: str,
    line: str,
    columns: "Sequence[str]",
    rows: "Sequence[Sequence[str]]",
    notes: "Sequence[str]" = (),
    numbers: "tuple[Number, ...]" = (),
    verdict: str = "told",
    sized: bool = False,
) -> Reply:
    """Return a line that answers and the table behind it, as every question of fact is told.

    `sized`: the figures follow from the workload, so what was assumed of it is told as well.
    """
    from bot.cards.table import table_view

    result = subject.result
    read = notes_of(turn, result) if sized and result is not None else turn.understanding.notes
    view = table_view(title, line, columns, rows, (*notes, *read))
    explanation = Explanation(subject.name, verdict, numbers, line)
    named = [{"name": row[0], "values": list(row[1:])} for row in rows]
    comparison = {"kind": turn.understanding.topic, "columns": list(columns[1:]), "rows": named}
    return fact_reply(turn, view, explanation, result, comparison)
