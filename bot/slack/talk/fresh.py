"""Cards older than their prices: what is said of it, and the card brought up to date."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from bot.conversation.thread import workload_of
from bot.core.figures import usd_per_hour
from bot.slack.posting.message import Message, with_lead
from bot.store.owner import Owner
from catalog.facts.schema import Quote

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.slack.posting.card_share import CardShare
    from bot.slack.posting.post import Poster
    from bot.slack.talk.slack_turn import Answer, SlackTurn

logger = logging.getLogger(__name__)

SAME: Final = 0.0005  # prices are shown to a tenth of a cent


def news_of(turn: "SlackTurn", reply: "Reply") -> str:
    """Return what a reply knows of the clicked card's price that the card does not; "" if none."""
    return "" if turn.card is None else repriced_words(turn.card.value, reply.prices_shown)


def refresh_card(turn: "SlackTurn", news: str, answer: "Answer", poster: "Poster") -> None:
    """Answer the clicked card again in its place. What was asked is out: a failure is only logged.

    A card that the answer has replaced already is left.
    """
    if not news or turn.card is None or turn.about is None or turn.replaces is not None:
        return
    try:
        reply = _asked_again(turn, answer)
        message = with_lead(Message(reply.text, reply.blocks), news)
        poster.post(replace(turn, replaces=turn.card.ts, response_url=None), message)
    except Exception:
        logger.exception("a card could not be brought up to date")


def fresh_share(turn: "SlackTurn", wish: "CardShare", answer: "Answer") -> "tuple[CardShare, str]":
    """Return the card to share at today's prices, and what is new of them; "" where it stands."""
    if turn.about is None:
        return wish, ""
    reply = _asked_again(turn, answer)
    news = news_of(turn, reply)
    if not news:
        return wish, ""
    shown = with_lead(Message(reply.text, reply.blocks), news)
    return replace(wish, text=shown.text, blocks=shown.blocks or []), news


def _asked_again(turn: "SlackTurn", answer: "Answer") -> "Reply":
    """Return the answer to the card's own workload, as if it were asked now."""
    from bot.language.readings import format_request

    person = Owner(turn.team, turn.user)
    return answer(format_request(workload_of(turn.about or {})), None, person)


def repriced_words(card: Mapping[str, Any], quotes: Iterable[Quote]) -> str:
    """Return how the price a card shows differs from the one known now; "" where it stands.

    `card` is what its buttons carry. A price that is known from an earlier day than the card's is
    no news: AWS answered then and does not now.
    """
    then, day = card.get("usd_per_hour"), card.get("as_of")
    quote = next((quote for quote in quotes if _is_of(card, quote)), None)
    if quote is None or not isinstance(then, int | float) or not isinstance(day, str):
        return ""
    if quote.as_of < day or (quote.as_of == day and _same_price(then, quote.usd_per_hour)):
        return ""
    was = f"{quote.instance_type} {usd_per_hour(then)}"
    return (
        f"The card's prices were of {day} ({was}), now of {quote.as_of}: {_new_price(then, quote)}."
    )


def _is_of(card: Mapping[str, Any], quote: Quote) -> bool:
    return (quote.instance_type, quote.region, quote.market) == (
        card.get("instance_type"),
        card.get("region"),
        card.get("market"),
    )


def _same_price(then: float, now: float | None) -> bool:
    return now is not None and abs(now - then) < SAME


def _new_price(then: float, quote: Quote) -> str:
    now = quote.usd_per_hour
    if now is None:
        return f"no price ({quote.why_unpriced or 'none is known'})"
    if _same_price(then, now) or then <= 0:
        return f"unchanged at {usd_per_hour(now)}" if _same_price(then, now) else usd_per_hour(now)
    ratio = now / then - 1
    return f"{usd_per_hour(now)} ({'+' if ratio > 0 else '−'}{abs(100 * ratio):.1f} %)"
