"""The card drawn for a terminal, in one box.

rich is imported only when a card is drawn: it takes 50 ms that an answer in JSON need not pay.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from bot.cards.text import GLYPHS, bar_cells, fallback_text, legend
from bot.core.views import (
    CardView,
    ErrorView,
    FigureLine,
    HelpView,
    NoticeView,
    PickView,
    PlanView,
    TableView,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType
    from rich.text import Text

MIN_WIDTH = 60
MAX_WIDTH = 100
BAR_CELLS = 40
FRAME_CELLS = 4  # border and padding on both sides
FIGURE_NAME_CELLS = 15
LIST_NAME_CELLS = 7
NEXT_STEPS = "Next: --manifest eksctl prints the cluster file, --json every figure."
NEXT_WITHOUT_PICK = "Next: --json prints every figure and why each type was rejected."
_STYLES = {"meets": "green", "tight": "yellow", "misses": "bold red", "none": ""}
_SEGMENT_STYLES = {
    "weights": "blue",
    "KV cache": "cyan",
    "gradients": "cyan",
    "optimiser": "magenta",
    "activations": "yellow",
    "runtime": "yellow",
    "free": "bright_black",
}


def render_terminal(view: View, *, width: int = 80, color: bool = False) -> str:
    """Return the view drawn in a box of at most 100 columns, without escapes unless `color`."""
    from rich.box import SQUARE
    from rich.console import Console, Group
    from rich.panel import Panel

    columns = max(MIN_WIDTH, min(MAX_WIDTH, width))
    out = io.StringIO()
    console = Console(
        file=out,
        width=columns,
        force_terminal=color,
        color_system="standard" if color else None,
        no_color=not color,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
    parts = list(_view_parts(view, columns))
    console.print(Panel(Group(*parts), box=SQUARE, padding=(0, 1), width=columns))
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _view_parts(view: View, columns: int) -> Iterator[RenderableType]:
    if isinstance(view, CardView):
        return _card_parts(view)
    if isinstance(view, TableView):
        return _terminal_table_parts(view, columns)
    return _plain_parts(view)


def _terminal_table_parts(view: TableView, columns: int) -> Iterator[RenderableType]:
    from bot.cards.table import table_lines

    yield _styled(view.title, "bold")
    if view.lead:
        yield _styled(view.lead)
    yield _styled("")
    yield from (_styled(line) for line in table_lines(view, columns - FRAME_CELLS))
    if view.notes:
        yield _styled("")
        yield from (_styled(note, "dim") for note in view.notes)


def _plain_parts(view: ErrorView | HelpView | NoticeView | PlanView) -> Iterator[RenderableType]:
    yield _styled(view.title, "bold")
    if isinstance(view, HelpView):
        yield _styled(view.intro)
        for typed, what in view.examples:
            yield _styled(f"\n  {typed}", "bold")
            yield _styled(f"  {what}")
        yield _styled("")
        yield from (_styled(f"Then {what}: {said}") for what, said in view.follows)
        yield _styled(f"\n{view.footer}", "dim")
        return
    if isinstance(view, PlanView):
        yield from _plan_parts(view)
        return
    yield from (_styled(line) for line in fallback_text(view).splitlines() if line != view.title)


def _plan_parts(view: PlanView) -> Iterator[RenderableType]:
    yield _styled(view.lead)
    for section in view.sections:
        yield _styled(f"\n{section.heading}", "bold")
        for line in section.lines:
            if line.kind == "item":
                yield _aligned_rows([(_styled("•"), _styled(line.text))], 1)
            else:
                yield _styled(line.text, "cyan" if line.kind == "command" else "")
    if view.notes:
        yield _styled("")
        yield from (_styled(note, "dim") for note in view.notes)


def _card_parts(view: CardView) -> Iterator[RenderableType]:
    """Yield the sections that have something to say, a blank line between them."""
    head = view.head
    sections = [
        _top_parts(view),
        _figure_parts(head) if head else (),
        _reason_parts(head) if head else (),
        _named_list("Try", view.changes),
        _runner_parts(view),
        _footer_parts(view),
    ]
    filled = [parts for parts in map(list, sections) if parts]
    for i, parts in enumerate(filled):
        if i:
            yield _styled("")
        yield from parts


def _top_parts(view: CardView) -> Iterator[RenderableType]:
    for line in (view.left_out, view.explanation, view.verdict, view.asked):
        if line:
            yield _styled(line, "bold")
    head = view.head
    if head is not None:
        yield _title_row(head)
    yield _styled(view.workload)
    if head is not None:
        said = " · ".join(part for part in (head.plan, head.market, head.label) if part)
        yield _styled(said, "dim")
    if view.since:
        yield _styled(view.since, "italic")


def _title_row(head: PickView) -> RenderableType:
    from rich.table import Table

    row = Table.grid(expand=True, padding=(0, 1))
    row.add_column(ratio=1)
    row.add_column(justify="right")
    name = _styled(head.machines, "bold")
    name.append(f" · {head.hardware} · {head.region}")
    row.add_row(name, _styled(head.headline, "bold"))
    return row


def _figure_parts(head: PickView) -> Iterator[RenderableType]:
    if head.figures:
        yield _aligned_rows([_figure_row(line) for line in head.figures], FIGURE_NAME_CELLS)
    yield from _memory_parts(head)
    if head.basis:
        yield _styled(head.basis, "yellow")


def _reason_parts(head: PickView) -> Iterator[RenderableType]:
    yield from _named_list("Why", head.why)
    yield from _named_list("Mind", head.caveats)


def _figure_row(line: FigureLine) -> tuple[Text, ...]:
    rest = _styled(line.limit)
    if line.verdict:
        mark = f"  {line.mark} {line.verdict}"
        rest.append(mark, style=_STYLES[line.status])
    if line.note:
        rest.append(("  " if line.limit else "") + line.note, style="dim" if line.limit else "")
    return _styled(line.name), _styled(line.value, "bold"), _styled(line.spread), rest


def _memory_parts(head: PickView) -> Iterator[RenderableType]:
    bar = head.memory
    if bar is None:
        return
    drawn = _styled("")
    for name, cells in bar_cells(bar, BAR_CELLS):
        drawn.append(GLYPHS[name] * cells, style=_SEGMENT_STYLES[name])
    body = _styled("")
    body.append_text(drawn)
    for line in (legend(bar), bar.room):
        if line:
            body.append("\n" + line)
    yield _aligned_rows([(_styled(bar.name), body)], FIGURE_NAME_CELLS)


def _runner_parts(view: CardView) -> Iterator[RenderableType]:
    if not view.runners:
        return
    yield _aligned_rows(
        [
            (
                _styled("" if i else "Or"),
                _styled(runner.machines, "bold"),
                _styled(runner.price),
                _styled(" – ".join(part for part in (runner.figures, runner.difference) if part)),
            )
            for i, runner in enumerate(view.runners)
        ],
        LIST_NAME_CELLS,
    )


def _footer_parts(view: CardView) -> Iterator[RenderableType]:
    for line in (*view.not_understood, *view.readings):
        yield _styled(line)
    yield from _named_list("Guides", view.guides)
    if view.assumed:
        yield from _named_list("Assumed", [" · ".join(a.value for a in view.assumed)])
    if view.head is not None:
        yield from _named_list("Price", [view.head.price_note])
    yield from _named_list("Mind", view.warnings)
    next_steps = NEXT_WITHOUT_PICK if view.kind == "no_fit" else NEXT_STEPS
    yield _styled(f"{view.considered} {next_steps}".strip(), "dim")


def _named_list(name: str, lines: tuple[str, ...] | list[str]) -> Iterator[RenderableType]:
    """Yield a named list: the name beside its first line, wrapped lines indented under it."""
    if lines:
        rows = [(_styled("" if i else name), _styled(line)) for i, line in enumerate(lines)]
        yield _aligned_rows(rows, LIST_NAME_CELLS)


def _aligned_rows(rows: Sequence[tuple[Text, ...]], name_cells: int) -> RenderableType:
    """Return rows whose cells line up; the last column takes what is left and wraps."""
    from rich.table import Table

    table = Table.grid(padding=(0, 2, 0, 0))
    last = len(rows[0]) - 1
    for column in range(last + 1):
        table.add_column(no_wrap=column < last, min_width=None if column else name_cells)
    for row in rows:
        table.add_row(*row)
    return table


def _styled(value: str, style: str = "") -> Text:
    from rich.text import Text

    return Text(value, style=style)
