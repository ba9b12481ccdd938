"""Cards older than their prices: what is said of it, and the card brought up to date."""

import logging
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.cards.stale import repriced_words
from bot.slack.posting.message import Message, with_lead
from bot.slack.talk.memory import workload_of
from bot.store.people.owner import Owner

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.slack.posting.post import Poster
    from bot.slack.posting.share import CardShare
    from bot.slack.talk.talk import Answer
    from bot.slack.talk.turn import SlackTurn

logger = logging.getLogger(__name__)


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
        reply = _again(turn, answer)
        message = with_lead(Message(reply.text, reply.blocks), news)
        poster.post(replace(turn, replaces=turn.card.ts, response_url=None), message)
    except Exception:
        logger.exception("a card could not be brought up to date")


def fresh_share(turn: "SlackTurn", wish: "CardShare", answer: "Answer") -> "tuple[CardShare, str]":
    """Return the card to share at today's prices, and what is new of them; "" where it stands."""
    if turn.about is None:
        return wish, ""
    reply = _again(turn, answer)
    news = news_of(turn, reply)
    if not news:
        return wish, ""
    shown = with_lead(Message(reply.text, reply.blocks), news)
    return replace(wish, text=shown.text, blocks=shown.blocks or []), news


def _again(turn: "SlackTurn", answer: "Answer") -> "Reply":
    """Return the answer to the card's own workload, as if it were asked now."""
    from bot.language.format import format_request

    person = Owner(turn.team, turn.user)
    return answer(format_request(workload_of(turn.about or {})), None, person)
