"""`ec2-pick parse TEXT`: what was understood, as JSON."""

import argparse
from collections.abc import Sequence
from dataclasses import asdict

from bot.answers.answer_json import workload_json
from bot.answers.world import load_world
from bot.cli.jsonl import Json, print_json, run_jsonl
from bot.language.parse import parse


def understand(argv: Sequence[str]) -> int:
    """Print what was understood of one text, or of `{"id", "text"}` lines."""
    parser = argparse.ArgumentParser(prog="ec2-pick parse")
    parser.add_argument("text", nargs="*")
    parser.add_argument("--jsonl", metavar="FILE", help="one {id, text} a line; - is stdin")
    options = parser.parse_args(argv)
    if options.jsonl:
        return run_jsonl(options.jsonl, lambda row: _understood_json(str(row.get("text") or "")))
    print_json(_understood_json(" ".join(options.text)))
    return 0


def _understood_json(text: str) -> Json:
    found = parse(text, load_world().catalog)
    return {
        "workload": workload_json(found.workload),
        "intent": found.intent,
        "not_understood": [asdict(span) for span in found.not_understood],
        "notes": list(found.notes),
    }
