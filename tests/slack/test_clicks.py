"""A click on a card's button is a turn of its thread."""

import json

import pytest

from bot.cards import blocks
from bot.slack.talk.clicks import words_of_click
from engine.core.workload import Workload
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, mention

ROOT = "1700000000.000100"
CARD_VALUE = json.dumps({"instance_type": "g6.xlarge", "instances": 1, "region": "us-east-1"})

ON_SPOT = json.dumps({**json.loads(CARD_VALUE), "market": "spot"})


def click(action_id, value=CARD_VALUE, trigger="9.1", **fields):
    return {
        "type": "block_actions",
        "trigger_id": trigger,
        "team": {"id": "T1"},
        "user": {"id": "U1", "team_id": "T1"},
        "channel": {"id": "C1"},
        "message": {"ts": "1800000000.000001", "thread_ts": ROOT, "user": BOT},
        "actions": [
            {"type": "button", "action_id": action_id, "block_id": "b", "value": value},
        ],
        **fields,
    }


@pytest.mark.parametrize(
    ("action_id", "value", "words"),
    [
        (blocks.DEPLOY, CARD_VALUE, "eksctl manifest instance=g6.xlarge region=us-east-1"),
        *(
            (
                f"{blocks.FILE}.{kind}",
                CARD_VALUE,
                f"{kind} manifest instance=g6.xlarge region=us-east-1",
            )
            for kind in blocks.FILE_LABELS
        ),
        (f"{blocks.FILE}.secrets", CARD_VALUE, None),
        (blocks.WHY, CARD_VALUE, "why instance=g6.xlarge region=us-east-1"),
        (blocks.COMPARE, CARD_VALUE, "compare instance=g6.xlarge region=us-east-1"),
        (blocks.WATCH, CARD_VALUE, "watch instance=g6.xlarge region=us-east-1"),
        (blocks.DEPLOY, ON_SPOT, "eksctl manifest instance=g6.xlarge region=us-east-1 market=spot"),
        (f"{blocks.USE}.2", ON_SPOT, "instance=g6.xlarge region=us-east-1 market=spot"),
        (f"{blocks.CHOICE}.0", '{"latency_kind":"per_token"}', "latency_kind=per_token"),
        (f"{blocks.CHOICE}.1", '{"allow":["g6","g5"],"context":8192}', "allow=g6,g5 context=8192"),
        (f"{blocks.CHOICE}.0", "{}", None),
        (f"{blocks.ASK}.0", '{"ask":"what breaks first?"}', "what breaks first?"),
        (f"{blocks.ASK}.1", '{"ask":""}', None),
        (f"{blocks.ASK}.1", "{}", None),
        (blocks.DEPLOY, "{}", None),
        (blocks.DEPLOY, "not json", None),
        (blocks.DEPLOY, "[1]", None),
        ("somebody.elses", CARD_VALUE, None),
    ],
)
def test_a_button_stands_for_words(action_id, value, words):
    assert words_of_click(click(action_id, value)) == words


@pytest.mark.parametrize("actions", [None, [], [None], "x", {}])
def test_a_click_on_nothing_says_nothing(actions):
    assert words_of_click({"type": "block_actions", "actions": actions}) is None


def test_a_click_amends_the_thread_of_its_card(sender, work, slack, conversation):
    sender.event(mention())
    work()
    assert sender.interaction(click(blocks.WHY)).status == 200
    work()

    text, previous = conversation.asked[1]
    assert text == "why instance=g6.xlarge region=us-east-1"
    assert previous == Workload(params_b=7.0)
    assert (slack.posts[1]["channel"], slack.posts[1]["thread_ts"]) == ("C1", ROOT)


def of_card(said):
    return json.dumps({**json.loads(CARD_VALUE), "said": said})


def test_a_button_is_about_its_own_card_whatever_the_thread_is_about_now(
    sender, work, conversation
):
    """The thread is about a 7B; a card of a 70B before it is clicked."""
    sender.event(mention())
    work()
    older = of_card({"params_b": 70.0, "allow": ["g6"]})
    sender.interaction(click(blocks.DEPLOY, older))
    work()
    _, previous = conversation.asked[1]
    assert previous == Workload(params_b=70.0, allow=("g6",))

    sender.interaction(click(blocks.WHY, of_card({"params_b": 7.0}), trigger="9.2"))
    work()
    assert conversation.asked[2][1] == Workload(params_b=7.0)  # the thread stayed where it was


@pytest.mark.parametrize("said", [None, "x", [], {"no such field": 1}])
def test_an_odd_workload_on_a_button_does_no_harm(sender, work, slack, said):
    sender.event(mention())
    work()
    sender.interaction(click(blocks.WHY, of_card(said)))
    work()
    assert len(slack.posts) == 2


def test_a_card_outside_a_thread_is_its_own_thread(sender, work, slack):
    sender.interaction(click(blocks.WHY, message={"ts": "5.5"}))
    work()
    assert slack.posts[0]["thread_ts"] == "5.5"


def test_two_clicks_are_two_turns_in_order_and_one_delivered_twice_is_one(sender, service):
    for action, trigger in ((blocks.WHY, "9.1"), (blocks.WHY, "9.1"), (blocks.COMPARE, "9.2")):
        sender.interaction(click(action, trigger=trigger))
    assert service.worker.queue.receive(60).job.key == "interaction|9.1"
    assert service.worker.queue.receive(60) is None  # the same thread: one after the other


def test_a_click_where_the_bot_may_not_post_is_answered_to_the_one_who_clicked(sender, work, slack):
    slack.script("chat.postMessage", error("not_in_channel"))
    sender.interaction(click(blocks.WHY, response_url=slack.response_url()))
    work()
    assert slack.responses[0]["response_type"] == "ephemeral"


def test_a_button_without_words_is_only_acknowledged(sender, work, slack):
    assert sender.interaction(click("somebody.elses")).status == 200
    work()
    assert slack.log == []


def test_buttons_are_left_out_where_no_thread_could_take_their_answer(
    sender, work, slack, conversation
):
    button = {"type": "button", "text": {"type": "plain_text", "text": "Why"}, "action_id": "w"}
    actions = {"type": "actions", "elements": [button]}
    conversation.reply.blocks.append(actions)
    slack.script("chat.postMessage", error("not_in_channel"))
    sender.command("7B", response_url=slack.response_url())
    work()

    assert actions in slack.posts[0]["blocks"]
    assert [block["type"] for block in slack.responses[0]["blocks"]] == ["section", "context"]
