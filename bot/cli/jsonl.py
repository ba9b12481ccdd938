"""Runs of many requests: one JSON object a line in, one a line out; a bad line never stops it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.core.errors import RequestError

Json = dict[str, Any]


def run_jsonl(path: str, handle: Callable[[Json], Json]) -> int:
    """Answer every line of a file (`-` is stdin) on stdout; return 0.

    A line that cannot be read or answered yields `{"id", "error": {"code", "message", "field"}}`.
    """
    lines = sys.stdin if path == "-" else Path(path).read_text(encoding="utf-8").splitlines()
    for line in lines:
        if line.strip():
            json.dump(_answer_line(line, handle), sys.stdout, ensure_ascii=False)
            sys.stdout.write("\n")
    return 0


def _answer_line(line: str, handle: Callable[[Json], Json]) -> Json:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        return _error_line(None, "not_understood", f"the line is not JSON: {error}", None)
    if not isinstance(row, dict):
        return _error_line(None, "not_understood", "the line is not a JSON object", None)
    try:
        return {"id": row.get("id"), **handle(row)}
    except RequestError as error:
        return _error_line(row.get("id"), error.code, error.message, error.field)


def _error_line(identity: object, code: str, message: str, field: str | None) -> Json:
    return {"id": identity, "error": {"code": code, "message": message, "field": field}}
