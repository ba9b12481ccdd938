"""What a thread is about by now: the question in words and as one line, and its answer."""

from collections.abc import Iterator

from bot.answers.pick import recommendation_of, shown_picks
from bot.answers.question_asked import computed_reply, notes_of, told
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.notices import notice_view
from bot.cards.runner_ups import runner_up
from bot.core.figures import usd, usd_per_hour
from bot.core.wording import machines
from bot.language.readings import format_request
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.result import Pick, Recommendation
from engine.pick.explain import Explanation


def recap_turn(turn: Turn) -> Reply:
    """Return what was asked so far and what the answer is; nothing changes."""
    result = recommendation_of(turn)
    shown = shown_picks(result)
    text = f"{told(result)}. {_pick_line(result, shown)}"
    line = " ".join(map(_whole_machines, format_request(turn.workload).split(" ")))
    view = notice_view(
        "Where this thread stands",
        text,
        notes_of(turn, result, f"As one line: /ec2-pick {line}", *_other_picks(shown)),
    )
    explanation = Explanation("this thread", "summed up", (), text)
    return computed_reply(turn, view, result, explanation=explanation)


def _whole_machines(word: str) -> str:
    """Return `rps=5` for `rps=5.0`; what is no whole number stays."""
    name, _, value = word.partition("=")
    whole = value.removesuffix(".0")
    return f"{name}={whole}" if whole.isdecimal() else word


def _pick_line(result: Recommendation, shown: list[Pick]) -> str:
    if not shown:
        return "Nothing fits."
    name = machines(shown[0].instance.instance_type, shown[0].instances)
    where = f"{name} in {shown[0].region}"
    if not result.picks:
        return f"Nothing meets every limit; {where} comes closest."
    return f"The pick is {where}{_cost_words(shown[0])}."


def _cost_words(pick: Pick) -> str:
    if pick.cost.usd_total is not None:
        return f", {usd(pick.cost.usd_total)} in total"
    if pick.cost.usd_per_hour is None:
        return ", without a known price"
    month = pick.cost.usd_per_hour * HOURS_PER_MONTH
    an_hour = usd_per_hour(pick.cost.usd_per_hour)
    return f": {an_hour}, {usd(month)} a month, {usd(12 * month)} a year"


def _other_picks(shown: list[Pick]) -> Iterator[str]:
    if len(shown) > 1:
        others = (runner_up(pick, shown[0]) for pick in shown[1:])
        yield f"Beside it: {', '.join(f'{one.machines} at {one.price}' for one in others)}."
