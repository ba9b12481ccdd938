"""The fields: type-ahead, what is wrong with them, the preview that follows them."""

import pytest

from bot.core.names import CALLBACK
from bot.slack.form.form_desk import NO_PREVIEW
from catalog.load import load_catalog
from tests.slack.block_limits import option_refusal
from tests.slack.conftest import assembled
from tests.slack.fake_slack import DROPPED, UNAVAILABLE, error, limited
from tests.slack.form_person import (
    FILLED,
    changed,
    dead_letters,
    opened,
    preview,
    shortcut,
    submission,
    view_of,
)
from tests.slack.sender import TEAM, USER


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
    models = load_catalog().models
    for option in options:
        model = models[option["value"]]
        names = " ".join((model.id, *model.aliases))
        assert "llama" in names
        assert "70" in names


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
        ({"budget": "dear"}, "budget", "no value"),
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


def test_the_preview_follows_the_fields(sender, work, slack, conversation):
    view = opened(sender, work, slack)
    sender.interaction(changed(view, FILLED))
    work()

    expected = conversation("inference llama-3-8b ttft<100ms in Frankfurt", None)
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


def test_the_preview_of_a_comparison_names_every_side(sender, work, slack):
    view = opened(sender, work, slack)
    sender.interaction(changed(view, {"task": "inference", "more": "compare with g6"}))
    work()
    assert preview(slack).startswith("g5.xlarge: 1x g5.xlarge, $1.006/h")
    assert "g6: 1x g6.xlarge" in preview(slack)


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
