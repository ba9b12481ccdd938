"""What opens the form: a command, the shortcut, a card."""

import os
import subprocess
import sys

import pytest

from bot.core.names import CALLBACK, CHANGE
from bot.slack.door.ingress import FORM_NOT_OPENED
from tests.slack.fake_slack import DROPPED, UNAVAILABLE, Canned, error
from tests.slack.form_person import (
    ROOT,
    ask_and_click_change,
    change_click,
    initial,
    opened,
    preview,
    shortcut,
    submission,
    view_of,
)
from tests.slack.sender import BOT, CHANNEL, mention


def test_the_command_opens_the_form_at_once_and_the_preview_follows(sender, work, slack):
    answered = sender.command("form")
    assert (answered.status, answered.body) == (200, b"")
    assert preview(slack) == "Working out the pick…"
    (opening,) = slack.calls("views.open")
    assert opening.body["view"]["callback_id"] == CALLBACK

    work()
    (update,) = slack.calls("views.update")
    assert update.body["hash"]
    assert "/h" in preview(slack)
    assert slack.posts == []


@pytest.mark.parametrize("text", [" Form ", "FORM"])
def test_the_word_is_read_as_one_types_it(sender, slack, text):
    sender.command(text)
    assert len(slack.views) == 1


@pytest.mark.parametrize("text", ["inference 7B form", "forms", ""])
def test_other_words_open_nothing(sender, slack, text):
    sender.command(text)
    assert slack.views == {}


def test_a_delivery_that_comes_twice_opens_one_form(sender, work, slack):
    for _ in range(2):
        assert sender.interaction(shortcut()).status == 200
    work()
    assert len(slack.calls("views.open")) == 1
    assert len(slack.calls("views.update")) == 1


def test_every_field_has_a_label_and_a_hint(sender, work, slack):
    inputs = [block for block in opened(sender, work, slack)["blocks"] if block["type"] == "input"]
    assert len(inputs) == 12
    for block in inputs:
        assert block["label"]["text"]
        assert block["hint"]["text"]
        assert block["element"]["placeholder"]["text"]


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        (
            "inference llama-3-8b ttft<100ms spot in Frankfurt for 32 users at once",
            {"task": "inference", "model": "llama-3-8b", "latency": "100ms", "latency_kind": "ttft",
             "market": "spot", "region": "eu-central-1", "concurrency": "32"},
        ),
        (
            "finetune 13B qlora budget=$900/month only g6 g5",
            {"task": "finetune", "model": "13b", "budget": "$900/month"},
        ),
        ("inference 7B europe", {"task": "inference", "model": "7b"}),
    ],
)  # fmt: skip
def test_change_opens_the_form_with_the_cards_workload(
    sender, work, slack, conversation, question, typed
):
    view = ask_and_click_change(sender, work, slack, question)
    held = initial(view)
    assert typed.items() <= held.items()

    assert sender.interaction(submission(view, held)).body == b""
    work()
    asked = conversation(question, None)
    assert slack.posts[1]["thread_ts"] == ROOT
    assert slack.posts[1]["blocks"][:1] == asked.blocks[:1]


def test_change_without_room_for_the_workload_takes_what_the_thread_is_about(sender, work, slack):
    sender.event(mention(f"<@{BOT}> inference llama-3-8b in Frankfurt"))
    work()
    button = {"type": "button", "action_id": CHANGE, "value": '{"instance_type":"g6.xlarge"}'}
    sender.interaction(change_click(button, {"channel": CHANNEL, "thread_ts": ROOT}))
    assert initial(view_of(slack))["model"] == "llama-3-8b"


@pytest.mark.parametrize("value", ["", "not json", "[1]", '{"said":[]}', '{"said":{"odd":{}}}'])
def test_an_odd_button_opens_a_form_all_the_same(sender, slack, value):
    button = {"type": "button", "action_id": CHANGE, "value": value}
    post = {"channel": CHANNEL, "thread_ts": ROOT}
    assert sender.interaction(change_click(button, post)).status == 200
    assert view_of(slack)["callback_id"] == CALLBACK


def test_a_command_whose_form_slack_does_not_open_is_told_so(sender, work, slack):
    slack.expired_triggers.add("1.1")
    answered = sender.command("form", trigger_id="1.1").json
    assert answered == {"response_type": "ephemeral", "text": FORM_NOT_OPENED}
    assert work() == 0


@pytest.mark.parametrize(
    "refusal", [error("expired_trigger_id"), UNAVAILABLE, DROPPED, Canned(body="no JSON")]
)
def test_a_click_whose_form_slack_does_not_open_is_told_so(sender, work, slack, refusal):
    slack.script("views.open", refusal)
    button = {"type": "button", "action_id": CHANGE, "value": "{}"}
    post = {"channel": CHANNEL, "thread_ts": ROOT}
    assert sender.interaction(change_click(button, post)).status == 200
    work()
    (told,) = slack.posts
    assert (told["channel"], told["thread_ts"]) == (CHANNEL, ROOT)
    assert "did not open the form" in told["text"]


def test_the_shortcut_of_the_manifest_opens_the_form(sender, slack):
    from tests.slack.test_manifest import MANIFEST

    shortcuts = MANIFEST["features"]["shortcuts"]
    (declared,) = [one for one in shortcuts if one["type"] == "global"]
    assert declared["type"] == "global"
    claimed = {"view_id": "V9", "hash": "1", "typed": {}, "place": {}}  # not Slack's to say
    told = {**shortcut(), "callback_id": declared["callback_id"], "opened_form": claimed}
    sender.interaction(told)
    assert len(slack.views) == 1


OPENING = "import bot.slack.form.door"


TYPE_AHEAD = """
from bot.slack.form.check import model_options
from catalog.load import load_catalog
model_options("llama 70", load_catalog())
"""


CHECKING = """
from bot.slack.form.check import problems
from catalog.load import load_catalog
problems({"model": "7b"}, load_catalog())
"""


HEAVY = ["slack_bolt", "slack_sdk", "pydantic", "jinja2", "boto3", "engine.pick.recommend"]


@pytest.mark.parametrize(
    ("done", "kept_out"),
    [
        (OPENING, [*HEAVY, "engine", "catalog", "bot.language"]),
        (TYPE_AHEAD, [*HEAVY, "engine", "bot.language.parse", "bot.language.text"]),
        (CHECKING, HEAVY),
    ],
    ids=["opening", "type-ahead", "checking"],
)
def test_what_slack_waits_for_loads_little(done, kept_out):
    run = subprocess.run(
        [sys.executable, "-c", f"import sys\n{done}\nprint(*sys.modules)"],
        capture_output=True, text=True, check=True, env={**os.environ, "PYTHONPATH": "."},
    )  # fmt: skip
    loaded = run.stdout.split()
    assert "bot.slack.form" in loaded
    assert [name for name in kept_out if name in loaded] == []
