"""Files in Slack, in three steps: a place for each, its bytes, then the message that shows them."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.slack.door import response_url
from bot.slack.posting.post import (
    TIMEOUT_S,
    NotDeliveredError,
    RateLimitedError,
    SlackUnavailableError,
    called,
)

if TYPE_CHECKING:
    from slack_sdk import WebClient

    from bot.slack.door.tokens import BotTokens
    from bot.store.store import ThreadKey

logger = logging.getLogger(__name__)

FILES_HOST: Final = "files.slack.com"
MAX_ALT_TEXT: Final = 1000
REFUSALS: Final = (NotDeliveredError, RateLimitedError, SlackUnavailableError, OSError)


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file to show; `alt_text` says in words what a picture shows."""

    file_name: str
    content: bytes
    alt_text: str = ""
    snippet_type: str | None = None


Uploaded = list[dict[str, str | None]]  # id and title, as Slack wants them named


@dataclass(frozen=True, slots=True)
class Files:
    """Uploads files as the bot. Without the scope for it, answers hold their text as before."""

    client: "WebClient"
    api_url: str
    tokens: "BotTokens"

    def uploaded(self, team: str, uploads: Sequence[AttachedFile]) -> Uploaded:
        """Return the files where Slack has all of them, else none. Nobody sees them yet."""
        token = self.tokens.of(team)
        if token is None:
            return []
        try:
            return [self._uploaded(token, upload) for upload in uploads]
        except REFUSALS as error:
            logger.info("files are left out: %s", _reason(error))
            return []

    def shown(self, thread: "ThreadKey", files: Uploaded) -> bool:
        """Show the files in a thread; return whether Slack took it on."""
        try:
            called(
                lambda: self.client.files_completeUploadExternal(
                    token=self.tokens.of(thread.team),
                    files=files,
                    channel_id=thread.channel,
                    thread_ts=thread.ts,
                )
            )
        except REFUSALS as error:
            logger.warning("uploaded files are not shown: %s", _reason(error))
            return False
        return True

    def _uploaded(self, token: str, upload: AttachedFile) -> dict[str, str | None]:
        answer = called(
            lambda: self.client.files_getUploadURLExternal(
                token=token,
                filename=upload.file_name,
                length=len(upload.content),
                alt_txt=upload.alt_text[:MAX_ALT_TEXT] or None,
                snippet_type=upload.snippet_type,
            )
        )
        url = str(answer["upload_url"])
        if not response_url.is_allowed(url, self.api_url, FILES_HOST):
            raise NotDeliveredError(f"an upload to {urlsplit(url).hostname}")
        taken = response_url.send(url, upload.content, "application/octet-stream", TIMEOUT_S)
        if taken.status != HTTPStatus.OK:
            raise NotDeliveredError(f"the upload answered {taken.status}")
        return {"id": str(answer["file_id"]), "title": upload.file_name}


def _reason(error: Exception) -> str:
    """Return what may be logged: the text of an OSError may hold the address."""
    return type(error).__name__ if isinstance(error, OSError) else str(error)
