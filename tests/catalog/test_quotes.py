"""A quote is a dated price or says why there is none: never zero, never a guess."""

import pytest

from catalog.geography import nearest_regions_offering


@pytest.mark.parametrize(
    ("name", "region", "market", "usd"),
    [
        ("p5.48xlarge", "us-east-1", "on_demand", 55.04),
        ("c6g.metal", "us-west-2", "on_demand", 2.176),
        ("g4dn.xlarge", "us-west-2-lax-1", "on_demand", 0.631),
        ("p5.48xlarge", "us-east-1", "capacity_block", 41.528),
        ("p5e.48xlarge", "us-east-2", "capacity_block", 47.76),
        ("p5.48xlarge", "us-east-1", "savings_plan", 34.6752),
    ],
)
def test_a_known_price(catalog, name, region, market, usd):
    quote = catalog.prices.quote(catalog.instances[name], region, market)
    assert quote.usd_per_hour == usd
    assert quote.why_unpriced is None
    assert quote.source == "snapshot"
    assert quote.source_key
    assert quote.as_of >= "2025-01-01"


def test_a_term_of_three_years_is_a_price_of_its_own(catalog):
    instance = catalog.instances["p5.48xlarge"]
    quote = catalog.prices.quote(instance, "us-east-1", "savings_plan", term_years=3)
    assert quote.usd_per_hour == 23.77728


@pytest.mark.parametrize(
    ("name", "region", "market", "why"),
    [
        ("p5e.48xlarge", "us-east-2", "on_demand", "sold as capacity blocks and on spot only"),
        ("trn2.48xlarge", "us-east-2", "on_demand", "sold as capacity blocks and on spot only"),
        ("trn2u.48xlarge", "ap-south-2", "on_demand", "sold only as capacity blocks"),
        ("p6e-gb200.36xlarge", "us-east-1", "on_demand", "sold only as capacity blocks"),
        ("p6e-gb200.36xlarge", "us-east-1", "spot", "not sold on the spot market"),
        ("p5e.48xlarge", "us-east-2", "savings_plan", "sold as capacity blocks"),
        ("g5.12xlarge", "us-west-1", "on_demand", "not offered in us-west-1"),
        ("p5.48xlarge", "eu-west-3", "on_demand", "not offered in eu-west-3"),
        ("p4d.24xlarge", "ap-southeast-1", "on_demand", "not offered in ap-southeast-1"),
        ("g5.12xlarge", "us-west-1", "spot", "not offered in us-west-1"),
        ("g6e.xlarge", "ap-south-1", "on_demand", "no published price known in ap-south-1"),
        ("g5.xlarge", "cn-north-1", "on_demand", "priced in CNY only"),
        ("m7i.large", "us-east-1", "spot", "no spot figure known in us-east-1"),
        ("m7i.large", "us-east-1", "capacity_block", "not sold as capacity blocks"),
        ("m7i.large", "us-east-1", "reserved", "no 1-year reserved price known in us-east-1"),
        ("p3.2xlarge", "us-east-1", "on_demand", "withdrawn by AWS"),
        ("g5.xlarge", "us-moon-1", "on_demand", "no published price known in us-moon-1"),
        ("p5.48xlarge", "us-east-1-bos-1", "on_demand", "no published price known"),
    ],
)
def test_no_price_and_why(catalog, name, region, market, why):
    quote = catalog.prices.quote(catalog.instances[name], region, market)
    assert quote.usd_per_hour is None
    assert why in quote.why_unpriced
    assert (quote.instance_type, quote.region, quote.market) == (name, region, market)


def test_every_quote_is_a_price_above_zero_or_says_why(catalog):
    markets = ("on_demand", "spot", "capacity_block", "reserved", "savings_plan")
    for instance in catalog.instances.values():
        for region in ("us-east-1", "eu-central-1", "ap-southeast-6", "cn-north-1"):
            for market in markets:
                quote = catalog.prices.quote(instance, region, market)
                assert (quote.usd_per_hour is None) == (quote.why_unpriced is not None)
                assert quote.usd_per_hour is None or quote.usd_per_hour > 0


@pytest.mark.parametrize("family", ["p5e", "trn2", "trn2u", "p6e-gb200", "p6e-gb300"])
def test_types_without_an_on_demand_price_never_get_one(catalog, family):
    members = [found for found in catalog.instances.values() if found.family == family]
    assert members
    for instance in members:
        for region in catalog.regions:
            assert catalog.prices.quote(instance, region).usd_per_hour is None


def test_metal_types_are_priced_where_they_are_sold(catalog):
    metal = [
        found
        for found in catalog.instances.values()
        if found.bare_metal and "us-east-1" in found.regions and not found.family.startswith("mac")
    ]
    priced = [x for x in metal if catalog.prices.quote(x, "us-east-1").usd_per_hour]
    assert len(metal) > 80
    assert len(priced) >= 0.95 * len(metal)


def test_commercial_regions_without_an_offering_list_go_by_their_price_list(catalog):
    instance = catalog.instances["m7i.large"]
    assert "ap-southeast-7" in instance.regions or "ap-east-2" in instance.regions
    assert "ap-east-2" not in catalog.prices.listed_regions


def test_zones_are_priced_but_no_region_of_an_instance(catalog):
    zones = {code for code, found in catalog.regions.items() if found.location_type != "region"}
    assert any(region in zones for region, _ in catalog.prices.on_demand)
    assert not any(zones & set(found.regions) for found in catalog.instances.values())


@pytest.mark.parametrize(
    ("name", "region", "first"),
    [
        ("g5.12xlarge", "us-west-1", "us-west-2"),
        ("p5.48xlarge", "eu-west-3", "eu-west-2"),
        ("g5.xlarge", "us-west-2-lax-1", "us-west-2"),
        ("g5.xlarge", "cn-north-1", "cn-northwest-1"),
    ],
)
def test_the_nearest_region_that_offers_a_type(catalog, name, region, first):
    near = nearest_regions_offering(catalog, catalog.instances[name], region)
    assert near[0] == first
    assert region not in near
    assert len(near) <= 3


def test_a_withdrawn_type_is_near_nowhere(catalog):
    assert nearest_regions_offering(catalog, catalog.instances["p3.2xlarge"], "us-east-1") == ()


def test_govcloud_is_never_the_nearest_of_a_commercial_region(catalog):
    near = nearest_regions_offering(catalog, catalog.instances["m7i.large"], "us-east-1", 40)
    assert near
    assert not any(code.startswith(("us-gov-", "cn-")) for code in near)
