"""Questions about one type or one figure: why not X, does it fit, how much memory, how fast."""

import re
from typing import Final

from bot.reply import Reply
from bot.turns.asked import question_of
from bot.turns.pick import card_reply, recommendation_of
from bot.turns.planning import about
from bot.turns.turn import Turn
from engine.explain import Explanation, sizing, why_not
from engine.result import Recommendation

# "why not p5.48xlarge": it is doubted, so the pick must not be made to be it.
AGAINST: Final = re.compile(
    r"\b(?:why|warum)\b.{0,60}?(?:\bnot?\b|n'?t\b|\bavoid\b|\bnicht\b|\bnever\b)"
)


def explain_turn(turn: Turn) -> Reply:
    """Return the card, headed by the explanation that was asked for."""
    if AGAINST.search(turn.understanding.text.lower()):
        turn = _held_against(turn)
    result = recommendation_of(turn)
    return card_reply(turn, result, _explanation(turn, result))


def _held_against(turn: Turn) -> Turn:
    """Return the turn with the hardware a text doubts held against the pick, not asked for."""
    workload = turn.workload
    doubted = workload.instance or workload.gpu
    if turn.understanding.intent != "explain" or doubted is None or workload.compare_family:
        return turn
    return about(turn, instance=None, gpu=None, compare_family=doubted)


def _explanation(turn: Turn, result: Recommendation) -> Explanation:
    workload = turn.workload
    subject = workload.compare_family or workload.instance or workload.gpu
    if turn.understanding.intent == "explain" and subject is not None:
        return why_not(result, subject, question_of(turn, result))
    return sizing(result)
