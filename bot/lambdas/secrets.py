"""Secrets from SSM, kept for some minutes: a rotated one is taken up without a deployment."""

import logging
import time
from collections.abc import Callable

from bot.core.errors import AwsError
from bot.store.dynamodb import Client

KEPT_S = 300.0
SIGNING_SECRET = "slack-signing-secret"  # noqa: S105 - names of parameters, not secrets
BOT_TOKEN = "slack-bot-token"  # noqa: S105
CLIENT_ID = "slack-client-id"
CLIENT_SECRET = "slack-client-secret"  # noqa: S105

logger = logging.getLogger(__name__)


class MissingSecretError(LookupError):
    """A parameter that the function cannot do without is not there."""


class Secrets:
    """SecureString parameters under one path."""

    def __init__(
        self, client: Client, path: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._path = path
        self._clock = clock
        self._known: dict[str, tuple[str | None, float]] = {}

    def needed(self, name: str) -> str:
        """Return a secret.

        Raises:
            MissingSecretError: there is none, and the message says which parameter to make.
        """
        value = self.optional(name)
        if not value:
            raise MissingSecretError(f"make the SSM SecureString {self._path}{name}")
        return value

    def optional(self, name: str) -> str | None:
        """Return a secret, or None where none was made. One seen before outlives SSM failing."""
        value, until = self._known.get(name, (None, float("-inf")))
        if self._clock() < until:
            return value
        try:
            value = self._read(name)
        except AwsError as error:
            if value is None:
                raise
            logger.warning("the secret %s is not renewed: %s", name, error)
        self._known[name] = (value, self._clock() + KEPT_S)
        return value

    def values(self) -> tuple[str, ...]:
        """Return the secrets in memory, for the log to leave them out."""
        return tuple(value for value, _ in self._known.values() if value)

    def _read(self, name: str) -> str | None:
        request = {"Names": [f"{self._path}{name}"], "WithDecryption": True}
        found = self._client.call("GetParameters", request).get("Parameters") or []
        return str(found[0]["Value"]).strip() if found else None
