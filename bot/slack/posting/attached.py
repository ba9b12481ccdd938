"""What goes with an answer as files: long manifests, and the pictures that were asked for."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from bot.slack.posting.files import AttachedFile
from bot.slack.posting.message import Message, file_line, with_note

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.cards.pictures.drawing import Draw
    from bot.core.manifest import Manifest

# More does not fit one code block, and nobody copies a file out of several.
LONG_CHARS: Final = 2_900


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
