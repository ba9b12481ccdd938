"""The door: verify, claim once, hand on, acknowledge. Slack waits three seconds for all of it.

Imports next to nothing on purpose: on a cold start every import is waited for by Slack, and a test
holds that Bolt, pydantic, jinja2, boto3 and the engine stay outside.
"""

import hashlib
import hmac
import json
import logging
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from bot.core.names import OPENED
from bot.slack.door import payload as payloads
from bot.slack.door.payload import asks_for_form
from bot.store.store import DeliveryClaim, Job, Outbox, Payload, Store, ThreadKey

if TYPE_CHECKING:
    from bot.slack.form.place import Opener

EVENTS_PATH = "/slack/events"
HEALTH_PATH = "/healthz"
MAX_BODY_BYTES = 1 << 20  # Slack's own payloads stay far below
CLAIM_LEASE_S = 10.0  # a hand-over takes milliseconds; Slack's second retry comes after a minute
DOUBLE_CLICK_S = 5.0
# The two headers by which Bolt skips straight to a lazy listener are not under Slack's signature.
UNSIGNED_BOLT_HEADERS = "x-slack-bolt-"

COMMAND_ACKNOWLEDGEMENT = "On it: comparing EC2 instances for you…"
NOT_KEPT = "I cannot keep this now, as my memory does not answer. Please say it again in a minute."
FORM_NOT_OPENED = (
    "Slack did not open the form. Please try again, or type what you need: "
    "/ec2-pick inference 7B latency<100ms"
)

logger = logging.getLogger(__name__)

# Slack's own advice, and its SDK: five minutes both ways.
# https://docs.slack.dev/authentication/verifying-requests-from-slack/
WINDOW_S = 300
VERSION = "v0"
TIMESTAMP = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Response:
    """An HTTP answer."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenForm:
    """A form that is open: its view, what it was filled with, who opened it where."""

    view_id: str
    hash: str
    typed: dict[str, str]
    place: "Opener"


def json_response(status: int, value: object) -> Response:
    """Return `value` as a JSON answer."""
    headers = {"content-type": "application/json; charset=utf-8"}
    return Response(status, json.dumps(value).encode(), headers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingress:
    """Answers every HTTP request of the Slack app.

    `answer_at_once` serves the few interactions whose response is the answer, `open_form` opens a
    form while its trigger lives (None: Slack did not). `clock` gives seconds since the epoch.

    Raises:
        ValueError: the signing secret is empty (an empty key would let anybody sign).
    """

    signing_secret: str
    store: Store
    queue: Outbox
    answer_at_once: Callable[[Payload], Response]
    open_form: Callable[[Payload], OpenForm | None]
    clock: Callable[[], float] = time.time

    def __post_init__(self) -> None:
        if not self.signing_secret.strip():
            raise ValueError("the Slack signing secret is empty")

    def handle(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        """Return the answer to one request; `body` is the raw bytes that Slack signed.

        Never raises: a failure of ours is a 500, upon which Slack delivers an event again. What it
        never sends again, a command, is told in words that it must be said again.
        """
        try:
            return self._routed(method, path, headers, body)
        except Exception:
            logger.exception("a request to %s could not be handed on", path)
            return json_response(500, {"error": "not handed on, send it again"})

    def _kept_or_told(self, payload: Payload) -> Response:
        """Answer a verified payload; whoever typed a command hears that it cannot be kept now."""
        try:
            return self._delivered(payload)
        except Exception:
            if "command" not in payload:
                raise
            logger.exception("a command could not be kept")
            return json_response(200, {"response_type": "ephemeral", "text": NOT_KEPT})

    def _routed(self, method: str, path: str, headers: Mapping[str, str], body: bytes) -> Response:
        if path == HEALTH_PATH:
            return self._health()
        if path != EVENTS_PATH:
            return json_response(404, {"error": "no such path"})
        if method != "POST":
            return Response(405, headers={"allow": "POST"})
        if len(body) > MAX_BODY_BYTES:
            return json_response(413, {"error": "the body is larger than 1 MiB"})
        return self._slack(trusted_headers(headers), body)

    def _health(self) -> Response:
        """Answer 500 where the state cannot be read or written: both raise."""
        waits_s = self.queue.idle_s()
        self.store.claim(HEALTH_PATH, "health", 0.0)  # a lease that ends at once: a write each time
        return json_response(200, {"ok": True, "jobs_wait": waits_s is not None})

    def _slack(self, headers: Mapping[str, str], body: bytes) -> Response:
        if not is_signed(self.signing_secret, headers, body, self.clock()):
            self._warn_of_skew(headers, body)
            if _is_ssl_check(body):  # Slack trying our certificate: says nothing, gets nothing
                return Response(200)
            return json_response(401, {"error": "the request is not signed by Slack, or too old"})
        try:
            payload = payloads.parsed(body, headers.get("content-type", ""))
        except payloads.PayloadError as error:
            return json_response(400, {"error": str(error)})
        return self._kept_or_told(payload)

    def _warn_of_skew(self, headers: Mapping[str, str], body: bytes) -> None:
        """Log a clock that is off: a signature that is right but for its time is told by nobody."""
        timestamp = headers.get("x-slack-request-timestamp", "")
        if not TIMESTAMP.fullmatch(timestamp):
            return
        if is_signed(self.signing_secret, headers, body, float(timestamp)):
            off_s = self.clock() - int(timestamp)
            logger.error("a signed request is %+.0f s from our clock: is the clock right?", off_s)

    def _delivered(self, payload: Payload) -> Response:
        """Answer a verified payload by its kind."""
        kind = payload.get("type")
        if kind == "url_verification":
            return json_response(200, {"challenge": str(payload.get("challenge", ""))})
        if kind in payloads.ANSWERED_AT_ONCE:
            return self._answered(payload)
        job = payloads.job(payload, self._knows_thread)
        if job is None:
            return Response(200)
        return self._taken(job)

    def _taken(self, job: Job) -> Response:
        """Hand a job on, unless a form is asked for: that is opened here and now."""
        payload = job.body
        if asks_for_form(payload):
            return self._once(job.key, lambda: self._form_opened(job), Response(200))
        if self._is_second_click(payload):
            return Response(200)
        if "command" in payload:
            text = {"response_type": "ephemeral", "text": COMMAND_ACKNOWLEDGEMENT}
            return self._handed_on(job, json_response(200, text))
        return self._handed_on(job, Response(200))

    def _answered(self, payload: Payload) -> Response:
        """Answer what shows our answer; a form that nothing is wrong with is handed on."""
        answer = self.answer_at_once(payload)
        taken = payloads.taken_form(payload) if _is_accepted(answer) else None
        return answer if taken is None else self._handed_on(taken, answer)

    def _is_second_click(self, payload: Payload) -> bool:
        """Return whether the same button was clicked a moment ago: a double click is one wish."""
        key = payloads.click_key(payload)
        if key is None:
            return False
        # Never settled: once the lease has ended the button works again.
        return self.store.claim(key, os.urandom(16).hex(), DOUBLE_CLICK_S) is not DeliveryClaim.WON

    def _form_opened(self, job: Job) -> Response:
        """Open a form now, as its trigger lives for three seconds, and have its preview made."""
        opened = self.open_form(job.body)
        if opened is not None:
            group = payloads.view_group(job.body, opened.view_id)
            self.queue.send(replace(job, group=group, body={**job.body, OPENED: asdict(opened)}))
        elif "command" in job.body:
            return json_response(200, {"response_type": "ephemeral", "text": FORM_NOT_OPENED})
        else:
            self.queue.send(job)  # the worker has the means to say so
        return Response(200)

    def _handed_on(self, job: Job, acknowledgement: Response) -> Response:
        """Queue the job if this delivery is the first of its kind."""

        def send() -> Response:
            self.queue.send(job)
            return acknowledgement

        return self._once(job.key, send, acknowledgement)

    def _once(self, key: str, act: Callable[[], Response], again: Response) -> Response:
        """Return the answer of `act` to the first delivery of its kind, `again` to the others.

        Claim, act, settle: a crash before a job is sent leaves a claim whose lease ends before
        Slack's next try; one after it leaves the job, and the queue drops a second send of a key.
        """
        owner = os.urandom(16).hex()
        claim = self.store.claim(key, owner, CLAIM_LEASE_S)
        if (
            claim is DeliveryClaim.BUSY
        ):  # not ours to acknowledge: the other hand-over may still fail
            return json_response(503, {"error": "being handed on"})
        if claim is not DeliveryClaim.WON:
            return again
        answer = act()
        try:
            self.store.settle(key, owner)
        except Exception:  # it is handed on: the queue drops a second send of its key
            logger.warning("the claim %r could not be settled", key, exc_info=True)
        return answer

    def _knows_thread(self, thread: ThreadKey) -> bool:
        return self.store.get_thread(thread) is not None


def _is_accepted(answer: Response) -> bool:
    """Tell an answer that closes a form from one that says what is wrong with it."""
    return answer.status == 200 and b'"errors"' not in answer.body


def trusted_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers with lower-case names, without those that would steer Bolt."""
    lowered = {name.lower(): value for name, value in headers.items()}
    return {k: v for k, v in lowered.items() if not k.startswith(UNSIGNED_BOLT_HEADERS)}


def _is_ssl_check(body: bytes) -> bool:
    return body == b"ssl_check=1" or body.startswith(b"ssl_check=1&")


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the value Slack puts into `x-slack-signature` for this body."""
    base = f"{VERSION}:{timestamp}:".encode() + body
    return f"{VERSION}={hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()}"


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Return whether Slack signed these raw bytes within the window around `now` (epoch seconds).

    `headers` have lower-case names.
    """
    timestamp = headers.get("x-slack-request-timestamp", "")
    if not TIMESTAMP.fullmatch(timestamp) or abs(now - int(timestamp)) > WINDOW_S:
        return False
    claimed = headers.get("x-slack-signature", "")
    # As bytes: compare_digest refuses text outside ASCII with an exception.
    return hmac.compare_digest(signature(secret, timestamp, body).encode(), claimed.encode())
