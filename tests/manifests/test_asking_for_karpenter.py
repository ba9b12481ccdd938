"""How a person gets the Karpenter file: by a follow-up, by a flag, in an answer's JSON."""

import pytest
import yaml

from bot.answers.world import load_world
from bot.cli.ask import ask_command, reply_json
from bot.conversation.conversation import answer

WORLD = load_world()
REQUEST = "inference 7B latency<100ms"


@pytest.mark.parametrize(
    "text", ["karpenter instead", "show me the karpenter manifest", "give me the nodepool"]
)
def test_a_follow_up_gets_the_karpenter_file(text):
    first = answer(REQUEST, WORLD)
    reply = answer(text, WORLD, first.workload)
    manifest = reply_json(reply)["manifest"]
    assert manifest["kind"] == "karpenter"
    kinds = [document["kind"] for document in yaml.safe_load_all(manifest["yaml"])]
    assert kinds == ["NodePool", "EC2NodeClass"]
    assert manifest["yaml"] in reply.text


def test_the_flag_prints_only_the_yaml(capsys):
    assert ask_command(["--offline", "--manifest", "karpenter", REQUEST]) == 0
    kinds = [document["kind"] for document in yaml.safe_load_all(capsys.readouterr().out)]
    assert kinds == ["NodePool", "EC2NodeClass"]


def test_a_type_that_karpenter_cannot_run_is_refused_with_the_reason(capsys):
    request = "inference llama-3.2-1b instance=g6f.2xlarge"
    assert ask_command(["--offline", "--manifest", "karpenter", request]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "node group" in said.err
