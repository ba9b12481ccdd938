"""Draws a picture as a PNG: one size and one hand, readable on light and dark screens.

Importing this loads no plotting library; drawing does.
"""

from collections.abc import Callable, Sequence
from io import BytesIO
from math import log
from typing import TYPE_CHECKING, Final

from bot.cards.pictures.picture import (
    CrossoverPicture,
    Dot,
    FrontierPicture,
    HistoryPicture,
    MemoryPicture,
    Picture,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LABEL_SIZE = 8
FAR_RIGHT = 0.7  # of the width: a name of twenty letters takes a quarter of it
LABELLED_FROM = 1.15  # a stretch of loads shorter than this has no room for its name

WIDTH_IN, HEIGHT_IN, DPI = 7.2, 4.0, 150
INK, PALE, ACCENT = "#1f2328", "#d1d9e0", "#0969da"
# Told apart without colour by hatch and name as well (Okabe and Ito's palette).
COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
HATCHES: Final = ("", "//", "..", "xx", "\\\\", "++", "oo")


def drawn(picture: Picture) -> bytes:
    """Return the picture as a PNG.

    Raises:
        TypeError: nobody has said how this kind of picture is drawn.
    """
    draw = _HANDS.get(type(picture))
    if draw is None:
        raise TypeError(f"no drawing for {type(picture).__name__}")
    figure, axes = blank(picture.title)
    draw(axes, picture)
    return png(figure)


def _draw_frontier(axes: "Axes", picture: FrontierPicture) -> None:
    logarithmic("x", axes)
    logarithmic("y", axes)
    dots = picture.dots
    axes.plot(
        [dot.usd_per_hour for dot in dots], [dot.milliseconds for dot in dots],
        color=INK, linewidth=1, marker="o", markersize=5, markerfacecolor="white",
    )  # fmt: skip
    for dot in dots:
        if dot.picked:
            axes.plot(dot.usd_per_hour, dot.milliseconds, marker="*", markersize=18, color=ACCENT)
        weight = "bold" if dot.picked else "normal"
        name = f"{dot.name} (the pick)" if dot.picked else dot.name
        at = dot.usd_per_hour, dot.milliseconds
        if _is_far_right(dot, dots):
            _draw_label(axes, name, at, weight, offset=(-6, -11), side="right")  # below the line
        else:
            _draw_label(axes, name, at, weight)
    if picture.limit_ms is not None:
        axes.axhline(picture.limit_ms, color=INK, linewidth=1, linestyle="--")
        axes.text(
            0.99, picture.limit_ms, f"limit {picture.limit_ms:,g} ms", ha="right", va="bottom",
            transform=axes.get_yaxis_transform(), fontsize=LABEL_SIZE, color=INK,
        )  # fmt: skip
    axes.set_xlabel("$ per hour")
    axes.set_ylabel(f"{picture.figure}, ms")
    axes.margins(0.2)


def _is_far_right(dot: Dot, dots: Sequence[Dot]) -> bool:
    """Return whether a name that starts at the dot would run over the edge."""
    prices = [log(one.usd_per_hour) for one in dots]
    low, high = min(prices), max(prices)
    return high > low and (log(dot.usd_per_hour) - low) / (high - low) > FAR_RIGHT


def _crossover(axes: "Axes", picture: CrossoverPicture) -> None:
    logarithmic("x", axes)
    logarithmic("y", axes)
    names = list(dict.fromkeys(stretch.name for stretch in picture.stretches))
    for stretch in picture.stretches:
        colour = COLOURS[names.index(stretch.name) % len(COLOURS)]
        axes.plot(stretch.loads, stretch.usd_per_hour, color=colour, linewidth=3)
        start = stretch.loads[0], stretch.usd_per_hour[0]
        if stretch is picture.stretches[0]:
            _draw_label(axes, stretch.machines, start, "normal")
        elif stretch.loads[1] > LABELLED_FROM * stretch.loads[0]:  # cheaper ones leave room there
            _draw_label(axes, stretch.machines, start, "normal", offset=(-6, -3), side="right")
    axes.set_xlabel(picture.load)
    axes.set_ylabel("$ per hour, cheapest")
    axes.margins(0.08, 0.2)


def _draw_history(axes: "Axes", picture: HistoryPicture) -> None:
    from matplotlib.dates import AutoDateLocator, ConciseDateFormatter, date2num

    prices = picture.prices
    days = [float(date2num(price.day)) for price in prices]  # type: ignore[no-untyped-call]
    axes.plot(
        days, [price.usd_per_hour for price in prices],
        color=ACCENT, linewidth=1, linestyle=":", marker="o", markersize=6,
    )  # fmt: skip
    for day, price in zip(days, prices, strict=True):
        _draw_label(axes, f"${price.usd_per_hour:,.2f}", (day, price.usd_per_hour), "normal")
    locator = AutoDateLocator()  # type: ignore[no-untyped-call]
    axes.xaxis.set_major_locator(locator)
    axes.xaxis.set_major_formatter(ConciseDateFormatter(locator))  # type: ignore[no-untyped-call]
    axes.set_ylim(0, 1.2 * max(price.usd_per_hour for price in prices))
    axes.set_ylabel("$ per hour")
    axes.margins(x=0.12)


def _draw_memory(axes: "Axes", picture: MemoryPicture) -> None:
    start = 0.0
    for number, part in enumerate(picture.parts):
        free = part.name == "free"
        axes.barh(
            0, part.gib, left=start, height=0.5, edgecolor=INK, linewidth=0.8,
            color="white" if free else COLOURS[number % len(COLOURS)],
            hatch="" if free else HATCHES[number % len(HATCHES)],
            label=f"{part.name}: {part.gib:.1f} GiB",
        )  # fmt: skip
        start += part.gib
    axes.set_yticks([])
    axes.set_ylim(-0.6, 0.9)
    axes.set_xlabel(f"GiB of one {picture.device}")
    axes.legend(loc="upper left", ncols=3, fontsize=LABEL_SIZE, frameon=False)


def _draw_label(
    axes: "Axes",
    text: str,
    at: tuple[float, float],
    weight: str,
    *,
    offset: tuple[float, float] = (6, 7),
    side: str = "left",
) -> None:
    axes.annotate(
        text, at, xytext=offset, textcoords="offset points", ha=side,
        fontsize=LABEL_SIZE, color=INK, fontweight=weight, parse_math=False,
    )  # fmt: skip


_HANDS: dict[type[Picture], Callable[..., None]] = {
    FrontierPicture: _draw_frontier,
    CrossoverPicture: _crossover,
    HistoryPicture: _draw_history,
    MemoryPicture: _draw_memory,
}


def blank(title: str) -> "tuple[Figure, Axes]":
    """Return an empty page with a title: white, as a dark screen shows what is left transparent."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH_IN, HEIGHT_IN), dpi=DPI, layout="constrained", facecolor="white")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=11, color=INK, loc="left", wrap=True, parse_math=False)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.grid(visible=True, color=PALE, linewidth=0.6)
    axes.set_axisbelow(True)
    return figure, axes


def logarithmic(axis: str, axes: "Axes") -> None:
    """Make an axis logarithmic with plain numbers on it ("0.5", "20"), not powers of ten."""
    from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

    (axes.set_xscale if axis == "x" else axes.set_yscale)("log")
    scale = axes.xaxis if axis == "x" else axes.yaxis
    scale.set_major_locator(LogLocator(base=10, subs=(1.0, 2.0, 5.0)))
    scale.set_major_formatter(StrMethodFormatter("{x:,g}"))
    scale.set_minor_formatter(NullFormatter())


def png(figure: "Figure") -> bytes:
    """Return the page as a PNG, the same bytes for the same drawing."""
    out = BytesIO()
    figure.savefig(out, format="png", metadata={"Software": None})
    return out.getvalue()
