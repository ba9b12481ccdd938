"""The answer as plain sentences, for screen readers, notifications and logs; and the memory bar.

Each part of the bar has its own glyph, so that it reads without colour.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from bot.core.views import (
    AssumedView,
    CardView,
    ErrorView,
    FigureLine,
    HelpView,
    MemoryBar,
    NoticeView,
    PickView,
    PlanView,
    RunnerUp,
    TableView,
    View,
)

GLYPHS: Final[Mapping[str, str]] = {
    "weights": "█",
    "KV cache": "▓",
    "gradients": "▓",
    "optimiser": "▚",
    "activations": "▒",
    "runtime": "▞",
    "free": "░",
}


def fallback_text(view: View) -> str:
    """Return the whole view as text that reads well aloud, one thought a line."""
    if isinstance(view, ErrorView):
        return "\n".join(_error_lines(view))
    if isinstance(view, NoticeView):
        return "\n".join([view.text, *view.notes])
    if isinstance(view, PlanView):
        return "\n".join(_plan_lines(view))
    if isinstance(view, TableView):
        return "\n".join(_table_lines(view))
    if isinstance(view, HelpView):
        examples = [f"{typed} – {what}" for typed, what in view.examples]
        follows = [f"Then {what}: {said}" for what, said in view.follows]
        return "\n".join([view.title, view.intro, *examples, *follows, view.footer])
    return "\n".join(_card_lines(view))


def headline(view: CardView) -> str:
    """Return the answer in one line: instance, hardware, place and price."""
    head = view.head
    if head is None:
        return view.verdict
    return f"{head.machines} ({head.hardware}, {head.region}): {head.headline}"


def _head_lines(view: CardView) -> tuple[str, ...]:
    return view.left_out, view.explanation, view.verdict, view.asked


def _card_lines(view: CardView) -> Iterator[str]:
    yield from (_ended_sentence(line) for line in _head_lines(view) if line)
    if view.head is not None:
        yield _ended_sentence(headline(view))
    yield _ended_sentence(view.workload)
    if view.since:
        yield _ended_sentence(view.since)
    if view.head is not None:
        yield from _pick_lines(view.head)
    yield from (f"To make it fit: {change}." for change in view.changes)
    yield from (f"Or {_runner_words(runner)}." for runner in view.runners)
    yield from view.readings
    yield from (_ended_sentence(f"Guide {guide}") for guide in view.guides)
    if view.assumed:
        yield f"Assumed: {', '.join(map(_assumed_words, view.assumed))}."
    yield from map(_ended_sentence, (*view.warnings, *view.not_understood))
    if view.considered:
        yield view.considered


def _assumed_words(assumed: AssumedView) -> str:
    return f"{assumed.value} ({assumed.why})" if assumed.why else assumed.value


def _pick_lines(pick: PickView) -> Iterator[str]:
    yield from (_ended_sentence(figure_words(line)) for line in pick.figures)
    if pick.memory is not None:
        room = f"; {pick.memory.room}" if pick.memory.room else ""
        yield f"{pick.memory.title}: {pick.memory.summary}{room}."
    yield f"Plan: {pick.plan}, {pick.market}."
    if pick.basis:
        yield pick.basis
    yield from (_ended_sentence(f"Why: {why}") for why in pick.why)
    yield from (_ended_sentence(f"Note: {caveat}") for caveat in pick.caveats)
    yield f"Price: {pick.price_note}."


def figure_words(line: FigureLine) -> str:
    """Return one figure with its range, its limit and whether it meets it, in words."""
    spread = f", likely {line.spread.strip('()').replace('–', ' to ')}" if line.spread else ""
    limit = f", {line.limit}: {line.verdict}" if line.limit else ""
    note = f", {line.note}" if line.note else ""
    return f"{line.title} {line.value}{spread}{limit}{note}"


def _runner_words(runner: RunnerUp) -> str:
    parts = (f"{runner.machines} ({runner.hardware}) at {runner.price}", runner.figures)
    said = ", ".join(part for part in parts if part)
    return f"{said} – {runner.difference}" if runner.difference else said


def _plan_lines(view: PlanView) -> Iterator[str]:
    yield _ended_sentence(view.title)
    yield view.lead
    for section in view.sections:
        yield f"{section.heading}:"
        for line in section.lines:
            yield f"- {line.text}" if line.kind == "item" else line.text
    yield from view.notes


def _table_lines(view: TableView) -> Iterator[str]:
    yield _ended_sentence(view.title)
    if view.lead:
        yield view.lead
    for row in view.rows:
        cells = [
            f"{column}: {cell}" if column else cell
            for column, cell in zip(view.columns, row, strict=True)
            if cell
        ]
        yield _ended_sentence("; ".join(cells))
    yield from view.notes


def _error_lines(view: ErrorView) -> Iterator[str]:
    yield view.title
    yield view.message
    if view.words:
        yield f"The words at fault: “{view.words}”."
    if view.suggestions:
        yield f"Did you mean {', '.join(view.suggestions)}?"
    if view.questions:
        yield f"Did you mean {' or '.join(f'“{asked}”' for asked in view.questions)}?"
    if view.example:
        yield f"For example: {view.example}"


def _ended_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


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
