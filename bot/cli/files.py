"""`--manifest KIND`: the files of an answer, all of them, printed or written to a folder.

Files never say less than the card: what was not understood and what the named machine lacks stand
in their first lines and on stderr. A machine that was named and does not do is never replaced.
"""

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from bot.core.manifest import Manifest, ManifestError, ManifestKind, marked_files, split_command
from bot.core.render import yaml_comment
from bot.manifests.made import made_manifest

if TYPE_CHECKING:
    from bot.answers.reply import Reply
    from bot.answers.world import World
    from engine.core.result import Recommendation

AT_FAULT, NOTHING_FITS = 2, 3


def print_files(reply: "Reply", world: "World", kind: ManifestKind, folder: str | None) -> int:
    """Print the files of a kind, or write them to a folder; return the exit code.

    Only files go to stdout, so that it can be piped; all else goes to stderr.
    """
    result, made = reply.recommendation, reply.manifest
    if made is None or made.kind != kind:
        if result is None or not result.picks or (kind == "migration" and made is None):
            return _refused(f"nothing to deploy. {reply.text}", AT_FAULT + (result is not None))
        try:
            made = made or made_manifest(kind, result, world.catalog)
        except ManifestError as error:
            return _refused(str(error), AT_FAULT)
    unlike = "" if result is None else unlike_the_named(result)
    if unlike:
        return _refused(f"{unlike} {getattr(reply.view, 'asked', '')}", NOTHING_FITS)
    said = tuple(_said_first(reply))
    for line in said:
        sys.stderr.write(f"ec2-pick: {line}\n")
    head = "".join(f"# {yaml_comment(line)}\n" for line in said)
    made = replace(made, yaml_text=head + made.yaml_text)
    return _written_to(Path(folder), made) if folder else _print_all(made, reply.exit_code)


def unlike_the_named(result: "Recommendation") -> str:
    """Return why no file is written: its machine would be another than was named; else nothing."""
    said, pick = result.said, result.asked or result.picks[0]
    if said.instance and result.asked is None:
        return f"{said.instance} does not do, so no file is written for another type in its place."
    verdict = result.verdict
    if said.gpu_count and verdict is not None and verdict.answer == "no":
        return f"No file is written for another machine than {verdict.subject}."
    if said.nodes and pick.instances != said.nodes:
        machines = f"{said.nodes} x {pick.instance.instance_type}"
        return (
            f"{machines} cannot be planned: it takes {pick.instances}. No file is written for "
            "another number; leave the number out, or name another type."
        )
    return ""


def _said_first(reply: "Reply") -> Iterator[str]:
    """Yield what the card says and a file would not: words left over, what the type lacks."""
    view, result = reply.view, reply.recommendation
    yield from getattr(view, "not_understood", ())
    verdict = None if result is None else result.verdict
    if verdict is not None and not verdict.holds and result is not None and result.said.instance:
        yield f"{result.said.instance} as it was asked for: {verdict.text}"


def _print_all(manifest: Manifest, code: int) -> int:
    """Print a file, or several with a mark before each."""
    if manifest.kind == "everything" or not manifest.extras:
        sys.stdout.write(manifest.yaml_text)
        return code
    several = f"several files: --out FOLDER writes them; or {split_command('FILE')}"
    sys.stdout.write(f"# {several}. Each is applied by itself.\n{marked_files(manifest.files)}")
    return code


def _written_to(folder: Path, manifest: Manifest) -> int:
    """Write each file; say on stderr where it is, or why there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in manifest.files:
            (folder / name).write_text(text, encoding="utf-8")
            sys.stderr.write(f"{folder / name}\n")
    except OSError as error:
        return _refused(f"no files in {folder}: {error.strerror}", AT_FAULT)
    return 0


def _refused(why: str, code: int) -> int:
    sys.stderr.write(f"ec2-pick: {why.strip()}\n")
    return code
