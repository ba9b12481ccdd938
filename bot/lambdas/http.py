"""What API Gateway hands over and takes back: HTTP API (payload 2.0) and REST API (1.0)."""

import base64
import binascii
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Event = dict[str, Any]

VERSION_2 = "2.0"
DEFAULT_STAGE = "$default"


@dataclass(frozen=True, slots=True)
class Request:
    """An HTTP request. `body` is the bytes that were sent; None where they cannot be told."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes | None


def request_of(event: Event) -> Request:
    """Return the request in an event.

    Raises:
        ValueError: the event is not an HTTP request: the function is wired to something else.
    """
    http = event.get("requestContext", {}).get("http")
    if isinstance(http, dict):
        return _version_2(event, http)
    if "httpMethod" in event:
        return _version_1(event)
    raise ValueError("the event is not an HTTP request of API Gateway")


def _version_2(event: Event, http: Event) -> Request:
    headers = _lowered(event.get("headers"))
    if event.get("cookies"):
        headers["cookie"] = "; ".join(event["cookies"])
    path, stage = str(event.get("rawPath", "")), event["requestContext"].get("stage")
    if stage and stage != DEFAULT_STAGE:  # a stage of its own shows up in the path
        path = path.removeprefix(f"/{stage}")
    query = str(event.get("rawQueryString") or "")
    return Request(str(http.get("method")), path, query, headers, _event_body(event))


def _version_1(event: Event) -> Request:
    from urllib.parse import urlencode

    headers = _lowered(event.get("headers"))
    query = urlencode(event.get("multiValueQueryStringParameters") or {}, doseq=True)
    return Request(event["httpMethod"], str(event.get("path")), query, headers, _event_body(event))


def _lowered(headers: Mapping[str, Any] | None) -> dict[str, str]:
    return {name.lower(): str(value) for name, value in (headers or {}).items()}


def _event_body(event: Event) -> bytes | None:
    """Return the raw bytes: forms arrive in base64, JSON as text."""
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return str(body).encode("utf-8", "surrogatepass")
    try:
        return base64.b64decode(body, validate=True)
    except (binascii.Error, ValueError):
        return None


def result_of(
    event: Event, status: int, headers: Mapping[str, Sequence[str]], body: str
) -> dict[str, Any]:
    """Return the answer in the form that the event's API understands."""
    result: dict[str, Any] = {"statusCode": status, "body": body, "isBase64Encoded": False}
    if event.get("version") != VERSION_2:
        return {**result, "multiValueHeaders": {name: list(v) for name, v in headers.items()}}
    result["headers"] = {n: ",".join(v) for n, v in headers.items() if n.lower() != "set-cookie"}
    cookies = [one for n, v in headers.items() if n.lower() == "set-cookie" for one in v]
    return {**result, "cookies": cookies} if cookies else result
