"""Each rule has a file that breaks it and, the same without the fault, one that keeps it."""

import copy
import re

import pytest

from bot.manifests.eksctl.node_rules import GROUP_RULES
from bot.manifests.eksctl.rules import broken_rules
from bot.manifests.rule import RuleFacts
from catalog.load import load_catalog

CATALOG = load_catalog()
NODE_CONFIG = (
    "apiVersion: node.eks.aws/v1alpha1\nkind: NodeConfig\n"
    "spec: {instance: {localStorage: {strategy: RAID0}}}\n"
)
GPU_TAINT = {"key": "nvidia.com/gpu", "value": "true", "effect": "NoSchedule"}
NEURON_TAINT = GPU_TAINT | {"key": "aws.amazon.com/neuron"}
RESERVATION = {"capacityReservationTarget": {"capacityReservationID": "cr-0123456789abcdef0"}}
BLOCK = {
    "instanceType": "p5.48xlarge",
    "availabilityZones": ["us-east-1a"],
    "capacityReservation": RESERVATION,
    "instanceMarketOptions": {"marketType": "capacity-block"},
}
EFA = {
    "instanceType": "p5.48xlarge",
    "availabilityZones": ["us-east-1a"],
    "privateNetworking": True,
    "efaEnabled": True,
}
CPU = {"instanceType": "c8g.2xlarge", "taints": []}
NEURON = {"instanceType": "inf2.xlarge", "taints": [NEURON_TAINT]}
DROP = object()


def group(**changes):
    base = {
        "name": "g6e-xlarge",
        "amiFamily": "AmazonLinux2023",
        "instanceType": "g6e.xlarge",
        "minSize": 0,
        "desiredCapacity": 1,
        "maxSize": 2,
        "volumeSize": 200,
        "taints": [GPU_TAINT],
        "labels": {"ec2-pick/role": "inference"},
    }
    merged = base | {k.replace("__", "."): v for k, v in changes.items()}
    return {k: v for k, v in merged.items() if v is not DROP}


def document(*groups, kind="managedNodeGroups", metadata=None, **top):
    named = {"name": "ml", "region": "us-east-1", "version": "1.34"}
    return {"metadata": named | (metadata or {}), kind: list(groups)} | top


def rules_broken_by(made, *, need_gb=150, tolerated=("nvidia.com/gpu",)):
    facts = RuleFacts(
        eks=CATALOG.eks,
        instances=CATALOG.instances,
        root_need_gb={"g6e-xlarge": need_gb},
        efa_tolerations=frozenset(tolerated),
    )
    return {broken.rule for broken in broken_rules(copy.deepcopy(made), facts)}


def in_groups(**changes):
    return document(group(**changes))


def self_managed(**changes):
    return document(group(**changes), kind="nodeGroups")


CASES = [
    ("E1", in_groups(taints={"nvidia.com/gpu": "true:NoSchedule"}), in_groups()),
    ("E1", in_groups(taints=[GPU_TAINT | {"effect": "Never"}]), in_groups(taints=[GPU_TAINT])),
    ("E2", document(group(), metadata={"version": 1.34}), document(group())),
    ("E2", document(group(), metadata={"region": ""}), document(group())),
    ("E2", document(group(), metadata={"name": "1st"}), document(group(), metadata={"name": "a1"})),
    ("E3", document(group(), group()), document(group(), group(name="other"))),
    ("E3", in_groups(name="g6e.xlarge"), in_groups(name="g6e-xlarge")),
    ("E4", in_groups(desiredCapacity=3), in_groups(desiredCapacity=2)),
    ("E5", in_groups(instanceTypes=["g6e.xlarge"]), in_groups()),
    (
        "E5",
        in_groups(instanceType=DROP),
        in_groups(instanceType=DROP, instanceTypes=["g6e.xlarge"]),
    ),
    ("E6", in_groups(cpuCredits="standard"), self_managed(cpuCredits="standard")),
    ("E6", self_managed(spot=True), in_groups(spot=True)),
    (
        "E7",
        in_groups(instanceType=DROP, instanceTypes=["g6e.xlarge", "inf2.xlarge"]),
        in_groups(instanceType=DROP, instanceTypes=["g6e.xlarge", "g6e.2xlarge"]),
    ),
    (
        "E7",
        in_groups(instanceType=DROP, instanceTypes=["c7i.xlarge", "c8g.xlarge"], taints=[]),
        in_groups(instanceType=DROP, instanceTypes=["c7g.xlarge", "c8g.xlarge"], taints=[]),
    ),
    ("E8", in_groups(instanceType="g7.2xlarge"), in_groups(instanceType="g7.2xlarge", ami="ami-1")),
    ("E8", in_groups(instanceType="g99.xlarge"), in_groups()),
    ("E9", in_groups(**EFA | {"instanceType": "g6e.xlarge"}), in_groups(**EFA)),
    ("E9", in_groups(**EFA | {"instanceType": "p6-b300.48xlarge"}), in_groups(**EFA)),
    (
        "E10",
        in_groups(**EFA | {"availabilityZones": ["us-east-1a", "us-east-1b"]}),
        in_groups(**EFA),
    ),
    ("E10", in_groups(**EFA | {"privateNetworking": False}), in_groups(**EFA)),
    (
        "E11",
        in_groups(availabilityZones=["us-west-2a"]),
        in_groups(availabilityZones=["us-east-1a"]),
    ),
    (
        "E11",
        in_groups(availabilityZones=["us-east-1a"], subnets=["subnet-1"]),
        in_groups(subnets=["subnet-1"]),
    ),
    ("E12", in_groups(placement="pg-1"), in_groups(placement={"groupName": "pg-1"})),
    ("E13", in_groups(capacityReservation="cr-1"), in_groups(capacityReservation=RESERVATION)),
    (
        "E13",
        in_groups(capacityReservation=RESERVATION | {"capacityReservationPreference": "open"}),
        in_groups(capacityReservation={"capacityReservationPreference": "open"}),
    ),
    (
        "E13",
        in_groups(
            capacityReservation={"capacityReservationTarget": {"capacityReservationId": "cr-1"}}
        ),
        in_groups(capacityReservation=RESERVATION),
    ),
    ("E14", in_groups(**BLOCK | {"instanceType": "g6e.xlarge"}), in_groups(**BLOCK)),
    ("E14", in_groups(**BLOCK | {"capacityReservation": DROP}), in_groups(**BLOCK)),
    (
        "E14",
        in_groups(**BLOCK | {"instanceMarketOptions": {"marketType": "spot"}}),
        in_groups(**BLOCK),
    ),
    (
        "E14",
        in_groups(
            **BLOCK | {"instanceType": DROP, "instanceTypes": ["p5.48xlarge", "p5e.48xlarge"]}
        ),
        in_groups(**BLOCK),
    ),
    ("E15", in_groups(**BLOCK | {"availabilityZones": DROP}), in_groups(**BLOCK)),
    ("E16", in_groups(volumeIOPS=20000), in_groups(volumeIOPS=16000)),
    ("E16", in_groups(volumeThroughput=2000), in_groups(volumeThroughput=1000)),
    (
        "E16",
        in_groups(volumeThroughput=500, volumeType="io2"),
        in_groups(volumeThroughput=500, volumeType="gp3"),
    ),
    (
        "E16",
        in_groups(volumeSize=DROP, volumeEncrypted=True, **CPU),
        in_groups(volumeEncrypted=True, **CPU),
    ),
    (
        "E17",
        in_groups(launchTemplate={"id": "lt-1"}),
        in_groups(
            launchTemplate={"id": "lt-1"},
            instanceType=DROP,
            instanceTypes=["g6e.xlarge"],
            volumeSize=DROP,
        ),
    ),
    ("E18", in_groups(ami="ami-1", amiFamily=DROP), in_groups(ami="ami-1")),
    (
        "E18",
        in_groups(ami="ami-1", maxPodsPerNode=50),
        self_managed(ami="ami-1", maxPodsPerNode=50),
    ),
    (
        "E19",
        in_groups(overrideBootstrapCommand=NODE_CONFIG, amiFamily="Bottlerocket"),
        in_groups(overrideBootstrapCommand=NODE_CONFIG),
    ),
    (
        "E19",
        in_groups(overrideBootstrapCommand="#!/bin/bash\necho: [no"),
        in_groups(overrideBootstrapCommand=NODE_CONFIG),
    ),
    ("E20", in_groups(bottlerocket={}), in_groups(bottlerocket={}, amiFamily="Bottlerocket")),
    (
        "E21",
        in_groups(amiFamily="AmazonLinux2"),
        document(group(amiFamily="AmazonLinux2"), metadata={"version": "1.32"}),
    ),
    (
        "E22",
        in_groups(amiFamily="Ubuntu2404", **NEURON),
        in_groups(amiFamily="Ubuntu2404", **CPU),
    ),
    (
        "E23",
        in_groups(labels={"node-role.kubernetes.io/gpu": "true"}),
        in_groups(labels={"node.kubernetes.io/gpu": "true"}),
    ),
    ("E23", in_groups(labels={"a b": "x"}), in_groups(labels={"a-b": "x"})),
    ("E24", in_groups(labels={"a": "x y"}), in_groups(labels={"a": "x-y"})),
    ("E24", in_groups(labels={"a": True}), in_groups(labels={"a": "true"})),
    ("E24", in_groups(labels={"a": "x" * 64}), in_groups(labels={"a": "x" * 63})),
    ("E25", in_groups(taints=[]), in_groups()),
    ("E27", in_groups(**NEURON | {"taints": [NEURON_TAINT, GPU_TAINT]}), in_groups(**NEURON)),
    ("E28", in_groups(volumeSize=80), in_groups(volumeSize=150)),
    (
        "E28",
        in_groups(volumeSize=DROP),
        in_groups(volumeSize=DROP, overrideBootstrapCommand=NODE_CONFIG),
    ),
    (
        "E28",
        in_groups(instanceType="g4dn.xlarge", overrideBootstrapCommand=NODE_CONFIG),
        in_groups(overrideBootstrapCommand=NODE_CONFIG),
    ),
    ("E29", in_groups(capacityReservation=RESERVATION, spot=True), in_groups(spot=True)),
    (
        "E30",
        document(group(), availabilityZones=["us-east-1a"]),
        document(group(), availabilityZones=["us-east-1a", "us-east-1b"]),
    ),
    (
        "E30",
        document(group(), privateCluster={"enabled": True}),
        document(group(privateNetworking=True), privateCluster={"enabled": True}),
    ),
]


@pytest.mark.parametrize(("rule", "broken", "kept"), CASES)
def test_rule(rule, broken, kept):
    assert rule in rules_broken_by(broken)
    assert rules_broken_by(kept) == set()


def test_efa_needs_a_plugin_that_tolerates_the_taint():
    assert rules_broken_by(in_groups(**EFA), tolerated=()) == {"E26"}
    assert rules_broken_by(in_groups(**EFA)) == set()


def test_every_rule_has_a_case():
    tested = {rule for rule, _, _ in CASES} | {"E26"}
    assert tested == {f"E{i}" for i in range(1, 31)}
    assert set(GROUP_RULES.checks) | {"E2", "E3", "E30"} == tested


def test_a_broken_rule_names_its_place():
    facts = RuleFacts(eks=CATALOG.eks, instances=CATALOG.instances)
    (broken,) = broken_rules(in_groups(minSize=5), facts)
    assert re.fullmatch(r"E4 managedNodeGroups\[0\]: minSize.*", str(broken))
