"""A picture as a table with bars: for the terminal, and wherever no picture can be shown."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from bot.cards.pictures.picture import FrontierPicture, MemoryPicture, Picture
from bot.cards.table import table_view
from bot.core.figures import ms, usd_per_hour

if TYPE_CHECKING:
    from bot.core.views import TableView

BAR_CELLS: Final = 24


def chart_view(pictures: Sequence[Picture]) -> "TableView":
    """Return the first of some pictures as a table; the lead says in words what all of them show.

    Raises:
        TypeError: nobody has said how this kind of picture is written.
    """
    first = pictures[0]
    lead = " ".join(picture.alt_text for picture in pictures)
    if isinstance(first, FrontierPicture):
        return table_view(first.title, lead, ("type", "$/h", first.figure, ""), _frontier(first))
    if isinstance(first, MemoryPicture):
        return table_view(first.title, lead, ("part", "GiB", ""), _memory(first))
    raise TypeError(f"no table for {type(first).__name__}")


def _frontier(picture: FrontierPicture) -> list[tuple[str, ...]]:
    slowest = max(dot.milliseconds for dot in picture.dots)
    return [
        (
            f"{dot.name} (the pick)" if dot.picked else dot.name,
            usd_per_hour(dot.usd_per_hour),
            ms(dot.milliseconds),
            _bar(dot.milliseconds / slowest),
        )
        for dot in picture.dots
    ]


def _memory(picture: MemoryPicture) -> list[tuple[str, ...]]:
    whole = sum(part.gib for part in picture.parts)
    return [(part.name, f"{part.gib:.1f}", _bar(part.gib / whole)) for part in picture.parts]


def _bar(share: float) -> str:
    return "█" * max(1, round(BAR_CELLS * share))
