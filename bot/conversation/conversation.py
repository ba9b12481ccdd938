"""One turn of the conversation: text in, reply out. Slack and the terminal share it."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.answers.world import World
from bot.conversation.questions import TOPIC_TURNS, answering, is_sized
from bot.conversation.thread import Thread
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.understanding import Understanding
from bot.language.draft import NAMES
from bot.language.parse import parse
from bot.language.questions.chart_asked import ChartRequest, chart_asked
from bot.language.questions.saved_words import save_wish
from bot.language.turns import Earlier, going_back, questions_in
from catalog.names import resolve_model
from engine.core.workload import Workload

if TYPE_CHECKING:
    from catalog.catalog import Catalog

# Questions beside the thread, and the fields by which they name what they are about.
ASIDE: Final = frozenset({"compare", "migrate", "alert"})
MOST_QUESTIONS: Final = 3
SIDES: Final = frozenset(
    {"instance", "gpu", "gpu_count", "gpu_memory_gb", "allow", "exclude", "compare_family"}
    | {"models", "regions"}
)


def answer(
    text: str, world: World, context: Thread | Workload | None = None, *, top: int = 3
) -> Reply:
    """Return the reply to one turn; a request at fault becomes a reply too, never an exception.

    `context` is what the turn is said after, a thread or its workload; where it goes back, what
    to (see `bot.conversation.thread`).
    """
    back, rest = going_back(text)
    if back:
        return _gone_back(text, rest, world, context, to_first=back == "first", top=top)
    return _two_answers(text, world, context, top) or _one_answer(text, world, context, top)


def _workload_of(context: Thread | Workload | None) -> Workload | None:
    return context.now if isinstance(context, Thread) else context


def _gone_back(
    text: str,
    rest: str,
    world: World,
    context: Thread | Workload | None,
    *,
    to_first: bool,
    top: int,
) -> Reply:
    """Return what the rest of a text that takes a turn back asks for, else the card before it."""
    from bot.answers.picks.undo import undo_reply

    known = known_before(_workload_of(context), world.catalog)
    if rest and known is not None:
        further = answer(rest, world, context, top=top)
        if further.error is None and further.intent != "help":
            return replace(further, request=text)
    return undo_reply(text, world, known, to_first=to_first)


def _one_answer(text: str, world: World, context: Thread | Workload | None, top: int) -> Reply:
    thread = context if isinstance(context, Thread) else None
    previous = _workload_of(context)
    known = known_before(previous, world.catalog)
    chart = chart_asked(text)
    try:
        if (wish := save_wish(text)) is not None:
            from bot.answers.picks.saved import saved_reply

            return saved_reply(text, wish, world, known)
        if chart is not None:
            return _chart(text, chart, world, previous, top)
        own_prices = world.preferences is not None and world.preferences.move_prices
        earlier = None if thread is None else thread.earlier
        understanding = _understood_text(text, world, previous, earlier, own_prices=own_prices)
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
        return replace(
            _with_thread_kept(reply, turn),
            unread=unread,
            question=understanding.question,
            is_step="duty_h_per_day" in understanding.said,
            begins=understanding.begins,
            filled=understanding.filled,
        )
    except RequestError as error:
        return error_reply(text, error)


# What two questions of one text may ask: facts and picks, nothing that is carried out.
ASKED_TOGETHER: Final = frozenset({"pick", "explain", "estimate", "price", "compare"})


def _two_answers(
    text: str, world: World, context: Thread | Workload | None, top: int
) -> Reply | None:
    """Return the answers to two questions of one text, in order; None where it holds one.

    The second is asked in the light of the first. Where one half alone has no answer of its own,
    the text is one question.
    """
    parts = questions_in(text)
    if not 1 < len(parts) <= MOST_QUESTIONS:
        return None
    thread = (
        context if isinstance(context, Thread) else Thread(() if context is None else (context,))
    )
    world = replace(world, language_model=None)  # one turn of several readings
    replies: list[Reply] = []
    for part in parts:
        reply = answer(part, world, thread.context, top=top)
        acts = reply.alert or reply.saving or reply.manifest
        if reply.error is not None or acts or reply.intent not in ASKED_TOGETHER:
            return None
        replies.append(reply)
        thread = thread.after(reply)
    if len({reply.text for reply in replies}) < len(replies) or _is_one_pick(replies):
        return None
    *earlier, last = replies
    for reply in reversed(earlier):
        unread = (*reply.unread, *last.unread)
        step = reply.is_step or last.is_step or last.intent == "pick"
        last = replace(
            reply,
            workload=last.workload,
            filled=last.filled,
            beside=last,
            unread=unread,
            is_step=step,
        )
    return replace(last, request=text)


def _is_one_pick(replies: list[Reply]) -> bool:
    """Return whether the halves only describe one workload."""
    return all(one.intent == "pick" and one.explanation is None for one in replies)


def _understood_text(
    text: str,
    world: World,
    previous: Workload | None,
    earlier: Earlier | None,
    *,
    own_prices: bool,
) -> Understanding:
    def parsed(words: str) -> Understanding:
        return parse(words, world.catalog, previous, earlier=earlier, own_prices=own_prices)

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
