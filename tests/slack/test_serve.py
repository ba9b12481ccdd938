"""`ec2-pick serve` as a process: what stops it from starting, and how it ends."""

import os
import re
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest

from bot.slack.service import WORKER_THREADS
from bot.store.sqlite import Database, SqliteItems
from bot.store.subscriptions import add
from tests.alerts.channel import subscribed
from tests.aws_server import environment as aws_environment
from tests.aws_server import make_queue, make_table
from tests.slack.fake_slack import TOKEN, Canned
from tests.slack.sender import SECRET, Sender, mention

SCRIPT = "import sys; from bot.slack.serve import serve; sys.exit(serve({port}))"
# The conversation is not the subject here: a stand-in keeps the process quick and the answer known.
STUBBED = """
import sys
import bot.slack.serve
from tests.slack.conftest import StubConversation
bot.slack.serve.conversation = lambda *_, **__: StubConversation()
sys.exit(bot.slack.serve.serve(0))
"""


def environment(tmp_path, **changed):
    values = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": ".",
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_BOT_TOKEN": TOKEN,
        "EC2_PICK_STATE": f"sqlite:///{tmp_path}/state.db",
        **changed,
    }
    return {name: value for name, value in values.items() if value is not None}


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"SLACK_SIGNING_SECRET": None}, "set SLACK_SIGNING_SECRET (api.slack.com/apps"),
        ({"SLACK_SIGNING_SECRET": ""}, "set SLACK_SIGNING_SECRET (api.slack.com/apps"),
        ({"SLACK_BOT_TOKEN": None}, "set SLACK_BOT_TOKEN (api.slack.com/apps"),
        ({"SLACK_API_URL": "nonsense"}, "SLACK_API_URL='nonsense' is not a web address"),
        ({"EC2_PICK_STATE": "mysql://x"}, "EC2_PICK_STATE='mysql://x' is not understood"),
        ({"EC2_PICK_STATE": "sqlite:////proc/no/x.db"}, "the state cannot be opened"),
    ],
)
def test_it_refuses_to_start_and_says_why(tmp_path, changed, said):
    run = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(port=0)],
        env=environment(tmp_path, **changed),
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )  # fmt: skip

    assert run.returncode == 2
    assert run.stderr.startswith("ec2-pick serve: ")
    assert said in run.stderr
    assert run.stderr.count("\n") == 1  # one sentence, no traceback
    assert SECRET not in run.stderr


@contextmanager
def serving(tmp_path, slack, **changed):
    env = environment(tmp_path, SLACK_API_URL=slack.api_url, **changed)
    process = subprocess.Popen(
        [sys.executable, "-c", STUBBED], env=env, stderr=subprocess.PIPE, text=True
    )
    try:
        for line in process.stderr:
            assert "WARNING" not in line
            if found := re.search(r"listening on http://127\.0\.0\.1:(\d+)/slack/events", line):
                break
        yield process, int(found[1])
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGINT])
def test_it_answers_and_ends_when_told_to(tmp_path, slack, sign):
    with serving(tmp_path, slack) as (process, port):
        assert Sender(port, time.time).command("7B").status == 200
        slack.wait_for("chat.postMessage")
        process.send_signal(sign)

        assert process.wait(timeout=30) == 0
        rest = process.stderr.read()
        assert TOKEN not in rest
        assert "WARNING" not in rest


def test_what_was_acknowledged_is_answered_after_a_crash(tmp_path, slack):
    """Both workers hang in a post, a third turn waits in the queue, the process is killed."""
    release = threading.Event()
    slack.script("chat.postMessage", *[Canned(hold=release, drop=True)] * WORKER_THREADS)
    with serving(tmp_path, slack) as (process, port):
        sender = Sender(port, time.time)
        for n in range(WORKER_THREADS):
            assert sender.event(mention(ts=f"{n}.1")).status == 200
        slack.wait_for("chat.postMessage", WORKER_THREADS)
        assert sender.event(mention(ts="9.1")).status == 200
        process.kill()
        process.wait(timeout=30)
    release.set()

    with serving(tmp_path, slack):
        calls = slack.wait_for("chat.postMessage", WORKER_THREADS + 1)
    assert calls[-1].body["thread_ts"] == "9.1"


def test_it_keeps_its_state_on_aws_when_told_to(tmp_path, slack, aws_url):
    name = f"serve-{time.time_ns()}"
    make_table(aws_url, name)
    _, jobs, dead_letters = make_queue(aws_url, name)
    on_aws = {
        **aws_environment(aws_url),
        "EC2_PICK_STATE": f"dynamodb://{name}",
        "EC2_PICK_QUEUE_URL": jobs,
        "EC2_PICK_DEAD_LETTER_URL": dead_letters,
    }
    with serving(tmp_path, slack, **on_aws) as (process, port):
        for _ in range(2):
            assert Sender(port, time.time).event(mention(ts="7.1")).status == 200
        slack.wait_for("chat.postMessage")
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=30) == 0

    assert len(slack.posts) == 1


def test_what_changed_meanwhile_is_told_by_the_first_sweep(tmp_path, slack):
    database = Database(tmp_path / "state.db")
    watched = subscribed(seen_usd_per_hour=100.0, threshold_percent=10)
    add(SqliteItems(database), watched)
    database.close()
    for _ in range(2):  # a second start finds nothing new
        with serving(tmp_path, slack) as (process, _):
            slack.wait_for("chat.postMessage")
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=30) == 0

    (said,) = slack.posts
    assert said["text"].startswith("g6.xlarge in us-east-1 costs")
    assert (said["channel"], said["thread_ts"]) == (watched.place.channel, watched.place.thread_ts)
