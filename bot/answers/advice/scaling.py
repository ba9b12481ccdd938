"""How the pick scales: metric and target, replicas for the peak, nodes, time and cooldown."""

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.manifests.legal_names import legal_name
from catalog.reference import start_figures
from engine.plans.scaling import scaling_plan
from engine.plans.sides import chosen


def scaling_turn(turn: Turn) -> Reply:
    """Return the scaling plan of the pick; the card where nothing fits."""
    turn = about(turn, **one_model(turn.workload))
    result = recommendation_of(turn)
    pick = chosen(result)
    if pick is None or not result.picks:
        return card_reply(turn, result)
    plan = scaling_plan(result, pick, turn.world.catalog, start_figures())
    name, _ = legal_name(turn.workload.name or turn.workload.model, "model")
    return plan_reply(turn, "scaling", plan, result, name=name)
