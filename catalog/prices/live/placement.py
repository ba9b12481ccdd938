"""Spot placement scores: how likely a request for several types succeeds, 1 to 10."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from catalog.prices.live.aws import Clients, aws_errors, why
from catalog.prices.live.source import HOUR_S, Findings

ACTION: Final = "ec2:GetSpotPlacementScores"
FEWEST_TYPES: Final = 3  # with fewer AWS scores low whatever the capacity


@dataclass(frozen=True, slots=True)
class PlacementAsked:
    """The score wanted of machines of any of several types, in the zones of one region."""

    region: str
    instance_types: tuple[str, ...]
    instances: int = 1


@dataclass(frozen=True, slots=True)
class PlacementScores:
    """Scores by zone id, best first; the two tuples run side by side."""

    zones: tuple[str, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Placement:
    """Placement scores. A score is no promise; new questions are limited in number a day."""

    clients: Clients
    name: str = "spot placement scores"
    ttl_s: float = 6 * HOUR_S
    found_type: type[PlacementScores] = PlacementScores
    batch: int = 1

    def place(self, asked: PlacementAsked) -> str:
        """See `Source.place`."""
        return asked.region

    def find(self, asked: Sequence[PlacementAsked]) -> Findings[PlacementAsked, PlacementScores]:
        """See `Source.find`."""
        found: dict[PlacementAsked, PlacementScores] = {}
        failed: dict[PlacementAsked, str] = {}
        for ask in asked:
            if len(ask.instance_types) < FEWEST_TYPES:
                failed[ask] = f"a score needs {FEWEST_TYPES} types to mean anything"
                continue
            try:
                found[ask] = self._scores(ask)
            except aws_errors() as error:
                failed[ask] = why(error, ACTION)
        return Findings(found, failed)

    def _scores(self, ask: PlacementAsked) -> PlacementScores:
        answer = self.clients.client("ec2", ask.region).get_spot_placement_scores(
            InstanceTypes=list(ask.instance_types),
            TargetCapacity=ask.instances,
            TargetCapacityUnitType="units",
            SingleAvailabilityZone=True,
            RegionNames=[ask.region],
        )
        rows = [
            (int(row["Score"]), str(row["AvailabilityZoneId"]))
            for row in answer.get("SpotPlacementScores") or ()
            if row.get("Region") == ask.region and row.get("AvailabilityZoneId")
        ]
        rows.sort(key=lambda row: (-row[0], row[1]))
        return PlacementScores(tuple(z for _, z in rows), tuple(score for score, _ in rows))
