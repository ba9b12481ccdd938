"""The message shortcut *Size this*: what of somebody's message is read, and what if nothing is."""

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bot.answers.reply import Reply

SIZE_THIS: Final = "size_this"  # the callback id in slack-manifest.json
# What a message holds beside words: people, groups, channels and emoji.
NOT_WORDS: Final = re.compile(r"<[@!#][^>]*>|(?<![\w:]):[a-z0-9_+'-]+:(?![\w:])")
UNREAD: Final = (
    "I found no model to size in that message. I look for a model or its size, and for loads and "
    "limits: “llama-3.1-8b for 20 users, latency < 100 ms”. "
    "Ask me with /ec2-pick if you know more than the message says."
)


def words_of_message(text: str) -> str:
    """Return the words of a message, without the people, channels and emoji between them."""
    return " ".join(NOT_WORDS.sub(" ", text).split())


def is_sized(reply: "Reply") -> bool:
    """Return whether the reply is a sizing: no undo, alert or price was meant for us.

    The words are somebody's to somebody else.
    """
    return reply.workload is not None and reply.recommendation is not None and reply.alert is None
