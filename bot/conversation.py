"""One turn of the conversation: text in, reply out. Slack and the terminal share it."""

from collections.abc import Callable

from bot.errors import RequestError
from bot.language.parse import parse
from bot.language.understanding import Understanding
from bot.reply import Reply
from bot.turns.turn import Turn
from bot.world import World
from engine.workload import Workload


def answer(text: str, world: World, previous: Workload | None = None, *, top: int = 3) -> Reply:
    """Return the reply to one turn; a request at fault becomes a reply too, never an exception."""
    try:
        understanding = parse(text, world.catalog, previous)
        turn = Turn(request=text, understanding=understanding, world=world, top=top)
        return _handler(_kind(understanding))(turn)
    except RequestError as error:
        return error_reply(text, error)


def error_reply(text: str, error: RequestError) -> Reply:
    """Return the reply to a request that cannot be answered as it stands."""
    from bot.card.notices import error_view, help_view

    view = help_view() if error.code == "empty" else error_view(error)
    return Reply(request=text, intent="help", view=view, error=error)


def _kind(understanding: Understanding) -> str:
    """Return what kind of turn this is: several models at once are always a comparison."""
    workload = understanding.workload
    several = workload.models is not None and workload.model is None
    sized = understanding.intent in {"pick", "explain", "estimate"}
    return "compare" if several and sized else understanding.intent


def _handler(intent: str) -> Callable[[Turn], Reply]:
    """Return what answers this intent. Imported here: a turn pays for its own kind only."""
    if intent in {"help", "reset"}:
        from bot.turns.help import help_turn

        return help_turn
    if intent == "price":
        from bot.turns.price import price_turn

        return price_turn
    if intent == "manifest":
        from bot.turns.deploy import deploy_turn

        return deploy_turn
    if intent == "compare":
        from bot.turns.compare import compare_turn

        return compare_turn
    if intent in {"explain", "estimate"}:
        from bot.turns.explain import explain_turn

        return explain_turn
    from bot.turns.pick import pick_turn

    return pick_turn
