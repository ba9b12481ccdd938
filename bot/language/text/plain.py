"""The text in one plain spelling, and what of it is still open while it is read."""

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

from bot.core.errors import RequestError
from bot.core.examples import example
from bot.language.text.late import LatePattern
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


# With the space before the first and after each: together they are the whole.
WORD_OF_A_CHANGE = re.compile(r"^\s*\S+\s*|\S+\s*")


def _places(low: str, start: int, end: int, replacement: str) -> Iterator[int]:
    """Yield where each letter of a replacement comes from: word by word where as many are put."""
    old = [(start + one.start(), one[0]) for one in WORD_OF_A_CHANGE.finditer(low[start:end])]
    new = WORD_OF_A_CHANGE.findall(replacement)
    if len(old) != len(new) or len(old) < 2:
        yield from [start] * len(replacement)
        return
    for (place, before), after in zip(old, new, strict=True):
        same = before.strip() == after.strip()
        yield from (place + min(at, len(before) - 1) if same else place for at in range(len(after)))


TAKEN = "\0"  # cannot be typed: normalising removes control characters


def lower(text: str) -> str:
    """Return `text` in lower case, character by character, so that offsets stay the same."""
    return "".join(low if len(low := c.lower()) == 1 else c for c in text)


@dataclass(slots=True)
class Reader:
    """One text; `work` shrinks to what no rule has read yet. Offsets are of `work`."""

    text: str
    work: str = ""
    whole: str = ""  # `work` as it was before anything was taken, for a look at the neighbours
    _origin: list[int] = field(default_factory=list)

    def rewrite(self, changes: list[tuple[int, int, str]]) -> None:
        """Set `work` to the lower-case text with `changes` made (start, end, replacement)."""
        low = lower(self.text)
        pieces: list[str] = []
        origin: list[int] = []
        done = 0
        for start, end, replacement in sorted(changes):
            if start < done:
                continue
            pieces += (low[done:start], replacement)
            origin += (*range(done, start), *_places(low, start, end, replacement))
            done = end
        self.work = self.whole = "".join((*pieces, low[done:]))
        self._origin = [*origin, *range(done, len(low)), len(low)]

    def put(self, start: int, end: int, words: str) -> None:
        """Put other words, in lower case, for a stretch; they point at those they stand for."""
        places = _places(self.whole, start, end, words)
        self._origin[start:end] = [self._origin[place] for place in places]
        self.work = self.work[:start] + words + self.work[end:]
        self.whole = self.whole[:start] + words + self.whole[end:]

    def take(self, start: int, end: int) -> None:
        """Mark a stretch as understood."""
        self.work = self.work[:start] + TAKEN * (end - start) + self.work[end:]

    def matches(self, pattern: re.Pattern[str] | LatePattern) -> Iterator[re.Match[str]]:
        """Yield matches of `pattern` in the open text, each searched after the last was handled."""
        position = 0
        while match := pattern.search(self.work, position):
            yield match
            position = max(match.end(), match.start() + 1)

    def was_taken(self, place: int) -> bool:
        """Return whether the stretch of `text` that holds `place` was understood."""
        return any(
            self._origin[at] >= place and self.work[at] == TAKEN
            for at in range(len(self.work))
            if self._origin[at] in {place, place + 1}
        )

    def words(self, start: int, end: int) -> str:
        """Return the user's own words behind a stretch."""
        first, last = self.origin(start, end)
        return self.text[first:last]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of `work` stands in `text`."""
        last = self._origin[end - 1] if end > start else self._origin[start]
        following = self._origin[end]
        # A rewritten word maps to its start only; its end is the start of what follows.
        return self._origin[start], following if following > last else last + 1

    def before(self, start: int, length: int = 40) -> str:
        """Return the text that leads up to `start` in the same sentence, taken or not."""
        return re.split(r"[\n;?!]|[.,] ", self.whole[max(0, start - length) : start])[-1]

    def after(self, end: int, length: int = 40) -> str:
        """Return the text that follows `end` in the same sentence, taken or not."""
        return re.split(r"[\n;?!]|[.,] ", self.whole[end : end + length], maxsplit=1)[0]
