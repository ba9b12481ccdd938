"""The guided form, from the click that opens it to the card it posts."""

import json
import os
import subprocess
import sys

import pytest

from bot.form.names import CALLBACK, CHANGE
from bot.serve import conversation as embedded_conversation
from bot.slack.form_desk import NO_PREVIEW
from bot.slack.form_door import FOREIGN
from bot.slack.ingress import FORM_NOT_OPENED
from bot.slack.memory import recall
from bot.state.sqlite_items import SqliteItems
from bot.state.store import ThreadKey
from bot.world import load_world
from engine.workload import Workload
from tests.slack.block_limits import option_refusal
from tests.slack.conftest import assembled
from tests.slack.fake_slack import DROPPED, UNAVAILABLE, error, limited
from tests.slack.sender import BOT, CHANNEL, TEAM, USER, mention

ROOT = "1700000000.000100"
FILLED = {
    "task": "inference",
    "model": "llama-3-8b",
    "latency": "100ms",
    "latency_kind": "ttft",
    "region": "Frankfurt",
}


@pytest.fixture
def answer(database):
    return embedded_conversation(load_world(), SqliteItems(database))


@pytest.fixture
def service(settings, database, answer, clock):
    return assembled(settings, database, answer, clock)


def shortcut(trigger="8.1"):
    return {
        "type": "shortcut",
        "callback_id": "size_a_model",
        "trigger_id": trigger,
        "team": {"id": TEAM},
        "user": {"id": USER, "team_id": TEAM},
    }


def change_click(button, post, trigger="9.1", **fields):
    return {
        "type": "block_actions",
        "trigger_id": trigger,
        "team": {"id": TEAM},
        "user": {"id": USER, "team_id": TEAM},
        "channel": {"id": post["channel"]},
        "message": {"ts": "1800000000.000001", "thread_ts": post["thread_ts"], "user": BOT},
        "actions": [{**button, "block_id": "b"}],
        **fields,
    }


def initial(view):
    """Return what each field of a view holds before anybody touches it."""
    held = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            element = block["element"]
            chosen = element.get("initial_option", {}).get("value")
            held[block["block_id"]] = chosen or element.get("initial_value")
    return {name: value for name, value in held.items() if value}


def filled(view, typed):
    """Return the view as Slack sends it along, its fields holding `typed`."""
    values = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            name, element = block["block_id"], block["element"]
            held = {"type": element["type"]}
            value = typed.get(name)
            if element["type"] == "plain_text_input":
                held["value"] = value
            else:
                text = {"type": "plain_text", "text": str(value)}
                held["selected_option"] = value and {"text": text, "value": value}
            values[name] = {element["action_id"]: held}
    return {**view, "state": {"values": values}}


def about(view, kind, typed, user=USER, team=TEAM, **fields):
    return {
        "type": kind,
        "trigger_id": fields.pop("trigger", "7.1"),
        "team": {"id": team},
        "user": {"id": user, "team_id": team},
        "view": filled(view, typed),
        **fields,
    }


def submission(view, typed, **fields):
    return about(view, "view_submission", typed, **fields)


def changed(view, typed, trigger="7.1", **fields):
    element = {"action_id": "form.model", "block_id": "model", "type": "external_select"}
    action = {**element, "action_ts": f"170000000{trigger}"}
    return about(view, "block_actions", typed, trigger=trigger, actions=[action], **fields)


def view_of(slack, number=1):
    return slack.views[f"V{number}"]


def preview(slack, number=1):
    blocks = view_of(slack, number)["blocks"]
    (shown,) = [block for block in blocks if block.get("block_id") == "preview"]
    return shown["text"]["text"]


def opened(sender, work, slack):
    assert sender.command("form").status == 200
    work()
    return view_of(slack)


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


def ask_and_click_change(sender, work, slack, question):
    sender.event(mention(f"<@{BOT}> {question}"))
    work()
    (post,) = slack.posts
    rows = [block["elements"] for block in post["blocks"] if block["type"] == "actions"]
    (button,) = [one for row in rows for one in row if one["action_id"] == CHANGE]
    assert button["text"]["text"] == "Change"
    assert sender.interaction(change_click(button, post)).status == 200
    work()
    return view_of(slack)


@pytest.mark.parametrize(
    ("question", "typed"),
    [
        (
            "inference llama-3-8b ttft<100ms spot in Frankfurt for 32 users",
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
    sender, work, slack, answer, question, typed
):
    view = ask_and_click_change(sender, work, slack, question)
    held = initial(view)
    assert typed.items() <= held.items()

    assert sender.interaction(submission(view, held)).body == b""
    work()
    asked = answer(question, None)
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


def suggestion(query):
    return {
        "type": "block_suggestion",
        "action_id": "form.model",
        "block_id": "model",
        "value": query,
        "team": {"id": TEAM},
        "user": {"id": USER},
        "view": {"id": "V1", "callback_id": CALLBACK},
    }


@pytest.mark.parametrize(
    ("query", "value"),
    [
        ("llama 70", "llama-3.3-70b"),
        ("Llama-3.3-70B", "llama-3.3-70b"),
        ("70 llama", "llama-3.3-70b"),
        ("7B", "7b"),
        ("13.5", "13.5b"),
        ("qwen", "qwen2.5-7b"),
        ("no such thing", None),
        ("0B", None),
    ],
)
def test_type_ahead_names_the_catalogs_models(sender, slack, query, value):
    options = sender.interaction(suggestion(query)).json["options"]
    values = [option["value"] for option in options]
    assert option_refusal(options) is None
    assert value in values if value else "0b" not in values
    assert slack.log == []


def test_type_ahead_finds_nothing_but_what_was_typed(sender):
    options = sender.interaction(suggestion("llama 70")).json["options"]
    assert options
    assert all("llama" in option["value"] and "70" in option["value"] for option in options)


@pytest.mark.parametrize(
    ("typed", "at", "words"),
    [
        ({"region": "atlantis"}, "region", "There is no AWS region `atlantis`."),
        ({"region": "Frankfurt bananas"}, "region", "Not understood here: `bananas`."),
        ({"concurrency": "many"}, "concurrency", "`many` is no value for concurrency."),
        ({"concurrency": "-3"}, "concurrency", "must be more than 0"),
        ({"rps": "1e12"}, "rps", "out of range"),
        ({"context": "900k"}, "context", "its window is 8,192 tokens"),
        ({"latency": "0ms"}, "latency", "must be more than 0 milliseconds"),
        ({"latency": "soon"}, "latency", "no value"),
        ({"budget": "€5/h"}, "budget", "no value"),
        ({"model": "no-such-model"}, "model", "There is no model `no-such-model`"),
        ({"task": "train", "latency": "100ms"}, "latency", "contradict each other"),
        ({"more": "quant=int99"}, "more", "`int99` is no value for quant."),
    ],
)
def test_what_the_parser_refuses_is_refused_at_its_field(sender, work, slack, typed, at, words):
    view = opened(sender, work, slack)
    form = {"task": "inference", "model": "llama-3-8b", **typed}
    answered = sender.interaction(submission(view, form))

    assert answered.json["response_action"] == "errors"
    errors = answered.json["errors"]
    assert list(errors) == [at]
    assert words in errors[at]
    assert work() == 0
    assert slack.posts == []

    sender.interaction(changed(view, form))
    work()
    assert words in preview(slack)


def test_all_fields_at_fault_are_told_at_once(sender, work, slack):
    view = opened(sender, work, slack)
    typed = {"task": "inference", "concurrency": "many", "region": "atlantis"}
    errors = sender.interaction(submission(view, typed)).json["errors"]
    assert errors.keys() == {"concurrency", "region"}


def test_a_form_mended_after_a_refusal_is_taken(sender, work, slack):
    view = opened(sender, work, slack)
    assert sender.interaction(submission(view, {**FILLED, "region": "atlantis"})).json["errors"]
    assert sender.interaction(submission(view, FILLED)).body == b""
    work()
    assert len(slack.posts) == 1


def test_the_preview_follows_the_fields(sender, work, slack, answer):
    view = opened(sender, work, slack)
    sender.interaction(changed(view, FILLED))
    work()

    expected = answer("inference llama-3-8b ttft<100ms in Frankfurt", None)
    head = expected.view.head
    shown = preview(slack)
    assert head.machines in shown
    assert "eu-central-1" in shown
    assert head.headline in shown
    (first_token,) = [line for line in head.figures if line.name == "first token"]
    assert first_token.value in shown
    assert first_token.verdict in shown
    assert "likely" in shown
    assert "✓" not in shown


@pytest.mark.parametrize("order", [("7.1", "7.2"), ("7.2", "7.1")])
def test_of_two_quick_changes_the_later_one_is_shown(sender, work, slack, database, order):
    """Both were made before either's preview was there, so both come with the same hash."""
    view = opened(sender, work, slack)
    regions = {"7.1": "Frankfurt", "7.2": "Tokyo"}
    for trigger in order:
        typed = {**FILLED, "region": regions[trigger]}
        sender.interaction(changed(view, typed, trigger=trigger))
    work()

    assert "ap-northeast-1" in preview(slack)
    assert dead_letters(database) == []


def test_a_preview_of_a_view_that_was_changed_otherwise_loses_quietly(
    sender, work, slack, database
):
    view = opened(sender, work, slack)
    slack.views["V1"] = {**view, "hash": "99.V1"}
    sender.interaction(changed(view, FILLED))
    work()

    assert view_of(slack)["hash"] == "99.V1"
    assert dead_letters(database) == []
    assert slack.posts == []


def test_a_change_after_an_update_whose_answer_was_lost_is_shown(sender, work, slack):
    """Slack has updated the view, and only Slack knows its hash: the next change brings it."""
    view = opened(sender, work, slack)
    sender.interaction(changed(view, FILLED, trigger="7.1"))
    work()
    slack.views["V1"] = {**view_of(slack), "hash": "99.V1"}
    typed = {**FILLED, "region": "Tokyo"}
    sender.interaction(changed(view_of(slack), typed, trigger="7.2"))
    work()
    assert "ap-northeast-1" in preview(slack)


def test_an_update_leaves_every_field_its_id(sender, work, slack):
    """By its id Slack knows what somebody is typing there, and keeps it."""
    view = opened(sender, work, slack)
    sender.interaction(changed(view, FILLED))
    work()
    ids = [block.get("block_id") for block in view_of(slack)["blocks"]]
    assert ids == [block.get("block_id") for block in view["blocks"]]


@pytest.mark.parametrize(
    "answered", [error("not_found"), error("invalid_auth"), limited(30), UNAVAILABLE, DROPPED]
)
def test_a_preview_that_cannot_be_shown_is_let_go(sender, work, slack, database, answered):
    view = opened(sender, work, slack)
    slack.script("views.update", answered)
    sender.interaction(changed(view, FILLED))
    assert work() == 1
    assert dead_letters(database) == []
    assert slack.posts == []


def test_a_preview_that_fails_says_so_in_the_form(settings, database, clock, slack):
    def broken(_text, _previous):
        raise RuntimeError("a defect")

    app = assembled(settings, database, broken, clock)
    app.ingress._delivered(shortcut())
    assert app.worker.run_once()
    assert preview(slack) == NO_PREVIEW
    assert dead_letters(database) == []


def dead_letters(database):
    with database.read() as rows:
        return rows.execute("SELECT * FROM dead_letters").fetchall()


def test_a_submission_is_answered_where_the_form_was_opened(sender, work, slack, service, answer):
    view = opened(sender, work, slack)
    answered = sender.interaction(submission(view, FILLED))
    assert (answered.status, answered.body) == (200, b"")
    work()

    (post,) = slack.posts
    expected = answer("inference llama-3-8b ttft<100ms in Frankfurt", None)
    assert post["channel"] == CHANNEL
    assert "thread_ts" not in post
    assert (
        post["blocks"][:-1]
        == answer(
            "task=inference model=llama-3-8b latency=100ms latency_kind=ttft region=Frankfurt", None
        ).blocks
    )
    assert post["blocks"][-1]["elements"][0]["text"] == f"Asked by <@{USER}>"

    (ts,) = [kept["ts"] for _, _, kept in slack._posted]
    thread = recall(service.ingress.store, ThreadKey(TEAM, CHANNEL, ts))
    assert thread.now == expected.workload


def test_a_form_in_a_thread_says_the_whole_workload_again(sender, work, slack, service):
    """What a field no longer holds is gone: the form does not amend the thread."""
    view = ask_and_click_change(sender, work, slack, "inference llama-3-8b spot in Frankfurt")
    typed = {name: text for name, text in initial(view).items() if name != "market"}
    sender.interaction(submission(view, typed))
    work()

    assert slack.posts[1]["thread_ts"] == ROOT
    now = recall(service.ingress.store, ThreadKey(TEAM, CHANNEL, ROOT)).now
    assert now == Workload(model="llama-3-8b", region="eu-central-1")

    sender.event(mention(f"<@{BOT}> on spot", "1700000001.1", thread_ts=ROOT))
    work()
    now = recall(service.ingress.store, ThreadKey(TEAM, CHANNEL, ROOT)).now
    assert (now.market, now.region) == ("spot", "eu-central-1")


def test_a_form_submitted_twice_is_one_card(sender, work, slack):
    view = opened(sender, work, slack)
    for _ in range(2):
        assert sender.interaction(submission(view, FILLED)).status == 200
    sender.interaction(submission({**view, "hash": "9.V1"}, FILLED))  # after a late preview
    work()
    assert len(slack.posts) == 1


def test_a_shortcut_is_answered_in_direct_messages(sender, work, slack, service):
    sender.interaction(shortcut())
    sender.interaction(submission(view_of(slack), FILLED))
    work()
    (post,) = slack.posts
    assert post["channel"] == USER

    (ts,) = [kept["ts"] for _, _, kept in slack._posted]
    thread = recall(service.ingress.store, ThreadKey(TEAM, f"D{USER}", ts))
    assert thread.now.model == "llama-3-8b"  # a reply there goes on from here


def test_where_the_bot_may_not_post_the_card_comes_directly(sender, work, slack):
    view = opened(sender, work, slack)
    slack.script("chat.postMessage", error("not_in_channel"))
    sender.interaction(submission(view, FILLED))
    work()
    assert [post["channel"] for post in slack.posts] == [CHANNEL, USER]
    assert "Only you see this" in json.dumps(slack.posts[1]["blocks"])


@pytest.mark.parametrize(
    "metadata",
    [
        "",
        "not json",
        "[]",
        "{}",
        '{"team":"T1","user":"U1"}',
        '{"team":"T1","user":"U1","channel":"C1","response_url":"https://hooks.slack.com/x"}',
        '{"team":"T1","user":"U1","channel":"#general","thread_ts":null}',
        '{"team":"T1","user":"U1","channel":"C1","thread_ts":"x"}',
        '{"team":"T1","user":"U1","channel":["C1"],"thread_ts":null}',
        '{"team":"T2","user":"U1","channel":"C1","thread_ts":null}',
        '{"team":"T1","user":"U2","channel":"C1","thread_ts":null}',
        "[" * 2000,
        "x" * 3001,
    ],
)
def test_a_form_that_is_not_the_senders_is_refused(sender, work, slack, metadata):
    view = {**opened(sender, work, slack), "private_metadata": metadata}
    answered = sender.interaction(submission(view, FILLED))
    assert answered.json == {"response_action": "errors", "errors": {"task": FOREIGN}}

    before = view_of(slack)
    sender.interaction(changed(view, FILLED))
    work()
    assert view_of(slack) == before
    assert slack.posts == []


def test_somebody_elses_view_is_only_acknowledged(sender, work, slack):
    view = {**opened(sender, work, slack), "callback_id": "somebody_elses"}
    assert sender.interaction(submission(view, FILLED)).status == 200
    work()
    assert slack.posts == []


def test_a_state_that_is_no_state_is_an_empty_form(sender, work, slack):
    view = opened(sender, work, slack)
    for state in (None, [], {"values": []}, {"values": {"model": {"form.model": "x"}}}):
        payload = submission(view, {})
        payload["view"]["state"] = state
        assert "errors" in sender.interaction(payload).json


def test_a_command_whose_form_slack_does_not_open_is_told_so(sender, work, slack):
    slack.expired_triggers.add("1.1")
    answered = sender.command("form", trigger_id="1.1").json
    assert answered == {"response_type": "ephemeral", "text": FORM_NOT_OPENED}
    assert work() == 0


@pytest.mark.parametrize("refusal", [error("expired_trigger_id"), UNAVAILABLE, DROPPED])
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

    (declared,) = MANIFEST["features"]["shortcuts"]
    assert declared["type"] == "global"
    sender.interaction({**shortcut(), "callback_id": declared["callback_id"]})
    assert len(slack.views) == 1


OPENING = "import bot.slack.form_door"
TYPE_AHEAD = """
from bot.form.options import model_options
from catalog.load import load_catalog
model_options("llama 70", load_catalog())
"""
CHECKING = """
from bot.form.check import problems
from catalog.load import load_catalog
problems({"model": "7b"}, load_catalog())
"""
HEAVY = ["slack_bolt", "slack_sdk", "pydantic", "jinja2", "boto3", "engine.recommend"]


@pytest.mark.parametrize(
    ("done", "kept_out"),
    [
        (OPENING, [*HEAVY, "engine", "catalog", "bot.language"]),
        (TYPE_AHEAD, [*HEAVY, "engine", "bot.language"]),
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
    assert "bot.form" in loaded
    assert [name for name in kept_out if name in loaded] == []
