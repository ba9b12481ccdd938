"""JSON calls to DynamoDB, SQS and SSM without an SDK.

boto3 with one client costs 340 to 460 ms of CPU to import and build, more than Slack's whole answer
may take on a cold 512 MB function; this costs what `http.client` costs.
"""

import csv
import http.client
import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from bot.aws.sigv4 import Credentials, signed
from bot.core.errors import AwsError

Json = dict[str, Any]

# Target prefix and JSON version of each service, from its public API model.
PROTOCOLS: Final = {
    "dynamodb": ("DynamoDB_20120810", "1.0"),
    "sqs": ("AmazonSQS", "1.0"),
    "ssm": ("AmazonSSM", "1.1"),
}
FIRST_WAIT_S = 0.05  # doubles with each try, with full jitter


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """How long one try may take and how many there are."""

    timeout_s: float = 5.0
    tries: int = 4


# The acknowledgement must be with Slack within three seconds, cold start included.
BEFORE_THE_ACKNOWLEDGEMENT: Final = Patience(timeout_s=1.0, tries=2)


class AwsClient:
    """Calls one service. Safe to share between threads: each keeps its own connection."""

    def __init__(
        self,
        service: str,
        environ: Mapping[str, str],
        patience: Patience = Patience(),
    ) -> None:
        """Take region, credentials and endpoint from the environment, as every SDK does.

        Raises:
            KeyError: the service is none of `PROTOCOLS`.
        """
        self._open: set[http.client.HTTPConnection] = set()
        self._service = service
        self._target, self._json_version = PROTOCOLS[service]
        self._region = region_of(environ)
        self._endpoint = urlsplit(_endpoint(service, self._region, environ))
        self._credentials = _credentials_source(environ)
        self._patience = patience
        self._mine = threading.local()

    def close(self) -> None:
        """Close every thread's connection; a later call opens another."""
        while self._open:
            self._open.pop().close()

    def __del__(self) -> None:
        self.close()

    def call(self, action: str, request: Json) -> Json:
        """Return the answer to one action.

        What failed on the way, was throttled or failed inside AWS is tried again, so an action may
        have happened twice: requests must be conditional or harmless to repeat.

        Raises:
            AwsError: AWS refused, or all tries failed.
        """
        body = json.dumps(request, separators=(",", ":")).encode()
        for attempt in range(1, self._patience.tries):
            try:
                return self._once(action, body)
            except AwsError as error:
                if not error.can_pass:
                    raise
            time.sleep(FIRST_WAIT_S * 2**attempt * os.urandom(1)[0] / 255)
        return self._once(action, body)

    def _once(self, action: str, body: bytes) -> Json:
        try:
            status, raw = self._posted(action, body)
        except (OSError, http.client.HTTPException) as error:
            self._disconnect()
            raise AwsError(action, 0, type(error).__name__, {}) from error
        try:
            answer: Json = json.loads(raw) if raw else {}
        except ValueError:
            answer = {}
        if status != http.client.OK:
            code = str(answer.get("__type") or f"HTTP {status}").rpartition("#")[2]
            raise AwsError(action, status, code, answer)
        return answer

    def _posted(self, action: str, body: bytes) -> tuple[int, bytes]:
        headers = {
            "content-type": f"application/x-amz-json-{self._json_version}",
            "host": self._endpoint.netloc,
            "x-amz-target": f"{self._target}.{action}",
        }
        scope = (self._region, self._service)
        sent = signed(headers, body, self._credentials(), scope=scope, now=time.time())
        connection = self._connection()
        connection.request("POST", "/", body, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()

    def _connection(self) -> http.client.HTTPConnection:
        """Return this thread's connection; it reconnects by itself where the other side closed."""
        connection: http.client.HTTPConnection | None = getattr(self._mine, "connection", None)
        if connection is None:
            secure = self._endpoint.scheme == "https"
            kind = http.client.HTTPSConnection if secure else http.client.HTTPConnection
            connection = kind(self._endpoint.netloc, timeout=self._patience.timeout_s)
            self._mine.connection = connection
        self._open.add(connection)
        return connection

    def _disconnect(self) -> None:
        """Forget the connection: what it would read next may belong to an earlier request."""
        connection = self._connection()
        connection.close()
        self._open.discard(connection)
        self._mine.connection = None


def region_of(environ: Mapping[str, str]) -> str:
    """Return the region of the environment; without one that in which most work runs."""
    said = environ.get("AWS_REGION") or environ.get("AWS_DEFAULT_REGION")
    return said or _usual_region()


def _usual_region() -> str:
    """Return the first of the usual regions from its file: the catalog is not loaded here."""
    path = Path(__file__).parents[2] / "catalog" / "data" / "regions.csv"
    with path.open(encoding="utf-8", newline="") as file:
        return next(row["code"] for row in csv.DictReader(file) if row["usual_rank"] == "1")


def _endpoint(service: str, region: str, environ: Mapping[str, str]) -> str:
    named = environ.get(f"AWS_ENDPOINT_URL_{service.upper()}") or environ.get("AWS_ENDPOINT_URL")
    suffix = "amazonaws.com.cn" if region.startswith("cn-") else "amazonaws.com"
    return named or f"https://{service}.{region}.{suffix}"


def _credentials_source(environ: Mapping[str, str]) -> Callable[[], Credentials]:
    """Return what gives the current credentials.

    On Lambda they are in the environment. Elsewhere boto3 finds them (profile, container, machine)
    and renews them.
    """
    if environ.get("AWS_ACCESS_KEY_ID"):
        fixed = Credentials(
            environ["AWS_ACCESS_KEY_ID"],
            environ.get("AWS_SECRET_ACCESS_KEY", ""),
            environ.get("AWS_SESSION_TOKEN") or None,
        )
        return lambda: fixed
    return _found_by_boto3()


def _found_by_boto3() -> Callable[[], Credentials]:
    import boto3

    found = boto3.Session().get_credentials()
    if found is None:
        raise AwsError("credentials", 0, "NoCredentialsFound", {})

    def current() -> Credentials:
        now = found.get_frozen_credentials()
        return Credentials(now.access_key, now.secret_key, now.token)

    return current
