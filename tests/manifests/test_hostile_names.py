"""Whatever is typed as a cluster or model name, the files keep their shape and every limit."""

import functools
import re
from dataclasses import replace

import hcl2
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.manifests.eksctl.eksctl import eksctl_manifest
from bot.manifests.karpenter.karpenter import karpenter_manifest
from bot.manifests.terraform import terraform_manifest
from tests.manifests.picks import CATALOG, answer_of, capacity_block_training, sample_pick, spot

PICKS = {
    "spot": spot(),
    "block": capacity_block_training(),
    "neuron": sample_pick("neuron"),
}
DNS = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL = re.compile(r"([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
CLUSTER = re.compile(r"[a-zA-Z][-a-zA-Z0-9]{0,99}")
SNIPPETS = st.sampled_from(
    [
        "\n- x",
        ": ",
        "# ",
        '"',
        "'",
        "{{ 7*7 }}",
        "${file(1)}",
        "%{if}",
        "---\n",
        "&a",
        "*a",
        "!!x",
        "\u2028",
        "\x85",
        "\t",
        "\\",
        "}\n",
        "- ",
        "|",
        "null",
        "1.34",
        "on",
    ]
)
TYPED = st.one_of(
    st.text(max_size=300), st.lists(st.one_of(SNIPPETS, st.text(max_size=5))).map("".join)
)


def typed_as(pair, name, model):
    pick, workload = pair
    return pick, replace(workload, name=name, model=model)


def shape(value):
    """Return a document's keys and kinds of values: what a typed value may never change."""
    if isinstance(value, dict):
        return {key: shape(inner) for key, inner in value.items() if key != "ec2-pick/model"}
    return [shape(one) for one in value] if isinstance(value, list) else type(value).__name__


def read(text):
    """Return the documents as a parser reads them that is not the one which checks them."""
    return list(yaml.load_all(text, yaml.loader.SafeLoader))


def eksctl_documents(pick, workload):
    return read(eksctl_manifest(pick, workload, CATALOG).yaml_text)


def karpenter_documents(pick, workload):
    return read(karpenter_manifest(answer_of(pick, workload), pick, CATALOG).yaml_text)


@functools.cache
def wanted_shape(documents, kept):
    """Return the shape that plain names give."""
    return shape(documents(*typed_as(PICKS[kept], "ml", "m")))


@pytest.mark.parametrize("kept", PICKS)
@settings(max_examples=25, deadline=None)
@given(name=TYPED, model=TYPED)
def test_eksctl(kept, name, model):
    pick, workload = typed_as(PICKS[kept], name, model)
    (document,) = documents = eksctl_documents(pick, workload)
    assert shape(documents) == wanted_shape(eksctl_documents, kept)
    assert CLUSTER.fullmatch(document["metadata"]["name"])
    for value in document["managedNodeGroups"][0]["labels"].values():
        assert LABEL.fullmatch(value)


@pytest.mark.parametrize("kept", PICKS)
@settings(max_examples=25, deadline=None)
@given(name=TYPED, model=TYPED)
def test_karpenter(kept, name, model):
    pick, workload = typed_as(PICKS[kept], name, model)
    pool, node_class = documents = karpenter_documents(pick, workload)
    assert shape(documents) == wanted_shape(karpenter_documents, kept)
    assert DNS.fullmatch(pool["metadata"]["name"])
    assert len(node_class["spec"]["role"]) <= 64
    for value in pool["spec"]["template"]["metadata"]["labels"].values():
        assert LABEL.fullmatch(value)


@settings(max_examples=10, deadline=None)
@given(name=TYPED, model=TYPED)
def test_terraform(name, model):
    pick, workload = typed_as(PICKS["spot"], name, model)
    parsed = hcl2.loads(terraform_manifest(answer_of(pick, workload), pick, CATALOG).yaml_text)
    group = parsed["resource"][1]['"aws_eks_node_group"']['"nodes"']
    assert DNS.fullmatch(group["node_group_name"].strip('"'))
    assert len(parsed["resource"]) == 3


def test_two_models_on_one_type_do_not_share_a_pool():
    names = set()
    for model in ("llama-3.1-8b", "mistral-7b"):
        pick, workload = typed_as(PICKS["spot"], "ml", model)
        text = karpenter_manifest(answer_of(pick, workload), pick, CATALOG).yaml_text
        names.add(next(iter(yaml.safe_load_all(text)))["metadata"]["name"])
    assert len(names) == 2
