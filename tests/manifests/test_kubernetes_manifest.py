import copy
from dataclasses import replace

import kubernetes_validate
import pytest

from bot.cli.ask import reply_json
from bot.cli.main import main
from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.manifests.made import made_manifest
from bot.manifests.workload.kubernetes import kubernetes_manifest
from tests.manifests.kube_schemas import UnknownKindError, validate
from tests.manifests.workloads import (
    KUBERNETES_VERSIONS,
    REQUESTS,
    answered,
    documents_of,
    made,
    world,
)


@pytest.mark.parametrize("name", REQUESTS)
def test_workload(name, golden):
    golden(f"kubernetes/{name}.yaml", made(name).yaml_text)


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
@pytest.mark.parametrize("name", REQUESTS)
def test_kubernetes_takes_it(name, version):
    for document in documents_of(made(name).yaml_text):
        validate(document, version)


def test_a_misspelt_field_is_refused():
    deployment = copy.deepcopy(documents_of(made("realtime_7b").yaml_text)[0])
    deployment["spec"]["template"]["spec"]["nodeSelecter"] = {}
    with pytest.raises(kubernetes_validate.ValidationError):
        validate(deployment, "1.34")


def test_an_unknown_kind_fails():
    with pytest.raises(UnknownKindError):
        validate({"apiVersion": "example.com/v1", "kind": "Widget", "metadata": {}}, "1.34")


PLACEHOLDERS = {
    "sdxl inference instance=g6.xlarge": ("diffusers", "GET /health on PORT"),
    "bge-base inference instance=inf2.xlarge": ("optimum-neuron", "neuronx:2.9.0"),
    "t5-base inference instance=g6.xlarge": ("transformers", "pytorch:2.12"),
    "inference llama-3.2-1b instance=g5g.xlarge": ("torch_cuda_arch_list=7.5", "v0.24.0"),
    "bge-large inference instance=g5g.xlarge": ("text-embeddings-inference's own", "7.5"),
    "finetune llama-3.2-1b lora instance=g5g.16xlarge": ("FROM nvcr.io", "peft"),
}


@pytest.mark.parametrize("text", PLACEHOLDERS)
def test_an_image_that_nobody_publishes_comes_with_how_to_build_it(text):
    result, _ = answered(text)
    made_text = made_manifest("kubernetes", result, world().catalog).yaml_text
    assert 'image: "registry.example.com/' in made_text
    notes = [line for line in made_text.splitlines() if line.startswith("# NOTE: ")]
    assert all(any(words in note for note in notes) for words in PLACEHOLDERS[text])


@pytest.mark.parametrize(("name", "warned"), [("multi_node", True), ("realtime_7b", False)])
def test_a_server_over_machines_needs_the_plugin_for_efa(name, warned):
    assert ("aws-ofi-nccl" in made(name).yaml_text) is warned


def test_a_development_machine_has_no_workload():
    result, _ = answered("development instance=g6.xlarge")
    with pytest.raises(ManifestError, match="name a model"):
        made_manifest("kubernetes", result, world().catalog)


@pytest.mark.parametrize(
    ("instance_type", "says"),
    [("p3.2xlarge", "end of life"), ("inf1.xlarge", "end of life"), ("dl2q.24xlarge", "no image")],
)
def test_types_that_kubernetes_cannot_use_are_refused_with_the_reason(instance_type, says):
    result, pick = answered("inference 7B latency<100ms")
    pick = replace(pick, instance=world().catalog.instances[instance_type])
    with pytest.raises(ManifestError, match=says):
        kubernetes_manifest(result, pick, world().catalog)


@pytest.mark.parametrize(
    "words", ["show the kubernetes manifest", "deployment yaml", "kubernetes yaml please"]
)
def test_a_conversation_gives_it(words):
    first = answer("inference 7B latency<100ms", world())
    reply = answer(words, world(), first.workload)
    assert reply.manifest.kind == "kubernetes"
    assert documents_of(reply.manifest.yaml_text)[0]["kind"] == "Deployment"
    assert "kind: Deployment" in reply.text
    told = reply_json(reply)["manifest"]
    assert (told["kind"], told["yaml"]) == ("kubernetes", reply.manifest.yaml_text)


def test_the_terminal_prints_only_the_yaml(capsys):
    assert main(["--manifest", "kubernetes", "inference 7B latency<100ms"]) == 0
    kinds = [document["kind"] for document in documents_of(capsys.readouterr().out)]
    assert kinds == ["Deployment", "Service", "PodDisruptionBudget", "NetworkPolicy"]
