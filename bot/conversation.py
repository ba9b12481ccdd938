"""One turn of the conversation: text in, reply out. Slack and the terminal share it."""

from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from typing import Final

from bot.errors import RequestError
from bot.language.assemble import NAMES
from bot.language.chart import ChartAsked, chart_asked
from bot.language.parse import parse
from bot.language.saved_words import save_wish
from bot.language.understanding import Understanding
from bot.reply import Reply
from bot.still_known import check_still_known, known_before
from bot.thread import says_first, says_undo
from bot.turns.turn import Turn
from bot.world import World
from engine.workload import Workload

# What answers each intent, and each topic that has a turn of its own: module and function under
# bot/turns. Imported when needed: a turn pays for its own kind only.
INTENT_TURNS: Final = {
    "pick": ("pick", "pick_turn"),
    "explain": ("explain", "explain_turn"),
    "estimate": ("explain", "explain_turn"),
    "compare": ("compare", "compare_turn"),
    "manifest": ("deploy", "deploy_turn"),
    "price": ("price", "price_turn"),
    "migrate": ("migrate", "migrate_turn"),
    "alert": ("alert", "alert_turn"),
    "help": ("help", "help_turn"),
    "reset": ("help", "help_turn"),
}
TOPIC_TURNS: Final[dict[str, tuple[str, str]]] = {
    "what_would": ("what_would", "what_would_turn"),
    "price_change": ("price_change", "price_change_turn"),
    "growth": ("growth", "growth_turn"),
    "derivation": ("derivation", "derivation_turn"),
    "crossover": ("crossover", "crossover_turn"),
    "fleet": ("fleet", "fleet_turn"),
    "metrics": ("metrics", "metrics_turn"),
    "energy": ("energy", "energy_turn"),
    "guide": ("guide", "guide_turn"),
    "claim": ("claim", "claim_turn"),
    "define": ("define", "define_turn"),
    "superlative": ("superlative", "superlative_turn"),
    "table": ("table", "table_turn"),
    "history": ("history", "history_turn"),
    "scaling": ("scaling", "scaling_turn"),
    "practices": ("practices", "practices_turn"),
    "monitoring": ("monitoring", "monitoring_turn"),
    "handoff": ("handoff", "handoff_turn"),
    "strategy": ("strategy", "strategy_turn"),
    "choose": ("choose", "choose_turn"),
    "more": ("more", "more_turn"),
    "bill": ("bill", "bill_turn"),
    "recap": ("recap", "recap_turn"),
    "cheaper": ("cheaper", "cheaper_turn"),
    "risks": ("risks", "risks_turn"),
    "regions": ("regions", "regions_turn"),
}
# What is answered whatever the thread is about: intents and topics.
UNSIZED: Final = frozenset(
    {"help", "reset", "define", "claim", "table", "guide", "history", "practices", "handoff"}
)
# Questions beside the thread, and the fields by which they name what they are about.
ASIDE: Final = frozenset({"compare", "migrate", "alert"})
SIDES: Final = frozenset(
    {"instance", "gpu", "gpu_count", "gpu_memory_gb", "allow", "exclude", "compare_family"}
    | {"models", "regions"}
)
# Fields of which several values ask for a comparison, whatever the words around them.
COMPARED: Final = frozenset({"instance", "gpu"})


def answer(text: str, world: World, previous: Workload | None = None, *, top: int = 3) -> Reply:
    """Return the reply to one turn; a request at fault becomes a reply too, never an exception.

    `previous` is what the thread is about; where it goes back, what to (see `bot.thread`).
    """
    known = known_before(previous, world.catalog)
    if says_undo(text) or says_first(text):
        from bot.turns.undo import undo_reply

        return undo_reply(text, world, known)
    chart = chart_asked(text)
    try:
        if (wish := save_wish(text)) is not None:
            from bot.turns.saved import saved_reply

            return saved_reply(text, wish, world, known)
        if chart is not None:
            return _chart(text, chart, world, previous, top)
        own_prices = world.preferences is not None and world.preferences.move_prices
        understanding = _understood(text, world, previous, own_prices=own_prices)
        if previous is not None and known is None and _sizes(understanding):
            check_still_known(understanding.workload, world.catalog)
        turn = Turn(
            request=text,
            understanding=understanding,
            world=world,
            top=top,
            previous=known,
            live=None if world.live is None else world.live.answer(),
        )
        reply = _handled(turn) if world.preferences is None else _handled_on_own_terms(turn)
        unread = tuple(span.text for span in understanding.not_understood)
        return replace(_goes_on(reply, turn), unread=unread)
    except RequestError as error:
        return error_reply(text, error)


def _understood(
    text: str, world: World, previous: Workload | None, *, own_prices: bool
) -> Understanding:
    def parsed(words: str) -> Understanding:
        return parse(words, world.catalog, previous, own_prices=own_prices)

    if world.language_model is None:
        return parsed(text)
    from bot.model_reading.reading import read_with

    return read_with(world.language_model, text, parsed, previous)


def _sizes(understanding: Understanding) -> bool:
    """Return whether the answer is worked out for the workload."""
    return understanding.intent not in UNSIZED and understanding.topic not in UNSIZED


def _chart(
    text: str, asked: ChartAsked, world: World, previous: Workload | None, top: int
) -> Reply:
    from bot.turns.chart import chart_reply

    world = replace(world, language_model=None)  # one turn of several readings

    def again(words: str, before: Workload | None) -> Reply:
        return answer(words, world, before, top=top)

    return chart_reply(text, asked, previous, again)


def _handled(turn: Turn) -> Reply:
    return _handler(turn.understanding)(turn)


def _handled_on_own_terms(turn: Turn) -> Reply:
    """Return the reply under the defaults of whoever asks, which it says."""
    from bot.own_terms import on_own_terms, terms_said

    has_topic = turn.understanding.topic in TOPIC_TURNS
    world, understood = on_own_terms(turn.world, turn.understanding, has_topic=has_topic)
    reply = _handled(replace(turn, world=world, understanding=understood))
    return terms_said(reply, understood, world.preferences)


def _goes_on(reply: Reply, turn: Turn) -> Reply:
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
    from bot.card.notices import error_view, help_view

    view = help_view() if error.code == "empty" else error_view(error)
    return Reply(request=text, intent="help", view=view, error=error)


def _handler(understanding: Understanding) -> Callable[[Turn], Reply]:
    """Return what answers this kind of turn; several models or types are always a comparison."""
    workload = understanding.workload
    several = workload.models is not None and workload.model is None
    several = several or bool(COMPARED & understanding.alternatives.keys())
    if understanding.topic in TOPIC_TURNS:
        module, function = TOPIC_TURNS[understanding.topic]
    elif several and understanding.intent in {"pick", "explain", "estimate"}:
        module, function = INTENT_TURNS["compare"]
    else:
        module, function = INTENT_TURNS.get(understanding.intent, INTENT_TURNS["pick"])
    handler: Callable[[Turn], Reply] = getattr(import_module(f"bot.turns.{module}"), function)
    return handler
