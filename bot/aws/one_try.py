"""A boto3 client for calls that somebody waits for: one try each, and not for long."""

import threading
from typing import Any


class OneTryClient:
    """One service's client, made when it is first called. Safe to share between threads."""

    def __init__(
        self, service: str, region: str | None, *, connect_timeout_s: float, read_timeout_s: float
    ) -> None:
        """Take boto3's name of a service, and the region to ask in; None for boto3's own."""
        self._service = service
        self._region = region
        self._timeouts = {"connect_timeout": connect_timeout_s, "read_timeout": read_timeout_s}
        self._lock = threading.Lock()
        self._made: Any = None

    def __call__(self) -> Any:  # noqa: ANN401 - boto3 is untyped
        """Return the client.

        Raises:
            BotoCoreError: when boto3's own settings make no client.
        """
        import boto3
        from botocore.config import Config

        with self._lock:
            if self._made is None:
                once = {"mode": "standard", "total_max_attempts": 1}
                settings = Config(**self._timeouts, retries=once)
                self._made = boto3.Session().client(
                    self._service, region_name=self._region, config=settings
                )
            return self._made
