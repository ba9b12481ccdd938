"""Help, a word of thanks, and starting over."""

from typing import Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.notices import help_view, notice_view
from bot.core.examples import example

STANDS: Final = example("help")


def help_turn(turn: Turn) -> Reply:
    """Return how to ask; after "start over" the thread forgets its workload.

    Thanks in a thread are taken as such.
    """
    understood = turn.understanding
    if understood.intent == "help" and turn.previous and not understood.asked.how_to_ask:
        view = notice_view("Good to hear", STANDS)
        return Reply(request=turn.request, intent="help", view=view)
    return Reply(request=turn.request, intent=understood.intent, view=help_view())
