"""The good practices that apply to the pick, each with its number."""

from dataclasses import replace

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from engine.core.dtypes import SIXTEEN_BIT
from engine.core.result import Recommendation
from engine.plans.practices import practices_of
from engine.plans.sides import chosen

LOWER_DTYPES = ("fp8", "int4")


def practices_turn(turn: Turn) -> Reply:
    """Return the practices for the pick; the card where nothing fits."""
    turn = about(turn, **one_model(turn.workload))
    asked = turn.workload
    if turn.understanding.asked.shares_gpus and not _names_hardware(turn):
        turn = about(turn, allow=("nvidia",))  # a CPU has no GPU to share
    result = recommendation_of(turn)
    pick = chosen(result)
    if pick is None or not result.picks:
        return card_reply(turn, result)
    named = turn.workload.instance is not None
    open_choice = recommendation_of(about(turn, instance=None)) if named else result
    lower = _lower(turn, result)
    plan = practices_of(result, pick, turn.world.catalog, lower, open_choice)
    reply = plan_reply(turn, "practices", plan, result)
    return replace(reply, workload=asked)


def _names_hardware(turn: Turn) -> bool:
    workload = turn.workload
    return any((workload.allow, workload.instance, workload.gpu))


def _lower(turn: Turn, result: Recommendation) -> dict[str, Recommendation]:
    """Return the answers with fewer bits a weight, where the workload serves 16-bit weights.

    A named type stays out of it: what quantising saves is mostly a smaller type.
    """
    serves = result.workload.task == "inference" and result.model is not None
    if not serves or result.workload.quant not in SIXTEEN_BIT or not result.workload.output_tokens:
        return {}
    return {
        dtype: recommendation_of(about(turn, quant=dtype, instance=None)) for dtype in LOWER_DTYPES
    }
