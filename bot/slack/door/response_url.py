"""Posting to a response_url: a capability Slack lends, so it only ever goes back to Slack."""

import ipaddress
import json
import re
import urllib.error
import urllib.request
from dataclasses import dataclass
from urllib.parse import urlsplit

from bot.store.store import Payload

SLACK_HOOKS_HOST = "hooks.slack.com"
ODD_CHARACTERS = re.compile(r"[\x00-\x20\\\x7f]")  # parsers disagree about a URL that holds one


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the hook said: 200 `ok`, or a status and a word such as `expired_url`."""

    status: int
    text: str
    retry_after: str | None = None


def is_allowed(url: str, api_url: str, slack_host: str = SLACK_HOOKS_HOST) -> bool:
    """Return whether `url` may be posted to.

    Its host is Slack's host for this or that of the Web API in use (`api_url`), over TLS; plain
    HTTP only where that host is this machine.
    """
    if ODD_CHARACTERS.search(url):
        return False
    try:
        parts = urlsplit(url)
        _ = parts.port  # raises where it is no number
    except ValueError:
        return False
    host = parts.hostname
    if host not in (slack_host, urlsplit(api_url).hostname) or "@" in parts.netloc:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def is_loopback(host: str | None) -> bool:
    """Return whether the host name or address is this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host or "").is_loopback
    except ValueError:
        return False


def post(url: str, message: Payload, timeout_s: float) -> HookAnswer:
    """Post the message to an allowed response_url and return what the hook said.

    Raises:
        OSError: no answer came (refused, dropped, timed out).
    """
    return send(url, json.dumps(message).encode(), "application/json; charset=utf-8", timeout_s)


def send(url: str, body: bytes, content_type: str, timeout_s: float) -> HookAnswer:
    """Post a body to an allowed address of Slack's and return what it said.

    Redirects are not followed: they could lead anywhere.

    Raises:
        OSError: no answer came (refused, dropped, timed out).
    """
    request = urllib.request.Request(  # noqa: S310 - is_allowed has seen the scheme
        url,
        data=body,
        headers={"content-type": content_type},
        method="POST",
    )
    try:
        with opener_for(url).open(request, timeout=timeout_s) as answer:
            return HookAnswer(answer.status, _word(answer.read(1000)))
    except urllib.error.HTTPError as error:
        with error:
            return HookAnswer(error.code, _word(error.read(1000)), error.headers.get("retry-after"))


def opener_for(url: str) -> urllib.request.OpenerDirector:
    """Return what opens `url` without following redirects, and on this machine without a proxy."""
    handlers: list[urllib.request.BaseHandler] = [_NoRedirect()]
    if is_loopback(urlsplit(url).hostname):
        handlers.append(urllib.request.ProxyHandler({}))
    return urllib.request.build_opener(*handlers)


def _word(body: bytes) -> str:
    return body.decode("utf-8", "replace").strip()


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        """Return no request, so that the redirect itself becomes the (failed) answer."""
