"""The clients: threads that send signed commands, some of them twice."""

import http.client
import threading
import time
from collections.abc import Callable
from contextlib import closing
from itertools import count
from random import Random

from benchmarks.slack_load.load import NO_ANSWER, Delivered, Load
from bot.slack.door.ingress import EVENTS_PATH
from tests.slack.sender import Sender

TEXTS = (
    "inference 7B latency<100ms",
    "inference 70B fp8 batch",
    "fine-tune 13B with LoRA in Frankfurt",
    "train 7B on 300B tokens in 14 days",
    "cheapest GPU for whisper on spot",
)
RETRY_S = 1.0  # a late double: by then the answer is out and the queue has forgotten the job
TIMEOUT_S = 10.0  # an acknowledgement; Slack gives up after three


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
