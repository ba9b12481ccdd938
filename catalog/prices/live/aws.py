"""boto3 clients for the live sources, and AWS's faults in words a person can act on."""

import threading
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from catalog.facts.schema import Endpoint

# Two tries within the second and a half that an answer may wait; adaptive mode slows down by itself
# once AWS throttles.
CONNECT_TIMEOUT_S: Final = 0.6
READ_TIMEOUT_S: Final = 1.2
TRIES: Final = 3
MOST_PAGES: Final = 40

# AWS's code, or the class of botocore's error -> why, in a few words.
WORDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        ("Throttling", "ThrottlingException", "RequestLimitExceeded", "TooManyRequestsException"),
        "AWS throttles the account",
    ),
    **dict.fromkeys(
        ("AccessDenied", "AccessDeniedException", "UnauthorizedOperation"),
        "access denied: the role needs {action}, in this region",
    ),
    **dict.fromkeys(
        (
            "AuthFailure",
            "ExpiredToken",
            "ExpiredTokenException",
            "InvalidClientTokenId",
            "InvalidSignatureException",
            "UnrecognizedClientException",
        ),
        "AWS refused the credentials ({code})",
    ),
    **dict.fromkeys(("NoCredentialsError", "PartialCredentialsError"), "no AWS credentials"),
    **dict.fromkeys(
        ("ConnectTimeoutError", "ReadTimeoutError", "TimeoutError"),
        "{service} did not answer in time",
    ),
    **dict.fromkeys(
        ("EndpointConnectionError", "ConnectionClosedError"), "{service} cannot be reached"
    ),
}


class Clients:
    """boto3 clients, each made once. Making one is not thread-safe; using one is."""

    def __init__(
        self, endpoints: Mapping[str, Endpoint], pricing_region: str | None = None
    ) -> None:
        """Take the catalog's endpoints and the region whose price list is asked, unsaid the first.

        A policy may forbid the others.

        Raises:
            ValueError: when the price list has no endpoint there.
        """
        priced = endpoints["pricing"].regions
        if pricing_region is not None and pricing_region not in priced:
            raise ValueError(
                f"the price list has no endpoint in {pricing_region!r}: "
                f"choose one of {', '.join(priced)}"
            )
        self._endpoints = endpoints
        self._pricing_region = pricing_region or priced[0]
        self._lock = threading.Lock()
        self._session: Any = None
        self._made: dict[tuple[str, str], Any] = {}

    def pricing(self, region: str) -> Any:  # noqa: ANN401 - boto3 is untyped
        """Return the price-list client for prices of a region."""
        apart = self._endpoints.get(f"pricing-{region.partition('-')[0]}")  # pricing-cn
        home = self._pricing_region if apart is None else apart.regions[0]
        return self.client("pricing", home)

    def savings_plans(self) -> Any:  # noqa: ANN401 - boto3 is untyped
        """Return the Savings Plans client."""
        return self.client("savingsplans", self._endpoints["savingsplans"].regions[0])

    def client(self, service: str, region: str) -> Any:  # noqa: ANN401 - boto3 is untyped
        """Return the client of a service in a region.

        Raises:
            BotoCoreError: when boto3's own settings make no client.
        """
        import boto3
        from botocore.config import Config

        with self._lock:
            if self._session is None:
                self._session = boto3.Session()
            if (service, region) not in self._made:
                settings = Config(
                    connect_timeout=CONNECT_TIMEOUT_S,
                    read_timeout=READ_TIMEOUT_S,
                    retries={"mode": "adaptive", "total_max_attempts": TRIES},
                )
                made = self._session.client(service, region_name=region, config=settings)
                self._made[service, region] = made
            return self._made[service, region]


def aws_errors() -> tuple[type[Exception], ...]:
    """Return what a boto3 call raises for a fault of AWS, the network or the settings."""
    from botocore.exceptions import BotoCoreError, ClientError

    return (BotoCoreError, ClientError)


def error_code(error: Exception) -> str:
    """Return AWS's code of an error; the class name where AWS did not answer."""
    response = getattr(error, "response", None) or {}
    code = str(response.get("Error", {}).get("Code", "")) or type(error).__name__
    return code.rpartition("#")[2]


def why(error: Exception, action: str) -> str:
    """Return in a few words why a call failed; `action` is the IAM action it needs."""
    code = error_code(error)
    words = WORDS.get(code, "{service} answered {code}")
    return words.format(action=action, code=code[:60], service=action.partition(":")[0])


def pages(
    call: Callable[..., Mapping[str, Any]],
    asked: Mapping[str, Any],
    *,
    marker: str = "NextToken",
    most: int = MOST_PAGES,
) -> Iterator[Mapping[str, Any]]:
    """Yield the answers to a call, page by page, `most` of them at most.

    A page may be empty and still not be the last.
    """
    more: dict[str, str] = {}
    for _ in range(most):
        answer = call(**asked, **more)
        yield answer
        if not answer.get(marker):
            return
        more = {marker: answer[marker]}
