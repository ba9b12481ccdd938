"""Golden files: what people see, kept as text, reviewed as a diff, rewritten by one flag."""

from pathlib import Path

GOLDEN_FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, text: str, *, update: bool) -> None:
    """Compare `text` with `tests/golden/<name>`; with `update`, write it instead.

    A missing golden is a failure, so that a new case is looked at before it is taken as right.
    """
    path = GOLDEN_FOLDER / name
    if update:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return
    assert path.exists(), f"no golden {name}: run pytest --update-goldens and read the diff"
    expected = path.read_text(encoding="utf-8")
    assert text == expected, f"{name} differs; if that is meant, run pytest --update-goldens"
