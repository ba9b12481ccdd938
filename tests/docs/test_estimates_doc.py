"""docs/estimates.md: its worked examples are the engine's, and add up in a reader's calculator."""

import re
from pathlib import Path

import pytest

from bot.answers.estimate.answer import derivation, estimated
from bot.answers.estimate.derivation import SCALES, result_text
from bot.answers.estimate.request import estimate_request
from bot.answers.world import load_world
from catalog.facts.provenance import coefficient_provenance
from tests.engine.test_derivation import HEADLINES, by_hand
from tests.estimate_plans import PLANS

DOC = Path(__file__).parents[2] / "docs" / "estimates.md"
BLOCK = re.compile(r"(<!-- plan (\S+) -->\n).*?(<!-- end -->)", re.DOTALL)
ROW = re.compile(r"^\| (?P<step>[^|]+) \| `(?P<formula>[^`]+)` \| `(?P<filled>[^`]+)` \| "
                 r"(?P<result>[^|]+) \|$")  # fmt: skip
PRINTED = 2e-3  # results carry four digits


def steps_of(name):
    world = load_world()
    answer = estimated(estimate_request(PLANS[name]), world)
    return answer, derivation(answer, world)


def table(name):
    """The steps as a table, and under it the symbols with their sources."""
    _, steps = steps_of(name)
    lines = ["| step | formula | with numbers | result |", "|---|---|---|---|"]
    lines += [f"| {s.name} | `{s.formula}` | `{s.filled}` | {result_text(s)} |" for s in steps]
    fitted = {
        f"`{value.source}` {value.number:g}"
        for step in steps
        for value in step.values
        if value.source in coefficient_provenance()
    }
    return "\n".join([*lines, "", "Coefficients: " + "; ".join(sorted(fitted)) + ".", ""])


def written(text):
    return BLOCK.sub(lambda found: f"{found[1]}{table(found[2])}{found[3]}", text)


def size_of(result):
    """The number of a printed result in its base unit."""
    number, unit = result.replace(",", "").split(" ", 1)
    scales = {name: size for scale in SCALES.values() for size, name in scale}
    return float(number) * (0.01 if unit == "%" else scales.get(unit, 1.0))


def test_worked_examples_are_what_the_engine_says(update_goldens):
    text = DOC.read_text(encoding="utf-8")
    if update_goldens:
        DOC.write_text(written(text), encoding="utf-8")
        return
    assert text == written(text), "run pytest tests/docs --update-goldens and read the diff"


@pytest.mark.parametrize("name", [found[2] for found in BLOCK.finditer(DOC.read_text("utf-8"))])
class TestExample:
    def rows(self, name):
        blocks = {found[2]: found[0] for found in BLOCK.finditer(DOC.read_text("utf-8"))}
        rows = [ROW.match(line) for line in blocks[name].splitlines()]
        return [row.groupdict() for row in rows if row]

    def test_printed_formulas_give_printed_results(self, name):
        rows = self.rows(name)
        assert len(rows) >= 5
        for row in rows:
            expected = size_of(row["result"])
            assert by_hand(row["filled"]) == pytest.approx(expected, rel=PRINTED, abs=1e-9), row

    def test_headlines_are_the_estimate_s(self, name):
        answer, _ = steps_of(name)
        performance = answer.estimate.performance or answer.estimate.training
        said = {row["step"]: size_of(row["result"]) for row in self.rows(name)}
        checked = 0
        for step, (figure, scale) in HEADLINES.items():
            if step in said:
                value = getattr(performance, figure).value
                assert scale * said[step] == pytest.approx(value, rel=PRINTED)
                checked += 1
        assert checked >= 2


def test_names_of_files_in_the_text_exist():
    text = BLOCK.sub("", DOC.read_text(encoding="utf-8"))
    root = DOC.parents[1]
    named = re.findall(r"`((?:engine|catalog|tests)/[\w./-]+)`", text)
    assert len(named) >= 8
    for name in named:
        assert (root / name).exists(), name
