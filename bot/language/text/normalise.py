"""Brings a message to one plain spelling: what Slack, phones and word processors add is undone.

Everything here works on characters only; nothing knows what a word means.
"""

import re
import unicodedata

from bot.core.errors import RequestError
from bot.core.examples import example
from bot.language.text.units import spaced

MAX_CHARACTERS = 4000  # a Slack message block holds 3,000; ten times a long question

# Slack escapes exactly these three, once (docs: "Escaping text").
ENTITIES = {"&lt;": "<", "&gt;": ">", "&amp;": "&"}
SIGNS = str.maketrans(
    {
        "\u2018": "'",
        "\u2019": "'",
        "\u201a": "'",
        "\u201c": '"',
        "\u201d": '"',
        "\u201e": '"',
        "\u00ab": '"',
        "\u00bb": '"',
        "\u2010": "-",
        "\u2011": "-",
        "\u2012": "-",
        "\u2013": "-",
        "\u2014": " - ",
        "\u2015": " - ",
        "\u2212": "-",
        "\u00d7": "x",
        "\u2715": "x",
        "\u2264": "<=",
        "\u2265": ">=",
        "\u2260": "!=",
        "\u2248": "~",
        "\u3001": ", ",
        "\uff0c": ", ",
        "\uff1b": "; ",
        "\u3002": ". ",
        "\u00b5": "u",
        "\u03bc": "u",
    }
)
SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
SUPERSCRIPT = re.compile("(?<=[0-9])[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
ENTITY = re.compile("&(?:lt|gt|amp);")
# <http://hf.co/x|hf.co/x>, <mailto:a@b|a@b>: what the user typed stands after the bar.
LINK = re.compile(r"<(?:https?://|mailto:)([^<>|\s]{1,500})(?:\|([^<>|]{1,500}))?>")
HOST = re.compile(
    r"(?<![\w/.])(?:https?://)?(?:www\.)?(?:huggingface\.co|hf\.co)/(?:models/)?", re.IGNORECASE
)
BOT_MENTION = re.compile(r"\A\s*<@[UW][A-Z0-9]{2,20}(?:\|[^<>]{0,80})?>\s+(?=\S)")
COMMAND = re.compile(r"\A\s*/ec2-pick(?=\s|\Z)", re.IGNORECASE)
SPACES = re.compile(r"[ \t\f\v]+")


def normalised(text: str) -> str:
    """Return `text` in plain spelling: one kind of quote, dash, space and sign; no controls.

    Line breaks are kept, since a sentence ends there. Idempotent except for entities, which are
    decoded once, as Slack encodes them once.

    Raises:
        RequestError: `too_long` beyond MAX_CHARACTERS, `empty` when nothing is left.
    """
    if len(text) > MAX_CHARACTERS:
        raise RequestError(
            "too_long",
            f"That is {len(text):,} characters; please ask in at most {MAX_CHARACTERS:,}.",
            example=example("normalise"),
        )
    plain = ENTITY.sub(lambda match: ENTITIES[match[0]], text)
    plain = LINK.sub(lambda match: match[2] or match[1], plain)
    plain = HOST.sub("", plain)
    plain = SUPERSCRIPT.sub(lambda match: "^" + match[0].translate(SUPERSCRIPTS), plain)
    plain = unicodedata.normalize("NFKC", plain.translate(SIGNS)).translate(SIGNS)
    plain = "".join(map(_visible, plain))
    plain = spaced(plain)
    plain = "\n".join(SPACES.sub(" ", line).strip() for line in plain.split("\n"))
    plain = _without_address(plain.strip()).strip()
    if not plain:
        raise RequestError(
            "empty",
            "Say what you want to run, for example: inference 7B latency<100ms",
            example="inference 7B latency<100ms",
        )
    return plain


def _visible(character: str) -> str:
    """Return the character, a space or line break for any separator, nothing for the unseen."""
    category = unicodedata.category(character)
    if character in "\n\r\u2028\u2029":
        return "\n"
    if category == "Zs" or character in "\t\v\f":
        return " "
    return "" if category in {"Cc", "Cf", "Cs", "Co", "Cn"} else character


def _without_address(text: str) -> str:
    """Strip whom the message is addressed to: the command's name or a mention of the bot."""
    return COMMAND.sub("", BOT_MENTION.sub("", text), count=1)


def addressed_as_command(text: str) -> bool:
    """Return whether the message starts with the slash command, and so stands on its own."""
    return COMMAND.match(text) is not None
