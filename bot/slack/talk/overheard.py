"""What people say to each other, and we read: in threads of ours, or to be sized."""

import re
from typing import TYPE_CHECKING, Final

from bot.core.examples import example
from bot.language.questions.asides import asks_in_words, names_a_file
from bot.language.questions.question import is_unsure

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.conversation.thread import Thread

SIZE_THIS: Final = "size_this"  # the callback id in slack-manifest.json
# What a message holds beside words: people, groups, channels and emoji.
NOT_WORDS: Final = re.compile(r"<[@!#][^>]*>|(?<![\w:]):[a-z0-9_+'-]+:(?![\w:])")
UNREAD: Final = example("overheard")


def is_for_us(text: str, reply: "Reply", thread: "Thread") -> bool:
    """Return whether overheard words ask for the reply.

    Where one person speaks in the thread, all is said to the bot. Between people only what is
    understood whole and changes something is: the rest can be said again with a mention, and an
    answer that nobody asked for cannot be taken back.
    """
    if "<@" in text:
        return False
    return len(thread.speakers) < 2 or _asks_between_people(text, reply, thread)


def _asks_between_people(text: str, reply: "Reply", thread: "Thread") -> bool:
    if reply.error is not None:
        return reply.error.code != "not_understood"
    if reply.unread or (reply.question is not None and is_unsure(reply.question)):
        return False
    asks = {
        "explain": asks_in_words(text),
        "help": False,
        "manifest": names_a_file(text),
        "pick": reply.workload != thread.now,
    }
    return asks.get(reply.intent, True)


def words_of_message(text: str) -> str:
    """Return the words of a message, without the people, channels and emoji between them."""
    return " ".join(NOT_WORDS.sub(" ", text).split())


def is_sized(reply: "Reply") -> bool:
    """Return whether the reply is a sizing: no undo, alert or price was meant for us.

    The words are somebody's to somebody else.
    """
    return reply.workload is not None and reply.recommendation is not None and reply.alert is None
