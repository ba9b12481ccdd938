"""Handing over to SageMaker Inference Recommender and Compute Optimizer, with the ready calls."""

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.manifests.legal_names import legal_name
from engine.plans.handoff import handoff_of


def handoff_turn(turn: Turn) -> Reply:
    """Return when to use AWS's own advisers and the calls; the card where nothing fits."""
    turn = about(turn, **one_model(turn.workload))
    result = recommendation_of(turn)
    if not result.picks:
        return card_reply(turn, result)
    name, _ = legal_name(turn.workload.name or turn.workload.model, "model")
    return plan_reply(turn, "handoff", handoff_of(result, turn.world.catalog), result, name=name)
