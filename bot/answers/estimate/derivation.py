"""A derivation as a person reads it, and a step as JSON: formula, numbers, where they are from."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from catalog.facts.provenance import Provenance as Row
from engine.derivation.step import ABOVE, Step, Value, number_text

Provenance = Mapping[str, Row]
# What a result reads like: its unit scaled to numbers of a few digits.
SCALES = {
    "s": ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"), (1e-12, "ps")),
    "B/s": ((1e12, "TB/s"), (1e9, "GB/s")),
    "FLOP/s": ((1e15, "PFLOP/s"), (1e12, "TFLOP/s"), (1e9, "GFLOP/s")),
    "B": ((1024.0, "KiB"), (1.0, "bytes")),
}


def derivation_text(steps: Sequence[Step], provenance: Provenance) -> str:
    """Return the steps as text, and where the fitted coefficients among them are from."""
    return "\n".join((*_steps(steps, provenance), *_sources(steps, provenance))) + "\n"


def _steps(steps: Sequence[Step], provenance: Provenance) -> Iterator[str]:
    section, said = "", set[tuple[str, str]]()
    for step in steps:
        if step.section != section:
            section = step.section
            yield from ("", section, "-" * len(section))
        yield step.name
        yield f"    = {step.formula}"
        yield f"    = {step.filled}"
        yield f"    = {result_text(step)}"
        for value in step.values:
            if value.source != ABOVE and (value.symbol, value.meaning) not in said:
                said.add((value.symbol, value.meaning))
                yield f"        {_value_line(value, provenance)}"


def _value_line(value: Value, provenance: Provenance) -> str:
    row = provenance.get(value.source)
    bounds = "" if row is None else f", {row.low:g} to {row.high:g}, {row.source}"
    number = number_text(value.number)
    return f"{value.symbol} = {number}: {value.meaning} ({value.source}{bounds})"


def _sources(steps: Sequence[Step], provenance: Provenance) -> Iterator[str]:
    """Yield once how each kind of fitted coefficient among the values came about."""
    used = (provenance.get(value.source) for step in steps for value in step.values)
    said = {row.source: row.text for row in used if row is not None}
    if said:
        yield from ("", "Sources of coefficients", "-" * 23)
        yield from (f"{name}: {text}" for name, text in said.items())


def result_text(step: Step) -> str:
    """Return a result in the unit a reader would use."""
    for size, name in SCALES.get(step.unit, ()):
        if abs(step.result) >= size:
            return f"{step.result / size:.4g} {name}"
    if step.unit == "1":
        return f"{100 * step.result:.3g} %"
    if step.unit == "1/s":
        return f"{step.result:,.4g} a second"
    number = f"{step.result:,.0f}" if step.unit == "tokens" else f"{step.result:.4g}"
    return f"{number} {step.unit}"


def step_json(step: Step) -> dict[str, Any]:
    """Return a step under stable field names; `filled` gives `result` in `unit`."""
    return {
        "section": step.section,
        "step": step.name,
        "formula": step.formula,
        "filled": step.filled,
        "result": step.result,
        "unit": step.unit,
        "values": [
            {
                "symbol": one.symbol,
                "value": one.number,
                "meaning": one.meaning,
                "source": one.source,
            }
            for one in step.values
        ],
    }
