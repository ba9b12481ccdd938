"""Whether machines are to be had: zones that offer a type, spot placement scores, quotas."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import isfinite
from typing import Final

from catalog.prices.live.source import HOUR_S, MINUTE_S, AwsSource, Findings, UnusableAnswerError

FEWEST_TYPES: Final = 3  # with fewer AWS scores low whatever the capacity


@dataclass(frozen=True, slots=True)
class ZonesQuery:
    """The zones wanted of one type in one region."""

    region: str
    instance_type: str


@dataclass(frozen=True, slots=True)
class Zones:
    """Zone ids that offer the type, sorted; none where the region does not offer it."""

    ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Availability(AwsSource[ZonesQuery, Zones]):
    """Zones that offer a type, by zone id (names differ between accounts).

    Offered is no promise of capacity, and no price.
    """

    action = "ec2:DescribeInstanceTypeOfferings"
    name = "zones"
    ttl_s = 24 * HOUR_S
    found_type = Zones
    batch = 100

    def _found(self, asked: Sequence[ZonesQuery]) -> Findings[ZonesQuery, Zones]:
        zones: dict[str, set[str]] = {ask.instance_type: set() for ask in asked}
        client = self.clients.client("ec2", asked[0].region)
        pages = client.get_paginator("describe_instance_type_offerings").paginate(
            LocationType="availability-zone-id",
            Filters=[{"Name": "instance-type", "Values": list(zones)}],
        )
        for row in (row for page in pages for row in page.get("InstanceTypeOfferings") or ()):
            if row.get("InstanceType") in zones and row.get("Location"):
                zones[row["InstanceType"]].add(row["Location"])
        return Findings({ask: Zones(tuple(sorted(zones[ask.instance_type]))) for ask in asked})


@dataclass(frozen=True, slots=True)
class PlacementQuery:
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
class Placement(AwsSource[PlacementQuery, PlacementScores]):
    """How likely a spot request for several types succeeds, 1 to 10.

    A score is no promise; new questions are limited in number a day.
    """

    action = "ec2:GetSpotPlacementScores"
    name = "spot placement scores"
    ttl_s = 6 * HOUR_S
    found_type = PlacementScores
    batch = 1

    def _answer(self, ask: PlacementQuery) -> PlacementScores:
        if len(ask.instance_types) < FEWEST_TYPES:
            raise UnusableAnswerError(f"a score needs {FEWEST_TYPES} types to mean anything")
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


@dataclass(frozen=True, slots=True)
class QuotaQuery:
    """One quota of one region, by its code (`L-417A185B`)."""

    region: str
    code: str


@dataclass(frozen=True, slots=True)
class Quota:
    """The account's quota: a number of vCPUs at once, running ones included."""

    name: str
    vcpus: float

    def short_by(self, vcpus: float) -> float:
        """Return how many vCPUs are missing for a plan alone; 0 where the quota is enough."""
        return max(0.0, vcpus - self.vcpus)


@dataclass(frozen=True, slots=True)
class Quotas(AwsSource[QuotaQuery, Quota]):
    """Service quotas in force. A throttled or denied question is a failure, never a quota of 0."""

    action = "servicequotas:GetServiceQuota"
    name = "service quotas"
    ttl_s = 15 * MINUTE_S
    found_type = Quota
    batch = 2

    def _answer(self, ask: QuotaQuery) -> Quota:
        client = self.clients.client("service-quotas", ask.region)
        try:
            quota = client.get_service_quota(ServiceCode="ec2", QuotaCode=ask.code)["Quota"]
            value = float(quota["Value"])
        except (KeyError, TypeError, ValueError) as error:
            raise UnusableAnswerError("the answer holds no value") from error
        if not isfinite(value) or value < 0:
            raise UnusableAnswerError("the answer holds no sensible value")
        return Quota(str(quota.get("QuotaName", ask.code)), value)
