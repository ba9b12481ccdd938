# ruff: noqa: INP001 - a development tool beside the documents it draws
"""Draws the charts of the documents from today's catalog: `python -m docs.render.charts`.

`cost-versus-complexity.svg`: each family's price for serving a 7B against the operational steps it
asks for. `crossover.svg`: the cheapest type for an 8B at every number of users.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10
from pathlib import Path
from xml.sax.saxutils import escape

from bot.answers.world import load_world
from docs.render.complexity import STEPS, MapPoint, complexity_map
from engine.ask import ask
from engine.core.question import Question
from engine.core.workload import Workload
from engine.pick.recommend import as_said, evaluate
from engine.what_if.capacity import units
from engine.what_if.crossover import DEFAULT_RANGE, Crossover, crossover

DOCS = Path(__file__).resolve().parents[1]
WIDTH, HEIGHT = 860, 460
LEFT, RIGHT, TOP, BOTTOM = 70, 30, 64, 56
COLOURS = {"CPU": "#0969da", "GPU": "#1a7f37", "Neuron": "#bc4c00"}
LINES = ("#1a7f37", "#0969da", "#bc4c00", "#8250df", "#bf3989", "#57606a", "#9a6700")
# What the guides talk about, by the names people know; every other family is a point alone.
LABELLED = frozenset({"c7i", "m7i", "r7i", "c7g", "m7g", "r7g", "c8g"})
STAGGER = 4  # points of one column spread over this many places, so that labels can be read


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from `low` to `high`, drawn from `start` to `end`."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return where a value is drawn."""
        share = log10(value / self.low) / log10(self.high / self.low)
        return self.start + share * (self.end - self.start)

    def ticks(self) -> list[float]:
        """Return the powers of ten on the axis."""
        return [10.0**power for power in range(ceil(log10(self.low)), floor(log10(self.high)) + 1)]


def question_of(said: Workload) -> Question:
    """Return the filled question of a workload over today's catalog."""
    world = load_world()
    result = ask(said, world.catalog, world.coefficients)
    return Question(
        workload=result.workload,
        said=result.said,
        model=result.model,
        catalog=world.catalog,
        coefficients=world.coefficients,
    )


def complexity_points() -> list[MapPoint]:
    """Return every family that holds a 7B, whatever its speed."""
    question = as_said(question_of(Workload(params_b=7.0)))
    found = evaluate(question)
    return complexity_map([*found.meeting, *found.missing], question)


def complexity_svg(points: Sequence[MapPoint]) -> str:
    """Return the map of hourly cost against operational steps."""
    prices = Axis(0.1, 200.0, HEIGHT - BOTTOM, TOP)
    most = max(point.complexity for point in points)
    column = (WIDTH - LEFT - RIGHT) / (most + 1)
    lines = _frame(
        "Cost versus complexity: serving a 7B, us-east-1, on demand", "operational steps"
    )
    lines += _price_grid(prices)
    for step in range(most + 1):
        x = LEFT + (step + 0.5) * column
        lines.append(_text(x, HEIGHT - BOTTOM + 18, str(step), anchor="middle"))
    placed = [0] * (most + 1)
    for point in sorted(points, key=lambda p: (p.usd_per_hour, p.family)):
        labelled = point.silicon != "CPU" or point.family in LABELLED
        place = placed[point.complexity] % STAGGER if labelled else STAGGER - 1
        placed[point.complexity] += labelled
        x = LEFT + (point.complexity + 0.12 + 0.2 * place) * column
        lines += _point(point, x, prices.at(point.usd_per_hour), labelled=labelled)
    lines += _legend(COLOURS.items())
    return "\n".join([*lines, "</svg>"]) + "\n"


def _point(point: MapPoint, x: float, y: float, *, labelled: bool) -> Iterable[str]:
    words = (
        f"{point.instance_type} ${point.usd_per_hour:,.2f}/h: {', '.join(point.steps) or 'none'}"
    )
    radius = 4 if labelled else 2
    yield (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{COLOURS[point.silicon]}" '
        f'fill-opacity="{0.95 if labelled else 0.35}"><title>{escape(words)}</title></circle>'
    )
    if labelled:
        yield _text(x + 6, y + 4, point.family, size=11)


def crossover_lines() -> Crossover:
    """Return the winners for an 8B, by users at once."""
    question = question_of(Workload(model="llama-3.1-8b"))
    return crossover(units(question, "concurrency"), "concurrency", *DEFAULT_RANGE["concurrency"])


def crossover_svg(lines: Crossover) -> str:
    """Return the price of the cheapest type along the load, a colour a type."""
    loads = Axis(lines.low, lines.carried_to, LEFT, WIDTH - RIGHT)
    most = max(segment.last.usd_per_hour for segment in lines.segments)
    prices = Axis(0.5, 1.6 * most, HEIGHT - BOTTOM, TOP)
    names = list(dict.fromkeys(segment.name for segment in lines.segments))
    colours = {name: LINES[i % len(LINES)] for i, name in enumerate(names)}
    drawn = _frame("Cheapest at every load: llama-3.1-8b, us-east-1, on demand", "users at once")
    drawn += _price_grid(prices)
    drawn += [
        _text(loads.at(tick), HEIGHT - BOTTOM + 18, f"{tick:,.0f}", anchor="middle")
        for tick in loads.ticks()
    ]
    for segment in lines.segments:
        ends = [
            (loads.at(w.load), prices.at(w.usd_per_hour)) for w in (segment.first, segment.last)
        ]
        (x1, y1), (x2, y2) = ends
        words = f"{segment.name}: {segment.first.load:g} to {segment.last.load:g} users"
        colour, end = colours[segment.name], max(x2, x1 + 2)
        drawn.append(
            f'<path d="M{x1:.1f} {y1:.1f}L{end:.1f} {y2:.1f}" fill="none" stroke="{colour}" '
            f'stroke-width="4"><title>{escape(words)}</title></path>'
        )
    drawn += _legend(colours.items())
    return "\n".join([*drawn, "</svg>"]) + "\n"


def _frame(title: str, below: str) -> list[str]:
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">',
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(LEFT, 24, title, size=16),
        f'<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="#57606a"/>',
        _text((LEFT + right) / 2, HEIGHT - 14, below, anchor="middle"),
        _text(14, TOP - 10, "$/h, log scale"),
    ]


def _price_grid(prices: Axis) -> list[str]:
    lines = []
    for tick in prices.ticks():
        y = prices.at(tick)
        lines.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="#d0d7de"/>')
        lines.append(_text(LEFT - 8, y + 4, f"${tick:g}", anchor="end"))
    return lines


def _legend(entries: Iterable[tuple[str, str]]) -> list[str]:
    lines, x = [], float(LEFT + 130)
    for name, colour in entries:
        lines.append(f'<rect x="{x:.0f}" y="{TOP - 20}" width="12" height="12" fill="{colour}"/>')
        lines.append(_text(x + 16, TOP - 10, name))
        x += 40 + 7 * len(name)
    return lines


def _text(x: float, y: float, text: str, *, size: int = 12, anchor: str = "start") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" '
        f'fill="#1f2328">{escape(text)}</text>'
    )


def main() -> None:
    """Write both charts beside the documents."""
    (DOCS / "cost-versus-complexity.svg").write_text(complexity_svg(complexity_points()))
    (DOCS / "crossover.svg").write_text(crossover_svg(crossover_lines()))


if __name__ == "__main__":
    main()
    print("steps counted:", *STEPS.values(), sep="\n  ")  # noqa: T201 - what the command says
