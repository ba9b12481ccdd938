"""Proof that a request comes from Slack: an HMAC over the time and the raw body."""

import hashlib
import hmac
import re
from collections.abc import Mapping

# Slack's own advice, and its SDK: five minutes both ways.
# https://docs.slack.dev/authentication/verifying-requests-from-slack/
WINDOW_S = 300
VERSION = "v0"


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the value Slack puts into `x-slack-signature` for this body."""
    base = f"{VERSION}:{timestamp}:".encode() + body
    return f"{VERSION}={hmac.new(secret.encode(), base, hashlib.sha256).hexdigest()}"


def is_signed(secret: str, headers: Mapping[str, str], body: bytes, now: float) -> bool:
    """Return whether Slack signed these raw bytes within the window around `now` (epoch seconds).

    `headers` have lower-case names.
    """
    timestamp = headers.get("x-slack-request-timestamp", "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > WINDOW_S:
        return False
    claimed = headers.get("x-slack-signature", "")
    # As bytes: compare_digest refuses text outside ASCII with an exception.
    return hmac.compare_digest(signature(secret, timestamp, body).encode(), claimed.encode())
