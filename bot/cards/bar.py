"""The memory bar as characters: each part has its own glyph, so that it reads without colour."""

from collections.abc import Mapping
from typing import Final

from bot.core.views import MemoryBar

GLYPHS: Final[Mapping[str, str]] = {
    "weights": "█",
    "KV cache": "▓",
    "gradients": "▓",
    "optimiser": "▚",
    "activations": "▒",
    "runtime": "▞",
    "free": "░",
}


def bar_cells(bar: MemoryBar, width: int) -> tuple[tuple[str, int], ...]:
    """Return (segment name, cells) filling exactly `width` cells, by largest remainder."""
    exact = [segment.share * width for segment in bar.segments]
    cells = [int(value) for value in exact]
    by_remainder = sorted(range(len(exact)), key=lambda i: cells[i] - exact[i])
    for i in by_remainder[: width - sum(cells)]:
        cells[i] += 1
    return tuple((segment.name, n) for segment, n in zip(bar.segments, cells, strict=True))


def bar_text(bar: MemoryBar, width: int) -> str:
    """Return the bar drawn: `█████▓▞░░░`."""
    return "".join(GLYPHS[name] * n for name, n in bar_cells(bar, width))


def legend(bar: MemoryBar) -> str:
    """Return what each glyph stands for, in GiB: `█ 13.5 weights · ░ 27.7 free of 44.4 GiB`."""
    text = bar.summary
    for segment in bar.segments:
        part = f"{segment.gib} {segment.name}"
        text = text.replace(part, f"{GLYPHS[segment.name]} {part}", 1)
    return text
