"""What to watch on the pick: exporters, ports, and alert thresholds from its estimate."""

from dataclasses import replace

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.manifests.tools import image_of
from catalog.reference import server_facts
from engine.plans.monitoring import monitoring_plan
from engine.plans.sides import chosen


def monitoring_turn(turn: Turn) -> Reply:
    """Return what to watch on the pick; the card where nothing fits."""
    turn = about(turn, **one_model(turn.workload))
    asked = turn.workload
    if turn.understanding.asked.neuron_monitor and not turn.workload.allow:
        turn = about(turn, allow=("neuron",))  # it runs on no other node
    result = recommendation_of(turn)
    pick = chosen(result)
    if pick is None or not result.picks:
        return card_reply(turn, result)
    plan = monitoring_plan(result, pick, turn.world.catalog, server_facts())
    families = turn.world.catalog.families.values()
    unlisted = [family.family for family in families if family.neuron_monitor_needs_affinity]
    image = image_of("image-neuron-monitor")
    reply = plan_reply(turn, "monitoring", plan, result, unlisted=unlisted, neuron_image=image)
    return replace(reply, workload=asked)
