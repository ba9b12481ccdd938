"""The pretend Slack refuses the modals that Slack would."""

import pytest

from bot.slack.form.place import Opener
from bot.slack.form.view import form_view
from tests.slack.block_limits import modal_refusal
from tests.slack.sender import CHANNEL, TEAM, USER

FORM = form_view({"task": "inference"}, Opener(team=TEAM, user=USER, channel=CHANNEL))


def with_block(number, **fields):
    blocks = list(FORM["blocks"])
    blocks[number] = {**blocks[number], **fields}
    return {**FORM, "blocks": blocks}


def text(length):
    return {"type": "plain_text", "text": "x" * length}


@pytest.mark.parametrize(
    "view",
    [
        None,
        {**FORM, "type": "home"},
        {**FORM, "title": text(25)},
        {**FORM, "submit": text(25)},
        {**FORM, "blocks": []},
        {**FORM, "blocks": [{"type": "divider"}] * 101},
        {**FORM, "private_metadata": "x" * 3001},
        {**FORM, "state": {}},
        {name: value for name, value in FORM.items() if name != "submit"},
        with_block(0, label=text(2001)),
        with_block(0, label={"type": "mrkdwn", "text": "*Task*"}),
        with_block(0, block_id="model"),
        with_block(2, element={"type": "plain_text_input", "max_length": 3001}),
        with_block(2, element={"type": "plain_text_input", "placeholder": text(151)}),
        with_block(0, element={"type": "static_select", "options": []}),
        with_block(1, element={"type": "external_select", "initial_option": {
            "text": text(76), "value": "x"}}),
    ],
)  # fmt: skip
def test_the_pretend_slack_refuses_what_slack_would(view):
    assert modal_refusal(FORM) is None
    assert modal_refusal(view)
