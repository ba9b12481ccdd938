"""`ec2-pick parse TEXT`: what was understood, as JSON or word by word."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict

from bot.answers.answer_json import workload_json
from bot.answers.world import load_world
from bot.cli.jsonl import Json, print_json, run_jsonl
from bot.core.figures import plain_line
from bot.core.understanding import Mention, Understanding
from bot.language.parse import parse


def understand(argv: Sequence[str]) -> int:
    """Print what was understood of one text, or of `{"id", "text"}` lines."""
    parser = argparse.ArgumentParser(prog="ec2-pick parse", allow_abbrev=False)
    parser.add_argument("text", nargs="*")
    parser.add_argument("--jsonl", metavar="FILE", help="one {id, text} a line; - is stdin")
    parser.add_argument("--explain", action="store_true", help="word by word, for people to read")
    options = parser.parse_args(argv)
    if options.jsonl:
        return run_jsonl(options.jsonl, lambda row: _understood_json(str(row.get("text") or "")))
    text = " ".join(options.text)
    if options.explain:
        sys.stdout.write(_word_by_word(parse(text, load_world().catalog)))
    else:
        print_json(_understood_json(text))
    return 0


def _understood_json(text: str) -> Json:
    found = parse(text, load_world().catalog)
    return {
        "workload": workload_json(found.workload),
        "intent": found.intent,
        "mentions": [asdict(one) for one in found.mentions],
        "not_understood": [asdict(span) for span in found.not_understood],
        "notes": list(found.notes),
        "question": _question_json(found),
    }


def _word_by_word(found: Understanding) -> str:
    """Return a line for each stretch that was read, then what was not, then what is noted."""
    rows = [(one.text, _reading(one)) for one in found.mentions]
    rows += [(span.text, "not understood") for span in found.not_understood]
    width = max((len(words) for words, _ in rows), default=0)
    lines = [f"{plain_line(words):{width}}  {plain_line(meaning)}" for words, meaning in rows]
    return "\n".join([*lines, *map(plain_line, found.notes), ""])


def _reading(one: Mention) -> str:
    """Return what a stretch was read as, as a person would say it."""
    said = f"{one.kind} {one.value}" if one.value is not None else one.kind
    if one.polarity == "against":
        return f"left out: {said}"
    return {"want": said, "have": f"runs today: {said}", "had": f"ran before: {said}"}.get(
        one.role, f"asked: {said}"
    )


def _question_json(found: Understanding) -> Json | None:
    """Return which kind of question the text looks like, and the two next ones."""
    if found.question is None:
        return None
    following = [{"kind": kind, "probability": round(p, 3)} for kind, p in found.question.following]
    likeliest = {"kind": found.question.kind, "probability": round(found.question.probability, 3)}
    return {**likeliest, "next": following}
