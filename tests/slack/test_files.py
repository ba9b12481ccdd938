"""Long manifests come as files where Slack takes them, and as before where it does not."""

import json

import pytest

from bot.slack.door.response_url import is_allowed
from tests.slack.fake_slack import DROPPED, UNAVAILABLE, Canned, error, limited
from tests.slack.sender import BOT, mention

ROOT = "1700000000.000100"
GET_URL, COMPLETE = "files.getUploadURLExternal", "files.completeUploadExternal"
LONG = "kubernetes manifest inference 7B"


@pytest.fixture
def conversation(real_conversation):
    return real_conversation


@pytest.fixture
def ask(sender, work):
    def ask(text):
        sender.event(mention(f"<@{BOT}> {text}"))
        work()

    return ask


def text_of(post):
    return json.dumps(post["blocks"])


def test_a_long_manifest_is_a_file_in_the_thread_of_its_card(ask, slack, conversation):
    ask(LONG)
    manifest = conversation(LONG, None).manifest
    (file,) = slack.shown
    assert file["content"].decode() == manifest.yaml_text
    assert (file["filename"], file["snippet_type"]) == ("kubernetes.yaml", "yaml")
    assert file["shown_in"] == ("C1", ROOT)
    (post,) = slack.posts
    assert "```" not in text_of(post)
    assert "apiVersion" not in post["text"]
    assert "kubernetes.yaml" in text_of(post)
    assert "kubernetes.yaml" in post["text"]


def test_a_command_gets_its_file_in_the_thread_that_its_card_opens(sender, work, slack):
    sender.command(LONG)
    work()
    (file,) = slack.shown
    posted = slack.log.index(slack.calls("chat.postMessage")[0]) + 1
    assert file["shown_in"] == ("C1", f"1800000000.{posted:06d}")


def test_what_fits_a_card_makes_no_file(ask, slack):
    ask("inference 7B")
    assert slack.files == {}


@pytest.mark.parametrize(
    ("name", "answer_of_slack"),
    [
        (GET_URL, error("missing_scope")),
        (GET_URL, error("file_uploads_disabled")),
        (GET_URL, limited(5)),
        (GET_URL, UNAVAILABLE),
        (GET_URL, DROPPED),
        (
            GET_URL,
            Canned(body={"ok": True, "file_id": "F1", "upload_url": "https://evil.example/x"}),
        ),
        ("upload", Canned(500, "no")),
        ("upload", DROPPED),
    ],
)
def test_where_slack_takes_no_file_the_card_holds_it(ask, slack, name, answer_of_slack):
    slack.script(name, answer_of_slack)
    ask(LONG)
    (post,) = slack.posts
    assert "apiVersion" in text_of(post)
    assert slack.shown == []


def test_a_file_that_cannot_be_shown_is_said_in_code_blocks_after_all(ask, slack):
    slack.script(COMPLETE, error("not_in_channel"))
    ask(LONG)
    assert ["apiVersion" in text_of(post) for post in slack.posts] == [False, True]
    assert slack.posts[1]["thread_ts"] == ROOT


def test_where_only_the_response_url_is_open_the_whole_file_goes_there(sender, work, slack):
    slack.script("chat.postMessage", error("not_in_channel"))
    sender.command(LONG, response_url=slack.response_url())
    work()
    assert "apiVersion" in text_of(slack.responses[0])
    assert slack.shown == []


def test_the_files_that_go_with_a_manifest_come_too(ask, slack, conversation):
    text = "monitoring manifests for 8B on g6.xlarge"
    manifest = conversation(text, None).manifest
    assert manifest.extras
    ask(text)
    shown = {file["filename"]: file["content"].decode() for file in slack.shown}
    assert shown.items() >= dict(manifest.extras).items()


@pytest.mark.parametrize(
    ("url", "allowed"),
    [
        ("https://files.slack.com/upload/v1/abc", True),
        ("https://files.slack.com.evil.example/upload", False),
        ("http://files.slack.com/upload", False),
        ("https://hooks.slack.com/upload", False),
    ],
)
def test_bytes_go_to_slack_or_nowhere(url, allowed):
    assert is_allowed(url, "https://slack.com/api/", "files.slack.com") is allowed


def test_a_terraform_file_is_not_called_yaml(ask, slack):
    ask("terraform inference 7B")
    (file,) = slack.shown
    assert file["filename"] == "terraform.tf"
    assert "snippet_type" not in file
