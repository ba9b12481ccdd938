"""Deploy gives everything: the steps after the node groups, and all files as one."""

import re
import subprocess

import pytest
import yaml

from bot.cards.blocks import FILE, FILE_LABELS, message
from bot.cli.main import main
from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.manifests.made import made_manifest
from bot.slack.talk.clicks import words_of_click
from tests.manifests.kube_schemas import validate
from tests.manifests.picks import answer_of, on
from tests.manifests.workloads import answered, documents_of, world

PEAK = "inference llama-3.1-8b rps=20 instance=g6e.xlarge from s3://my-models/a"
CASES = {
    "serving": PEAK,
    "training": "train llama-3.1-8b instance=p5.48xlarge deadline 7 days",
    "neuron": "inference llama-3.1-8b instance=inf2.24xlarge",
    "cpu": "inference llama-3.2-1b instance=c8g.8xlarge",
    "own_server": "sdxl inference instance=g6.xlarge",
    "plugin_by_hand": "inference llama-3.1-8b instance=trn2.3xlarge region=ap-southeast-4 on spot",
}


def made(name, kind="everything"):
    result, _ = answered(CASES[name])
    return made_manifest(kind, result, world().catalog)


@pytest.mark.parametrize("name", CASES)
def test_file(name, golden):
    golden(f"everything/{name}.yaml", made(name).yaml_text)


@pytest.mark.parametrize("name", CASES)
def test_the_command_in_the_file_cuts_it_into_its_files(name, tmp_path):
    manifest = made(name)
    (tmp_path / "everything.yaml").write_text(manifest.yaml_text)
    (split,) = re.findall(r"^# into files by: (.*)$", manifest.yaml_text, re.MULTILINE)
    subprocess.run(["/bin/sh", "-c", split], cwd=tmp_path, check=True)
    for file_name, text in manifest.extras:
        cut = (tmp_path / file_name).read_text()
        assert list(yaml.safe_load_all(cut)) == list(yaml.safe_load_all(text))


@pytest.mark.parametrize("name", CASES)
def test_each_file_is_valid_and_used_by_a_command(name):
    manifest = made(name)
    commands = re.findall(r"^# \$ (.*)$", manifest.yaml_text, re.MULTILINE)
    for file_name, text in manifest.extras:
        assert any(f"-f {file_name}" in command for command in commands), file_name
        for document in documents_of(text) if file_name in APPLIED else ():
            validate(document, "1.34")
    assert len({file_name for file_name, _ in manifest.extras}) == len(manifest.extras)


APPLIED = {"workload.yaml", "monitoring.yaml", "autoscaling.yaml", "hpa.yaml"}


def test_what_is_needed_comes_before_what_needs_it():
    text = made("serving").yaml_text
    order = [
        "eksctl create cluster",
        "-f workload.yaml",
        "kube-prometheus-stack",
        "-f monitoring.yaml",
        "kedacore/keda",
        "-f autoscaling.yaml",
    ]
    places = [text.index(f"{words}") for words in order]
    assert places == sorted(places)


def test_what_makes_no_sense_is_left_out_with_the_reason():
    assert "Autoscaling: a training job has a fixed size" in made("training").yaml_text
    assert "Autoscaling: this server is your own" in made("own_server").yaml_text


def test_nodes_that_eksctl_cannot_bring_are_refused():
    with pytest.raises(ManifestError, match="terraform"):
        made_manifest("everything", answer_of(*on("trn2u.48xlarge")), world().catalog)


def test_the_eksctl_file_says_what_comes_next():
    manifest = made("serving", "eksctl")
    (cluster,) = documents_of(manifest.yaml_text)
    assert cluster["kind"] == "ClusterConfig"
    assert "# $ kubectl apply -f workload.yaml" in manifest.yaml_text
    assert manifest.more == ("kubernetes", "karpenter", "autoscaling", "monitoring", "everything")


@pytest.mark.parametrize("name", ["serving", "training"])
def test_each_button_after_deploy_gives_its_file(name):
    first = answer(CASES[name], world())
    deployed = answer("eksctl manifest", world(), first.workload)
    buttons = {
        element["action_id"]: element
        for block in message(deployed.view, deployed.manifest)["blocks"]
        if block["type"] == "actions"
        for element in block["elements"]
    }
    files = [action for action in buttons if action.startswith(f"{FILE}.")]
    assert len(files) == len(deployed.manifest.more)
    for action in files:
        words = words_of_click({"actions": [buttons[action]]})
        reply = answer(words, world(), first.workload)
        assert reply.error is None, reply.text
        assert reply.manifest.kind == action.removeprefix(f"{FILE}.")
        assert FILE_LABELS[reply.manifest.kind]


@pytest.mark.parametrize(
    "words",
    [
        "everything",
        "Everything please.",
        "all manifests",
        "deploy everything",
        "give me all the yaml",
    ],
)
def test_words_for_all_of_it(words):
    first = answer("inference 7B latency<100ms", world())
    reply = answer(words, world(), first.workload)
    assert reply.error is None, reply.text
    assert reply.manifest.kind == "everything"


@pytest.mark.parametrize(
    ("words", "kind"),
    [("everything but neuron", None), ("deploy it", "eksctl"), ("keep everything, but spot", None)],
)
def test_words_that_are_not_for_all_of_it(words, kind):
    first = answer("inference 7B latency<100ms", world())
    reply = answer(words, world(), first.workload)
    assert (reply.manifest.kind if reply.manifest else None) == kind


def test_the_terminal_prints_only_the_file(capsys):
    assert main(["--manifest", "everything", CASES["serving"]]) == 0
    head, file, rest = capsys.readouterr().out.partition(made("serving").yaml_text)
    assert file
    assert rest == ""
    assert all(line.startswith("# ") for line in head.splitlines())  # what the named type lacks
