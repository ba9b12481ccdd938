"""A plan's words, as its template writes them, read into a view that every surface can draw.

The template writes plain text, one thought a line:

    # Title
    Lead, in one or more lines.
    ## Section
    Running text.
    - an item
    $ a command
    $   --and its next line

A value is always one line and never starts one, so none can forge a heading.
"""

from collections.abc import Iterable, Sequence

from bot.core.figures import plain_line
from bot.core.views import PlanLine, PlanSection, PlanView

TITLE, SECTION, ITEM, COMMAND = "# ", "## ", "- ", "$ "


class PlanTextError(ValueError):
    """A template wrote no title: a defect of ours, never of the request."""


def plan_view(template: str, *, notes: Sequence[str] = (), **values: object) -> PlanView:
    """Return the plan that `templates/plans/<template>.j2` makes of the values.

    Raises:
        PlanTextError: the template wrote no title.
    """
    from bot.core.render import plan_environment

    text = plan_environment().get_template(f"plans/{template}.j2").render(**values)
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    if not lines or not lines[0].startswith(TITLE):
        raise PlanTextError(f"plans/{template}.j2 has no title")
    body = lines[1:]
    first = next((i for i, line in enumerate(body) if line.startswith(SECTION)), len(body))
    return PlanView(
        title=plain_line(lines[0].removeprefix(TITLE), 150),
        lead=" ".join(line.strip() for line in body[:first]),
        sections=tuple(_sections(body[first:])),
        notes=tuple(line for line in map(plain_line, notes) if line),
    )


def _sections(lines: Iterable[str]) -> list[PlanSection]:
    found: list[tuple[str, list[PlanLine]]] = []
    for line in lines:
        if line.startswith(SECTION):
            found.append((line.removeprefix(SECTION), []))
        else:
            found[-1][1].append(_line(line))
    return [PlanSection(heading=heading, lines=tuple(inside)) for heading, inside in found]


def _line(line: str) -> PlanLine:
    if line.startswith(ITEM):
        return PlanLine("item", line.removeprefix(ITEM))
    if line.startswith(COMMAND):
        return PlanLine("command", line.removeprefix(COMMAND))
    return PlanLine("text", line)
