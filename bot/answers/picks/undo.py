"""Going back: the answer before the last change, and what is left to say where there is none."""

from bot.answers.own_terms import discounted
from bot.answers.pick import card_reply, recommendation_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.answers.world import World
from bot.cards.notices import notice_view
from bot.core.understanding import Understanding
from engine.core.workload import Workload

NOTHING = "Nothing of this conversation is left to take back. Say what to run, or amend the answer."
FIRST = "Back at the first question: what was changed since is taken back."
UNDONE = "The last change is taken back: this is the answer before it."


def undo_reply(text: str, world: World, previous: Workload | None, *, to_first: bool) -> Reply:
    """Return the card of the workload that the thread went back to, or that there is none."""
    if previous is None:
        return Reply(request=text, intent="undo", view=notice_view("Nothing to undo", NOTHING))
    note = FIRST if to_first else UNDONE
    understood = Understanding(text=text, intent="pick", workload=previous, notes=(note,))
    world = discounted(world)
    live = None if world.live is None else world.live.answer()
    turn = Turn(request=text, understanding=understood, world=world, live=live)
    return card_reply(turn, recommendation_of(turn))
