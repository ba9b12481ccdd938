"""What passes is waited out, and however often a job comes back it is answered once."""

import sqlite3

import pytest

from bot.core.errors import AwsError, StateAwayError
from bot.slack.door.worker import MAX_AGE_S, MAX_RETRY_S, Worker
from bot.slack.posting.post import SlackUnavailableError
from bot.store.sqlite import Database, SqliteQueue, SqliteStore
from bot.store.store import Job
from tests.slack.conftest import StubReply
from tests.slack.fake_slack import DROPPED, UNAVAILABLE, Canned, error
from tests.slack.sender import mention

POST = "chat.postMessage"
BODY = {"command": "/ec2-pick", "channel_id": "C1", "user_id": "U1", "team_id": "T1", "text": "7B"}
PASSING = [
    SlackUnavailableError("503"),
    AwsError("GetItem", 400, "ThrottlingException", {}),
    AwsError("GetItem", 500, "InternalServerError", {}),
    AwsError("GetItem", 0, "ConnectionRefusedError", {}),
    StateAwayError("database is locked"),
]


def outcome_of(run, path):
    """Run one job under a clock until the queue is empty; return when it was given up."""
    now, sorry = [0.0], []
    queue = SqliteQueue(Database(path / "s.db"), clock=lambda: now[0])
    queue.send(Job(key="k", group="g", body=BODY))
    worker = Worker(
        queue=queue,
        run=lambda _: run(now[0]),
        apologise=lambda *_: sorry.append(now[0]),
        clock=lambda: now[0],
    )
    while (idle := queue.idle_s()) is not None:
        now[0] += idle
        worker.run_once()
    return sorry


@pytest.mark.parametrize("failure", PASSING, ids=repr)
@pytest.mark.parametrize("away_s", [0.5, 45, 20 * 60])
def test_what_passes_is_waited_out(tmp_path, failure, away_s):
    def run(now):
        if now < away_s:
            raise failure

    assert outcome_of(run, tmp_path) == []


@pytest.mark.parametrize("failure", PASSING, ids=repr)
def test_what_does_not_pass_in_half_an_hour_is_owned_up_to(tmp_path, failure):
    def run(_):
        raise failure

    (told_at,) = outcome_of(run, tmp_path)
    assert MAX_AGE_S - MAX_RETRY_S <= told_at <= MAX_AGE_S


@pytest.mark.parametrize(
    "refusal", [AwsError("PutItem", 400, "ValidationException", {}), KeyError()]
)
def test_what_no_later_try_can_mend_is_owned_up_to_at_once(tmp_path, refusal):
    def run(_):
        raise refusal

    assert outcome_of(run, tmp_path) == [0.0]


def test_a_full_disk_and_a_lock_are_told_as_away(tmp_path):
    database = Database(tmp_path / "s.db")
    store = SqliteStore(database)
    with database.write() as rows:
        rows.execute("PRAGMA max_page_count=1")

    def failing():
        with database.write():
            raise sqlite3.OperationalError("database or disk is full")

    with pytest.raises(StateAwayError, match="full"):
        failing()
    assert store.claim("k", "me", 1.0).value == "won"


class PostedThenAway:
    """Slack that posts and then fails to say so, so many times."""

    def __init__(self, slack, times):
        self.slack, self.times = slack, times

    def __call__(self, call, number):
        answer = self.slack_usual(call, number)
        if call.name == POST and self.times:
            self.times -= 1
            return DROPPED
        return answer


@pytest.fixture
def acting(slack):
    """Let so many posts act and lose their reply."""

    def losing(times):
        lost = PostedThenAway(slack, times)
        lost.slack_usual = slack._usual
        slack._usual = lost

    return losing


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize("where", ["event", "command"])
def test_a_lost_reply_does_not_double_the_answer(sender, work, slack, clock, acting, times, where):
    acting(times)
    sender.event(mention()) if where == "event" else sender.command("7B")
    while work():
        clock.now += MAX_RETRY_S

    assert len(slack.standing) == 1


def test_a_job_handed_out_again_after_its_answer_ends_there(sender, service, work, slack, clock):
    sender.event(mention())
    queue = service.worker.queue
    forgotten = queue.finish
    object.__setattr__(service.worker, "queue", queue)
    queue.finish = lambda _: None  # the process dies between the post and this
    work()
    queue.finish = forgotten
    clock.now += 60
    work()

    assert len(slack.standing) == 1
    assert queue.idle_s() is None


def test_each_try_carries_the_same_key(sender, work, slack, clock):
    slack.script(POST, UNAVAILABLE, UNAVAILABLE)
    sender.event(mention())
    while work():
        clock.now += MAX_RETRY_S

    assert len({post["client_msg_id"] for post in slack.posts}) == 1
    assert len(slack.posts) == 3


def test_a_late_answer_says_when_it_was_asked(sender, work, slack, clock):
    slack.script(POST, UNAVAILABLE)
    sender.event(mention())
    work()
    clock.now += 300
    work()

    assert "Asked at 22:13 UTC and answered late" in slack.standing[0]["text"]


def test_an_answer_in_time_says_nothing_of_it(sender, work, slack):
    sender.event(mention())
    work()
    assert "late" not in slack.standing[0]["text"]


def test_a_thread_that_cannot_be_read_is_answered_and_said(
    sender, service, work, slack, monkeypatch
):
    def away(*_):
        raise AwsError("GetItem", 400, "ThrottlingException", {})

    sender.event(mention())
    monkeypatch.setattr(type(service.ingress.store), "get_thread", away)
    work()

    assert "cannot be read just now" in slack.standing[0]["text"]


def test_an_apology_waits_for_slack_too(sender, work, slack, clock, conversation):
    conversation.reply = ZeroDivisionError()
    slack.script(POST, UNAVAILABLE)
    sender.event(mention())
    work()
    assert slack.standing == []
    clock.now += MAX_RETRY_S
    work()

    (apology,) = slack.standing
    assert "Sorry" in apology["text"]


def test_a_body_that_is_no_json_is_waited_out(sender, work, slack, clock):
    slack.script(POST, Canned(200, "<html>a proxy's page</html>"))
    sender.event(mention())
    work()
    clock.now += 60
    work()

    assert len(slack.standing) == 1


def test_a_refusal_is_no_reason_to_wait(sender, work, slack, conversation):
    conversation.reply = StubReply()
    slack.script(POST, error("is_archived"))
    sender.event(mention())

    assert work() == 1
    assert work() == 0


def test_who_floods_waits_for_their_own_commands_alone(sender, service):
    for n in range(5):
        sender.command(f"inference {n + 1}B", user_id="UFLOOD")
    sender.command("inference 70B", user_id="UOTHER")
    queue = service.worker.queue
    first, second = queue.receive(60), queue.receive(60)

    assert [one.job.body["user_id"] for one in (first, second)] == ["UFLOOD", "UOTHER"]
    assert queue.receive(60) is None  # the flood's second waits for its first
    queue.finish(first)
    assert queue.receive(60).job.body["text"] == "inference 2B"
