"""Puts a load on a server and counts what comes of it."""

import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.slack_load.crowd import Crowd
from benchmarks.slack_load.load import Load
from benchmarks.slack_load.report import Report
from benchmarks.slack_load.server import serving
from bot.slack.talk.talk import APOLOGY
from tests.slack.fake_slack import FakeSlack

LOOK_S = 0.05  # how often the queue is looked at while it drains
APOLOGISES = APOLOGY.partition("(")[0]


def measure(load: Load, command: Sequence[str] = (sys.executable, "-m", "bot", "serve")) -> Report:
    """Put the load on a `serve` of its own and return what came of it."""
    with (
        tempfile.TemporaryDirectory(prefix="ec2-pick-load-") as folder,
        FakeSlack() as slack,
        serving((*command, "--port", "0"), Path(folder) / "state.db", slack.api_url) as port,
        closing(sqlite3.connect(f"file:{folder}/state.db?mode=ro", uri=True)) as state,
    ):
        crowd = Crowd(load, port)
        crowd.run()
        waiting = _jobs(state)
        began = time.monotonic()
        left = _drained(state, began + load.drain_s)
        return Report(
            load=load,
            delivered=tuple(crowd.delivered),
            answers=_answers(slack),
            waiting=waiting,
            left=left,
            drained_s=time.monotonic() - began,
        )


def _answers(slack: FakeSlack) -> Counter[str]:
    """Count the answers by channel; an apology is none."""
    posts = [post for post in slack.posts if not post["text"].startswith(APOLOGISES)]
    return Counter(post["channel"] for post in posts)


def _drained(state: sqlite3.Connection, deadline: float) -> int:
    """Wait until the queue is empty, or for the deadline; return how many jobs are left."""
    while (left := _jobs(state)) and time.monotonic() < deadline:
        time.sleep(LOOK_S)
    return left


def _jobs(state: sqlite3.Connection) -> int:
    """Return how many jobs wait or are worked on: one leaves when its answer is posted."""
    return int(state.execute("SELECT count(*) FROM jobs").fetchone()[0])
