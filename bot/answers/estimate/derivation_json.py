"""One step of a derivation as JSON: formula, formula with numbers, result, values with sources."""

from typing import Any

from engine.derivation.step import Step

Json = dict[str, Any]


def step_json(step: Step) -> Json:
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
