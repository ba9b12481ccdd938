"""In which zones of a region a type is offered, by zone id (names differ between accounts)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from catalog.prices.live.aws import Clients, aws_errors, why
from catalog.prices.live.source import HOUR_S, Findings

ACTION: Final = "ec2:DescribeInstanceTypeOfferings"


@dataclass(frozen=True, slots=True)
class ZonesAsked:
    """The zones wanted of one type in one region."""

    region: str
    instance_type: str


@dataclass(frozen=True, slots=True)
class Zones:
    """Zone ids that offer the type, sorted; none where the region does not offer it."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Availability:
    """Zones that offer a type. Offered is no promise of capacity, and no price."""

    clients: Clients
    name: str = "zones"
    ttl_s: float = 24 * HOUR_S
    found_type: type[Zones] = Zones
    batch: int = 100

    def place(self, asked: ZonesAsked) -> str:
        """See `Source.place`."""
        return asked.region

    def find(self, asked: Sequence[ZonesAsked]) -> Findings[ZonesAsked, Zones]:
        """See `Source.find`."""
        types = list(dict.fromkeys(ask.instance_type for ask in asked))
        try:
            client = self.clients.client("ec2", asked[0].region)
            pages = client.get_paginator("describe_instance_type_offerings").paginate(
                LocationType="availability-zone-id",
                Filters=[{"Name": "instance-type", "Values": types}],
            )
            rows = [row for page in pages for row in page.get("InstanceTypeOfferings") or ()]
        except aws_errors() as error:
            return Findings(failed=dict.fromkeys(asked, why(error, ACTION)))
        zones: dict[str, set[str]] = {name: set() for name in types}
        for row in rows:
            if row.get("InstanceType") in zones and row.get("Location"):
                zones[row["InstanceType"]].add(row["Location"])
        return Findings({ask: Zones(tuple(sorted(zones[ask.instance_type]))) for ask in asked})
