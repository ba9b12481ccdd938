"""The answers that hold no pick: a request at fault, how to ask, one fact asked for, a plan.

A plan's words are read as its template writes them: plain text, one thought a line:

    # Title
    Lead, in one or more lines.
    ## Section
    Running text.
    - an item
    $ a command
    $   --and its next line

A value is always one line and never starts one, so none can forge a heading.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from bot.core.errors import RequestError
from bot.core.examples import example
from bot.core.figures import plain_line
from bot.core.views import ErrorView, HelpView, NoticeView, PlanLine, PlanSection, PlanView

_TITLES: Final[Mapping[str, str]] = {
    "empty": "Nothing was asked",
    "not_understood": "That request was not understood",
    "too_long": "That request is too long",
    "invalid_value": "One value does not make sense",
    "out_of_range": "One value is out of range",
    "unknown_model": "That model is not in the catalog",
    "unknown_instance": "That instance type is not in the catalog",
    "unknown_region": "That region is not known",
    "context_exceeds_model": "That context is longer than the model's",
    "no_context": "There is nothing to follow up on yet",
    "conflict": "The request contradicts itself",
}
_EXAMPLES: Final = (
    ("inference 7B latency<100ms", "a chatbot that must answer fast"),
    (example("notices"), "a known load"),
    ("batch inference 13B fp8 2M tokens/day on spot", "cheapest tokens"),
    (example("notices_2"), "a tuning job"),
    ("train 7B tokens_total=1T deadline=30d", "a training run"),
    (example("notices_3"), "does this instance do, and what beats it"),
)

# What goes on from an answer, by what it does.
_FOLLOWS: Final = (
    ("change it", (example("notices_4"), "70B instead", "2 replicas", "undo")),
    ("take another", ("the second one", "something bigger", "more options", example("notices_5"))),
    ("ask about it", (example("notices_6"), "what breaks first?", "what's the catch?", "recap")),
    ("its cost", ("cheaper", "how much per year?", "alert me if it drops 10 %")),
    ("use it", ("deploy it", "karpenter", "save this pick")),
)

TITLE, SECTION, ITEM, COMMAND = "# ", "## ", "- ", "$ "


def error_view(error: RequestError) -> ErrorView:
    """Return what is wrong, the words at fault and a request that works."""
    return ErrorView(
        title=_TITLES[error.code],
        message=plain_line(error.message, 500),
        words=plain_line(error.words, 200),
        suggestions=tuple(s for s in (plain_line(s, 80) for s in error.suggestions[:5]) if s),
        example=plain_line(error.example, 200),
        questions=tuple(plain_line(one, 75) for one in error.questions[:3]),
    )


def help_view(command: str = "ec2-pick") -> HelpView:
    """Return how to ask; `command` is what people type first: `/ec2-pick`, `ec2-pick`."""
    return HelpView(
        title="Which EC2 instances should this model run on?",
        intro="Say what you want to run in words or as field=value, in any order.",
        examples=tuple((f"{command} {typed}", what) for typed, what in _EXAMPLES),
        follows=tuple((what, " · ".join(said)) for what, said in _FOLLOWS),
        footer="Whatever you leave out is assumed, and the answer says what was assumed and why."
        " In Slack “/ec2-pick form” asks field by field.",
    )


def notice_view(title: str, text: str, notes: Sequence[str] = ()) -> NoticeView:
    """Return one fact that was asked for, and the readings that must be stated with it."""
    return NoticeView(
        title=plain_line(title, 150),
        text=plain_line(text, 1500),
        notes=tuple(line for line in map(plain_line, notes) if line),
    )


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
            found[-1][1].append(_plan_line(line))
    return [PlanSection(heading=heading, lines=tuple(inside)) for heading, inside in found]


def _plan_line(line: str) -> PlanLine:
    if line.startswith(ITEM):
        return PlanLine("item", line.removeprefix(ITEM))
    if line.startswith(COMMAND):
        return PlanLine("command", line.removeprefix(COMMAND))
    return PlanLine("text", line)
