"""Answers as JSON: one by itself, or a run of many requests.

Of a run one object a line comes in and one a line goes out; a bad line never stops it.
"""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bot.core.errors import RequestError

Json = dict[str, Any]


def print_json(value: object) -> None:
    """Print one answer, for people to read as well."""
    json.dump(value, sys.stdout, ensure_ascii=False, indent=2)
    sys.stdout.write("\n")


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
    identity = None
    try:
        row = _row(line)
        identity = row.get("id")
        return {"id": identity, **handle(row)}
    except RequestError as error:
        return {"id": identity, "error": fault_json(error)}


def _row(line: str) -> Json:
    try:
        row = json.loads(line)
    except json.JSONDecodeError as error:
        raise RequestError("not_understood", f"the line is not JSON: {error}") from None
    if not isinstance(row, dict):
        raise RequestError("not_understood", "the line is not a JSON object")
    return row


def fault_json(error: RequestError) -> Json:
    """Return a request at fault under the contract's field names."""
    return {"code": error.code, "message": error.message, "field": error.field}
