"""Each K rule has a file that breaks it and, the same without the fault, one that keeps it.

K4 is the API server's own rules: what breaks it is also held against Karpenter's CEL rules.
"""

import copy

import pytest

from bot.manifests.karpenter.class_rules import CLASS_RULES
from bot.manifests.karpenter.rules import POOL_RULES, broken_karpenter_rules
from bot.manifests.rule import RuleFacts
from catalog.load import load_catalog
from tests.manifests.karpenter_crd import faults

CATALOG = load_catalog()
FACTS = RuleFacts(eks=CATALOG.eks, instances=CATALOG.instances)
AWS = "karpenter.k8s.aws/instance-"
DROP = object()


def without_dropped(mapping):
    return {key: value for key, value in mapping.items() if value is not DROP}


def requirement(key, *values, operator="In", **more):
    return {"key": key, "operator": operator, "values": list(values)} | more


def pool(*requirements, types=("g6e.xlarge",), bought=("on-demand",), arch="amd64", **changes):
    named = [requirement("node.kubernetes.io/instance-type", *types)] if types else []
    disruption = {"consolidationPolicy": "WhenEmpty", "consolidateAfter": "30m"}
    node = {
        "nodeClassRef": {"group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": "gpu"},
        "taints": [{"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}],
        "expireAfter": "720h",
        "requirements": [
            *named,
            requirement("karpenter.sh/capacity-type", *bought),
            requirement("kubernetes.io/arch", arch),
            *requirements,
        ],
    }
    node |= {k: v for k, v in changes.items() if k in node}
    return {
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": {"name": "gpu"},
        "spec": {
            "template": {
                "metadata": {"labels": changes.get("labels", {"ec2-pick/role": "inference"})},
                "spec": without_dropped(node),
            },
            "disruption": without_dropped(disruption | changes.get("disruption", {})),
            "limits": {"nvidia.com/gpu": 4},
        },
    }


def node_class(**changes):
    spec = {
        "role": "KarpenterNodeRole-ml",
        "amiSelectorTerms": [{"alias": "al2023@v20260714"}],
        "subnetSelectorTerms": [{"tags": {"karpenter.sh/discovery": "ml"}}],
        "securityGroupSelectorTerms": [{"tags": {"karpenter.sh/discovery": "ml"}}],
    }
    return {
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": {"name": changes.pop("name", "gpu")},
        "spec": without_dropped(spec | changes),
    }


def rules_broken_by(pair):
    return {broken.rule for broken in broken_karpenter_rules(copy.deepcopy(pair), FACTS)}


ZONE = requirement("topology.kubernetes.io/zone", "us-east-1a")
RESERVED = {"capacityReservationSelectorTerms": [{"id": "cr-0123456789abcdef0"}]}


def card(card_index, device, kind="efa-only"):
    return {"networkCardIndex": card_index, "deviceIndex": device, "interfaceType": kind}


EFA = {"networkInterfaces": [card(0, 0, "interface"), card(0, 1), card(1, 0)]}
DISK = {"deviceName": "/dev/xvda", "ebs": {"volumeSize": "200Gi"}}
FINE = (pool(), node_class())
CPU = (pool(types=("c8g.2xlarge",), arch="arm64"), node_class())

CASES = [
    (
        "K1",
        (pool(requirement(f"{AWS}gpu-name", "H100"), types=()), node_class()),
        (pool(requirement(f"{AWS}gpu-name", "h100"), types=()), node_class()),
    ),
    (
        "K1",
        (pool(requirement(f"{AWS}accelerator-name", "trn1"), types=()), node_class()),
        (pool(requirement(f"{AWS}accelerator-name", "trainium"), types=()), node_class()),
    ),
    ("K2", (pool(bought=("capacity-block",)), node_class()), FINE),
    (
        "K3",
        (pool(), node_class(kubelet={"maxPodz": 20})),
        (pool(), node_class(kubelet={"maxPods": 20})),
    ),
    (
        "K5",
        (pool(bought=("reserved",)), node_class()),
        (pool(bought=("reserved",)), node_class(**RESERVED)),
    ),
    ("K5", (pool(), node_class(**RESERVED)), FINE),
    ("K6", (pool(), node_class(name="other")), FINE),
    ("K6", (pool(),), FINE),
    ("K7", (pool(types=("p6e-gb200.36xlarge",), arch="arm64"), node_class()), CPU),
    ("K7", (pool(types=("g99.xlarge",)), node_class()), FINE),
    (
        "K7",
        (pool(requirement(f"{AWS}gpu-count", "8", operator="Gt")), node_class()),
        (pool(requirement(f"{AWS}gpu-count", "0", operator="Gt")), node_class()),
    ),
    (
        "K7",
        (pool(requirement(f"{AWS}family", "g6e", operator="NotIn")), node_class()),
        (pool(requirement(f"{AWS}family", "g6f", operator="NotIn")), node_class()),
    ),
    (
        "K7",
        (pool(requirement(f"{AWS}accelerator-name", operator="Exists")), node_class()),
        (pool(requirement(f"{AWS}accelerator-name", operator="DoesNotExist")), node_class()),
    ),
    ("K8", (pool(types=("c8g.2xlarge",)), node_class()), CPU),
    ("K9", (pool(), node_class(amiSelectorTerms=[{"alias": "al2023@latest"}])), FINE),
    ("K10", (pool(), node_class(**EFA)), (pool(ZONE), node_class(**EFA))),
    (
        "K10",
        (pool(ZONE), node_class(**EFA, associatePublicIPAddress=True)),
        (pool(ZONE), node_class(**EFA, associatePublicIPAddress=False)),
    ),
    ("K11", (pool(types=("g6f.xlarge",)), node_class()), FINE),
    (
        "K11",
        (pool(requirement(f"{AWS}gpu-name", "l4"), types=()), node_class()),
        (
            pool(
                requirement(f"{AWS}gpu-name", "l4"),
                requirement(f"{AWS}family", "g6f", "gr6f", operator="NotIn"),
                types=(),
            ),
            node_class(),
        ),
    ),
]

# What the API server refuses: our K4 and the CEL rules of the resource definitions agree.
REFUSED = {
    "operator": pool(requirement("a", "b", operator="Is")),
    "in_without_values": pool(requirement("a")),
    "fewer_than_min_values": pool(requirement("a", "b", minValues=2)),
    "gt_of_two": pool(requirement(f"{AWS}cpu", "1", "2", operator="Gt")),
    "gt_of_a_word": pool(requirement(f"{AWS}cpu", "many", operator="Gt")),
    "unknown_aws_label": pool(requirement(f"{AWS}gpu", "l4")),
    "karpenter_domain": pool(requirement("karpenter.sh/nodepool", "x")),
    "hostname": pool(requirement("kubernetes.io/hostname", "x")),
    "label_of_karpenter": pool(labels={"karpenter.sh/nodepool": "x"}),
    "label_of_aws": pool(labels={"karpenter.k8s.aws/colour": "x"}),
    "no_class_group": pool(nodeClassRef={"group": "", "kind": "EC2NodeClass", "name": "gpu"}),
    "taint_effect": pool(taints=[{"key": "a", "effect": "Never"}]),
    "no_consolidate_after": pool(disruption={"consolidateAfter": DROP}),
    "policy": pool(disruption={"consolidationPolicy": "WhenBored"}),
    "half_a_budget": pool(disruption={"budgets": [{"nodes": "1", "duration": "1h"}]}),
    "expire_after": pool(expireAfter="one week"),
    "two_identities": node_class(instanceProfile="p"),
    "no_identity": node_class(role=DROP),
    "no_subnets": node_class(subnetSelectorTerms=[]),
    "no_groups": node_class(securityGroupSelectorTerms=[]),
    "empty_term": node_class(subnetSelectorTerms=[{}]),
    "empty_tag": node_class(subnetSelectorTerms=[{"tags": {"a": ""}}]),
    "id_and_tags": node_class(securityGroupSelectorTerms=[{"id": "sg-1", "tags": {"a": "b"}}]),
    "reservation_by_nothing": node_class(
        capacityReservationSelectorTerms=[{"ownerID": "012345678901"}]
    ),
    "reservation_id": node_class(capacityReservationSelectorTerms=[{"id": "my block"}]),
    "no_image": node_class(amiSelectorTerms=DROP),
    "alias_and_id": node_class(amiSelectorTerms=[{"alias": "al2023@v1", "id": "ami-1"}]),
    "two_aliases": node_class(amiSelectorTerms=[{"alias": "al2023@v1"}, {"alias": "al2023@v2"}]),
    "alias_family": node_class(amiSelectorTerms=[{"alias": "al2023_gpu@v1"}]),
    "alias_form": node_class(amiSelectorTerms=[{"alias": "al2023"}]),
    "id_without_family": node_class(amiSelectorTerms=[{"id": "ami-1"}]),
    "two_roots": node_class(blockDeviceMappings=[DISK | {"rootVolume": True}] * 2),
    "disk_without_size": node_class(
        blockDeviceMappings=[{"deviceName": "/dev/xvda", "ebs": {"volumeType": "gp3"}}]
    ),
    "no_primary": node_class(networkInterfaces=[card(0, 1)]),
    "two_in_a_place": node_class(networkInterfaces=[card(0, 0, "interface"), card(0, 0)]),
    "two_efas_on_a_card": node_class(
        networkInterfaces=[card(0, 0, "interface"), card(0, 1), card(0, 2)]
    ),
    "placement_by_both": node_class(placementGroupSelector={"name": "a", "id": "pg-1"}),
}
TAKEN = {
    "pool": pool(
        requirement(f"{AWS}cpu", "4", operator="Gte"),
        requirement("a", "b", "c", minValues=2),
        disruption={"budgets": [{"nodes": "0", "schedule": "@daily", "duration": "1h"}]},
    ),
    "class": node_class(
        **RESERVED,
        **EFA,
        blockDeviceMappings=[DISK | {"rootVolume": True}],
        placementGroupSelector={"name": "a"},
    ),
    "images_by_id": node_class(amiSelectorTerms=[{"id": "ami-1"}], amiFamily="AL2023"),
}


@pytest.mark.parametrize(("rule", "broken", "kept"), CASES)
def test_rule(rule, broken, kept):
    assert rule in rules_broken_by(broken)
    assert rules_broken_by(kept) == set()


def alone(document):
    """The K4 faults of one document; the rules across documents are not asked."""
    return [b for b in broken_karpenter_rules((copy.deepcopy(document),), FACTS) if b.rule == "K4"]


@pytest.mark.parametrize("name", REFUSED)
def test_what_the_api_server_refuses_breaks_k4(name):
    assert alone(REFUSED[name])
    assert faults(REFUSED[name])


@pytest.mark.parametrize("name", TAKEN)
def test_what_the_api_server_takes_keeps_k4(name):
    assert alone(TAKEN[name]) == []
    assert faults(TAKEN[name]) == []


def test_an_unknown_kind_fails():
    document = {"apiVersion": "karpenter.sh/v1alpha5", "kind": "Provisioner"}
    assert [b.rule for b in broken_karpenter_rules((document,), FACTS)] == ["K4"]
    assert faults(document)


def test_an_unknown_field_fails():
    document = node_class()
    document["spec"]["instanceStorePolcy"] = "RAID0"
    assert faults(document)


def test_every_rule_has_a_case():
    tested = {rule for rule, _, _ in CASES} | {"K4"}
    assert tested == {f"K{i}" for i in range(1, 12)}
    assert set(POOL_RULES.checks) | set(CLASS_RULES.checks) == tested
