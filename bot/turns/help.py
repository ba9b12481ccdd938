"""Help, and starting over."""

from bot.card.notices import help_view
from bot.reply import Reply
from bot.turns.turn import Turn


def help_turn(turn: Turn) -> Reply:
    """Return how to ask; after "start over" the thread forgets its workload."""
    return Reply(request=turn.request, intent=turn.understanding.intent, view=help_view())
