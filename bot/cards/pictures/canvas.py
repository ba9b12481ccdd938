"""The paper pictures are drawn on: one size and one hand, readable on light and dark screens."""

from io import BytesIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_IN, HEIGHT_IN, DPI = 7.2, 4.0, 150
INK, PALE, ACCENT = "#1f2328", "#d1d9e0", "#0969da"
# Told apart without colour by hatch and name as well (Okabe and Ito's palette).
COLOURS: Final = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442")
HATCHES: Final = ("", "//", "..", "xx", "\\\\", "++", "oo")


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
