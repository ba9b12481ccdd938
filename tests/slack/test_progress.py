"""Whoever waits longer than a second sees that an answer is being made, then the answer, once."""

import threading
from dataclasses import dataclass
from itertools import count

import pytest

from bot.answers.live.live_at_start import live_world
from bot.conversation.thread import recall
from bot.slack.form.view import WORKING
from bot.slack.home.at_home import AtHome
from bot.slack.posting.message import MAX_TEXT
from bot.slack.serve import conversation as real_answer
from bot.slack.talk.agent import STATUS, UNDER_WAY
from bot.store.kept_of_people import SavedPick, save
from bot.store.owner import Owner
from bot.store.sqlite import SqliteItems
from bot.store.store import ThreadKey
from tests.fakes.aws_endpoint import FakeAws, Fault, environment, serving
from tests.slack.conftest import CARD, StubReply, assembled
from tests.slack.fake_slack import DROPPED, UNAVAILABLE, error, limited
from tests.slack.form_person import (
    FILLED,
    changed,
    opened,
    preview,
    preview_in,
    shortcut,
    submission,
    view_of,
)
from tests.slack.sender import BOT, CHANNEL, TEAM, USER, direct, mention
from tests.slack.sender import opened as seen
from tests.slack.test_same_message import USE, click

SET_STATUS, POST = "assistant.threads.setStatus", "chat.postMessage"
UPDATE, DELETE = "chat.update", "chat.delete"


@pytest.fixture
def slow(conversation, slack, monkeypatch):
    """Let each answer from now on take until one more sign of it is there: a call of that name."""
    answer = type(conversation).__call__

    def until(name):
        signs = count(1 + len(slack.calls(name)))

        def slowly(self, text, previous, person):
            slack.wait_for(name, next(signs))
            return answer(self, text, previous, person)

        monkeypatch.setattr("bot.slack.posting.progress.PATIENCE_S", 0.001)
        monkeypatch.setattr(type(conversation), "__call__", slowly)

    return until


def names(slack):
    return [call.name for call in slack.log]


@pytest.mark.parametrize(
    "refusal", [error("missing_scope"), error("new_word"), limited(9), DROPPED]
)
@pytest.mark.parametrize("event", [mention(), direct()], ids=["channel", "direct"])
def test_without_a_status_line_a_message_stands_for_the_answer_and_becomes_it(
    sender, work, slack, slow, service, refusal, event
):
    slack.script(SET_STATUS, refusal)
    slow(POST)
    sender.event(event)
    work()

    assert names(slack) == [SET_STATUS, POST, UPDATE]
    (told,) = slack.posts
    assert (told["text"], told["thread_ts"]) == (UNDER_WAY, event["ts"])
    (shown,) = slack.standing
    assert shown["blocks"][:1] == CARD
    key = ThreadKey(TEAM, event["channel"], event["ts"])
    assert recall(service.ingress.store, key).now.params_b == 7.0


def test_a_form_has_no_thread_and_gets_a_message_as_well(sender, work, slack, slow, service):
    view = opened(sender, work, slack)
    slack.clear()
    slow(POST)
    sender.interaction(submission(view, FILLED))
    work()

    assert names(slack) == [POST, UPDATE]
    (shown,) = slack.standing
    assert f"Asked by <@{USER}>" in str(shown["blocks"])
    key = ThreadKey(TEAM, CHANNEL, shown["ts"])
    assert recall(service.ingress.store, key).now.params_b == 7.0  # a reply goes on from here


def test_so_does_one_that_is_answered_in_direct_messages(sender, work, slack, slow, service):
    sender.interaction(shortcut())
    work()
    view = view_of(slack)
    slack.clear()
    slow(POST)
    sender.interaction(submission(view, FILLED))
    work()

    (update,) = slack.updates
    assert update["channel"] == f"D{USER}"
    key = ThreadKey(TEAM, f"D{USER}", update["ts"])
    assert recall(service.ingress.store, key).now.params_b == 7.0


def test_a_command_was_acknowledged_when_it_came(sender, work, slack, monkeypatch, conversation):
    monkeypatch.setattr("bot.slack.posting.progress.PATIENCE_S", 0.0)
    assert sender.command("inference 7B").json["response_type"] == "ephemeral"
    work()
    assert conversation.asked
    assert names(slack) == [POST]
    assert slack.posts[0]["text"] != UNDER_WAY


@pytest.mark.parametrize(
    ("reply", "scripted", "calls"),
    [
        # a text that an update would cut is posted whole
        (StubReply(text="x" * 5000), {}, [POST, DELETE, POST]),
        (StubReply(text="x" * MAX_TEXT, blocks=[]), {}, [POST, DELETE, POST]),
        (StubReply(text="short", blocks=[]), {}, [POST, UPDATE]),
        # somebody has removed what stood for it
        (StubReply(), {UPDATE: [error("message_not_found")]}, [POST, UPDATE, POST]),
        (StubReply(), {UPDATE: [error("cant_update_message")]}, [POST, UPDATE, POST]),
        (StubReply(), {UPDATE: [error("invalid_blocks")]}, [POST, UPDATE, UPDATE]),
        (StubReply(text="x" * 5000), {DELETE: [error("message_not_found")]}, [POST, DELETE, POST]),
        # no place for it either: then there is none to take
        (StubReply(), {POST: [error("not_in_channel")]}, [POST, POST]),
        # the answer failed: the apology comes alone
        (ValueError("a defect"), {}, [POST, DELETE, POST]),
    ],
)  # fmt: skip
def test_there_is_one_answer_whatever_becomes_of_the_message_before_it(
    sender, work, slack, slow, conversation, reply, scripted, calls
):
    conversation.reply = reply
    for name, answers in {SET_STATUS: [error("missing_scope")], **scripted}.items():
        slack.script(name, *answers)
    slow(POST)
    sender.event(mention())
    work()
    assert names(slack) == [SET_STATUS, *calls]
    if "message_not_found" not in str(scripted) and "cant_update" not in str(scripted):
        (shown,) = slack.standing
        assert shown["text"] != UNDER_WAY


@pytest.mark.parametrize("trouble", [limited(7), UNAVAILABLE, DROPPED])
def test_an_answer_that_is_tried_again_leaves_one_message(
    sender, work, slack, slow, clock, trouble
):
    slack.script(SET_STATUS, error("missing_scope"), error("missing_scope"))
    slack.script(UPDATE, trouble)
    slow(POST)
    sender.event(mention())
    work()
    assert slack.standing == []
    clock.now += 60
    work()
    (shown,) = slack.standing
    assert CARD[0] in shown["blocks"]


def test_a_private_answer_leaves_no_message_in_public(sender, work, slack, slow, conversation):
    @dataclass
    class Saving:
        is_private: bool = True

    conversation.reply = StubReply()
    conversation.reply.saving = Saving()
    slack.script(SET_STATUS, error("missing_scope"))
    slow(POST)
    sender.event(mention())
    work()
    assert names(slack) == [SET_STATUS, POST, "chat.postEphemeral", DELETE]
    assert slack.standing == []


def test_a_card_that_changes_in_place_needs_no_message_below_it(sender, work, slack, slow):
    sender.event(mention())
    work()
    slack.script(SET_STATUS, error("missing_scope"))
    slow(SET_STATUS)
    sender.interaction(click(USE))
    work()
    assert names(slack)[1:] == [SET_STATUS, UPDATE]
    assert len(slack.standing) == 1


@pytest.fixture
def aws(monkeypatch):
    """AWS, by boto3's environment."""
    with serving(FakeAws()) as server:
        for name, value in environment(server.url).items():
            monkeypatch.setenv(name, value)
        monkeypatch.delenv("AWS_PROFILE", raising=False)
        yield server


@pytest.fixture
def held(aws, slack, request):
    """Let the price list answer nothing before Slack was called so."""

    def until(name):
        answers = threading.Event()
        aws.fails("GetProducts", *[Fault(held=answers)] * 50)

        def let_go():
            slack.wait_for(name)
            answers.set()

        watching = threading.Thread(target=let_go)
        watching.start()
        request.addfinalizer(watching.join)

    return until


@pytest.fixture
def app(settings, database, clock, aws):
    """The whole app, over prices that AWS is asked for."""
    items = SqliteItems(database)
    world = live_world(environment(aws.url), items, revalidates=False)
    return assembled(settings, database, real_answer(world, items), clock, AtHome(world, items))


def delivered(app, event):
    envelope = {"type": "event_callback", "team_id": TEAM, "authorizations": [{"user_id": BOT}]}
    app.ingress._delivered({**envelope, "event": event})
    assert app.worker.run_once()


def test_a_slow_price_list_is_waited_for_with_a_sign(app, slack, aws, held, monkeypatch):
    """It does not answer before somebody in the channel sees that it is asked."""
    monkeypatch.setattr("bot.slack.posting.progress.PATIENCE_S", 0.05)
    held(SET_STATUS)
    delivered(app, mention(f"<@{BOT}> inference 7B rps=5 latency<100ms"))
    assert aws.count("GetProducts") > 0
    assert names(slack) == [SET_STATUS, POST]
    assert slack.statuses == [STATUS]
    assert "/h" in slack.posts[0]["text"]


def test_the_home_tab_shows_the_rest_while_prices_are_looked_up(
    app, slack, held, database, monkeypatch
):
    pick = SavedPick(instance_type="p5.48xlarge", instances=1, region="us-east-1",
                     market="on_demand", term_years=0, usd_per_hour=50.0, priced_on="2026-11-01",
                     workload="70B", request="inference 70B", saved_on="2026-11-01")  # fmt: skip
    save(SqliteItems(database), Owner(TEAM, USER), pick)
    monkeypatch.setattr("bot.slack.posting.progress.PATIENCE_S", 0.05)
    held("views.publish")
    delivered(app, seen("home"))
    early, whole = (str(call.body["view"]) for call in slack.calls("views.publish"))
    assert "today’s price is being looked up" in early
    assert "$50.00/h when saved (2026-11-01) → $55.04/h today" in whole


def test_a_quick_home_tab_is_shown_once(app, slack):
    delivered(app, seen("home"))
    assert names(slack) == ["views.publish"]


def test_a_changed_form_does_not_show_the_pick_of_before(sender, work, slack, slow):
    view = opened(sender, work, slack)
    before = preview(slack)
    shown = len(slack.modals)
    slow("views.update")
    sender.interaction(changed(view, FILLED))
    work()
    texts = [preview_in(one) for one in slack.modals[shown:]]
    assert texts == [WORKING, before]
