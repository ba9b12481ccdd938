import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml

from bot.core.manifest import ManifestError
from bot.manifests.eksctl.eksctl import eksctl_manifest
from tests.manifests.picks import CASES, CATALOG, on, sample_pick, together

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas" / "eksctl.schema.json").read_text())
VALIDATOR = jsonschema.Draft7Validator(SCHEMA)


def made(name):
    pick, workload = CASES[name]()
    return eksctl_manifest(pick, workload, CATALOG)


def group_of(name):
    (group,) = yaml.safe_load(made(name).yaml_text)["managedNodeGroups"]
    return group


@pytest.mark.parametrize("name", CASES)
def test_manifest(name, golden):
    golden(f"eksctl/{name}.yaml", made(name).yaml_text)


@pytest.mark.parametrize("name", CASES)
def test_schema_accepts_it(name):
    errors = [e.message for e in VALIDATOR.iter_errors(yaml.safe_load(made(name).yaml_text))]
    assert errors == []


def test_schema_refuses_what_it_should():
    document = yaml.safe_load(made("realtime").yaml_text)
    document["managedNodeGroups"][0]["instanceTyp"] = "x"
    assert list(VALIDATOR.iter_errors(document))


@pytest.mark.parametrize("name", sorted(CATALOG.eks))
def test_every_accelerated_type_yields_a_valid_file_or_a_reason(name):
    try:
        text = eksctl_manifest(*on(name), CATALOG).yaml_text
    except ManifestError as error:
        refusal = str(error)
        text = ""
    assert list(VALIDATOR.iter_errors(yaml.safe_load(text))) == [] if text else name in refusal


@pytest.mark.parametrize(
    ("name", "taint"),
    [
        ("realtime", ["nvidia.com/gpu"]),
        ("neuron", ["aws.amazon.com/neuron"]),
        ("cpu", []),
    ],
)
def test_taint_of_the_class(name, taint):
    assert [t["key"] for t in group_of(name).get("taints", [])] == taint


def test_local_disks_are_used_only_when_they_hold_the_model():
    assert "RAID0" in group_of("realtime")["overrideBootstrapCommand"]
    heavy, workload = on("g4dn.xlarge")
    memory = replace(heavy.estimate.memory, weights=40.0)
    heavy = replace(heavy, estimate=replace(heavy.estimate, memory=memory))
    (group,) = yaml.safe_load(eksctl_manifest(heavy, workload, CATALOG).yaml_text)[
        "managedNodeGroups"
    ]
    assert "overrideBootstrapCommand" not in group
    assert group["volumeSize"] == 170


def test_efa_comes_with_plugin_values_that_tolerate_the_taint():
    ((file_name, text),) = made("training_efa").extras
    tolerated = {t["key"] for t in yaml.safe_load(text)["tolerations"]}
    assert file_name == "efa-plugin-values.yaml"
    assert {"nvidia.com/gpu", "aws.amazon.com/efa"} <= tolerated


def test_capacity_block_starts_empty_and_says_what_to_fill_in():
    manifest = made("training_capacity_block")
    group = group_of("training_capacity_block")
    assert (group["minSize"], group["desiredCapacity"], group["maxSize"]) == (0, 0, 2)
    assert group["instanceMarketOptions"] == {"marketType": "capacity-block"}
    assert manifest.yaml_text.count("FILL IN") == 3  # the third: who reaches the API
    assert "Capacity Block" in manifest.notes[0]


def test_spot_is_spot_over_several_types():
    group = group_of("spot")
    assert group["spot"] is True
    assert group["instanceTypes"][:2] == ["g6e.xlarge", "g6e.2xlarge"]
    assert "instanceType" not in group


def test_a_named_reservation_is_used():
    reservation = group_of("reservation")["capacityReservation"]
    assert reservation == {
        "capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}
    }
    assert "instanceMarketOptions" not in group_of("reservation")
    assert made("reservation").yaml_text.count("FILL IN") == 2  # its zone, who reaches the API
    assert made("named_capacity_block").yaml_text.count("FILL IN") == 2


def test_price_source_and_date_are_in_the_comments():
    assert "AWS list price of 2026-07-20, snapshot" in made("realtime").yaml_text


@pytest.mark.parametrize(
    ("instance_type", "says"),
    [
        ("p3.2xlarge", "end of life"),
        ("inf1.xlarge", "end of life"),
        ("g4ad.xlarge", "end of life"),
        ("dl2q.24xlarge", "no image that drives"),
        ("p6e-gb200.36xlarge", "UltraServer"),
        ("trn2u.48xlarge", "UltraServer"),
    ],
)
def test_what_eksctl_cannot_run_is_refused_with_the_reason(instance_type, says):
    with pytest.raises(ManifestError, match=says):
        eksctl_manifest(*on(instance_type), CATALOG)


def test_a_job_over_several_b200_machines_would_lose_efa():
    pick, workload = together("p6-b200.48xlarge")
    with pytest.raises(ManifestError, match="networkInterfaces"):
        eksctl_manifest(pick, workload, CATALOG)


def test_a_local_zone_has_no_managed_groups():
    zone = next(r.code for r in CATALOG.regions.values() if r.location_type == "local-zone")
    with pytest.raises(ManifestError, match="parent region"):
        eksctl_manifest(*on("g6e.xlarge", region=zone), CATALOG)


def test_a_capacity_block_of_a_type_that_has_none():
    pick, workload = on("g6e.xlarge")
    with pytest.raises(ManifestError, match="not sold in Capacity Blocks"):
        eksctl_manifest(pick, replace(workload, market="capacity_block"), CATALOG)


@pytest.mark.parametrize(
    ("typed", "name"),
    [
        (None, "ec2-pick"),
        ("chat", "chat"),
        ("my team's cluster", "my-team-s-cluster"),
        ("1st", "ec2-pick"),
        ("{{ 7*7 }}", "ec2-pick"),
        ("x: y\n- z", "x-y---z"),
        ("ümlaut", "mlaut"),
        ("!!python/object:os.system", "python-object-os-system"),
        ("a" * 300, "a" * 100),
    ],
)
def test_a_typed_name_is_made_legal_or_replaced(typed, name):
    pick, workload = sample_pick("realtime")
    manifest = eksctl_manifest(pick, replace(workload, name=typed), CATALOG)
    assert yaml.safe_load(manifest.yaml_text)["metadata"]["name"] == name
    assert bool(manifest.notes) == (typed not in {None, name})
