"""On-demand and reserved prices from the price list: every way to get a wrong one."""

import json

import pytest

from catalog.prices.live.price_list_sources import OnDemand, ReservedInstances
from catalog.prices.live.source import PriceQuery
from tests.fakes.aws_endpoint import Fault
from tests.fakes.price_list import product, row


@pytest.fixture
def source(clients, catalog, clock):
    return OnDemand(clients, catalog.regions, clock.now)


def ask(instance_type, region="us-east-1"):
    return PriceQuery("on_demand", region, instance_type)


PRICES = [
    ("zero-priced capacity block beside it", "p5.48xlarge", "us-east-1", 55.04),
    ("unused and allocated reservations", "m5.xlarge", "us-east-1", 0.192),
    ("bare metal: shared, not dedicated", "c6g.metal", "us-east-1", 2.176),
    ("the region is said by location only", "m5.large", "us-east-1", 0.096),
    ("EU (Ireland) is Europe (Ireland)", "p4d.24xlarge", "eu-west-1", 23.71569),
    ("a Local Zone asked for by its code", "p5.48xlarge", "us-east-1-atl-1", 55.04),
    ("GovCloud is in the commercial list", "p5.48xlarge", "us-gov-west-1", 66.048),
]


@pytest.mark.parametrize("honours_filters", [True, False], ids=["filters", "filters-ignored"])
@pytest.mark.parametrize(("why", "name", "region", "usd"), PRICES)
def test_the_one_right_price(aws, source, why, name, region, usd, honours_filters):
    aws.honours_filters = honours_filters
    quote = source.find([ask(name, region)]).found[ask(name, region)]
    assert (quote.usd_per_hour, quote.source, quote.as_of) == (usd, "pricing_api", "2026-11-20"), (
        why
    )


UNPRICED = [
    ("p5e.48xlarge", "us-east-2", "sold only as capacity blocks in us-east-2"),
    ("p5.48xlarge", "eu-west-1", "not sold on demand in eu-west-1"),
    ("p4d.24xlarge", "cn-northwest-1", "priced in CNY only (172.873 an hour)"),
]


@pytest.mark.parametrize(("name", "region", "why"), UNPRICED)
def test_without_a_price_in_dollars_the_reason_is_found(source, name, region, why):
    quote = source.find([ask(name, region)]).found[ask(name, region)]
    assert quote.usd_per_hour is None
    assert why in quote.why_unpriced


def test_yuan_stay_yuan(source):
    wanted = ask("p4d.24xlarge", "cn-northwest-1")
    quote = source.find([wanted]).found[wanted]
    assert (quote.currency, quote.local_price_per_hour) == ("CNY", 172.873412)


FAILED = [
    (
        "two SKUs that disagree",
        [row("x1.a", "1.0", "A"), row("x1.a", "2.0", "B")],
        "ambiguous: 1 USD",
    ),
    ("a right SKU at zero", [row("x1.a", "0.0000000000")], "no price above 0"),
    ("a negative price", [row("x1.a", "-1.5")], "no price above 0"),
    ("no number", [row("x1.a", "free")], "no price above 0"),
    ("not finite", [row("x1.a", "Infinity")], "no price above 0"),
]


@pytest.mark.parametrize(("why", "products", "words"), FAILED)
def test_what_cannot_be_told_is_a_failure(aws, source, why, products, words):
    aws.products = products
    findings = source.find([ask("x1.a")])
    assert findings.found == {}, why
    assert words in findings.failed[ask("x1.a")]


def test_two_skus_at_one_price_are_one_price(aws, source):
    aws.products = [row("x1.a", "1.50", "B"), row("x1.a", "1.5000000000", "A")]
    assert source.find([ask("x1.a")]).found[ask("x1.a")].usd_per_hour == 1.5


MALFORMED = [
    "not json",
    "[]",
    "null",
    '{"product": null}',
    '{"product": {"attributes": [], "sku": "A"}}',
    json.dumps(
        {"product": {"sku": "A", "attributes": {"instanceType": "p5.48xlarge"}}, "terms": 3}
    ),
    "[" * 100_000,
]


@pytest.mark.parametrize("element", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_row_takes_no_other_with_it(aws, source, element):
    aws.raw_elements = [element]
    assert source.find([ask("p5.48xlarge")]).found[ask("p5.48xlarge")].usd_per_hour == 55.04


def test_nothing_but_malformed_rows_is_no_answer(aws, source):
    aws.products, aws.raw_elements = [], ["{"]
    assert "cannot be read" in source.find([ask("p5.48xlarge")]).failed[ask("p5.48xlarge")]


def test_dimensions_of_other_shapes_are_no_prices(aws, source):
    broken = product(row("x1.a", "1.0"))
    dimensions = next(iter(broken["terms"]["OnDemand"].values()))["priceDimensions"]
    dimensions["tier"] = {"unit": "Hrs", "endRange": "750", "pricePerUnit": {"USD": "0.5"}}
    dimensions["other"] = {"unit": "Quantity", "pricePerUnit": {"USD": "9"}}
    dimensions["odd"] = ["unit"]
    dimensions["none"] = {"unit": "Hrs", "pricePerUnit": None}
    aws.products, aws.raw_elements = [], [json.dumps(broken)]
    assert source.find([ask("x1.a")]).found[ask("x1.a")].usd_per_hour == 1.0


def test_pages_are_followed_by_token_also_over_empty_ones(aws, source):
    aws.page_size, aws.empty_pages, aws.honours_filters = 2, 2, False
    wanted = [ask("p5.48xlarge"), ask("m5.xlarge"), ask("c6g.metal")]
    found = source.find(wanted).found
    assert [found[one].usd_per_hour for one in wanted] == [55.04, 0.192, 2.176]
    assert aws.count("GetProducts") > 5


def test_a_list_without_an_end_is_left(aws, source):
    aws.page_size, aws.empty_pages, aws.honours_filters = 1, 10_000, False
    assert "did not end" in source.find([ask("p5.48xlarge")]).failed[ask("p5.48xlarge")]


@pytest.mark.parametrize("code", ["ExpiredNextTokenException", "InvalidNextTokenException"])
def test_a_stale_token_starts_the_list_again_once(aws, source, code):
    aws.page_size = 1
    aws.products = [row("x1.a", "1.5", f"SKU{n}") for n in range(3)]
    aws.fails("GetProducts", NOTHING, Fault(code))
    assert source.find([ask("x1.a")]).found[ask("x1.a")].usd_per_hour == 1.5
    aws.fails("GetProducts", Fault(code), Fault(code))
    assert "answered" in source.find([ask("x1.a")]).failed[ask("x1.a")]


NOTHING = None
RETRIED = [
    Fault("ThrottlingException", 400, "Rate exceeded"),
    Fault("com.amazon.coral.availability#ThrottlingException", 400, "Request has been throttled."),
    Fault("InternalErrorException", 500),
    Fault(dropped=True),
]


@pytest.mark.parametrize("fault", RETRIED, ids=lambda fault: fault.code or "dropped")
def test_a_passing_fault_is_tried_again(aws, source, fault):
    aws.fails("GetProducts", fault)
    assert source.find([ask("p5.48xlarge")]).found[ask("p5.48xlarge")].usd_per_hour == 55.04
    assert aws.count("GetProducts") == 2


LASTING = [
    (Fault("ThrottlingException"), 3, "throttles"),
    (Fault("InternalErrorException", 500), 3, "InternalErrorException"),
    (Fault("AccessDeniedException"), 1, "the role needs pricing:GetProducts"),
    (Fault("UnrecognizedClientException"), 1, "refused the credentials"),
    (Fault("ExpiredTokenException"), 1, "refused the credentials"),
    (Fault("InvalidParameterException"), 1, "InvalidParameterException"),
]


@pytest.mark.parametrize(
    ("fault", "calls", "words"), LASTING, ids=lambda row: getattr(row, "code", "")
)
def test_a_lasting_fault_says_what_to_do(aws, source, fault, calls, words):
    aws.fails("GetProducts", *[fault] * 3)
    assert words in source.find([ask("p5.48xlarge")]).failed[ask("p5.48xlarge")]
    assert aws.count("GetProducts") == calls


def test_several_types_are_asked_in_one_call(aws, source):
    wanted = [ask("p5.48xlarge"), ask("g6e.xlarge"), ask("g6.xlarge")]
    assert len(source.find(wanted).found) == 3
    assert aws.count("GetProducts") == 1


def test_every_filter_of_the_one_sku_is_sent(aws, source):
    source.find([ask("p5.48xlarge")])
    filters = {one["Field"]: one["Value"] for one in aws.calls[0][1]["Filters"]}
    assert filters == {
        "regionCode": "us-east-1",
        "instanceType": "p5.48xlarge",
        "operatingSystem": "Linux",
        "tenancy": "Shared",
        "capacitystatus": "Used",
        "preInstalledSw": "NA",
        "licenseModel": "No License required",
        "marketoption": "OnDemand",
        "locationType": "AWS Region",
        "operation": "RunInstances",
    }


RESERVED = [
    (1, 0.06, "standard, no upfront"),
    (3, 972 / (3 * 8760), "standard, all upfront"),
]


@pytest.mark.parametrize(("years", "usd", "words"), RESERVED)
def test_reserved_spreads_the_upfront_part(clients, catalog, clock, years, usd, words):
    source = ReservedInstances(clients, catalog.regions, clock.now)
    wanted = PriceQuery("reserved", "us-east-1", "m5.large", years)
    quote = source.find([wanted]).found[wanted]
    assert quote.usd_per_hour == pytest.approx(usd)
    assert words in quote.note


def test_no_reserved_offer_is_said(clients, catalog, clock):
    source = ReservedInstances(clients, catalog.regions, clock.now)
    wanted = PriceQuery("reserved", "us-east-1", "p5.48xlarge", 1)
    assert "no 1-year reserved offer" in source.find([wanted]).found[wanted].why_unpriced
