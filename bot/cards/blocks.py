"""The view as a Slack message: Block Kit through the templates, checked before it leaves."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypedDict

from bot.cards import slack_limits
from bot.cards.text import bar_text, fallback_text, legend
from bot.core import render
from bot.core.names import CHANGE
from bot.core.views import (
    CardView,
    Choice,
    ErrorView,
    HelpView,
    NoticeView,
    PickView,
    PlanView,
    TableView,
    View,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from bot.core.manifest import Manifest

BAR_CELLS = 26  # a phone shows about so many in a line
TABLE_CELLS: Final = 88  # what a code block shows without scrolling on a laptop
# What a section holds beside the YAML: the fence and the title.
SNIPPET_CHARS: Final = 2900
# A message holds 50 blocks; beyond a dozen snippets nobody reads it in Slack.
MOST_SNIPPETS: Final = 12

DEPLOY: Final = "pick.deploy"
COMPARE: Final = "pick.compare"
CHART: Final = "pick.chart"
WHY: Final = "pick.why"
WATCH: Final = "pick.watch"
SAVE: Final = "pick.save"
USE: Final = "pick.use"  # pick.use.0, …: answer the same card with this runner-up as the pick
ASK: Final = "pick.ask"  # pick.ask.0, …: ask one of the questions that a text may have meant
CHOICE: Final = "pick.choice"  # pick.choice.0, pick.choice.1, …
FILE: Final = "pick.file"  # pick.file.kubernetes, pick.file.karpenter, …
FILE_LABELS: Final = {
    "kubernetes": "Workload",
    "karpenter": "Karpenter",
    "autoscaling": "Autoscaling",
    "monitoring": "Monitoring",
    "everything": "All files",
}

_TEMPLATES: Final[dict[type[View], str]] = {
    ErrorView: "error",
    NoticeView: "notice",
    PlanView: "plan",
    TableView: "table",
    HelpView: "help",
}


class BlockMessage(TypedDict):
    """What chat.postMessage takes."""

    text: str
    blocks: list[dict[str, Any]]


class CardError(RuntimeError):
    """A template made blocks that Slack would refuse: a defect of ours, never of the request."""


@dataclass(frozen=True, slots=True)
class Button:
    """One button of the card."""

    label: str
    action_id: str
    value: str
    style: str = ""


def message(view: View, manifest: Manifest | None = None) -> BlockMessage:
    """Return the message of a view; a manifest is shown in as many code blocks as it takes.

    Raises:
        CardError: the blocks break a Block Kit rule that cutting cannot mend.
    """
    if isinstance(view, CardView):
        blocks = _card_blocks(view, manifest)
    else:
        name = _TEMPLATES[type(view)]
        parts = _table_parts(view) if isinstance(view, TableView) else ()
        asks = _question_buttons(view) if isinstance(view, ErrorView) else []
        if isinstance(view, TableView):
            asks = _choice_buttons(view.choices)
        blocks = rendered(f"{name}.json.j2", {name: view, "parts": parts, "buttons": asks})
    text = slack_limits.clamped_message_text(str(render.mrkdwn(fallback_text(view))))
    return {"text": text, "blocks": blocks}


def rendered(
    template: str, values: Mapping[str, object], most: int = slack_limits.BLOCKS_PER_MESSAGE
) -> list[slack_limits.Block]:
    """Return the blocks that a template makes, cut to what Slack takes.

    Raises:
        CardError: they break a Block Kit rule that cutting cannot mend.
    """
    text = render.card_environment().get_template(template).render(**values)
    blocks = slack_limits.clamp_blocks(json.loads(text), most)
    problems = slack_limits.check_blocks(blocks, most)
    if problems:
        raise CardError(f"{template} breaks Block Kit: {'; '.join(problems)}")
    return blocks


def _card_blocks(view: CardView, manifest: Manifest | None) -> list[slack_limits.Block]:
    memory = view.head.memory if view.head else None
    values = {
        "card": view,
        "memory_bar": bar_text(memory, BAR_CELLS) if memory else "",
        "memory_legend": legend(memory) if memory else "",
        "manifest": _snippet(manifest),
        "buttons": [*_file_buttons(view, manifest), *_button_rows(view)],
    }
    return rendered("no_fit.json.j2" if view.kind == "no_fit" else "card.json.j2", values)


def _snippet(manifest: Manifest | None) -> dict[str, object] | None:
    """Return the YAML in code blocks, and whether some of it is left out."""
    if manifest is None:
        return None
    parts = _code_parts(manifest.yaml_text.splitlines())
    shown = parts[:MOST_SNIPPETS]
    return {"kind": manifest.kind, "parts": shown, "cut": len(shown) < len(parts)}


def _table_parts(view: TableView) -> list[str]:
    """Return the table in pieces that each fit a code block."""
    from bot.cards.table import table_lines

    return _code_parts(table_lines(view, TABLE_CELLS))


def _code_parts(lines: Iterable[str]) -> list[str]:
    """Return lines in pieces that each fit a code block, cut between lines."""
    parts, room = [""], 0
    for line in lines:
        size = len(str(render.code(line))) + 1
        if size > room:
            parts.append("")
            room = SNIPPET_CHARS
        parts[-1] += ("\n" if parts[-1] else "") + line
        room -= size
    return [part for part in parts if part]


def _button_rows(view: CardView) -> list[list[Button]]:
    rows = [_choice_buttons(view.choices), _runner_buttons(view), _pick_buttons(view)]
    return [row for row in rows if row]


def _file_buttons(view: CardView, manifest: Manifest | None) -> list[list[Button]]:
    """Return a row for the files that go with the one that is shown, if there are any."""
    if manifest is None or not manifest.more or view.head is None:
        return []
    value = _pick_value(view.head, view.said)
    return [[Button(FILE_LABELS[kind], f"{FILE}.{kind}", value) for kind in manifest.more]]


def _question_buttons(view: ErrorView) -> list[Button]:
    """Return a button for each thing that a text may have asked."""
    return [
        Button(words, f"{ASK}.{number}", json.dumps({"ask": words}))
        for number, words in enumerate(view.questions)
    ]


def _choice_buttons(choices: Iterable[Choice]) -> list[Button]:
    """Return a button for each choice that one has room for."""
    buttons = [_choice_button(number, choice) for number, choice in enumerate(choices)]
    return [b for b in buttons if len(b.value) <= slack_limits.LIMITS["button.value"]]


def _choice_button(number: int, choice: Choice) -> Button:
    value = json.dumps(dict(choice.change), separators=(",", ":"))
    return Button(choice.label, f"{CHOICE}.{number}", value)


def _runner_buttons(view: CardView) -> list[Button]:
    """Return what makes a runner-up the pick of this card; where nothing fits, none would."""
    head = view.head
    if head is None or view.kind == "no_fit":
        return []
    names = dict.fromkeys(runner.instance_type for runner in view.runners)
    names.pop(head.instance_type, None)
    return [
        Button(f"Use {name}", f"{USE}.{n}", _pick_value(head, view.said, name))
        for n, name in enumerate(names)
    ]


def _pick_buttons(view: CardView) -> list[Button]:
    """Return the next steps for the head; what does not fit cannot be deployed."""
    if view.head is None:
        return []
    value = _pick_value(view.head, view.said)
    change = Button("Change", CHANGE, value)
    buttons = [Button("Compare", COMPARE, value), Button("Why", WHY, value), change]
    if view.kind == "no_fit":
        return buttons
    later = (
        Button("Watch price", WATCH, value),
        Button("Save", SAVE, value),
        Button("Chart", CHART, value),
    )
    return [Button("Deploy", DEPLOY, value, "primary"), *buttons, *later]


def _pick_value(pick: PickView, said: str, instance_type: str = "") -> str:
    """Return what a click is about: the pick, and its workload where Slack has room for it.

    `instance_type` is another type than the pick's, on the same terms.
    """
    named: dict[str, object] = {
        "instance_type": instance_type or pick.instance_type,
        "region": pick.region,
        "market": pick.bought,
    }
    if not instance_type:
        priced = {"as_of": pick.priced_on, "usd_per_hour": pick.usd_per_hour}
        named |= {"instances": pick.instances, **priced}
    whole = json.dumps({**named, "said": json.loads(said)}, separators=(",", ":"))
    fits = len(whole) <= slack_limits.LIMITS["button.value"]
    return whole if fits else json.dumps(named, separators=(",", ":"))
