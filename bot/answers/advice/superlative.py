"""Is a family or type the first of its kind (the cheapest GPU)? What the catalog says today."""

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from engine.guides.asked import SuperlativeQuestion
from engine.guides.superlatives import order_in_words, order_today
from engine.pick.explain import Explanation


def superlative_turn(turn: Turn) -> Reply:
    """Return whether it leads, and what does, at the prices of the turn's region."""
    from bot.cards.notices import notice_view

    asked = turn.asked_of(SuperlativeQuestion)
    region = turn.workload.region or turn.world.default_region
    order = order_today(asked, turn.world.catalog, region)
    text = order_in_words(order, turn.world.catalog, region)
    verdict = "leads" if order.leads else "does not lead"
    return Reply(
        request=turn.request,
        intent="explain",
        view=notice_view(f"{asked.subject}: {order.scale.name}", text),
        explanation=Explanation(asked.subject, verdict, order.numbers, text),
    )
