"""What people type as a name can neither break out of the YAML nor break Kubernetes' limits."""

import re
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bot.core.render import yaml_block
from bot.manifests.legal_names import DNS_CHARS, ENVIRONMENT_NAMES, dns_name
from bot.manifests.made import made_manifest
from tests.manifests.kube_schemas import validate
from tests.manifests.workloads import REQUESTS, answered, documents_of, made, world

LABEL = re.compile(r"[a-z]([-a-z0-9]*[a-z0-9])?")
HOSTILE = st.one_of(
    st.text(max_size=300),
    st.sampled_from(
        [
            "x: y\n- z",
            "{{ 7*7 }}",
            "!!python/object:os.system",
            "a'b\"c`d",
            "---\nkind: Secret",
            "vllm",
            "MASTER",
            "-" * 100,
            "$(touch /tmp/x)",
            "a\u2028b\x00c",
            "名前",
            "7B",
            "N",  # a word that YAML reads as false
            "on",
        ]
    ),
)
KINDS = {
    "kubernetes": (
        "realtime_7b",
        "train_multi_node_efa",
        "multi_node",
        "inf2_vllm",
        "model_in_s3",
        "model_on_fsx",
    ),
    "jobset": ("train_multi_node_efa", "train_to_s3"),
    "pytorchjob": ("train_multi_node_efa", "train_to_s3"),
    "monitoring": ("realtime_7b", "train_multi_node_efa"),
    "autoscaling": ("batch_spot_replicas",),
    "quota": ("realtime_7b",),
}
ANSWERS = {name: answered(REQUESTS[name]) for names in KINDS.values() for name in names}
SHAPE = {
    (kind, name): [d["kind"] for d in documents_of(made(name, kind).yaml_text)]
    for kind, names in KINDS.items()
    for name in names
}


@pytest.mark.parametrize(("kind", "request_name"), SHAPE)
@pytest.mark.parametrize("typed", ["n", "on", "null"])
def test_a_word_that_yaml_reads_otherwise_stays_a_name(kind, request_name, typed):
    result, _ = ANSWERS[request_name]
    named = replace(result, workload=replace(result.workload, name=typed))
    documents = documents_of(made_manifest(kind, named, world().catalog).yaml_text)
    names = [d["metadata"]["name"] for d in documents]  # node-exporter keeps its own
    assert any(name.startswith(typed) for name in names)
    assert [d["kind"] for d in documents] == SHAPE[kind, request_name]


@given(HOSTILE)
def test_a_typed_name_becomes_a_dns_label(typed):
    name = dns_name(typed, "model")
    assert LABEL.fullmatch(name)
    assert len(name) <= DNS_CHARS + len("-server")
    assert name not in ENVIRONMENT_NAMES


@pytest.mark.parametrize(("kind", "request_name"), SHAPE)
@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(typed=HOSTILE)
def test_no_name_changes_what_is_made(kind, request_name, typed):
    result, _ = ANSWERS[request_name]
    named = replace(result, workload=replace(result.workload, name=typed))
    documents = documents_of(made_manifest(kind, named, world().catalog).yaml_text)
    assert [d["kind"] for d in documents] == SHAPE[kind, request_name]
    for document in documents:
        validate(document, "1.34")


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(typed=HOSTILE)
def test_no_model_name_changes_what_is_made(typed):
    result, _ = ANSWERS["realtime_7b"]
    model = replace(result.model, id=typed, hf_repo=typed, gated=True)
    named = replace(result, model=model, workload=replace(result.workload, model=typed))
    documents = documents_of(made_manifest("kubernetes", named, world().catalog).yaml_text)
    assert [d["kind"] for d in documents] == SHAPE["kubernetes", "realtime_7b"]
    for document in documents:
        validate(document, "1.34")


COMMAND = re.compile(r"# \$ (?:eksctl|kubectl|helm) [-A-Za-z0-9 ./:=_',\\{}@]*")


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(typed=HOSTILE)
def test_no_name_gets_into_the_commands(typed):
    """What a reader pastes into a shell holds nothing that a shell would act on."""
    result, _ = ANSWERS["train_to_s3"]
    named = replace(result, workload=replace(result.workload, name=typed))
    for kind in ("eksctl", "everything"):
        text = made_manifest(kind, named, world().catalog).yaml_text
        commands = [line for line in text.splitlines() if line.startswith("# $ ")]
        assert len(commands) > 5
        assert [line for line in commands if not COMMAND.fullmatch(line)] == []


@given(st.text(min_size=1, max_size=200))
def test_no_line_of_a_block_leaves_it(text):
    assert all(line.startswith("    ") for line in str(yaml_block(text, 4)).split("\n"))


@pytest.mark.parametrize(
    ("typed", "told"), [("a-good-name", False), ("n" * 60, True), ("my_model", True)]
)
def test_a_name_that_was_cut_or_changed_is_said(typed, told):
    result, _ = answered(f"inference llama-3.1-8b instance=g6e.xlarge name={typed}")
    notes = made_manifest("kubernetes", result, world().catalog).notes
    assert any("legal Kubernetes name" in note for note in notes) == told
