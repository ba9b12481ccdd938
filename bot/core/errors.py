"""Errors a person caused and can mend (each becomes one clear reply), and what AWS refused."""

from typing import Any, Final, Literal

Code = Literal[
    "empty",
    "not_understood",
    "too_long",
    "invalid_value",
    "out_of_range",
    "unknown_model",
    "unknown_instance",
    "unknown_region",
    "context_exceeds_model",
    "no_context",
    "conflict",
]


# https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Programming.Errors.html and the
# common errors of SQS: refused for now, whatever the status.
THROTTLED: Final = frozenset(
    {
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "ThrottlingException",
        "TransactionInProgressException",
    }
)
SERVER_ERROR: Final = 500


class RequestError(ValueError):
    """A request that cannot be answered as it stands (exit code 2).

    `words` are the words at fault as typed; `field` is the workload field, or None; `example` is a
    request of the same kind that works; `suggestions` are the nearest valid values; `questions` are
    what the text may have asked, in words that ask it.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        field: str | None = None,
        words: str = "",
        example: str = "",
        suggestions: tuple[str, ...] = (),
        questions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(message)
        self.code: Code = code
        self.message = message
        self.field = field
        self.words = words
        self.example = example
        self.suggestions = suggestions
        self.questions = questions


class AwsError(Exception):
    """A call that AWS refused, or that never got an answer (status 0).

    `code` is AWS's word for why, `body` its whole answer.
    """

    def __init__(self, action: str, status: int, code: str, body: dict[str, Any]) -> None:
        super().__init__(f"{action}: {code} ({status})")
        self.status = status
        self.code = code
        self.body = body

    @property
    def can_pass(self) -> bool:
        """Whether the same call may well work a little later."""
        return self.status == 0 or self.status >= SERVER_ERROR or self.code in THROTTLED


class StateAwayError(Exception):
    """The state cannot be read or written just now: locked, its disk full, the file unreachable."""


def passes(error: BaseException) -> bool:
    """Return whether a failure of the state is one that a later try can mend."""
    return isinstance(error, StateAwayError) or (isinstance(error, AwsError) and error.can_pass)
