"""The shared fixture bodies, served as they are: what a correct client concludes from each."""

import json

import pytest

from catalog.load import load_catalog
from catalog.prices.live.capacity import Placement, PlacementQuery, QuotaQuery, Quotas
from catalog.prices.live.capacity_blocks import CapacityBlocks
from catalog.prices.live.price_list_sources import OnDemand, ReservedInstances
from catalog.prices.live.savings_plans import SavingsPlans
from catalog.prices.live.source import BlockQuery, PriceQuery
from catalog.prices.live.spot import Spot
from tests.fakes.aws_endpoint import Body
from tests.shared_data import needed_shared_file


def body(name):
    path = needed_shared_file(f"data/pricing_fixtures/{name}")
    return Body(path.read_text(encoding="utf-8"), is_xml=name.endswith(".xml"))


LISTS = [
    ("01_normal_p5.json", "p5.48xlarge", "us-east-1", 55.04),
    ("02_capacity_block_zero_first.json", "p5.48xlarge", "us-east-1", 55.04),
    ("03_capacity_reservations.json", "m5.xlarge", "us-east-1", 0.192),
    ("04_one_attribute_away.json", "m5.xlarge", "us-east-1", 0.192),
    ("05_empty.json", "p5.48xlarge", "eu-west-1", None),
    ("06_capacity_block_only_p5e.json", "p5e.48xlarge", "us-east-2", None),
    ("08_reserved_terms_m5_large.json", "m5.large", "us-east-1", 0.096),
    ("09_china_cny.json", "p4d.24xlarge", "cn-northwest-1", None),
    ("10_bare_metal.json", "c6g.metal", "us-east-1", 2.176),
    ("11_local_zone.json", "p5.48xlarge", "us-east-1", 55.04),
    ("12_price_before_cut_p4d.json", "p4d.24xlarge", "us-east-1", 32.7726),
    ("12_price_after_cut_p4d.json", "p4d.24xlarge", "us-east-1", 21.957642),
    ("13_three_regions_p4d.json", "p4d.24xlarge", "us-east-1", 21.957642),
    ("13_three_regions_p4d.json", "p4d.24xlarge", "us-west-2", 21.95764),
    ("13_three_regions_p4d.json", "p4d.24xlarge", "eu-west-1", 23.71569),
    ("14_free_tier_pseudo_product.json", "p5.48xlarge", "us-east-1", None),
]


@pytest.mark.parametrize(("file", "name", "region", "usd"), LISTS)
def test_price_lists(aws, clients, catalog, clock, file, name, region, usd):
    aws.fails("GetProducts", *[body(file)] * 4)
    ask = PriceQuery("on_demand", region, name)
    assert OnDemand(clients, catalog.regions, clock.now).find([ask]).found[ask].usd_per_hour == usd


def test_three_pages_of_which_one_is_empty(aws, clients, catalog, clock):
    aws.fails("GetProducts", *[body(f"07_page_{number}.json") for number in (1, 2, 3)])
    held = json.loads(body("07_page_3.json").text)["PriceList"]
    last = json.loads(held[-1])["product"]["attributes"]["instanceType"]
    ask = PriceQuery("on_demand", "us-east-1", last)
    found = OnDemand(clients, catalog.regions, clock.now).find([ask]).found
    assert found[ask].usd_per_hour
    assert aws.count("GetProducts") == 3


def test_reserved_terms(aws, clients, catalog, clock):
    aws.fails("GetProducts", *[body("08_reserved_terms_m5_large.json")] * 3)
    ask = PriceQuery("reserved", "us-east-1", "m5.large", 1)
    assert (
        ReservedInstances(clients, catalog.regions, clock.now).find([ask]).found[ask].usd_per_hour
        == 0.06
    )


FAULTS = [
    ("20_error_throttled.json", 400, "throttles"),
    ("20_error_throttled_coral.json", 400, "throttles"),
    ("21_error_access_denied.json", 400, "pricing:GetProducts"),
    ("22_error_invalid_next_token.json", 400, "InvalidNextTokenException"),
    ("23_error_internal.json", 500, "Internal"),
]


@pytest.mark.parametrize(("file", "status", "words"), FAULTS)
def test_faults(aws, clients, catalog, clock, file, status, words):
    fault = body(file)
    aws.fails("GetProducts", *[Body(fault.text, status=status)] * 9)
    ask = PriceQuery("on_demand", "us-east-1", "p5.48xlarge")
    assert words in OnDemand(clients, catalog.regions, clock.now).find([ask]).failed[ask]


def test_spot_prices(aws, clients, clock):
    clock.advance(-200 * 86_400)
    aws.fails("DescribeSpotPriceHistory", body("30_spot_price_history.xml"))
    ask = PriceQuery("spot", "us-east-1", "g6e.xlarge")
    quote = Spot(clients, clock.now).find([ask]).found[ask]
    for zone in ("use1-az1 $1.3326", "use1-az2 $0.8783", "use1-az4 $1.0426", "use1-az6 $0.9516"):
        assert zone in quote.note


def test_a_capacity_block(aws, clients, clock):
    aws.fails("DescribeCapacityBlockOfferings", body("31_capacity_block_offerings.xml"))
    ask = PriceQuery("capacity_block", "us-east-2", "p4d.24xlarge", 0, BlockQuery(24))
    quote = CapacityBlocks(clients, clock.now, load_catalog().families).find([ask]).found[ask]
    assert quote.usd_per_hour == pytest.approx(11.7917, abs=1e-4)


@pytest.mark.parametrize(("years", "usd"), [(1, 89.72208), (3, 49.21897)])
def test_savings_plans(aws, clients, clock, years, usd):
    aws.fails("DescribeSavingsPlansOfferingRates", body("40_savings_plan_rates.json"))
    ask = PriceQuery("savings_plan", "us-east-1", "p6-b200.48xlarge", years)
    assert SavingsPlans(clients, clock.now).find([ask]).found[ask].usd_per_hour == usd


def test_no_savings_plan(aws, clients, clock):
    aws.fails("DescribeSavingsPlansOfferingRates", body("40_savings_plan_rates_empty.json"))
    ask = PriceQuery("savings_plan", "us-east-1", "p5e.48xlarge", 1)
    assert SavingsPlans(clients, clock.now).find([ask]).found[ask].usd_per_hour is None


def test_a_quota_of_a_new_account(aws, clients):
    aws.fails("GetServiceQuota", body("41_service_quota.json"))
    ask = QuotaQuery("us-east-1", "L-417A185B")
    assert Quotas(clients).find([ask]).found[ask].short_by(192) == 192


def test_placement_scores(aws, clients):
    aws.fails("GetSpotPlacementScores", body("32_spot_placement_scores.xml"))
    ask = PlacementQuery("us-east-1", ("g6e.xlarge", "g6e.2xlarge", "g5.xlarge"), 4)
    assert Placement(clients).find([ask]).found[ask].scores == (9, 1)
