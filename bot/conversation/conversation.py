"""One turn of the conversation: text in, reply out. Slack and the terminal share it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.answers.world import World
from bot.conversation.questions import TOPIC_TURNS, answering, is_sized
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.understanding import Understanding
from bot.language.assemble import NAMES
from bot.language.parse import parse
from bot.language.questions.chart_asked import ChartRequest, chart_asked
from bot.language.questions.going_back import says_first, says_undo
from bot.language.questions.saved_words import save_wish
from catalog.names import resolve_model
from engine.core.workload import Workload

if TYPE_CHECKING:
    from catalog.catalog import Catalog

# Questions beside the thread, and the fields by which they name what they are about.
ASIDE: Final = frozenset({"compare", "migrate", "alert"})
SIDES: Final = frozenset(
    {"instance", "gpu", "gpu_count", "gpu_memory_gb", "allow", "exclude", "compare_family"}
    | {"models", "regions"}
)


def answer(text: str, world: World, previous: Workload | None = None, *, top: int = 3) -> Reply:
    """Return the reply to one turn; a request at fault becomes a reply too, never an exception.

    `previous` is what the thread is about; where it goes back, what to (see
    `bot.conversation.thread`).
    """
    known = known_before(previous, world.catalog)
    to_first = says_first(text)
    if to_first or says_undo(text):
        from bot.answers.picks.undo import undo_reply

        return undo_reply(text, world, known, to_first=to_first)
    chart = chart_asked(text)
    try:
        if (wish := save_wish(text)) is not None:
            from bot.answers.picks.saved import saved_reply

            return saved_reply(text, wish, world, known)
        if chart is not None:
            return _chart(text, chart, world, previous, top)
        own_prices = world.preferences is not None and world.preferences.move_prices
        understanding = _understood_text(text, world, previous, own_prices=own_prices)
        if previous is not None and known is None and is_sized(understanding):
            check_still_known(understanding.workload, world.catalog)
        turn = Turn(
            request=text,
            understanding=understanding,
            world=world,
            top=top,
            previous=known,
            live=None if world.live is None else world.live.answer(),
        )
        reply = _handled_turn(turn) if world.preferences is None else _handled_on_own_terms(turn)
        unread = tuple(span.text for span in understanding.not_understood)
        return replace(_with_thread_kept(reply, turn), unread=unread)
    except RequestError as error:
        return error_reply(text, error)


def _understood_text(
    text: str, world: World, previous: Workload | None, *, own_prices: bool
) -> Understanding:
    def parsed(words: str) -> Understanding:
        return parse(words, world.catalog, previous, own_prices=own_prices)

    if world.language_model is None:
        return parsed(text)
    from bot.language.model_reading.second_reading import read_with

    return read_with(world.language_model, text, parsed, previous)


def _chart(
    text: str, asked: ChartRequest, world: World, previous: Workload | None, top: int
) -> Reply:
    from bot.answers.picks.chart import chart_reply

    world = replace(world, language_model=None)  # one turn of several readings

    def again(words: str, before: Workload | None) -> Reply:
        return answer(words, world, before, top=top)

    return chart_reply(text, asked, previous, again)


def _handled_turn(turn: Turn) -> Reply:
    return answering(turn.understanding)(turn)


def _handled_on_own_terms(turn: Turn) -> Reply:
    """Return the reply under the defaults of whoever asks, which it says."""
    from bot.answers.own_terms import on_own_terms, terms_said

    has_topic = turn.understanding.topic in TOPIC_TURNS
    world, understood = on_own_terms(turn.world, turn.understanding, has_topic=has_topic)
    reply = _handled_turn(replace(turn, world=world, understanding=understood))
    return terms_said(reply, understood, world.preferences)


def _with_thread_kept(reply: Reply, turn: Turn) -> Reply:
    """Return the reply with what the thread goes on with: a side question narrows nothing.

    After "compare with g5" or "migrate to inf2" the thread is still about the pick it had.
    """
    understood = turn.understanding
    if not (turn.previous and understood.follow_up and reply.workload):
        return reply
    every = understood.intent == "alert" or understood.topic == "price_change"
    if not (every or understood.intent in ASIDE):
        return reply
    sides = SIDES | (understood.alternatives.keys() & NAMES)
    kept = {name: getattr(turn.previous, name) for name in sides}
    return replace(reply, workload=turn.previous if every else replace(reply.workload, **kept))


def error_reply(text: str, error: RequestError) -> Reply:
    """Return the reply to a request that cannot be answered as it stands."""
    from bot.cards.notices import error_view, help_view

    view = help_view() if error.code == "empty" else error_view(error)
    return Reply(request=text, intent="help", view=view, error=error)


def known_before(previous: Workload | None, catalog: "Catalog") -> Workload | None:
    """Return what a thread is about; None where the catalog no longer has what it names."""
    return None if previous is None or _what_is_gone(previous, catalog) else previous


def check_still_known(workload: Workload, catalog: "Catalog") -> None:
    """Check that a workload which goes on from an older one can still be sized.

    Raises:
        RequestError: its model or region is gone.
    """
    gone = _what_is_gone(workload, catalog)
    if gone:
        is_region = gone in (workload.region, *(workload.regions or ()))
        raise RequestError(
            "unknown_region" if is_region else "unknown_model",
            f"This thread is about `{gone}`, which is not in the catalog any more. "
            "Say what to size in its place.",
            words=gone,
            example=example("conversation"),
        )


def _what_is_gone(workload: Workload, catalog: "Catalog") -> str:
    models = (workload.model, *(workload.models or ()))
    regions = (workload.region, *(workload.regions or ()))
    missing = [one for one in models if one and resolve_model(catalog, one) is None]
    missing += [one for one in regions if one and one not in catalog.regions]
    return missing[0] if missing else ""
