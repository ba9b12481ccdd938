"""Integrity of the real data beyond what loading checks, and the facts that APIs get wrong."""

import json
import re
from datetime import date

import pytest

from catalog.facts.coefficients import load_coefficients
from catalog.load import DATA_DIR
from tests.catalog.small_data import read

DAY = re.compile(r"\d{4}-\d{2}-\d{2}")


def test_counts(catalog):
    assert len(catalog.instances) == 1406
    assert len(catalog.accelerators) == 28
    assert len(catalog.cpus) == 48
    assert len(catalog.models) == 380
    assert len(catalog.eks) == 91
    assert len(catalog.prices.on_demand) == 18861
    assert len(catalog.regions) == 107
    assert sum(1 for region in catalog.regions.values() if region.location_type == "region") == 38


def test_every_type_the_api_lists_is_in_the_catalog(catalog):
    _, listed = read(DATA_DIR / "instances.csv")
    assert len(listed) == 1395
    assert {row["instance_type"] for row in listed} <= set(catalog.instances)


def test_dates_are_days_and_none_lies_in_the_future(catalog):
    tables = (catalog.prices.on_demand, catalog.prices.other, catalog.prices.three_year)
    days = {quote.as_of for quotes in tables for quote in quotes.values()}
    days |= {family.as_of for family in catalog.families.values()} | {catalog.as_of}
    assert all(DAY.fullmatch(day) and date.fromisoformat(day) for day in days)
    assert max(days) <= "2026-11-27"


def test_data_files_are_sorted():
    for file, columns in {
        "accelerators.csv": ["id"],
        "architectures.csv": ["model_type"],
        "cpu_power.csv": ["microarchitecture"],
        "cpus.csv": ["family"],
        "eks.csv": ["instance_type"],
        "endpoints.csv": ["service"],
        "evidence.csv": ["hardware"],
        "families.csv": ["family"],
        "grid.csv": ["region"],
        "groups.csv": ["word"],
        "instance_overlays.csv": ["instance_type", "field"],
        "instances.csv": ["instance_type"],
        "model_families.csv": ["family"],
        "models.csv": ["id"],
        "prices_ondemand.csv": ["region", "instance_type"],
        "prices_other.csv": ["market", "region", "instance_type", "term_years"],
        "regions.csv": ["code"],
        "stacks.csv": ["stack"],
        "unlisted_instances.csv": ["instance_type"],
        "use_cases.csv": ["use_case"],
    }.items():
        _, rows = read(DATA_DIR / file)
        keys = [[row[column] for column in columns] for row in rows]
        assert keys == sorted(keys), file


def test_every_row_of_every_file_has_a_source():
    for path in DATA_DIR.glob("*.csv"):
        header, rows = read(path)
        assert "source" in header, path.name
        assert all(row["source"].strip() for row in rows), path.name


def test_no_price_is_zero_or_absurd(catalog):
    for quote in catalog.prices.on_demand.values():
        price = quote.usd_per_hour or quote.local_price_per_hour
        assert 0.002 < price < 2000, quote  # t4g.nano costs 0.0028 in Mumbai


def test_price_per_vcpu_is_near_the_usual_of_its_family(catalog):
    """A slipped decimal point shows as a type ten times off its own family in its own region."""
    by_family = {}
    for (region, name), quote in catalog.prices.on_demand.items():
        instance = catalog.instances.get(name)
        if instance is None or quote.usd_per_hour is None:
            continue
        if instance.accelerators or instance.burstable:
            continue  # priced by accelerator, by memory
        each = quote.usd_per_hour / instance.vcpus
        by_family.setdefault((region, instance.family), []).append((each, name))
    for (region, family), found in by_family.items():
        found.sort()
        assert found[-1][0] < 9 * found[0][0], (region, family, found[0], found[-1])


@pytest.mark.parametrize(
    ("name", "accelerator", "count"),
    [
        ("dl2q.24xlarge", "AI100", 8),
        ("g4dn.metal", "T4", 8),
        ("g5.12xlarge", "A10G", 4),
        ("g5g.metal", "T4G", 2),
        ("g6.48xlarge", "L4", 8),
        ("g6e.12xlarge", "L40S", 4),
        ("g6f.2xlarge", "L4-1_4", 1),
        ("g6f.4xlarge", "L4-1_2", 1),
        ("g6f.large", "L4-1_8", 1),
        ("g7.48xlarge", "RTX-PRO-4500", 8),
        ("g7e.2xlarge", "RTX-PRO-6000", 1),
        ("gr6f.4xlarge", "L4-1_2", 1),
        ("inf1.24xlarge", "Inferentia1", 16),
        ("inf2.24xlarge", "Inferentia2", 6),
        ("p3.16xlarge", "V100-16", 8),
        ("p3dn.24xlarge", "V100-32", 8),
        ("p4d.24xlarge", "A100-40", 8),
        ("p4de.24xlarge", "A100-80", 8),
        ("p5.48xlarge", "H100-80", 8),
        ("p5.4xlarge", "H100-80", 1),
        ("p5e.48xlarge", "H200-141", 8),
        ("p5en.48xlarge", "H200-141", 8),
        ("p6-b200.48xlarge", "B200", 8),
        ("p6e-gb200.36xlarge", "GB200", 4),
        ("trn1.32xlarge", "Trainium1", 16),
        ("trn2.3xlarge", "Trainium2", 1),
        ("trn2.48xlarge", "Trainium2", 16),
        ("trn2u.48xlarge", "Trainium2", 16),
        ("c7i.large", None, 0),
        ("vt1.3xlarge", None, 0),
        ("f2.6xlarge", None, 0),
    ],
)
def test_accelerators_of_a_type(catalog, name, accelerator, count):
    instance = catalog.instances[name]
    assert (instance.accelerator_id, instance.accelerators) == (accelerator, count)


@pytest.mark.parametrize(
    ("name", "each_gib"),
    [("g6.48xlarge", 22.0), ("p5.48xlarge", 79.2), ("g6f.large", 2.35), ("trn2.48xlarge", 96.0)],
)
def test_usable_memory_of_each_accelerator(catalog, name, each_gib):
    chip = catalog.accelerators[catalog.instances[name].accelerator_id]
    assert chip.mem_gib_usable == pytest.approx(each_gib, rel=0.01)


def test_g7e_is_an_rtx_pro_6000_of_capability_12(catalog):
    chip = catalog.accelerators[catalog.instances["g7e.48xlarge"].accelerator_id]
    assert "RTX PRO 6000" in chip.marketed_name
    assert chip.compute_capability == 12.0


@pytest.mark.parametrize(
    ("name", "gbps"),
    [
        ("p4d.24xlarge", 400),
        ("p5.48xlarge", 3200),
        ("p6-b200.48xlarge", 3200),
        ("p6-b300.48xlarge", 6400),
        ("g6e.48xlarge", 400),
        ("trn1.32xlarge", 800),
        ("trn2.48xlarge", 3200),
        ("g5.xlarge", 2.5),
    ],
)
def test_network_of_all_cards_together(catalog, name, gbps):
    assert catalog.instances[name].network_gbps == gbps


def test_what_is_fitted_and_measured_of_a_chip_agrees_with_the_coefficients(catalog):
    coefficients = load_coefficients()
    for chip in catalog.accelerators.values():
        assert chip.fitted_as in coefficients.training.generation, chip.id
        if chip.vendor != "aws":
            served = chip.id in coefficients.serving.accelerator
            assert ("serving" in chip.measured) == served, chip.id


def test_what_people_say_means_something_of_the_catalog(catalog):
    spoken = json.loads((DATA_DIR / "spoken.json").read_text(encoding="utf-8"))
    chips = {name.lower().partition("-")[0] for name in catalog.accelerators} | {"rtxpro6000"}
    assert spoken["source"]
    assert tuple(word.capitalize() for word in spoken["neuron"]) == catalog.neuron_lines
    assert {means for means, _ in spoken["chip_stand_ins"].values()} <= chips
    assert set(spoken["namesakes"].values()) <= catalog.regions.keys()
    assert set(spoken["translated_places"]) <= catalog.region_names.keys()
    assert set(spoken["open_models"]) <= catalog.models.keys()
    for families in ("training_instead", "cuda_instead"):
        assert set(spoken[families]) <= catalog.families.keys()


def test_one_model_stands_for_each_kind(catalog):
    kinds = [model.stands_for for model in catalog.models.values() if model.stands_for]
    assert sorted(kinds) == sorted(set(kinds))
    sizes = {"example", "32B", "70B", "120B MoE"}
    assert {"classifier", "embedding", "vision", "speech", "diffusion"} | sizes == set(kinds)


def test_regions_are_ranked_and_each_partition_has_its_own(catalog):
    assert catalog.default_region == "us-east-1"
    assert catalog.low_priced_regions[:4] == ("us-east-1", "us-west-2", "us-east-2", "eu-west-1")
    ranks = sorted(r.usual_rank for r in catalog.regions.values() if r.usual_rank)
    assert ranks == list(range(1, len(ranks) + 1))
    for code, region in catalog.regions.items():
        apart = {"cn": "aws-cn", "us-gov": "aws-us-gov"}
        found = next((apart[start] for start in apart if code.startswith(f"{start}-")), "aws")
        assert region.partition == found, code


@pytest.mark.parametrize(
    ("family", "on_demand", "spot"),
    [
        ("p4d", "L-417A185B", "L-7212CCBC"),
        ("p5", "L-417A185B", "L-C4BD4855"),
        ("p6-b200", "L-417A185B", None),
        ("g5", "L-DB2E81BA", "L-3819A6DF"),
        ("trn1", "L-2C3B7624", "L-6B0D517C"),
        ("inf2", "L-1945791B", "L-B5D1601B"),
        ("dl2q", "L-6E869C2A", "L-85EED4F7"),
        ("c7i", "L-1216C47A", "L-34B43A08"),
        ("x2idn", "L-7295265B", "L-E3A00192"),
        ("u7i-12tb", "L-43DA4232", None),
        ("mac2", None, None),
    ],
)
def test_quota_codes(catalog, family, on_demand, spot):
    found = catalog.families[family]
    assert (found.quota_code_on_demand, found.quota_code_spot) == (on_demand, spot)


def test_withdrawn_types_are_there_but_end_of_life(catalog):
    for name in ("p3.2xlarge", "g4ad.xlarge", "dl1.24xlarge"):
        instance = catalog.instances[name]
        assert instance.eol, name
        assert instance.regions == (), name
        assert "withdrawn" in instance.lifecycle, name


def test_efa_and_its_interfaces_agree(catalog):
    for instance in catalog.instances.values():
        assert instance.efa or not instance.efa_interfaces, instance.instance_type
    for facts in catalog.eks.values():
        instance = catalog.instances[facts.instance_type]
        assert facts.efa_interfaces == instance.efa_interfaces or instance.eol, facts.instance_type


def test_kubernetes_counts_agree_with_the_devices(catalog):
    for facts in catalog.eks.values():
        instance = catalog.instances[facts.instance_type]
        assert facts.arch == {"x86_64": "amd64", "arm64": "arm64"}[instance.arch]
        assert facts.resource_count in {None, instance.accelerators}, facts.instance_type


def test_every_accelerated_type_has_its_kubernetes_facts(catalog):
    accelerated = {name for name, found in catalog.instances.items() if found.accelerator_id}
    assert accelerated == set(catalog.eks)


@pytest.mark.parametrize(
    ("said", "code"),
    [
        ("frankfurt", "eu-central-1"),
        ("germany", "eu-central-1"),
        ("ohio", "us-east-2"),
        ("n. virginia", "us-east-1"),
        ("virginia", "us-east-1"),
        ("use1", "us-east-1"),
        ("usw2", "us-west-2"),
        ("oregon", "us-west-2"),
        ("ireland", "eu-west-1"),
        ("london", "eu-west-2"),
        ("paris", "eu-west-3"),
        ("tokyo", "ap-northeast-1"),
        ("japan", "ap-northeast-1"),
        ("osaka", "ap-northeast-3"),
        ("seoul", "ap-northeast-2"),
        ("mumbai", "ap-south-1"),
        ("hyderabad", "ap-south-2"),
        ("singapore", "ap-southeast-1"),
        ("sydney", "ap-southeast-2"),
        ("jakarta", "ap-southeast-3"),
        ("melbourne", "ap-southeast-4"),
        ("malaysia", "ap-southeast-5"),
        ("new zealand", "ap-southeast-6"),
        ("thailand", "ap-southeast-7"),
        ("hong kong", "ap-east-1"),
        ("taipei", "ap-east-2"),
        ("montreal", "ca-central-1"),
        ("canada", "ca-central-1"),
        ("calgary", "ca-west-1"),
        ("stockholm", "eu-north-1"),
        ("milan", "eu-south-1"),
        ("spain", "eu-south-2"),
        ("zurich", "eu-central-2"),
        ("zürich", "eu-central-2"),
        ("sao paulo", "sa-east-1"),
        ("mexico", "mx-central-1"),
        ("tel aviv", "il-central-1"),
        ("uae", "me-central-1"),
        ("bahrain", "me-south-1"),
        ("cape town", "af-south-1"),
        ("california", "us-west-1"),
        ("eu-central", "eu-central-1"),
        ("eu-west-1", "eu-west-1"),
    ],
)
def test_what_people_call_a_region(catalog, said, code):
    assert catalog.region_names[said] == code


def test_region_names_are_lower_case(catalog):
    assert all(name == name.lower() for name in catalog.region_names)
