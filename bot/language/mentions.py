"""Lists what was read of a text: each stretch with its kind, its value, its role and polarity."""

from collections.abc import Iterator
from typing import Final

from bot.core.understanding import Mention, Polarity, Role
from bot.language.draft import Draft

AGAINST: Final = "exclude"
AS_SAID: Final = "without"  # the words of what is left out, beside the values that they name
ROLES: Final[dict[str, Role]] = {"compare_family": "ask", "guide": "ask"}
ASKS: Final = ("topic", "intent")


def mentions(draft: Draft) -> tuple[Mention, ...]:
    """Return every stretch that was read, in the order of the text; spans point into it."""
    read = (*_of_fields(draft), *_of_marks(draft))
    found = {(one.start, one.end, one.kind, str(one.value)): one for one in read}
    return tuple(sorted(found.values(), key=lambda one: (one.start, one.end, one.kind)))


def _of_fields(draft: Draft) -> Iterator[Mention]:
    for name, every in draft.said.items():
        polarity: Polarity = "against" if name == AGAINST else "for"
        for one in every if name != AS_SAID else ():
            span = one.start, one.end
            named = draft.mention_at(*span)
            role = ROLES.get(name) or (named.role if named is not None else "want")
            yield _mention(draft, span, name, one.value, role=role, polarity=polarity)


def _of_marks(draft: Draft) -> Iterator[Mention]:
    """Yield the questions, the facts and the denials that are marked rather than said."""
    for mark, span in draft.marks.items():
        sort, _, name = mark.partition(":")
        if sort in ASKS:
            asked = span if span[1] else (0, len(draft.reader.whole))  # a kind is of the whole text
            yield _mention(draft, asked, "question", name, role="ask")
        elif sort == "detail":
            yield _mention(draft, span, name, draft.details.get(name))
        elif sort == "not":
            against = draft.details.get(f"not_{name}")
            yield _mention(draft, span, name, against, polarity="against")


def _mention(
    draft: Draft,
    span: tuple[int, int],
    kind: str,
    value: object,
    *,
    role: Role = "want",
    polarity: Polarity = "for",
) -> Mention:
    start, end = draft.reader.origin(*span)
    return Mention(start, end, draft.reader.text[start:end], kind, value, role, polarity)
