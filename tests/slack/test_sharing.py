"""A card shown to a channel that has not seen it: once, naming who showed it."""

import json

import pytest

from bot.cards import blocks
from bot.slack.posting.card_share import SHARE, SHARE_TO
from engine.core.workload import Workload
from tests.slack.fake_slack import UNAVAILABLE, error
from tests.slack.sender import BOT, direct, mention, message

SAID = {"params_b": 70.0}
VALUE = json.dumps({"instance_type": "g6.xlarge", "region": "us-east-1", "said": SAID})


def card_blocks():
    section = {"type": "section", "text": {"type": "mrkdwn", "text": "*g6.xlarge* &lt;b&gt;"}}
    label = {"type": "plain_text", "text": "Compare"}
    button = {"type": "button", "text": label, "action_id": blocks.COMPARE, "value": VALUE}
    return [section, {"type": "actions", "elements": [button]}]


def elements(post):
    rows = [block["elements"] for block in post["blocks"] if block["type"] == "actions"]
    return {element["action_id"]: element for row in rows for element in row}


@pytest.fixture
def asked(sender, work, slack, conversation):
    """Ask by an event; return what it posted."""
    conversation.reply.blocks = card_blocks()

    def asked(event):
        before = len(slack.posts)
        sender.event(event)
        work()
        return slack.posts[before]

    return asked


@pytest.fixture
def share(sender, work):
    """Click what shares a posted card; `channel` is chosen where one has to be."""
    clicks = iter(range(1, 100))

    def share(post, channel=None, ts="1800000000.000001", **fields):
        found = elements(post)
        action = found[SHARE_TO] | {"selected_conversation": channel} if channel else found[SHARE]
        shown = [{**block, "block_id": f"b{n}"} for n, block in enumerate(post["blocks"])]
        sender.interaction(
            {
                "type": "block_actions",
                "trigger_id": f"7.{next(clicks)}",
                "team": {"id": "T1"},
                "user": {"id": "U5"},
                "channel": {"id": post["channel"]},
                "message": {
                    "ts": ts,
                    "thread_ts": post.get("thread_ts"),
                    "text": "g6 &lt;b&gt;",
                    "blocks": shown,
                },
                "actions": [{k: v for k, v in action.items() if k not in ("text", "confirm")}],
                **fields,
            }
        )
        work()

    return share


@pytest.mark.parametrize(
    ("event", "offered"),
    [
        (mention(), SHARE),
        (direct(), SHARE_TO),
        (mention(channel="G1"), SHARE),
    ],
    ids=["a thread", "a direct conversation", "a group"],
)
def test_a_card_that_a_channel_does_not_see_can_be_shared(asked, event, offered):
    assert set(elements(asked(event))) == {blocks.COMPARE, offered}


def test_a_card_that_stands_in_its_channel_has_nothing_to_share(sender, work, slack, conversation):
    conversation.reply.blocks = card_blocks()
    sender.command("7B")
    work()
    assert set(elements(slack.posts[0])) == {blocks.COMPARE}


def test_a_thread_shows_its_card_to_the_channel(asked, share, slack):
    post = asked(mention())
    share(post)
    shared = slack.posts[1]
    assert shared["reply_broadcast"] is True
    assert (shared["channel"], shared["thread_ts"]) == ("C1", post["thread_ts"])
    assert set(elements(shared)) == {blocks.COMPARE}
    assert shared["blocks"][0] == card_blocks()[0]
    assert shared["blocks"][-1]["elements"][0]["text"] == "Shared by <@U5>"
    assert shared["text"] == "g6 &lt;b&gt;"
    assert not [block for block in shared["blocks"] if "block_id" in block]


def test_a_direct_card_goes_to_the_channel_chosen_and_is_gone_on_from_there(
    asked, share, slack, sender, work, conversation
):
    post = asked(direct())
    share(post, "C7", response_url=slack.response_url())
    shared = slack.posts[1]
    assert shared["channel"] == "C7"
    assert "thread_ts" not in shared
    assert set(elements(shared)) == {blocks.COMPARE}
    (told,) = slack.responses
    assert told["blocks"][0]["elements"][0]["text"] == "<#C7> Shared."
    assert told["replace_original"] is False

    root = f"1800000000.{slack.log.index(slack.calls('chat.postMessage')[1]) + 1:06d}"
    reply = message("on spot", "1700000009.0", thread_ts=root, channel="C7")
    sender.event(reply)
    work()
    assert conversation.asked[-1] == ("on spot", Workload(params_b=70.0))


@pytest.mark.parametrize(("event", "channel"), [(mention(), None), (direct(), "C7")])
def test_a_card_is_shared_once(asked, share, slack, clock, event, channel):
    post = asked(event)
    share(post, channel)
    clock.now += 600
    url = slack.response_url()
    share(post, channel, response_url=url)
    shared = [call for call in slack.posts[1:] if "Shared by" in json.dumps(call["blocks"])]
    assert len(shared) == 1
    assert "there already" in slack.responses[0]["text"]


def test_another_channel_and_another_card_are_shared_too(asked, share, slack):
    post = asked(direct())
    share(post, "C7")
    share(post, "C8")
    share(post, "C7", ts="1800000000.000099")
    shared = [call["channel"] for call in slack.posts if "Shared by" in json.dumps(call["blocks"])]
    assert shared == ["C7", "C8", "C7"]


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("not_in_channel", "the app is not in the channel; invite it"),
        ("is_archived", "the channel is archived"),
        ("a_word_slack_adds_later", "Slack refuses it (a_word_slack_adds_later)"),
    ],
)
def test_a_channel_that_cannot_be_posted_to_is_said_and_can_be_tried_again(
    asked, share, slack, clock, word, said
):
    post = asked(direct())
    slack.script("chat.postMessage", error(word))
    share(post, "C7", response_url=slack.response_url())
    assert said in slack.responses[0]["text"]
    clock.now += 60
    share(post, "C7")
    assert "Shared by" in json.dumps(slack.posts[2]["blocks"])


def test_a_share_that_slack_was_not_there_for_is_tried_again(asked, share, slack, work, clock):
    post = asked(direct())
    slack.script("chat.postMessage", UNAVAILABLE)
    share(post, "C7")
    clock.now += 10
    work()
    shared = [call for call in slack.posts if "Shared by" in json.dumps(call["blocks"])]
    assert [call["channel"] for call in shared] == ["C7", "C7"]  # refused, then taken


def test_what_names_who_asked_gives_way_to_who_shares(asked, share, slack):
    post = asked(direct())
    note = {"type": "context", "elements": [{"type": "mrkdwn", "text": "Asked by <@U9>"}]}
    post["blocks"].append(note)
    share(post, "C7")
    assert "Asked by" not in json.dumps(slack.posts[1])


@pytest.mark.parametrize(
    "actions",
    [[], [{"action_id": SHARE_TO}], [{"action_id": SHARE_TO, "selected_conversation": None}]],
)
def test_a_choice_of_no_channel_shares_nothing(sender, work, slack, actions):
    sender.interaction(
        {
            "type": "block_actions",
            "trigger_id": "7.1",
            "team": {"id": "T1"},
            "user": {"id": "U5"},
            "channel": {"id": "D1"},
            "message": {"ts": "1.1", "text": "x", "blocks": card_blocks(), "bot_id": BOT},
            "actions": actions,
        }
    )
    work()
    assert slack.log == []


def test_every_try_claims_for_itself(asked, share, clock, monkeypatch):
    """As on DynamoDB whoever holds a claim wins it again."""
    from bot.store.sqlite import SqliteStore

    owners, claim = [], SqliteStore.claim

    def recorded(self, key, owner, lease_s):
        if key.startswith("share|"):
            owners.append(owner)
        return claim(self, key, owner, lease_s)

    monkeypatch.setattr(SqliteStore, "claim", recorded)
    post = asked(direct())
    share(post, "C7")
    clock.now += 600
    share(post, "C7")
    assert len(set(owners)) == 2
