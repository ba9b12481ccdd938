"""What must not get out: tokens, the signing secret, response_urls."""

import logging
import sys
from io import StringIO

import pytest

from bot.slack.door.redact import RedactingFormatter, redacted
from bot.slack.door.settings import SettingsError, SlackSettings, slack_settings
from tests.slack.fake_slack import DROPPED, TOKEN, UNAVAILABLE, Canned, error
from tests.slack.sender import SECRET, mention

HOOK = "https://hooks.slack.com/commands/T1/123/AbC"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("token xoxb-123-456-abc, rest", "token (redacted), rest"),
        ("xoxe.xoxp-1-2 xapp-1-A-2", "xoxe.(redacted) (redacted)"),
        (f"post to {HOOK} failed", "post to (redacted) failed"),
        (f"{{'response_url': '{HOOK}'}}", "{'response_url': '(redacted)'}"),
        ("http://127.0.0.1:99/commands/T1/r1/s3cret", "(redacted)"),
        ("HTTPS://HOOKS.SLACK.COM/ACTIONS/T1", "(redacted)"),
        ("https://hooks.slack.com/services/T/B/x", "(redacted)"),
        ("https://slack.com/api/chat.postMessage", "https://slack.com/api/chat.postMessage"),
        ("inference 7B latency<100ms", "inference 7B latency<100ms"),
        ("the word is hunter2", "the word is (redacted)"),
    ],
)
def test_secrets_are_taken_out_and_nothing_else(text, expected):
    assert redacted(text, ("hunter2",)) == expected


def test_a_traceback_is_redacted_too():
    try:
        raise ValueError(f"cannot reach {HOOK}")  # noqa: TRY301
    except ValueError:
        record = logging.LogRecord("x", logging.ERROR, "f", 1, "%s", (TOKEN,), sys.exc_info())
    line = RedactingFormatter("%(message)s", ()).format(record)

    assert line.startswith("(redacted)\nTraceback")
    assert "cannot reach (redacted)" in line


@pytest.fixture
def log():
    """Everything anybody logs, at the finest level, as `serve` would print it."""
    stream = StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(RedactingFormatter("%(name)s %(message)s", (SECRET, TOKEN)))
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    yield stream
    root.removeHandler(handler)
    root.setLevel(level)


@pytest.mark.parametrize(
    "said_by_slack", [[], [error("not_in_channel")], [UNAVAILABLE], [DROPPED]],
    ids=["ok", "not_in_channel", "503", "dropped"],
)  # fmt: skip
@pytest.mark.parametrize("said_by_hook", [[], [Canned(404, "expired_url")], [DROPPED]])
@pytest.mark.parametrize("broken", [False, True])
def test_no_delivery_however_it_ends_leaves_a_secret_in_the_log(
    sender, work, slack, conversation, log, caplog, said_by_slack, said_by_hook, broken
):
    if broken:
        conversation.reply = RuntimeError("broken")
    slack.script("chat.postMessage", *said_by_slack)
    slack.script("response_url", *said_by_hook)
    url = slack.response_url()
    sender.command("7B", response_url=url)
    sender.post(b"command=%2Fec2-pick&response_url=" + url.encode(), "x/y", at=1)  # refused
    sender.event(mention())
    work()

    raw = caplog.text  # what is logged is clean before the filter has to see to it
    for text in (log.getvalue(), raw):
        assert "s3cret" not in text
        assert TOKEN not in text
        assert SECRET not in text
    assert "broken" in raw if broken else "Traceback" not in log.getvalue()


GOOD = {"SLACK_SIGNING_SECRET": SECRET, "SLACK_BOT_TOKEN": TOKEN}


def test_the_settings_do_not_print_their_secrets():
    settings = slack_settings(GOOD)
    assert SECRET not in repr(settings)
    assert TOKEN not in repr(settings)


@pytest.mark.parametrize(
    ("extra", "api_url"),
    [
        ({}, "https://slack.com/api/"),
        ({"SLACK_API_URL": ""}, "https://slack.com/api/"),
        ({"SLACK_API_URL": "http://127.0.0.1:9/api"}, "http://127.0.0.1:9/api/"),
        ({"SLACK_API_URL": "https://proxy.example/slack/"}, "https://proxy.example/slack/"),
    ],
)
def test_settings_come_from_the_environment(extra, api_url):
    expected = SlackSettings(signing_secret=SECRET, bot_token=TOKEN, api_url=api_url)
    assert slack_settings({**GOOD, **extra}) == expected


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"SLACK_SIGNING_SECRET": ""}, "set SLACK_SIGNING_SECRET"),
        ({"SLACK_SIGNING_SECRET": "  "}, "set SLACK_SIGNING_SECRET"),
        ({"SLACK_BOT_TOKEN": ""}, "set SLACK_BOT_TOKEN"),
        ({"SLACK_API_URL": "slack.com/api"}, "SLACK_API_URL='slack.com/api' is not a web address"),
        ({"SLACK_API_URL": "file:///x"}, "is not a web address"),
        ({"SLACK_API_URL": "http://[x"}, "is not a web address"),
    ],
)
def test_a_setting_that_is_missing_or_wrong_is_named(changed, named):
    with pytest.raises(SettingsError, match=named.replace("[", "\\[")):
        slack_settings({**GOOD, **changed})
