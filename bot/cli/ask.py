"""`ec2-pick "inference 7B latency<100ms"`: one request, one card."""

import argparse
import shutil
import sys
from collections.abc import Sequence
from os import environ
from pathlib import Path
from typing import TYPE_CHECKING

from bot import __version__
from bot.answers.reply import Reply
from bot.answers.world import World
from bot.cli.files import print_files
from bot.cli.jsonl import fault_json, print_json
from bot.cli.live import live_arguments, live_exit_code, with_live
from bot.cli.place import terminal_world
from bot.cli.streams import wants_colour
from bot.conversation.conversation import answer
from bot.core.examples import example
from bot.manifests.made import MAKERS

if TYPE_CHECKING:
    from bot.cards.pictures.picture import Picture
    from bot.core.manifest import Manifest

NO_PLOTS = "ec2-pick: pictures need matplotlib: pip install 'ec2-pick[pictures]'\n"
MANIFEST_KINDS = (*MAKERS, "migration")


def arguments() -> argparse.ArgumentParser:
    """Return the parser of the answering command."""
    parser = argparse.ArgumentParser(
        prog="ec2-pick",
        description="Which EC2 instances should this model run on, at what cost, and how fast?",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog=example("terminal_help"),
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"ec2-pick {__version__}")
    parser.add_argument("request", nargs="*", help="what to run, in words")
    parser.add_argument("--json", action="store_true", help="print the answer as JSON")
    live_arguments(parser)
    parser.add_argument("--region", help="region to price in, where the request names none")
    parser.add_argument(
        "--model-config", metavar="FILE", help="config.json of a model the catalog does not know"
    )
    parser.add_argument("--top", type=int, default=3, help="how many picks to show (default 3)")
    parser.add_argument("--pictures", metavar="FOLDER", help="draw the answer's charts there too")
    parser.add_argument("--manifest", choices=MANIFEST_KINDS, help="print only its files")
    parser.add_argument("--out", metavar="FOLDER", help="write the files of --manifest there")
    return parser


def ask_command(argv: Sequence[str]) -> int:
    """Answer one request and return the exit code."""
    parser = arguments()
    options = parser.parse_args(argv)
    if options.out and not options.manifest:
        parser.error("--out writes the files of --manifest: say which")
    world, text = terminal_world(options.region), " ".join(options.request)
    if options.model_config:
        world, text = _with_config(world, text, options.model_config)
    world = with_live(world, options)
    if options.manifest == "migration":  # two sides of a move are read from the words alone
        text = f"{text} migration manifests"
    reply = answer(text, world, top=max(1, options.top))
    if options.manifest and reply.error is None:
        return print_files(reply, world, options.manifest, options.out)
    if options.json:
        print_json(reply_json(reply))
    else:
        print_reply(reply)
    if options.pictures:
        write_pictures(reply.pictures, Path(options.pictures))
    return reply.exit_code or live_exit_code(reply.prices_shown, options)


def _with_config(world: World, text: str, path: str) -> tuple[World, str]:
    """Return the world with the model of a config.json, and the request naming it."""
    from bot.answers.estimate.model_config import model_of_config, with_model

    model = model_of_config(path)
    return with_model(world, model), f"{text} model={model.id}".strip()


def write_pictures(pictures: Sequence["Picture"], folder: Path) -> None:
    """Write each chart of the answer as a PNG; say on stderr where it is or why there is none."""
    from bot.cards.pictures.draw import drawn

    if not pictures:
        sys.stderr.write("ec2-pick: this answer has nothing to draw\n")
    try:
        for picture in pictures:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / picture.file_name
            path.write_bytes(drawn(picture))
            sys.stderr.write(f"{path}: {picture.alt_text}\n")
    except ModuleNotFoundError:
        sys.stderr.write(NO_PLOTS)
    except OSError as error:
        sys.stderr.write(f"ec2-pick: no picture in {folder}: {error.strerror}\n")


def reply_json(reply: Reply) -> dict[str, object]:
    """Return the reply as the contract's answer object (an error object where it failed)."""
    from bot.answers.answer_json import answer_json, explanation_json

    if reply.error is not None:
        fault = fault_json(reply.error)
        return {"request": reply.request, "intent": reply.intent, "error": fault}
    also = {} if reply.beside is None else {"also": [reply_json(reply.beside)]}
    if reply.recommendation is None:
        return {
            **also,
            "request": reply.request,
            "intent": reply.intent,
            "explanation": explanation_json(reply.explanation),
            "comparison": reply.comparison,
            "warnings": list(reply.notes),
        }
    found = answer_json(
        reply.request,
        reply.intent,
        reply.recommendation,
        explanation=reply.explanation,
        comparison=reply.comparison,
        notes=reply.notes,
    )
    if reply.plan is not None:
        found["plan"] = reply.plan
    if reply.manifest is not None:
        found["manifest"] = manifest_json(reply.manifest)
    return found | also


def manifest_json(manifest: "Manifest") -> dict[str, object]:
    """Return the YAML, what a person must do or know, and the files that go with it."""
    return {
        "kind": manifest.kind,
        "yaml": manifest.yaml_text,
        "notes": list(manifest.notes),
        "files": [{"name": name, "text": text} for name, text in manifest.extras],
    }


def print_reply(reply: Reply) -> None:
    """Print a reply for a person: the card on stdout, a fault in one sentence on stderr."""
    if reply.error is not None:
        sys.stderr.write(reply.text.rstrip() + "\n")
        return
    from bot.cards.terminal import render_terminal

    width = min(shutil.get_terminal_size((100, 24)).columns, 110)
    sys.stdout.write(
        render_terminal(reply.view, width=width, color=wants_colour(sys.stdout, environ))
    )
    if reply.manifest is not None:
        sys.stdout.write("\n" + reply.manifest.yaml_text)
    if reply.beside is not None:
        sys.stdout.write("\n")
        print_reply(reply.beside)
