"""Laws over hostile text: whatever people type, nothing pings, breaks out or runs."""

import json
import re
from dataclasses import replace

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.cards.blocks import message
from bot.cards.card_view import card_view
from bot.cards.notices import error_view, notice_view
from bot.cards.slack_limits import check_blocks
from bot.cards.terminal import render_terminal
from bot.core.errors import RequestError
from bot.core.understanding import Span
from bot.manifests.eksctl.eksctl import eksctl_manifest
from catalog.load import load_catalog
from engine.core.workload import Assumption
from tests.cards import samples

CATALOG = load_catalog()
PIECES = [
    "<!channel>", "<!here|x>", "<@U123ABC>", "<#C1|g>", "<https://x.example|y>", "&lt;!channel&gt;",
    "{{ 7*7 }}", "{% raw %}", "{# c #}", "${x}", "```", "`", "*b*", "_i_", "~s~", "> q",
    "\n- a: b", ": {x", "'", '"', "\\", "\\u0000", "!!python/object:x ", "&anchor", "*alias",
    "# c", "\x00", "\x1b[2J", "\x85", "\u2028", "\u202e", "\u200b", "\ud800", "é", "中",
    "🎉", "[red]x[/red]",
]  # fmt: skip
HOSTILE = st.one_of(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=12)), max_size=14).map("".join),
    st.text(max_size=80),
    st.sampled_from(PIECES).map(lambda piece: piece * 700),
)


def hostile_view(text):
    recommendation = samples.realtime()
    head = replace(recommendation.picks[0], why=(text,), caveats=(text,), label=text)
    recommendation = replace(
        recommendation,
        workload=replace(recommendation.workload, model=text, name=text),
        model=None,
        picks=(head, *recommendation.picks[1:]),
        assumptions=(Assumption("model", text, text),),
        warnings=(text,),
    )
    span = Span(0, len(text), text, suggestion=text)
    return card_view(
        recommendation, request=text, explanation=text, notes=(text,), not_understood=(span,)
    )


def slack_texts(made):
    yield made["text"]
    for block in made["blocks"]:
        for part in (block.get("text"), *block.get("fields", ()), *block.get("elements", ())):
            if isinstance(part, dict) and part.get("type") == "mrkdwn":
                yield part["text"]


@settings(max_examples=150, deadline=None)
@given(HOSTILE)
def test_slack_neither_pings_nor_breaks(text):
    error = RequestError("invalid_value", text, words=text, example=text, suggestions=(text,))
    for view in (hostile_view(text), error_view(error), notice_view(f"t {text}", f"x {text}")):
        made = message(view)
        assert check_blocks(made["blocks"]) == []
        assert json.dumps(made).encode()
        for shown in slack_texts(made):
            assert not re.search(r"[<>]|&(?!(amp|lt|gt);)", shown)


@settings(max_examples=60, deadline=None)
@given(HOSTILE)
def test_terminal_obeys_nothing_that_was_typed(text):
    drawn = render_terminal(hostile_view(text), width=80)
    assert not re.search(
        r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]", drawn
    )


@settings(max_examples=150, deadline=None)
@given(HOSTILE)
def test_yaml_gains_no_key(text):
    pick, workload = samples.realtime_pick(), samples.REALTIME
    plain = eksctl_manifest(pick, replace(workload, model="x"), CATALOG)
    assumed = (Assumption("model", text, text),)
    typed = replace(workload, name=text, model=text)
    made = eksctl_manifest(pick, typed, CATALOG, assumptions=assumed)
    expected, got = yaml.safe_load(plain.yaml_text), yaml.safe_load(made.yaml_text)
    assert re.fullmatch(r"[a-zA-Z][-a-zA-Z0-9]{0,99}", got["metadata"]["name"])
    got["metadata"]["name"] = expected["metadata"]["name"]
    for document in (expected, got):
        document["managedNodeGroups"][0]["labels"].pop("ec2-pick/model", None)
    assert got == expected


def test_jinja_text_stays_literal():
    made = json.dumps(message(hostile_view("{{ 7*7 }}{% if %}")), ensure_ascii=False)
    assert "{{ 7∗7 }}{% if %}" in made
    assert "49" not in re.sub(r"\$[\d,.]+", "", made)


def test_a_value_is_escaped_exactly_once():
    made = message(notice_view("t", "a < b & c &lt; d"))
    assert made["blocks"][1]["text"]["text"] == "a &lt; b &amp; c &amp;lt; d"
    assert made["text"].endswith("a &lt; b &amp; c &amp;lt; d")
