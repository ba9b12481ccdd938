"""The app manifest: valid for Slack, and asking for no more than the code listens to."""

import json
from pathlib import Path

import jsonschema
import pytest

from bot.slack.door.ingress import EVENTS_PATH
from bot.slack.talk.agent import PROMPTS
from tests.slack.sender import BOT, direct, mention, message, opened
from tests.slack.test_size_this import sizing

ROOT = Path(__file__).parents[2]
MANIFEST = json.loads((ROOT / "slack-manifest.json").read_text())
SCHEMA = json.loads((ROOT / "tests/schemas/slack-manifest.schema.json").read_text())

# What each thing we do needs. https://docs.slack.dev/reference/scopes
NEEDS = {
    "app_mention": "app_mentions:read",
    "message.channels": "channels:history",
    "message.groups": "groups:history",
    "message.im": "im:history",
    "message.mpim": "mpim:history",
    "slash_commands": "commands",
    "files.getUploadURLExternal": "files:write",
    "suggested prompts": "assistant:write",
    "chat.postMessage": "chat:write",
}
SENT = {
    "app_home_opened": opened(),
    "app_mention": mention(),
    "app_uninstalled": {"type": "app_uninstalled"},
    "message.channels": message(),
    "message.groups": message(channel="G1", channel_type="group"),
    "message.im": direct(),
    "message.mpim": message(f"<@{BOT}> inference 7B", channel="G2", channel_type="mpim"),
    "tokens_revoked": {"type": "tokens_revoked", "tokens": {"oauth": [], "bot": ["UBOT"]}},
}
SAID = ("app_mention", "message.im", "message.mpim")  # a channel's own messages are not ours


def test_slack_would_accept_the_manifest():
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    jsonschema.validate(MANIFEST, SCHEMA, cls=jsonschema.Draft7Validator)


def test_the_schema_is_not_a_rubber_stamp():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**MANIFEST, "scopes": []}, SCHEMA)


def test_the_scopes_are_those_of_what_we_do_and_no_more():
    scopes = MANIFEST["oauth_config"]["scopes"]
    assert scopes == {"bot": sorted(NEEDS.values())}


@pytest.mark.parametrize("event", MANIFEST["settings"]["event_subscriptions"]["bot_events"])
def test_every_subscribed_event_is_listened_to(sender, work, slack, event):
    assert sender.event(SENT[event]).status == 200
    work()
    assert len(slack.posts) == (1 if event in SAID else 0)


def test_everything_comes_to_the_one_path():
    urls = [command["url"] for command in MANIFEST["features"]["slash_commands"]]
    urls += [
        MANIFEST["settings"][key]["request_url"] for key in ("event_subscriptions", "interactivity")
    ]
    assert len(set(urls)) == 1
    assert urls[0].endswith(EVENTS_PATH)


def test_every_message_shortcut_is_answered(sender, work, slack):
    offered = [one for one in MANIFEST["features"]["shortcuts"] if one["type"] == "message"]
    for shortcut in offered:
        sender.interaction(sizing("inference 7B", callback_id=shortcut["callback_id"]))
        work()
    assert len(slack.posts) == len(offered) == 1


def test_the_agent_view_shows_the_prompts_that_are_suggested_when_it_is_opened():
    prompts = MANIFEST["features"]["agent_view"]["suggested_prompts"]
    assert prompts == [{"title": title, "message": message} for title, message in PROMPTS]


def test_a_command_arrives_as_it_was_typed():
    (command,) = MANIFEST["features"]["slash_commands"]
    assert command["command"] == "/ec2-pick"
    assert command["should_escape"] is False
