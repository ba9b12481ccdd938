# ruff: noqa: INP001 - a development tool beside the documents it draws
"""Draws docs/architecture.svg from the imports: `make architecture-picture`.

Rooms are boxes in their written order, and what they may import stands above them. A room's arrows
leave to the right, go up along a lane of its own and end in the rooms it imports; the number where
lane and row meet counts the import statements, those for types included.
"""

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.layers.rooms import ROOMS

ROOT = Path(__file__).parents[2]
PICTURE = ROOT / "docs" / "architecture.svg"
BELOW = {"bot": ("catalog", "engine"), "engine": ("catalog",), "catalog": ()}  # other layers
FRONT = "in front"  # what combines the rooms: engine/ask.py, catalog/load.py

LEFT, BOX_WIDTH, BOX_HEIGHT, ROW, LANE, HEADER, GAP = 16, 132, 24, 34, 36, 40, 28
OUTGOING, INCOMING = 6, -5  # a room's own line and the line to it, from the middle of its box
COLOURS = ("#8c959f", "#0969da", "#cf222e")
MANY = (5, 20)  # from so many imports on the next colour


class Arrow(NamedTuple):
    """The imports of one room (or layer) by another."""

    layer: str
    importing: str
    imported: str


def place_of(module: tuple[str, ...], layer: str) -> str | None:
    """Return what stands for a module in the picture of a layer; None for what is not ours."""
    if module[0] == layer:
        return module[1] if len(module) > 1 and module[1] in ROOMS[layer] else FRONT
    return module[0] if module[0] in BELOW[layer] else None


def imported(path: Path) -> Iterator[tuple[str, ...]]:
    """Yield the modules that a file imports, as parts of their names."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield tuple(node.module.split("."))


def arrows() -> Counter[Arrow]:
    """Return how often each room imports each other one, and each layer below."""
    found: Counter[Arrow] = Counter()
    for layer in ROOMS:
        for path in sorted((ROOT / layer).rglob("*.py")):
            here = place_of(path.relative_to(ROOT).with_suffix("").parts, layer)
            for module in imported(path):
                there = place_of(module, layer)
                if here and there and there not in {here, FRONT}:
                    found[Arrow(layer, here, there)] += 1
    return found


def picture() -> str:
    """Return the picture as SVG; the same imports give the same text."""
    found, lines, top = arrows(), list[str](), 0
    for layer in ROOMS:
        rows = [*BELOW[layer], *ROOMS[layer]]
        if any(arrow.layer == layer and arrow.importing == FRONT for arrow in found):
            rows.append(FRONT)
        lines += _layer(layer, rows, found, top)
        top += HEADER + ROW * len(rows) + GAP
    lanes = max(len(BELOW[layer]) + len(rooms) + 1 for layer, rooms in ROOMS.items())
    width = LEFT + BOX_WIDTH + LANE * lanes + LEFT
    size = f'viewBox="0 0 {width} {top}" width="{width}" height="{top}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">'
    title = "<title>The rooms in their order, and which imports which</title>"
    back = '<rect width="100%" height="100%" fill="#ffffff"/>'
    return "\n".join([head, title, back, *lines, "</svg>"]) + "\n"


def _layer(layer: str, rows: list[str], found: Counter[Arrow], top: int) -> Iterator[str]:
    """Yield one layer: its name, its lanes, its boxes and over all the counts."""
    yield _text(LEFT, top + 26, f"{layer}/", size=15, weight="bold", anchor="start")
    middle = {name: top + HEADER + ROW * n + BOX_HEIGHT // 2 for n, name in enumerate(rows)}
    lane = {name: LEFT + BOX_WIDTH + LANE * (n + 1) for n, name in enumerate(rows)}
    mine = {arrow: n for arrow, n in found.items() if arrow.layer == layer}
    for name in rows:
        yield from _lines(name, mine, middle, lane)
    for name in rows:
        yield _box(name, middle[name], other=name in BELOW[layer])
    for arrow, count in sorted(mine.items()):
        yield _count(arrow, count, lane[arrow.importing], middle[arrow.imported] + INCOMING)


def _lines(
    name: str, mine: dict[Arrow, int], middle: dict[str, int], lane: dict[str, int]
) -> Iterator[str]:
    """Yield the line out of a room along its lane, and the line into it with its head."""
    edge = LEFT + BOX_WIDTH
    above = [middle[arrow.imported] for arrow in mine if arrow.importing == name]
    if above:
        out = middle[name] + OUTGOING
        yield _path(f"M{edge} {out}H{lane[name]}V{min(above) + INCOMING}")
    right = [lane[arrow.importing] for arrow in mine if arrow.imported == name]
    if right:
        into = middle[name] + INCOMING
        yield _path(f"M{max(right)} {into}H{edge}M{edge + 6} {into - 4}L{edge} {into}l6 4")


def _path(d: str) -> str:
    return f'<path d="{d}" fill="none" stroke="#d0d7de"/>'


def _box(name: str, middle: int, *, other: bool) -> str:
    fill = "#ddf4ff" if other else "#f6f8fa"
    shape = f'x="{LEFT}" y="{middle - BOX_HEIGHT // 2}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}"'
    box = f'<rect {shape} rx="4" fill="{fill}" stroke="#8c959f"/>'
    return box + _text(LEFT + BOX_WIDTH // 2, middle + 4, name, size=12)


def _count(arrow: Arrow, count: int, x: int, y: int) -> str:
    colour = COLOURS[sum(count >= many for many in MANY)]
    known = f' data-layer="{arrow.layer}" data-from="{arrow.importing}" data-to="{arrow.imported}"'
    circle = f'<circle cx="{x}" cy="{y}" r="11" fill="#ffffff" stroke="{colour}"/>'
    return circle + _text(x, y + 4, str(count), size=11, more=known)


def _text(
    x: int,
    y: int,
    words: str,
    *,
    size: int,
    weight: str = "normal",
    anchor: str = "middle",
    more: str = "",
) -> str:
    style = f'font-size="{size}" font-weight="{weight}" text-anchor="{anchor}" fill="#1f2328"'
    return f'<text x="{x}" y="{y}" {style}{more}>{words}</text>'


if __name__ == "__main__":
    PICTURE.write_text(picture(), encoding="utf-8")
