"""Spot, Savings Plans, capacity blocks, quotas, zones and scores, from boto3's own answers."""

from datetime import date, timedelta

import pytest

from catalog.load import load_catalog
from catalog.prices.live.capacity import (
    Availability,
    Placement,
    PlacementQuery,
    Quota,
    QuotaQuery,
    Quotas,
    ZonesQuery,
)
from catalog.prices.live.capacity_blocks import CapacityBlocks, block_hours
from catalog.prices.live.savings_plans import SavingsPlans
from catalog.prices.live.source import BlockQuery, PriceQuery
from catalog.prices.live.spot import Spot, SpotHistory, SpotQuery, SpotRow, spread_of
from tests.fakes.aws_endpoint import Fault
from tests.live.conftest import NOON

G6E = PriceQuery("spot", "us-east-1", "g6e.xlarge")


def spot_row(zone, usd, timestamp, name="g6e.xlarge", product="Linux/UNIX"):
    return {
        "instanceType": name,
        "productDescription": product,
        "spotPrice": usd,
        "timestamp": timestamp,
        "availabilityZone": f"us-east-1{zone[-1]}",
        "availabilityZoneId": zone,
    }


def test_spot_is_the_median_over_the_zones_in_force(aws, clients, clock):
    aws.spot = [
        spot_row("use1-az1", "1.332600", "2026-11-19T21:02:40Z"),
        spot_row("use1-az2", "0.878300", "2026-11-19T12:16:29Z"),
        spot_row("use1-az2", "0.100000", "2026-11-18T09:46:02Z"),  # no longer in force
        spot_row("use1-az4", "1.042600", "2026-11-19T18:31:08Z"),
        spot_row("use1-az6", "0.951600", "2026-11-19T22:47:11Z"),
        spot_row("use1-az6", "9.000000", "2026-11-19T22:47:11Z", name="g6e.2xlarge"),
    ]
    quote = Spot(clients, clock.now).find([G6E]).found[G6E]
    assert quote.usd_per_hour == pytest.approx(0.9971)
    assert quote.source == "spot_history"
    assert quote.note == (
        "median of 4 zones at 12:00 UTC: use1-az2 $0.8783, use1-az6 $0.9516, "
        "use1-az4 $1.0426, use1-az1 $1.3326"
    )


NO_SPOT = [
    ("no rows", []),
    ("another product", [spot_row("use1-az1", "1.0", "2026-11-19T00:00:00Z", product="Windows")]),
    ("no number", [spot_row("use1-az1", "N/A*", "2026-11-19T00:00:00Z")]),
    ("zero", [spot_row("use1-az1", "0.000000", "2026-11-19T00:00:00Z")]),
    ("twenty years old", [spot_row("use1-az1", "0.00001", "2006-01-02T00:00:00Z")]),
]


@pytest.mark.parametrize(("why", "rows"), NO_SPOT)
def test_no_spot_price_is_not_zero(aws, clients, clock, why, rows):
    aws.spot = rows
    quote = Spot(clients, clock.now).find([G6E]).found[G6E]
    assert quote.usd_per_hour is None, why
    assert quote.why_unpriced == "no spot price in us-east-1 now"


def spot_at(zone, usd, days_ago):
    return SpotRow("g6e.xlarge", zone, usd, NOON - timedelta(days=days_ago))


def test_the_spread_weighs_prices_by_time():
    rows = [spot_at("a", 1, 90), spot_at("a", 3, 9), spot_at("b", 2, 90)]
    spread = spread_of(rows, NOON)
    # 180 zone-days: 81 at $1, 90 at $2, 9 at $3
    assert (spread.low, spread.p50, spread.p90, spread.high) == (1, 2, 2, 3)
    assert spread.days == 90
    assert spread_of([], NOON) is None


def test_the_spread_comes_from_the_history(aws, clients, clock):
    aws.spot = [
        spot_row("use1-az1", "1.0", "2026-10-01T00:00:00Z"),
        spot_row("use1-az1", "2.0", "2026-11-20T00:00:00Z"),
    ]
    asked = SpotQuery("us-east-1", "g6e.xlarge")
    spread = SpotHistory(clients, clock.now).find([asked]).found[asked]
    assert (spread.low, spread.p50, spread.high) == (1.0, 1.0, 2.0)
    aws.spot = []
    assert "no spot price" in SpotHistory(clients, clock.now).find([asked]).failed[asked]


def plan(rate, *, kind="Compute", years=1, **changes):
    properties = {
        "region": "us-east-1",
        "instanceType": "p6-b200.48xlarge",
        "productDescription": "Linux/UNIX",
        "tenancy": "shared",
    } | changes.pop("properties", {})
    return {
        "savingsPlanOffering": {
            "offeringId": "00000000-0000-4000-8000-000000000001",
            "paymentOption": changes.pop("payment", "No Upfront"),
            "planType": kind,
            "durationSeconds": years * 31_536_000,
            "currency": changes.pop("currency", "USD"),
        },
        "rate": rate,
        "unit": "Hrs",
        "productType": "EC2",
        "serviceCode": "AmazonEC2",
        "usageType": "BoxUsage:p6-b200.48xlarge",
        "operation": "RunInstances",
        "properties": [{"name": name, "value": value} for name, value in properties.items()],
    } | changes


RATES = [
    plan("9.99", properties={"tenancy": "dedicated"}),
    plan("8.88", properties={"productDescription": "Windows"}),
    plan("7.77", payment="All Upfront"),
    plan("0.00"),
    plan("nonsense"),
    plan("6.66", properties={"region": "us-east-2"}),
    plan("5.55", operation="RunInstances:0002"),
    plan("89.72208"),
    plan("49.21897", kind="EC2Instance", years=3),
    plan("60.00000", years=3),
]


@pytest.mark.parametrize(
    ("years", "usd", "note"),
    [
        (1, 89.72208, "Compute Savings Plan, no upfront"),
        (3, 49.21897, "EC2 Instance Savings Plan, no upfront"),
    ],
)
@pytest.mark.parametrize("honours_filters", [True, False])
def test_the_lowest_plan_rate_of_the_term(aws, clients, clock, years, usd, note, honours_filters):
    aws.plan_rates, aws.honours_filters = RATES, honours_filters
    asked = PriceQuery("savings_plan", "us-east-1", "p6-b200.48xlarge", years)
    quote = SavingsPlans(clients, clock.now).find([asked]).found[asked]
    assert (quote.usd_per_hour, quote.note, quote.source) == (usd, note, "savings_plan")


def test_no_plan_is_a_finding(aws, clients, clock):
    aws.plan_rates = []
    asked = PriceQuery("savings_plan", "us-east-1", "p5e.48xlarge", 1)
    quote = SavingsPlans(clients, clock.now).find([asked]).found[asked]
    assert quote.why_unpriced == "no 1-year savings plan covers it in us-east-1"


def block(fee, start, end, **changes):
    return {
        "capacityBlockOfferingId": "cb-00000000000000001",
        "instanceType": "p4d.24xlarge",
        "availabilityZone": "us-east-2a",
        "instanceCount": 1,
        "startDate": start,
        "endDate": end,
        "capacityBlockDurationHours": 19,
        "capacityBlockDurationMinutes": 17,
        "upfrontFee": fee,
        "currencyCode": "USD",
    } | changes


BLOCKS = [
    block("228", "2026-11-21T16:13:00Z", "2026-11-22T11:30:00Z"),  # 19 h 17 min
    block("283", "2026-11-22T11:30:00Z", "2026-11-23T11:30:00Z"),  # 24 h
    block("511", "2026-11-21T16:13:00Z", "2026-11-23T11:30:00Z"),  # 43 h 17 min
]
P4D = "p4d.24xlarge"
OFFERS = [
    ("24 h: the shortest that is long enough", BLOCKS, BlockQuery(24), 283 / 24),
    ("only a shorter one: by its true length", BLOCKS[:1], BlockQuery(24), 228 / (19 + 17 / 60)),
    ("36 h: rounded up to days, the longest", BLOCKS, BlockQuery(36), 511 / (43 + 17 / 60)),
    ("the fee is for all machines", [block("566", *("2026-11-22T11:30:00Z", "2026-11-23T11:30:00Z"),
     instanceCount=2)], BlockQuery(24, 2), 283 / 24),
    ("another type is not ours", [*BLOCKS[1:2], block("1", "2026-11-22T11:30:00Z",
     "2026-11-24T11:30:00Z", instanceType="p5.48xlarge")], BlockQuery(24), 283 / 24),
    ("free is nonsense", [block("0", "2026-11-22T11:30:00Z", "2026-11-23T11:30:00Z"), *BLOCKS[1:2]],
     BlockQuery(24), 283 / 24),
    ("no length is nonsense", [block("9", "2026-11-22T11:30:00Z", "2026-11-22T11:30:00Z"),
     *BLOCKS[1:2]], BlockQuery(24), 283 / 24),
]  # fmt: skip


@pytest.mark.parametrize(("why", "blocks", "wanted", "usd"), OFFERS)
def test_a_capacity_block_by_the_hour(aws, clients, clock, why, blocks, wanted, usd):
    aws.blocks = blocks
    asked = PriceQuery("capacity_block", "us-east-2", P4D, 0, wanted)
    quote = CapacityBlocks(clients, clock.now, load_catalog().families).find([asked]).found[asked]
    assert quote.usd_per_hour == pytest.approx(usd), why
    assert "upfront" in quote.note


def test_an_ultraserver_is_priced_by_the_machine(aws, clients, clock):
    one = block("18285.696", "2026-11-22T11:30:00Z", "2026-11-23T11:30:00Z")
    del one["instanceType"], one["instanceCount"]
    aws.blocks = [one | {"ultraserverType": "u-p6e-gb200x72", "ultraserverCount": 1}]
    asked = PriceQuery("capacity_block", "us-east-1", "p6e-gb200.36xlarge", 0, BlockQuery(24))
    quote = CapacityBlocks(clients, clock.now, load_catalog().families).find([asked]).found[asked]
    assert quote.usd_per_hour == pytest.approx(761.904 / 18)


def test_the_block_is_asked_for_by_length_and_start(aws, clients, clock):
    asked = PriceQuery(
        "capacity_block", "us-east-2", P4D, 0, BlockQuery(336, 2, date(2026, 11, 30))
    )
    quote = CapacityBlocks(clients, clock.now, load_catalog().families).find([asked]).found[asked]
    assert quote.why_unpriced == "no capacity block of 336 h on offer in us-east-2 now"
    form = aws.calls[0][1]
    assert form["CapacityDurationHours"] == "336"
    assert form["InstanceCount"] == "2"
    assert form["StartDateRange"].startswith("2026-11-30T00:00")


@pytest.mark.parametrize(
    ("hours", "sold"),
    [(1, 24), (24, 24), (25, 48), (336, 336), (337, 504), (4368, 4368), (9000, 4368)],
)
def test_block_lengths_as_sold(hours, sold):
    assert block_hours(hours) == sold


QUOTA = QuotaQuery("us-east-1", "L-417A185B")


def test_a_quota_of_zero_is_zero_and_says_how_much_is_missing(aws, clients):
    aws.quotas = {"L-417A185B": 0.0}
    quota = Quotas(clients).find([QUOTA]).found[QUOTA]
    assert (quota.vcpus, quota.short_by(192)) == (0.0, 192)
    assert Quota("Running", 256).short_by(192) == 0


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        (Fault("TooManyRequestsException"), "throttles"),
        (Fault("AccessDeniedException"), "servicequotas:GetServiceQuota"),
        (Fault("NoSuchResourceException"), "NoSuchResourceException"),
    ],
)
def test_an_unknown_quota_is_not_zero(aws, clients, fault, words):
    aws.fails("GetServiceQuota", *[fault] * 3)
    findings = Quotas(clients).find([QUOTA])
    assert findings.found == {}
    assert words in findings.failed[QUOTA]


def test_zones_by_zone_id(aws, clients):
    aws.offerings = {"p5.48xlarge": ["use1-az6", "use1-az1"]}
    asked = [ZonesQuery("us-east-1", name) for name in ("p5.48xlarge", "trn2.48xlarge")]
    found = Availability(clients).find(asked).found
    assert [found[one].ids for one in asked] == [("use1-az1", "use1-az6"), ()]


def test_scores_need_three_types(aws, clients):
    aws.scores = [
        {"region": "us-east-1", "availabilityZoneId": "use1-az1", "score": 3},
        {"region": "us-east-1", "availabilityZoneId": "use1-az4", "score": 9},
        {"region": "us-west-2", "availabilityZoneId": "usw2-az1", "score": 10},
    ]
    three = PlacementQuery("us-east-1", ("g5.xlarge", "g6.xlarge", "g6e.xlarge"))
    two = PlacementQuery("us-east-1", ("g5.xlarge", "g6.xlarge"))
    findings = Placement(clients).find([three, two])
    assert findings.found[three].zones == ("use1-az4", "use1-az1")
    assert findings.found[three].scores == (9, 3)
    assert two in findings.failed
    assert aws.count("GetSpotPlacementScores") == 1


EC2_FAULTS = [
    (Fault("RequestLimitExceeded", 503), 3, "throttles"),
    (Fault("UnauthorizedOperation", 403), 1, "ec2:DescribeSpotPriceHistory"),
    (Fault("AuthFailure", 401), 1, "refused the credentials"),
]


@pytest.mark.parametrize(("fault", "calls", "words"), EC2_FAULTS)
def test_ec2_faults_in_words(aws, clients, clock, fault, calls, words):
    aws.fails("DescribeSpotPriceHistory", *[fault] * 3)
    assert words in Spot(clients, clock.now).find([G6E]).failed[G6E]
    assert len(aws.calls) == calls
