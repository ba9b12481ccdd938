"""`python -m benchmarks.reading report|compile [questions usecases]`."""

import argparse
import re
import sys
from pathlib import Path

from benchmarks.reading.compiled import kinds_by_text, written
from benchmarks.reading.held_out import by_kind, confusions, readings_of, score_of
from benchmarks.reading.train import SETS, examples_of, fitted, vectors
from bot.language.questions.kinds import FOLDER

LANGUAGE = FOLDER.parent
STRING = re.compile(r'"[^"\n]*"')
MADE = re.compile(r"\b(?:re\.compile|LatePattern)\(")
PATTERN = re.compile(
    r"^([A-Z_]\w*)[^\n]*(?:re\.compile|LatePattern)\((.*?)^\)", re.MULTILINE | re.DOTALL
)


def main() -> int:
    """Say how well unseen texts are read; with `compile`, write what the product loads as well."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("work", choices=("report", "compile"))
    parser.add_argument("sets", nargs="*", default=list(SETS))
    asked = parser.parse_args()
    for name in asked.sets:
        read(name, compiles=asked.work == "compile")
    sizes()
    return 0


def read(name: str, *, compiles: bool) -> None:
    """Report on one set, and compile it where that is asked for."""
    examples = examples_of(name)
    readings = list(readings_of(examples))
    score = score_of(readings)
    print(f"\n{name}: {len(examples.texts):,} examples of {len(examples.names)} kinds, held out:")
    for measure, share in score.rounded().items():
        print(f"  {measure.replace('_', ' ')}: {share:g}")
    print("  by kind (examples, right), the worst first:")
    for kind, count, right in by_kind(readings):
        print(f"    {kind:18} {count:4} {right:5.0%}")
    print("  read as another kind:")
    for kind, other, count in confusions(readings):
        print(f"    {kind} as {other}: {count}")
    for text, kinds in kinds_by_text(examples).items():
        if len(kinds) > 1:
            print(f"  of several kinds: `{text}`: {', '.join(sorted(kinds))}")
    if compiles:
        written(name, examples, fitted(examples, vectors(examples)), score)


def sizes() -> None:
    """Print the sizes of the compiled files, of the package, and its longest patterns."""
    print("\nsizes:")
    for path in sorted(FOLDER.iterdir()):
        print(f"  {path.name:14} {path.stat().st_size / 1e6:6.2f} MB")
    modules = sorted(LANGUAGE.rglob("*.py"))
    sources = {path: path.read_text(encoding="utf-8") for path in modules}
    lines = sum(source.count("\n") for source in sources.values())
    patterns = sum(len(MADE.findall(source)) for source in sources.values())
    print(f"  bot/language: {lines:,} lines, {patterns} patterns, {len(modules)} modules")
    for length, place in sorted(_longest(sources), reverse=True)[:5]:
        print(f"  a pattern of {length} characters: {place}")


def _longest(sources: dict[Path, str]) -> list[tuple[int, str]]:
    """Return the length of each compiled pattern as written, and where it stands."""
    found = []
    for path, source in sources.items():
        for call in PATTERN.finditer(source):
            length = sum(len(text) - 2 for text in STRING.findall(call[2]))
            found.append((length, f"{path.relative_to(LANGUAGE.parents[1])}: {call[1]}"))
    return found


if __name__ == "__main__":
    sys.exit(main())
