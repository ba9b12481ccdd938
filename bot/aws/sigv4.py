"""AWS Signature Version 4 for a POST of JSON to the root path.

https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv.html; a test holds it against
botocore's own signer.
"""

import hashlib
import hmac
import time
from collections.abc import Mapping
from dataclasses import dataclass, field

ALGORITHM = "AWS4-HMAC-SHA256"


@dataclass(frozen=True, slots=True)
class Credentials:
    """Who is calling. `session_token` belongs to credentials of a role."""

    access_key: str
    secret_key: str = field(repr=False)
    session_token: str | None = field(default=None, repr=False)


def signed(
    headers: Mapping[str, str],
    body: bytes,
    credentials: Credentials,
    *,
    scope: tuple[str, str],
    now: float,
) -> dict[str, str]:
    """Return the headers with the date, the session token and the signature added.

    `headers` have lower-case names and hold the host; `scope` is region and service; `now` is in
    seconds since the epoch.
    """
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    sent = {**headers, "x-amz-date": stamp}
    if credentials.session_token:
        sent["x-amz-security-token"] = credentials.session_token
    names = ";".join(sorted(sent))
    lines = "".join(f"{name}:{sent[name].strip()}\n" for name in sorted(sent))
    request = "\n".join(("POST", "/", "", lines, names, hashlib.sha256(body).hexdigest()))
    where = f"{stamp[:8]}/{scope[0]}/{scope[1]}/aws4_request"
    digest = hashlib.sha256(request.encode()).hexdigest()
    key = _signing_key(credentials.secret_key, stamp[:8], *scope)
    signature = _hmac(key, f"{ALGORITHM}\n{stamp}\n{where}\n{digest}").hex()
    sent["authorization"] = (
        f"{ALGORITHM} Credential={credentials.access_key}/{where}, "
        f"SignedHeaders={names}, Signature={signature}"
    )
    return sent


def _signing_key(secret: str, day: str, region: str, service: str) -> bytes:
    """Return the key derived for one day, region and service."""
    key = f"AWS4{secret}".encode()
    for part in (day, region, service, "aws4_request"):
        key = _hmac(key, part)
    return key


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.new(key, text.encode(), hashlib.sha256).digest()
