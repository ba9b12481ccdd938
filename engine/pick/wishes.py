"""A wish for speed is held within money: nobody puts an 8B on eight B200 to be a little faster."""

from typing import Final

from engine.core.option import Option
from engine.core.question import Question
from engine.pick.rank import hourly, in_reserve, ranked

WISHES: Final = frozenset({"latency", "throughput", "performance"})
# The fastest within about twice the cheapest: no public default pays more for speed alone.
WORTH_A_WISH: Final = 2.0


def ranked_within_money(options: list[Option], question: Question) -> list[Option]:
    """Return options best first; of a wish for speed those within twice the cheapest price first.

    Only of serving: a training job that is faster costs less to run.
    """
    if question.trains or question.workload.objective not in WISHES or not options:
        return ranked(options, question)
    current = [option for option in options if not in_reserve(option, question)] or options
    most = WORTH_A_WISH * min(map(hourly, current))
    near = [option for option in options if hourly(option) <= most]
    dear = [option for option in options if hourly(option) > most]
    return [*ranked(near, question), *ranked(dear, question)]
