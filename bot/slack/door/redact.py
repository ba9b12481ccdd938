"""Keeping secrets out of logs: tokens, and URLs that are themselves a key."""

import logging
import re

MARK = "(redacted)"
# A response_url or a webhook, whatever host it is on: whoever has it can post.
HOOK = r"https?://[^\s\"'<>\\]+/(?:commands|actions|services|app|workflows)/[^\s\"'<>\\]*"
SECRETS = re.compile(rf"xox[a-z]-[\w.-]+|xapp-[\w-]+|{HOOK}", re.IGNORECASE)


def redacted(text: str, known: tuple[str, ...] = ()) -> str:
    """Return the text without Slack tokens, response_urls and the `known` secret values."""
    for secret in known:
        text = text.replace(secret, MARK)
    return SECRETS.sub(MARK, text)


class RedactingFormatter(logging.Formatter):
    """Formats a record, traceback included, and only then takes the secrets out."""

    def __init__(self, fmt: str, known: tuple[str, ...]) -> None:
        super().__init__(fmt)
        self._known = known

    def format(self, record: logging.LogRecord) -> str:
        """Return the redacted line."""
        return redacted(super().format(record), self._known)
