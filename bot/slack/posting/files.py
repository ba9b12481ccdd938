"""What goes with an answer as files: long manifests, and the pictures that were asked for.

In Slack in three steps: a place for each, its bytes, then the message that shows them.
"""

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from bot.slack.door import response_url
from bot.slack.posting.message import Message, file_line, with_note
from bot.slack.posting.post import (
    TIMEOUT_S,
    NotDeliveredError,
    RateLimitedError,
    SlackUnavailableError,
    called,
)

if TYPE_CHECKING:
    from slack_sdk import WebClient

    from bot.answers.reply import Reply
    from bot.cards.pictures.drawing import Draw
    from bot.core.manifest import Manifest
    from bot.slack.door.tokens import BotTokens
    from bot.store.store import ThreadKey

logger = logging.getLogger(__name__)

FILES_HOST: Final = "files.slack.com"
MAX_ALT_TEXT: Final = 1000
REFUSALS: Final = (NotDeliveredError, RateLimitedError, SlackUnavailableError, OSError)

# More does not fit one code block, and nobody copies a file out of several.
LONG_CHARS: Final = 2_900


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachedFile:
    """A file to show; `alt_text` says in words what a picture shows."""

    file_name: str
    content: bytes
    alt_text: str = ""
    snippet_type: str | None = None


UploadedFiles = list[dict[str, str | None]]  # id and title, as Slack wants them named


@dataclass(frozen=True, slots=True)
class Files:
    """Uploads files as the bot. Without the scope for it, answers hold their text as before."""

    client: "WebClient"
    api_url: str
    tokens: "BotTokens"

    def uploaded(self, team: str, uploads: Sequence[AttachedFile]) -> UploadedFiles:
        """Return the files where Slack has all of them, else none. Nobody sees them yet."""
        token = self.tokens.of(team)
        if token is None:
            return []
        try:
            return [self._uploaded(token, upload) for upload in uploads]
        except REFUSALS as error:
            logger.info("files are left out: %s", _loggable_reason(error))
            return []

    def shown(self, thread: "ThreadKey", files: UploadedFiles) -> bool:
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
            logger.warning("uploaded files are not shown: %s", _loggable_reason(error))
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


def _loggable_reason(error: Exception) -> str:
    """Return what may be logged: the text of an OSError may hold the address."""
    return type(error).__name__ if isinstance(error, OSError) else str(error)


def uploads_of(reply: "Reply", draw: "Draw") -> tuple[AttachedFile, ...]:
    """Return the files of a reply; none for most. Its pictures are there where `draw` can draw."""
    return (*_manifest_files(reply.manifest), *_pictures(reply, draw))


def beside_files(reply: "Reply") -> Message:
    """Return the message that stands beside the files of the reply."""
    manifest = reply.manifest
    if manifest is None or not _is_long(manifest):
        return Message(reply.text, reply.blocks)
    from bot.cards.blocks import message

    shown = message(reply.view)
    named = f"The whole {manifest.kind} file: {_name_of(manifest)}"
    beside = Message(f"{_without_file(reply, manifest)}\n{named}", list(shown["blocks"]))
    return with_note(beside, file_line(named))


def _without_file(reply: "Reply", manifest: "Manifest") -> str:
    return reply.text.removesuffix(manifest.yaml_text).rstrip()


def _manifest_files(manifest: "Manifest | None") -> Iterator[AttachedFile]:
    if manifest is None:
        return
    files = [(_name_of(manifest), manifest.yaml_text)] if _is_long(manifest) else []
    for name, text in (*files, *manifest.extras):
        kind = "yaml" if name.endswith((".yaml", ".yml")) else None
        yield AttachedFile(file_name=name, content=text.encode(), snippet_type=kind)


def _is_long(manifest: "Manifest") -> bool:
    return len(manifest.yaml_text) > LONG_CHARS


def _name_of(manifest: "Manifest") -> str:
    return f"{manifest.kind}.{'tf' if manifest.kind == 'terraform' else 'yaml'}"


def _pictures(reply: "Reply", draw: "Draw") -> Iterator[AttachedFile]:
    if not reply.draws:
        return
    for picture, png in zip(reply.draws, draw(reply.draws), strict=False):
        yield AttachedFile(file_name=picture.file_name, content=png, alt_text=picture.alt_text)
