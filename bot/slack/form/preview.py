"""The pick so far, in a few plain lines: what decides, with its range and its limit in words."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from bot.slack.form.fields import BY_NAME

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bot.answers.reply import Reply
    from bot.core.views import CardView


def preview_of(reply: "Reply") -> str:
    """Return what the form shows of an answer."""
    from bot.core.views import CardView

    if not isinstance(reply.view, CardView) or reply.comparison is not None:
        return reply.text  # of a comparison the card is one side alone
    return "\n".join(_lines(reply.view))


def preview_of_problems(problems: "Mapping[str, str]") -> str:
    """Return what the form shows while some fields cannot be read."""
    return "\n".join(["No pick yet.", *(f"{BY_NAME[n].label}: {p}" for n, p in problems.items())])


def _lines(view: "CardView") -> Iterator[str]:
    from bot.cards.text import figure_words, headline

    if view.left_out:
        yield view.left_out
    if view.verdict:
        yield view.verdict
    if view.head is not None:
        yield f"{headline(view)}, {view.head.market}"
        yield from map(figure_words, view.head.figures)
    yield f"For: {view.workload}"
    yield from view.warnings
