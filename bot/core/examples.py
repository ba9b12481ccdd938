"""What to type, and sentences that name a machine, place or model only as an example.

They stand in `examples.json`, so that no name of one stands in code.
"""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path


@cache
def _examples() -> Mapping[str, str]:
    path = Path(__file__).with_suffix(".json")
    return dict(json.loads(path.read_text(encoding="utf-8")))


def example(name: str) -> str:
    """Return the text of one example; KeyError where there is none."""
    return _examples()[name]
