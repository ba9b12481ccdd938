"""One cluster of several kinds of machines: a node group for each type that is named."""

import pytest
import yaml

from bot.answers.world import load_world
from bot.cli.ask import ask_command
from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.manifests.eksctl.eksctl import eksctl_cluster
from bot.manifests.node_file import GroupPurpose
from tests.manifests.karpenter_crd import faults
from tests.manifests.picks import CATALOG, on
from tests.manifests.test_eksctl_manifest import VALIDATOR

WORLD = load_world()
MIXED = "train llama-3.1-8b, eksctl with p4d.24xlarge, trn1.32xlarge and inf2.48xlarge"


def mixed():
    return answer(MIXED, WORLD).manifest


def groups():
    return {g["instanceType"]: g for g in yaml.safe_load(mixed().yaml_text)["managedNodeGroups"]}


def test_manifest(golden):
    golden("eksctl/mixed_hardware.yaml", mixed().yaml_text)
    assert list(VALIDATOR.iter_errors(yaml.safe_load(mixed().yaml_text))) == []


@pytest.mark.parametrize(
    ("name", "taint", "role", "efa"),
    [
        ("p4d.24xlarge", "nvidia.com/gpu", "training", True),
        ("trn1.32xlarge", "aws.amazon.com/neuron", "training", True),
        ("inf2.48xlarge", "aws.amazon.com/neuron", "inference", False),  # it cannot train
    ],
)
def test_each_group_is_for_its_own_hardware(name, taint, role, efa):
    group = groups()[name]
    assert [t["key"] for t in group["taints"]] == [taint]
    assert group["labels"]["ec2-pick/role"] == role
    assert group.get("efaEnabled", False) is efa


def test_the_efa_plugin_tolerates_the_taints_of_all_groups():
    ((_, text),) = mixed().extras
    tolerated = [t["key"] for t in yaml.safe_load(text)["tolerations"]]
    assert {"nvidia.com/gpu", "aws.amazon.com/neuron"} <= set(tolerated)
    assert len(tolerated) == len(set(tolerated))


def test_the_flag_prints_the_same_file(capsys):
    assert ask_command(["--offline", "--manifest", "eksctl", MIXED]) == 0
    assert mixed().yaml_text in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("terraform for 8b on g6e.xlarge and inf2.8xlarge", "Only eksctl and Karpenter files"),
        ("eksctl for 405b on g6e.xlarge and inf2.xlarge", "g6e.xlarge does not carry"),
        ("eksctl for llama-3.2-1b on g6e.xlarge and g4ad.xlarge", "g4ad.xlarge"),
    ],
)
def test_what_cannot_be_in_one_file_is_said(text, says):
    error = answer(text, WORLD).error
    assert error.code == "invalid_value"
    assert says in error.message


def test_a_cluster_lies_in_one_region():
    parts = []
    for region in ("us-east-1", "us-east-2"):
        pick, workload = on("g6e.xlarge", region=region)
        parts.append(GroupPurpose(pick=pick, workload=workload))
    with pytest.raises(ManifestError, match="one region"):
        eksctl_cluster(parts, CATALOG)


FAMILIES = {
    "GPU training + Trainium + Inferentia in one cluster for llama-3.1-8b": ("p", "trn", "inf"),
    "eksctl with g5 and inf2 node groups for llama-3.1-8b": ("g5.", "inf2."),
    "g5 and inf2 node groups, llama-3.1-8b": ("g5.", "inf2."),
    "eksctl for llama-3.1-8b with GPU, Trainium and Inferentia node groups": ("g", "trn", "inf"),
    "train llama-3.1-8b, eksctl with p4d, trn1 and inf2": ("p4d.", "trn1.", "inf2."),
    "mixed hardware cluster for llama-3.1-8b: p5, trn1, inf2 and cpu": (
        "p5.",
        "trn1.",
        "inf2.",
        "c",
    ),
}


@pytest.mark.parametrize(("text", "families"), FAMILIES.items())
def test_families_are_groups_of_one_cluster(text, families):
    reply = answer(text, WORLD)
    assert reply.error is None, reply.text
    document = yaml.safe_load(reply.manifest.yaml_text)
    types = [group["instanceType"] for group in document["managedNodeGroups"]]
    assert len(types) == len(families)
    assert all(map(str.startswith, types, families)), types
    assert list(VALIDATOR.iter_errors(document)) == []


@pytest.mark.parametrize(
    "text",
    [
        "karpenter pools for llama-3.1-8b on g6 and inf2",
        "karpenter for 8b on g6.xlarge and inf2.8xlarge",
        "karpenter: g6 and inf2 node pools for llama-3.1-8b in one cluster",
    ],
)
def test_karpenter_takes_several_as_well(text):
    reply = answer(text, WORLD)
    assert reply.error is None, reply.text
    documents = list(yaml.safe_load_all(reply.manifest.yaml_text))
    assert [d["kind"] for d in documents] == ["NodePool", "EC2NodeClass"] * 2
    assert [fault for document in documents for fault in faults(document)] == []
    classes = [d["metadata"]["name"] for d in documents if d["kind"] == "EC2NodeClass"]
    assert len(set(classes)) == 2


def test_a_question_is_answered_in_words():
    assert answer("can one EKS cluster have GPU, Trainium and CPU nodes?", WORLD).manifest is None


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("eksctl for llama-3.1-8b on g5 or g6", ("g5", "g6")),
        ("llama-3.1-8b on g5 and g6 only", ("g5", "g6")),
    ],
)
def test_a_choice_stays_a_choice(text, allowed):
    assert set(answer(text, WORLD).workload.allow) == set(allowed)
