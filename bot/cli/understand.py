"""`ec2-pick parse TEXT`: what was understood, as JSON."""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict

from bot.answers.answer_json import workload_json
from bot.answers.world import load_world
from bot.cli.jsonl import Json, run_jsonl
from bot.core.errors import RequestError
from bot.language.parse import parse


def understand(argv: Sequence[str]) -> int:
    """Print what was understood of one text, or of `{"id", "text"}` lines."""
    parser = argparse.ArgumentParser(prog="ec2-pick parse")
    parser.add_argument("text", nargs="*")
    parser.add_argument("--jsonl", metavar="FILE", help="one {id, text} a line; - is stdin")
    options = parser.parse_args(argv)
    if options.jsonl:
        return run_jsonl(options.jsonl, lambda row: _understood_json(str(row.get("text") or "")))
    try:
        found = _understood_json(" ".join(options.text))
    except RequestError as error:
        sys.stderr.write(f"ec2-pick: {error.message}\n")
        return 2
    json.dump(found, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")
    return 0


def _understood_json(text: str) -> Json:
    found = parse(text, load_world().catalog)
    return {
        "workload": workload_json(found.workload),
        "intent": found.intent,
        "not_understood": [asdict(span) for span in found.not_understood],
        "notes": list(found.notes),
    }
