"""Writes what the bot posts as TypeScript, so that Slack's own types judge it: `make types`."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, seed, settings

from bot.answers.world import load_world
from bot.cards.alert_card import alert_message, alert_view
from bot.conversation.conversation import answer
from bot.slack.form.form_fields import FIELDS
from bot.slack.form.place import Opener
from bot.slack.form.view import form_view
from bot.slack.home.at_home import laid_down
from bot.slack.home.defaults_form import defaults_form
from bot.slack.home.home_view import HomeRow, HomeView, home_message
from bot.store.defaults import Defaults
from bot.store.preferences import Preferences
from tests.alerts.test_alert_view import SAID
from tests.cards.workload_words import REQUESTS
from tests.requests.test_golden_requests import CASES
from tests.requests.test_newcomers import ROWS

HERE = Path(__file__).parent
AT_RANDOM = 200
OTHERS = (
    "", "help", "zorblax", "list my alerts", "price of g6.xlarge in all regions",
    "has p5 got cheaper?", "terraform for llama-3.1-8b", "karpenter for llama-3.3-70b",
    "tell me if p5.48xlarge drops 10 % in Ohio", "start over", "scale llama-3.1-8b to 1M users",
)  # fmt: skip

Blocks = list[dict[str, Any]]


def main() -> int:
    """Write messages.ts and return the exit code."""
    lines = ['import type { KnownBlock, ModalView } from "@slack/types";']
    for number, blocks in enumerate(distinct(messages())):
        lines.append(f"export const message{number}: KnownBlock[] = {blocks};")
    lines.append(f"export const form: ModalView = {json.dumps(form())};")
    (HERE / "messages.ts").write_text("\n".join(lines) + "\n")
    sys.stdout.write(f"{len(lines) - 1} messages and views for Slack's types to judge\n")
    return 0


def distinct(messages: Iterator[Blocks]) -> Iterator[str]:
    """Yield each message once, as JSON (which TypeScript reads as it stands)."""
    yield from dict.fromkeys(json.dumps(blocks) for blocks in messages)


def messages() -> Iterator[Blocks]:
    """Yield the blocks of every kind of message, and of requests at random."""
    world = load_world()
    asked = [*OTHERS, *(case.text for case in CASES), *(row[0] for row in ROWS), *at_random()]
    for text in asked:
        yield answer(text, world).blocks
    for alert, *_ in SAID:
        yield alert_message(alert_view([alert]))["blocks"]
    yield from views()


def views() -> Iterator[Blocks]:
    """Yield the blocks of the Home tab, empty and with a row of each kind, and of its form."""
    nothing = HomeView(
        example="inference 7B", note="", talk_link="", saved=(), saved_more="", alerts=(),
        alerts_more="", threads=(), defaults=tuple(laid_down(Preferences())), set_by="", set_on="",
    )  # fmt: skip
    row = HomeRow(
        id="1", title="g6.xlarge", lines=("a line", "another"), link="https://slack.com/x"
    )
    rows = (row, replace(row, paused=True))
    full = replace(nothing, note="Saved.", talk_link="https://slack.com/x", saved=rows, alerts=rows,
                   threads=rows, saved_more="more", alerts_more="more", set_by="U1")  # fmt: skip
    yield home_message(nothing)["blocks"]
    yield home_message(full)["blocks"]
    laid = Defaults(
        region="us-east-1", market="spot", discount_percent=12, currency="EUR", per_usd=0.9
    )
    for scope, defaults in (("own", Defaults()), ("workspace", laid)):
        yield defaults_form(scope, defaults)["blocks"]


def form() -> dict[str, Any]:
    """Return the form with something in every field."""
    typed = {field.name: field.choices[0][0] if field.choices else "7b" for field in FIELDS}
    return form_view(typed, Opener(team="T1", user="U1", channel="C1"))


def at_random() -> list[str]:
    """Return requests drawn at random, the same every time."""
    drawn: list[str] = []

    @seed(1)
    @settings(max_examples=AT_RANDOM, database=None, suppress_health_check=list(HealthCheck))
    @given(REQUESTS)
    def draw(text: str) -> None:
        drawn.append(text)

    draw()
    return drawn


if __name__ == "__main__":
    raise SystemExit(main())
