"""How often spot instances were taken back, as AWS's Spot Instance Advisor put it."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from catalog.facts.rows import LIST_SEPARATOR
from catalog.load import DATA_DIR

FILE: Final = "spot_interruptions.csv"
# The advisor's classes: the share of instances taken back within a month.
BANDS: Final = ("below 5 %", "5 to 10 %", "10 to 15 %", "15 to 20 %", "above 20 %")


@dataclass(frozen=True, slots=True)
class Interruptions:
    """The share of a type's spot instances taken back in a month, in words, and of when."""

    band: str
    as_of: str  # ISO date


def interruptions(instance_type: str, region: str) -> Interruptions | None:
    """Return what the advisor said of a type in a region; None where it said nothing."""
    return _interruption_table().get((instance_type, region))


@cache
def _interruption_table(data_dir: Path = DATA_DIR) -> Mapping[tuple[str, str], Interruptions]:
    """Return the file by type and region, as it is: a test holds every row to its type."""
    with (data_dir / FILE).open(encoding="utf-8", newline="") as file:
        return {
            (row["instance_type"], region): Interruptions(BANDS[int(row["band"])], row["as_of"])
            for row in csv.DictReader(file)
            for region in row["regions"].split(LIST_SEPARATOR)
        }
