# ruff: noqa: INP001 - a development tool beside the documents it draws
"""Draws one decision tree of a guide as SVG, the path of one request highlighted."""

import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape

from catalog.guides.guides import Guide, Node, Tree

BOX_WIDTH, BOX_HEIGHT = 236, 50
COLUMN, ROW = 276, 62
MARGIN, HEADER = 16, 64
CHARS = 34
PLAIN = {"fill": "#f6f8fa", "stroke": "#8c959f", "link": "#8c959f", "width": "1"}
TAKEN = {"fill": "#dafbe1", "stroke": "#1a7f37", "link": "#1a7f37", "width": "2.5"}


@dataclass(frozen=True)
class _Box:
    """One node where it is drawn; `parent` is the index of the box it hangs on."""

    node: Node
    column: int
    row: float
    parent: int | None


def tree_svg(guide: Guide, tree: Tree, path: frozenset[str], request: str) -> str:
    """Return the picture of a tree; `path` holds the ids of the nodes that `request` takes."""
    boxes: list[_Box] = []
    rows = _placed(tree.nodes, boxes, 0, None, 0)
    width = max(560, 2 * MARGIN + COLUMN * max(box.column for box in boxes) + BOX_WIDTH)
    height = HEADER + ROW * rows + MARGIN
    title = f"Guide {guide.id}: {tree.title}"
    lines = [
        _opening(width, height),
        f"<title>{escape(title)}</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(MARGIN, 26, title, size=16, weight="bold"),
        _text(MARGIN, 46, f"Highlighted: {request}", size=12, colour="#1a7f37"),
    ]
    order = sorted(range(len(boxes)), key=lambda i: boxes[i].node.id in path)
    lines += [_link(boxes, i, path) for i in order if boxes[i].parent is not None]
    lines += [line for i in order for line in _box(boxes[i], path)]
    return "\n".join([*lines, "</svg>"]) + "\n"


def _opening(width: int, height: int) -> str:
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">'


def _placed(
    nodes: tuple[Node, ...], boxes: list[_Box], column: int, parent: int | None, row: int
) -> int:
    """Add the boxes of `nodes` from `row` on; return the first row that is free after them."""
    for node in nodes:
        index = len(boxes)
        boxes.append(_Box(node, column, row, parent))
        after = _placed(node.children, boxes, column + 1, index, row) if node.children else row + 1
        boxes[index] = _Box(node, column, (row + after - 1) / 2, parent)
        row = after
    return row


def _corner(box: _Box) -> tuple[float, float]:
    return MARGIN + COLUMN * box.column, HEADER + ROW * box.row


def _link(boxes: list[_Box], index: int, path: frozenset[str]) -> str:
    child, parent = boxes[index], boxes[boxes[index].parent or 0]
    (x1, y1), (x2, y2) = _corner(parent), _corner(child)
    x1, middle = x1 + BOX_WIDTH, BOX_HEIGHT / 2
    style = TAKEN if {child.node.id, parent.node.id} <= path else PLAIN
    bend = (x1 + x2) / 2
    return (
        f'<path d="M{x1:g} {y1 + middle:g} C{bend:g} {y1 + middle:g} {bend:g} {y2 + middle:g} '
        f'{x2:g} {y2 + middle:g}" fill="none" stroke="{style["link"]}" '
        f'stroke-width="{style["width"]}"/>'
    )


def _box(box: _Box, path: frozenset[str]) -> Iterator[str]:
    x, y = _corner(box)
    style = TAKEN if box.node.id in path else PLAIN
    yield (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX_WIDTH}" height="{BOX_HEIGHT}" rx="6" '
        f'fill="{style["fill"]}" stroke="{style["stroke"]}" stroke-width="{style["width"]}"/>'
    )
    shown = textwrap.wrap(box.node.label, CHARS)[: 1 if box.node.leaf else 2]
    top = y + (29 if box.node.leaf is None and len(shown) == 1 else 19)
    for i, line in enumerate(shown):
        yield _text(x + 8, top + 16 * i, line, size=12)
    if box.node.leaf is not None:
        families = f"→ {', '.join(box.node.leaf.families)} (line {box.node.citation.line})"
        yield _text(x + 8, y + 38, families, size=13, weight="bold")


def _text(
    x: float, y: float, text: str, *, size: int, weight: str = "normal", colour: str = "#1f2328"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" '
        f'fill="{colour}">{escape(text)}</text>'
    )
