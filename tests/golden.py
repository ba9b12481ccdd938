"""Golden files: what people see, kept as text, reviewed as a diff, rewritten by one flag.

A golden much like others is kept as what differs from them, in `<name>.diff`: see `golden_delta`.
"""

import difflib
import json
import os
from collections.abc import Collection
from contextlib import contextmanager
from pathlib import Path

from tests.golden_delta import Likeness, differing, restored

GOLDEN_FOLDER = Path(__file__).parent / "golden"
DIFF = ".diff"
WORTH = 0.5  # a new golden is kept as a difference of at most this share of its lines


def assert_golden(name: str, text: str, *, update: bool) -> None:
    """Compare `text` with the golden of that name; with `update`, write it instead.

    A missing golden is a failure, so that a new case is looked at before it is taken as right.
    """
    if update:
        with _alone():
            write_golden(name, text)
        return
    kept = any(path.exists() for path in _paths(name))
    assert kept, f"no golden {name}: run pytest --update-goldens and read the diff"
    expected = golden_text(name)
    if text != expected:
        raise AssertionError(
            f"{name} differs; if that is meant, run pytest --update-goldens\n"
            + "\n".join(difflib.unified_diff(_lines(expected), _lines(text), lineterm=""))
        )


def golden_names(folder: str = "") -> list[str]:
    """Return the names of all goldens below a folder, whichever way they are kept."""
    files = (path for path in (GOLDEN_FOLDER / folder).rglob("*") if path.is_file())
    names = (path.relative_to(GOLDEN_FOLDER).as_posix() for path in files)
    return sorted(name.removesuffix(DIFF) for name in names)


def golden_text(name: str) -> str:
    """Return a golden as the whole document that it asserts."""
    whole, kept = _paths(name)
    if whole.exists():
        return whole.read_text(encoding="utf-8")
    like, hunks = Likeness.read(_lines(kept.read_text(encoding="utf-8")))
    return "\n".join(restored(_base(like), hunks))


def write_golden(name: str, text: str) -> None:
    """Write a golden as it was kept, and those that are told by it, which say the same as before.

    A new one is told by the whole golden that is nearest. To choose others, write the head of its
    file (`---` lines, and `===` lines for names that read otherwise) and run with the flag again.
    """
    whole, kept = _paths(name)
    told_by_it = {n: golden_text(n) for n in told_by(name)}
    if kept.exists():
        like, _ = Likeness.read(_lines(kept.read_text(encoding="utf-8")))
    else:
        like = None if whole.exists() else nearest(name, text, held_whole())
    whole.parent.mkdir(parents=True, exist_ok=True)
    if like is None:
        whole.write_text(text, encoding="utf-8")
    else:
        lines = differing(_base(like), _lines(text))
        kept.write_text("\n".join([*like.head(name), *lines, ""]), encoding="utf-8")
    for follower, meant in told_by_it.items():
        write_golden(follower, meant)


def told_by(name: str) -> list[str]:
    """Return the goldens that are kept as what differs from this one."""
    return [other for other in golden_names() if name in likeness(other).bases]


def likeness(name: str) -> Likeness:
    """Return what a golden is told by: nothing where it is held whole."""
    _, kept = _paths(name)
    return Likeness.read(_lines(kept.read_text(encoding="utf-8")) if kept.exists() else [])[0]


def held_whole(folder: str = "") -> list[str]:
    """Return the names of the goldens that are held as they are."""
    return [name for name in golden_names(folder) if _paths(name)[0].exists()]


def nearest(name: str, text: str, among: Collection[str]) -> Likeness | None:
    """Return the golden of the same folder that tells `text` shortest, None if none does."""
    lines, folder = _lines(text), Path(name).parent
    others = [other for other in among if other != name and Path(other).parent == folder]
    told = {n: sum(1 for _ in differing(_lines(golden_text(n)), lines)) for n in others}
    best = min(told, key=told.__getitem__, default=None)
    return Likeness((best,)) if best and told[best] <= WORTH * len(lines) else None


def rows_of(value: object, depth: int = 0) -> str:
    """Return JSON with a line for each part, where a part holds at most one other.

    What a message is made of is then a line a block, what a plan comes to a line a figure.
    """
    if not _parted(value):
        return json.dumps(value, ensure_ascii=False)
    margin = "\n" + " " * (depth + 1)
    if isinstance(value, list):
        return f"[{','.join(margin + rows_of(v, depth + 1) for v in value)}{margin[:-1]}]"
    fields = (f"{margin}{json.dumps(k)}: {rows_of(v, depth + 1)}" for k, v in value.items())
    return f"{{{','.join(fields)}{margin[:-1]}}}"


def _parted(value: object) -> bool:
    inner = value.values() if isinstance(value, dict) else value
    parts = (
        [v for v in inner if isinstance(v, dict | list)] if isinstance(value, dict | list) else []
    )
    return len(parts) > 1 or any(map(_parted, parts))


def _paths(name: str) -> tuple[Path, Path]:
    return GOLDEN_FOLDER / name, GOLDEN_FOLDER / f"{name}{DIFF}"


def _lines(text: str) -> list[str]:
    return text.split("\n")


def _base(like: Likeness) -> list[str]:
    return like.base([golden_text(name) for name in like.bases])


@contextmanager
def _alone():
    """Let one of several test processes write at a time: one golden may be told by another's."""
    import fcntl

    folder = os.open(GOLDEN_FOLDER, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield
    finally:
        os.close(folder)
