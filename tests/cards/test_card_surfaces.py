import json
from dataclasses import replace

import pytest
from slack_sdk.models.blocks import Block

from bot.cards.blocks import CHOICE, DEPLOY, message
from bot.cards.card_view import card_view
from bot.cards.notices import error_view, help_view, notice_view
from bot.cards.slack_limits import check_blocks
from bot.cards.terminal import render_terminal
from bot.cards.text import fallback_text
from bot.core.errors import RequestError
from bot.core.manifest import Manifest
from tests.cards import samples
from tests.golden import rows_of

ERROR = RequestError(
    "unknown_model",
    "There is no model called “lama-3” in the catalog.",
    field="model",
    words="lama-3 <!channel>",
    example="inference llama-3.1-8b latency<100ms",
    suggestions=("llama-3-8b", "llama-3.1-8b"),
)
VIEWS = {
    name: card_view(make(), request=request) for name, (make, request) in samples.SAMPLES.items()
} | {
    "error": error_view(ERROR),
    "help": help_view("/ec2-pick"),
    "notice": notice_view("p5.48xlarge in us-east-1", "$55.04/h, AWS list price.", ("a note",)),
}


@pytest.mark.parametrize("name", VIEWS)
def test_terminal_card(name, golden):
    drawn = [render_terminal(VIEWS[name], width=width) for width in (80, 100)]
    golden(f"cards/{name}.terminal.txt", "\n".join(drawn))


@pytest.mark.parametrize("name", VIEWS)
def test_text(name, golden):
    golden(f"cards/{name}.spoken.txt", fallback_text(VIEWS[name]) + "\n")


@pytest.mark.parametrize("name", VIEWS)
def test_slack_card(name, golden):
    made = message(VIEWS[name])
    assert check_blocks(made["blocks"]) == []
    golden(f"cards/{name}.slack.json", rows_of(made) + "\n")


@pytest.mark.parametrize("name", VIEWS)
def test_slack_sdk_models_know_every_block(name):
    """An oracle of Slack's own: what its models drop, rename or refuse is not theirs."""
    blocks = message(VIEWS[name])["blocks"]
    parsed = Block.parse_all(blocks)
    for block in parsed:
        block.validate_json()
    assert [block.to_dict() for block in parsed] == blocks


@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("width", [20, 60, 80, 100, 240])
def test_terminal_box_is_straight(name, width):
    lines = render_terminal(VIEWS[name], width=width).splitlines()
    assert {len(line) for line in lines} == {max(60, min(100, width))}


@pytest.mark.parametrize("name", VIEWS)
def test_colour_only_on_request(name):
    assert "\x1b" not in render_terminal(VIEWS[name], color=False)
    assert "\x1b[" in render_terminal(VIEWS["realtime"], color=True)


def test_colour_changes_no_word():
    import re

    plain = render_terminal(VIEWS["realtime"], width=100)
    colored = render_terminal(VIEWS["realtime"], width=100, color=True)
    assert re.sub(r"\x1b\[[0-9;]*m", "", colored) == plain


def test_slack_shows_what_the_terminal_shows():
    text = json.dumps(message(VIEWS["realtime"])["blocks"], ensure_ascii=False)
    for words in ("48 ms", "meets, 2.1× headroom", "$0.36 per 1M output tokens", "2026-07-20"):
        assert words in text


def buttons(view):
    blocks = message(view)["blocks"]
    return {e["action_id"]: e for b in blocks if b["type"] == "actions" for e in b["elements"]}


def test_deploy_button_names_the_pick():
    value = json.loads(buttons(VIEWS["multi_node"])[DEPLOY]["value"])
    assert value.pop("said") == json.loads(VIEWS["multi_node"].said)
    assert value == {
        "instance_type": "p4de.24xlarge",
        "instances": 2,
        "region": "us-east-1",
        "market": "on_demand",
        "as_of": "2026-07-20",
        "usd_per_hour": 27.447,
    }


def test_a_button_leaves_out_a_workload_that_slack_has_no_room_for():
    view = replace(VIEWS["multi_node"], said=json.dumps({"name": "n" * 2000}))
    assert "said" not in json.loads(buttons(view)[DEPLOY]["value"])


def test_what_does_not_fit_cannot_be_deployed_but_changed():
    shown = buttons(VIEWS["nothing_fits"])
    assert DEPLOY not in shown
    assert json.loads(shown[f"{CHOICE}.0"]["value"]) == {"quant": "fp8"}


def manifest(lines):
    text = "a: 'x & y < z' # *as it is*\n" * lines
    return Manifest(kind="eksctl", yaml_text=text)


def test_short_manifest_is_a_code_block():
    blocks = message(VIEWS["realtime"], manifest=manifest(3))["blocks"]
    (shown,) = [b["text"]["text"] for b in blocks if "```" in json.dumps(b)]
    assert "a: 'x &amp; y &lt; z' # *as it is*\n" in shown


def test_long_manifest_goes_in_several_blocks_whole():
    long = manifest(200)
    blocks = message(VIEWS["realtime"], manifest=long)["blocks"]
    shown = [b["text"]["text"] for b in blocks if "```" in json.dumps(b)]
    lines = [line for text in shown for line in text.split("```")[1].splitlines()]
    assert len(lines) == 200
    assert "prints it whole" not in json.dumps(blocks)


def test_a_manifest_beyond_a_message_says_where_the_rest_is():
    blocks = message(VIEWS["realtime"], manifest=manifest(2000))["blocks"]
    assert "ec2-pick --manifest eksctl prints it whole" in json.dumps(blocks)


def test_a_very_long_card_is_cut_to_the_limits():
    recommendation = samples.realtime()
    why = tuple(f"reason {i} " + "x" * 280 for i in range(60))
    head = replace(recommendation.picks[0], why=why, caveats=why)
    view = card_view(replace(recommendation, picks=(head,), warnings=why))
    made = message(view)
    assert check_blocks(made["blocks"]) == []
    assert len(made["text"].encode()) <= 4000


def test_what_a_text_may_have_asked_is_a_button_each():
    asked = ("what's the catch?", "something cheaper")
    error = RequestError("not_understood", "I did not understand that.", questions=asked)
    rows = [one for one in message(error_view(error))["blocks"] if one["type"] == "actions"]
    buttons = [(one["text"]["text"], json.loads(one["value"])) for one in rows[0]["elements"]]
    assert buttons == [(words, {"ask": words}) for words in asked]
