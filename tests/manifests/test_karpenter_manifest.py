from dataclasses import replace

import pytest
import yaml

from bot.core.manifest import ManifestError
from bot.manifests.karpenter.karpenter import karpenter_manifest
from bot.manifests.nodes import efa_interfaces
from tests.cards import samples
from tests.manifests.karpenter_crd import faults
from tests.manifests.picks import CASES, CATALOG, answer_of, on, sample_pick, together


def spot_together():
    price = samples.quote("p4d.24xlarge", 9.0, market="spot")
    return together("p4d.24xlarge", quote=price)


KARPENTER_CASES = CASES | {
    "b200_together": lambda: together("p6-b200.48xlarge"),
    "b300_together": lambda: together("p6-b300.48xlarge"),
    "trn2": lambda: together("trn2.48xlarge"),
    "spot_training": lambda: _spot(sample_pick("training")),
    "spot_together": spot_together,
}
REFUSED = {
    "own_image": "driver 595",
    "slice_of_a_gpu": "no whole GPU",
}
MADE = sorted(KARPENTER_CASES.keys() - REFUSED)


def _spot(pair):
    pick, workload = pair
    return replace(pick, quote=replace(pick.quote, market="spot")), workload


def made(name):
    pick, workload = KARPENTER_CASES[name]()
    return karpenter_manifest(answer_of(pick, workload), pick, CATALOG)


def documents(name):
    pool, node_class = yaml.safe_load_all(made(name).yaml_text)
    return pool["spec"], node_class["spec"]


def requirement(name, key):
    pool, _ = documents(name)
    values = {r["key"]: r["values"] for r in pool["template"]["spec"]["requirements"]}
    return values.get(key)


@pytest.mark.parametrize("name", MADE)
def test_manifest(name, golden):
    golden(f"karpenter/{name}.yaml", made(name).yaml_text)


@pytest.mark.parametrize("name", MADE)
def test_karpenters_own_definitions_accept_it(name):
    for document in yaml.safe_load_all(made(name).yaml_text):
        assert faults(document) == []


@pytest.mark.parametrize(("name", "says"), REFUSED.items())
def test_refused_with_the_reason(name, says):
    with pytest.raises(ManifestError, match=says):
        made(name)


@pytest.mark.parametrize(
    ("instance_type", "says"),
    [
        ("g6f.large", "node group"),
        ("gr6f.4xlarge", "node group"),
        ("g7.2xlarge", "driver 595"),
        ("p6e-gb200.36xlarge", "UltraServer"),
        ("trn2u.48xlarge", "UltraServer"),
        ("trn2.3xlarge", "does not know"),
        ("g4ad.xlarge", "end of life"),
        ("dl2q.24xlarge", "no image that drives"),
        ("p3.2xlarge", "end of life"),
    ],
)
def test_what_karpenter_cannot_run_is_refused_with_the_reason(instance_type, says):
    with pytest.raises(ManifestError, match=says):
        karpenter_manifest(answer_of(*on(instance_type)), on(instance_type)[0], CATALOG)


@pytest.mark.parametrize(
    ("name", "bought"),
    [
        ("realtime", ["on-demand"]),
        ("spot", ["spot", "on-demand"]),  # a server goes on at the price on demand
        ("spot_training", ["spot"]),  # a job waits for spot
        ("reservation", ["reserved"]),
        ("training_capacity_block", ["reserved"]),
    ],
)
def test_capacity_type_by_market(name, bought):
    assert requirement(name, "karpenter.sh/capacity-type") == bought


def test_only_a_single_machine_on_spot_may_be_of_several_types():
    assert len(requirement("spot", "node.kubernetes.io/instance-type")) > 1
    assert requirement("spot_together", "node.kubernetes.io/instance-type") == ["p4d.24xlarge"]


def test_training_is_not_interrupted():
    pool, _ = documents("training_efa")
    assert pool["template"]["spec"]["expireAfter"] == "Never"
    assert pool["disruption"]["consolidationPolicy"] == "WhenEmpty"
    assert {"nodes": "0", "reasons": ["Drifted"]} in pool["disruption"]["budgets"]


@pytest.mark.parametrize(("name", "gpus"), [("training_efa", 16), ("realtime", 2)])
def test_limits_cap_what_the_pool_costs(name, gpus):
    pool, _ = documents(name)
    assert pool["limits"] == {"nvidia.com/gpu": gpus}


def test_machines_that_talk_share_a_zone_a_placement_group_and_efa():
    _, node_class = documents("training_efa")
    assert len(requirement("training_efa", "topology.kubernetes.io/zone")) == 1
    assert node_class["associatePublicIPAddress"] is False
    assert len(node_class["networkInterfaces"]) == 33
    assert node_class["placementGroupSelector"]["name"] == "p5-48xlarge-llama-3-1-8b"
    assert any("create-placement-group" in note for note in made("training_efa").notes)
    assert made("training_efa").extras[0][0] == "efa-plugin-values.yaml"


def test_a_capacity_block_brings_its_own_placement():
    _, node_class = documents("training_capacity_block")
    assert "placementGroupSelector" not in node_class


@pytest.mark.parametrize(
    ("name", "count", "beside_ip"),
    [
        ("p5.48xlarge", 32, True),
        ("p6-b200.48xlarge", 8, True),
        ("p6-b300.48xlarge", 16, False),  # card 0 is for IP alone
        ("trn1.32xlarge", 8, True),
        ("g6e.24xlarge", 2, True),
        ("inf2.48xlarge", 0, False),
    ],
)
def test_layout_of_the_network_cards(name, count, beside_ip):
    interfaces = efa_interfaces(CATALOG.eks[name])
    efas = [i for i in interfaces if i.kind == "efa-only"]
    assert len(efas) == count
    assert len({i.card for i in efas}) == count
    assert any(i.card == 0 for i in efas) == beside_ip


def test_volume_and_local_disks_follow_the_models_size():
    _, node_class = documents("realtime")
    assert node_class["instanceStorePolicy"] == "RAID0"
    _, node_class = documents("neuron")
    assert "instanceStorePolicy" not in node_class
    size = node_class["blockDeviceMappings"][0]["ebs"]["volumeSize"]
    assert size.endswith("Gi")
    assert int(size.removesuffix("Gi")) >= 80
