"""Checks a built wheel: it must carry the data and the templates, or the product is mute."""

import sys
import zipfile
from pathlib import Path

REQUIRED = (
    "catalog/data/instances.csv",
    "catalog/data/coefficients.json",
    "templates/eksctl/",
    "templates/",
    "bot/cli/main.py",
    "bot/language/compiled/vectors.bin",
    "bot/language/compiled/questions.bin",
    "bot/language/examples/foreign.txt",
    "engine/pick/recommend.py",
)
FORBIDDEN = ("tests/", "benchmarks/", ".venv/")


def problems(names: list[str]) -> list[str]:
    """Return what is missing from, or has no place in, the wheel."""
    missing = [f"missing {part}" for part in REQUIRED if not any(n.startswith(part) for n in names)]
    surplus = [f"should not carry {n}" for n in names if n.startswith(FORBIDDEN)]
    return missing + surplus


def main(folder: str) -> int:
    """Check the one wheel in a folder."""
    (wheel,) = Path(folder).glob("*.whl")
    found = problems(zipfile.ZipFile(wheel).namelist())
    for problem in found:
        sys.stderr.write(f"{wheel.name}: {problem}\n")
    sys.stdout.write(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, {len(found)} problems\n")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
