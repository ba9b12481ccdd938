"""Questions about one type or one figure: why not X, does it fit, how much memory, how fast."""

from bot.reply import Reply
from bot.turns.asked import question_of
from bot.turns.pick import card_reply, recommendation_of
from bot.turns.turn import Turn
from engine.explain import Explanation, sizing, why_not
from engine.result import Recommendation


def explain_turn(turn: Turn) -> Reply:
    """Return the card, headed by the explanation that was asked for."""
    result = recommendation_of(turn)
    return card_reply(turn, result, _explanation(turn, result))


def _explanation(turn: Turn, result: Recommendation) -> Explanation:
    workload = turn.workload
    subject = workload.compare_family or workload.instance or workload.gpu
    if turn.understanding.intent == "explain" and subject is not None:
        return why_not(result, subject, question_of(turn, result))
    return sizing(result)
