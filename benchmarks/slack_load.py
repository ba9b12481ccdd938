"""`make load`: many people asking at once; is every acknowledged command answered exactly once?

`ec2-pick serve` runs as a process of its own, over real HTTP and a SQLite file, against a fake
Slack that answers at once. The clients are closed loops: each sends a command, waits for the
acknowledgement, then thinks for `clients / rate` seconds on average (uniform between none and
twice that), so that together they offer `rate` commands a second and never more than one each.
The default, 200 clients and 20 commands a second for 30 s, is meant to be drained within a minute
of the last one on two cores, the clients' own work included: an answer costs some 30 ms of Python.

One command in twenty is delivered a second time, as Slack does when it missed the acknowledgement:
the same body, trigger id included, signed again at its own time. Half of these arrive while the
first is still being handed on, the others one second after its acknowledgement.

Exit code 1: an acknowledged command went without its answer or got two, or one was refused.
"""

import argparse
import http.client
import math
import os
import queue
import re
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from random import Random
from typing import IO

from bot.slack.ingress import EVENTS_PATH
from bot.slack.talk import APOLOGY
from tests.slack.fake_slack import TOKEN, FakeSlack
from tests.slack.sender import SECRET, Sender

ROOT = Path(__file__).parents[1]
TEXTS = (
    "inference 7B latency<100ms",
    "inference 70B fp8 batch",
    "fine-tune 13B with LoRA in Frankfurt",
    "train 7B on 300B tokens in 14 days",
    "cheapest GPU for whisper on spot",
)
START_S = 30.0
STOP_S = 40.0  # serve itself gives answers under way 30 s
RETRY_S = 1.0  # a late double: by then the answer is out and the queue has forgotten the job
TIMEOUT_S = 10.0  # an acknowledgement; Slack gives up after three
LOOK_S = 0.05  # how often the queue is looked at while it drains
OK, HELD_OFF, NO_ANSWER = 200, 503, 0  # held off: its double is being handed on
QUIET = (" INFO ", " WARNING waitress.queue: ")
APOLOGISES = APOLOGY.partition("(")[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What is offered; `drain_s` bounds the wait for the last answer."""

    clients: int = 200
    seconds: float = 30.0
    rate: float = 20.0
    retry_share: float = 0.05
    drain_s: float = 60.0

    @property
    def think_s(self) -> float:
        """Return the mean pause of a client between two commands."""
        return self.clients / self.rate


@dataclass(frozen=True, slots=True)
class Delivered:
    """One request and what came of it."""

    command: str
    retry: bool
    status: int
    ms: float


class Delivery:
    """One signed request on a connection of its own, sent when made and read by `end`."""

    def __init__(
        self, sender: Sender, port: int, command: str, body: bytes, *, retry: bool
    ) -> None:
        """Send it; a connection that fails is reported by `end`."""
        self._command, self._retry = command, retry
        headers = {"Content-Type": "application/x-www-form-urlencoded", **sender.signed(body)}
        if retry:
            headers |= {"X-Slack-Retry-Num": "1", "X-Slack-Retry-Reason": "http_timeout"}
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_S)
        self._began = time.perf_counter()
        self._sent = _succeeds(lambda: self._connection.request("POST", EVENTS_PATH, body, headers))

    def end(self) -> Delivered:
        """Wait for the answer and return it."""
        status = self._status() if self._sent else NO_ANSWER
        ms = 1000 * (time.perf_counter() - self._began)
        return Delivered(self._command, self._retry, status, ms)

    def _status(self) -> int:
        with closing(self._connection):
            try:
                answer = self._connection.getresponse()
                answer.read()
            except (OSError, http.client.HTTPException):
                return NO_ANSWER
            return answer.status


def _succeeds(send: Callable[[], None]) -> bool:
    try:
        send()
    except (OSError, http.client.HTTPException):
        return False
    return True


class Crowd:
    """The clients: threads that send commands and note what came of them."""

    def __init__(self, load: Load, port: int) -> None:
        """Make the threads; `run` starts them."""
        self.delivered: list[Delivered] = []
        self._load = load
        self._port = port
        self._sender = Sender(port, time.time)
        self._numbers = count()
        self._retries = count()

    def run(self) -> None:
        """Send for the time of the load; return when every client has its last answer."""
        end = time.monotonic() + self._load.seconds
        clients = [
            threading.Thread(target=self._client, args=(Random(n), end), daemon=True)  # noqa: S311
            for n in range(self._load.clients)
        ]
        for client in clients:
            client.start()
        for client in clients:
            client.join()

    def _client(self, chance: Random, end: float) -> None:
        think_s = self._load.think_s
        pause_s = chance.uniform(0, think_s)  # they do not all begin together
        while time.monotonic() + pause_s < end:
            time.sleep(pause_s)
            self._command()
            pause_s = chance.uniform(0, 2 * think_s)

    def _command(self) -> None:
        """Send one command, in a channel of its own: the answer is known by it."""
        number = next(self._numbers)
        channel = f"C{number:06d}"
        body, _ = self._sender.command_request(TEXTS[number % len(TEXTS)], channel_id=channel)
        first = self._delivery(channel, body)
        if not self._retried(number):
            self.delivered.append(first.end())
        elif next(self._retries) % 2:
            second = self._delivery(channel, body, retry=True)
            self.delivered += [first.end(), second.end()]
        else:
            self.delivered.append(first.end())
            time.sleep(RETRY_S)
            self.delivered.append(self._delivery(channel, body, retry=True).end())

    def _retried(self, number: int) -> bool:
        """Tell whether this command is one of the evenly spread share that is sent twice."""
        share = self._load.retry_share
        return int((number + 1) * share) > int(number * share)

    def _delivery(self, channel: str, body: bytes, *, retry: bool = False) -> Delivery:
        return Delivery(self._sender, self._port, channel, body, retry=retry)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of a load. `answers` counts the answers of each command."""

    load: Load
    delivered: tuple[Delivered, ...]
    answers: Counter[str]
    waiting: int  # jobs in the queue when the last client stopped
    left: int  # and when the wait for it ended
    drained_s: float

    @property
    def commands(self) -> int:
        """Return how many different commands were sent."""
        return sum(not one.retry for one in self.delivered)

    @property
    def retries(self) -> int:
        """Return how many requests were doubles."""
        return sum(one.retry for one in self.delivered)

    @property
    def acknowledged(self) -> frozenset[str]:
        """Return the commands that Slack would take as received."""
        return frozenset(one.command for one in self.delivered if one.status == OK)

    @property
    def held_off(self) -> int:
        """Return how many requests came while their double was still being handed on."""
        return sum(one.status == HELD_OFF for one in self.delivered)

    @property
    def unacknowledged(self) -> int:
        """Return how many commands were refused or not responded to."""
        return self.commands - len(self.acknowledged)

    @property
    def ack_ms(self) -> list[float]:
        """Return the times of all acknowledgements, shortest first."""
        return sorted(one.ms for one in self.delivered if one.status == OK)

    @property
    def lost(self) -> int:
        """Return how many acknowledged commands have no answer."""
        return sum(not self.answers[command] for command in self.acknowledged)

    @property
    def doubled(self) -> int:
        """Return how many commands have more than one answer."""
        return sum(answers > 1 for answers in self.answers.values())

    @property
    def good(self) -> bool:
        """Return whether every command was acknowledged and answered once."""
        return bool(self.delivered) and not (self.lost or self.doubled or self.unacknowledged)

    def lines(self) -> Iterator[str]:
        """Give the report, a line at a time."""
        load, ms = self.load, self.ack_ms
        yield (
            f"offered       {load.clients} clients × 1 command / {load.think_s:g} s"
            f" = {load.rate:g} commands/s for {load.seconds:g} s"
        )
        yield (
            f"requests      {len(self.delivered)}"
            f" ({self.commands} commands, {self.retries} retries)"
        )
        yield f"acknowledged  {len(ms)} ({len(ms) / load.seconds:.1f}/s), {self.held_off} held off"
        yield (
            f"ack           p50 {quantile(ms, 0.5):.0f} ms, p99 {quantile(ms, 0.99):.0f} ms,"
            f" max {quantile(ms, 1):.0f} ms (Slack waits 3000)"
        )
        yield (
            f"queue         {self.waiting} waiting at the end, {self.left} left after"
            f" {self.drained_s:.1f} s (bound {load.drain_s:g})"
        )
        yield f"answers       {self.answers.total()} posted"
        yield (
            f"lost {self.lost}, doubled {self.doubled}, unacknowledged {self.unacknowledged}"
            f"{'' if self.good else '  FAILED'}"
        )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the nearest-rank quantile; NaN where there is nothing."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan


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


@contextmanager
def serving(command: Sequence[str], state: Path, api_url: str) -> Iterator[int]:
    """Run `ec2-pick serve` and give its port; without credentials prices are the embedded ones."""
    environ = {
        "PATH": os.environ["PATH"],
        "SLACK_SIGNING_SECRET": SECRET,
        "SLACK_BOT_TOKEN": TOKEN,
        "SLACK_API_URL": api_url,
        "EC2_PICK_STATE": f"sqlite:///{state}",
    }
    with subprocess.Popen(command, env=environ, cwd=ROOT, stderr=subprocess.PIPE, text=True) as run:
        ports: queue.Queue[int | None] = queue.Queue()
        reader = threading.Thread(target=_read, args=(run.stderr, ports), daemon=True)
        reader.start()
        try:
            yield _port(ports)
        finally:
            _stopped(run)
            reader.join()


def _read(log: IO[str], ports: "queue.Queue[int | None]") -> None:
    """Pass the port on, and what is logged as a warning or worse to our own stderr.

    Not that a request waits for a thread: the acknowledgement's time has that in it.
    """
    for line in log:
        if found := re.search(r"listening on http://[\d.]+:(\d+)/", line):
            ports.put(int(found[1]))
        elif not any(quiet in line for quiet in QUIET):
            sys.stderr.write(line)
    ports.put(None)


def _port(ports: "queue.Queue[int | None]") -> int:
    """Wait for the port.

    Raises:
        RuntimeError: the process ended, or named none in time.
    """
    try:
        port = ports.get(timeout=START_S)
    except queue.Empty:
        port = None
    if port is None:
        raise RuntimeError("ec2-pick serve did not start")
    return port


def _stopped(run: "subprocess.Popen[str]") -> None:
    run.send_signal(signal.SIGTERM)
    try:
        run.wait(STOP_S)
    except subprocess.TimeoutExpired:
        run.kill()


def within(low: float, high: float) -> Callable[[str], float]:
    """Return a reader of numbers between two bounds, for argparse."""

    def number(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low:g} and {high:g}")
        return value

    return number


def load_of(argv: Sequence[str] | None = None) -> Load:
    """Return the load that the command line asks for."""
    usual = Load()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.slack_load")
    parser.add_argument("--clients", type=within(1, 500), default=usual.clients)
    parser.add_argument("--seconds", type=within(1, 300), default=usual.seconds)
    parser.add_argument("--rate", type=within(0.1, 200), default=usual.rate, help="commands/s")
    parser.add_argument("--retry-share", type=within(0, 1), default=usual.retry_share)
    parser.add_argument("--drain-s", type=within(1, 600), default=usual.drain_s)
    options = vars(parser.parse_args(argv))
    return Load(**{**options, "clients": int(options["clients"])})


def main() -> int:
    """Measure and print; 1 where a command was lost, doubled or refused."""
    report = measure(load_of())
    for line in report.lines():
        print(line)
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
