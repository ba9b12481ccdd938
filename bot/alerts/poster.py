"""What gets an alert to its reader, and how that can fail."""

from typing import Protocol

from bot.core.subscription import Place
from bot.store.alert_changes import Alert


class PosterError(Exception):
    """The alert is not known to have arrived."""


class RefusedError(PosterError):
    """It was not posted and will not be until somebody acts; the message says why."""


class BusyError(PosterError):
    """It was surely not posted: the other side asks to wait `retry_after_s` seconds."""

    def __init__(self, retry_after_s: float) -> None:
        super().__init__(f"asked to wait {retry_after_s:g} s")
        self.retry_after_s = retry_after_s


class UnsureError(PosterError):
    """No answer came: it may have been posted or not."""


class AlertDelivery(Protocol):
    """Posts alerts, each key once."""

    def post(
        self, place: Place, alerts: tuple[Alert, ...], key: str, *, tried_since: float | None = None
    ) -> None:
        """Post the alerts as one message, unless one with this key is there already.

        `tried_since` (seconds since the epoch) is when the first attempt began that may have
        posted; None where there was none, so that nothing need be looked for.

        Raises:
            RefusedError, BusyError, UnsureError: it did not, or may not have arrived.
        """
