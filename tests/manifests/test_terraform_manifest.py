from dataclasses import replace

import hcl2
import pytest
import yaml

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.core.render import hcl_value
from bot.manifests.terraform import check_terraform, hcl_faults, terraform_manifest
from tests.manifests.picks import CASES, CATALOG, answer_of, on, sample_pick, together


def ultra_server(name):
    pick, workload = on(name)
    return replace(pick, quote=replace(pick.quote, market="capacity_block")), workload


TERRAFORM_CASES = {name: make for name, make in CASES.items() if name != "own_image"} | {
    "b300_together": lambda: together("p6-b300.48xlarge"),
    "ultra_server_gb200": lambda: ultra_server("p6e-gb200.36xlarge"),
    "ultra_server_trn2": lambda: ultra_server("trn2u.48xlarge"),
}


def made(name):
    pick, workload = TERRAFORM_CASES[name]()
    return terraform_manifest(answer_of(pick, workload), pick, CATALOG)


def plain(value):
    """Strip what the parser keeps of the syntax: quotes and block marks."""
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items() if not k.startswith("__")}
    if isinstance(value, list):
        return [plain(one) for one in value]
    return value.strip('"') if isinstance(value, str) else value


def resources(name):
    parsed = plain(hcl2.loads(made(name).yaml_text))
    return {kind: body for one in parsed["resource"] for kind, (body) in one.items()}


def group_of(name):
    return resources(name)["aws_eks_node_group"]["nodes"]


def template_of(name):
    return resources(name)["aws_launch_template"]["nodes"]


@pytest.mark.parametrize("name", TERRAFORM_CASES)
def test_manifest(name, golden):
    golden(f"terraform/{name}.tf", made(name).yaml_text)


@pytest.mark.parametrize("name", TERRAFORM_CASES)
def test_a_terraform_parser_reads_it(name):
    group, template = group_of(name), template_of(name)
    (sizes,) = group["scaling_config"]
    assert sizes["min_size"] <= sizes["desired_size"] <= sizes["max_size"]
    (disk,) = template["block_device_mappings"]
    assert disk["ebs"][0]["volume_size"] >= 80
    assert ("instance_types" in group) != ("instance_type" in template)


@pytest.mark.parametrize(
    ("name", "bought"),
    [
        ("realtime", "ON_DEMAND"),
        ("spot", "SPOT"),
        ("reservation", "ON_DEMAND"),
        ("training_capacity_block", "CAPACITY_BLOCK"),
    ],
)
def test_capacity_type_by_market(name, bought):
    assert group_of(name)["capacity_type"] == bought


def test_a_capacity_block_is_in_the_launch_template():
    template = template_of("named_capacity_block")
    assert template["instance_market_options"] == [{"market_type": "capacity-block"}]
    (target,) = template["capacity_reservation_specification"][0]["capacity_reservation_target"]
    assert target["capacity_reservation_id"] == "cr-0123456789abcdef0"
    assert template["instance_type"] == "p5.48xlarge"


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("ultra_server_gb200", "AL2023_ARM_64_NVIDIA"),
        ("ultra_server_trn2", "AL2023_x86_64_NEURON"),
        ("realtime", "AL2023_x86_64_NVIDIA"),
        ("cpu", "AL2023_ARM_64_STANDARD"),
    ],
)
def test_image_of_the_class(name, image):
    assert group_of(name)["ami_type"] == image


def test_an_ultra_server_says_why_it_is_a_launch_template():
    assert "UltraServer" in made("ultra_server_gb200").notes[0]
    assert template_of("ultra_server_gb200")["instance_type"] == "p6e-gb200.36xlarge"


def test_machines_that_talk_have_efa_in_one_placement_group():
    template = template_of("training_efa")
    assert len(template["network_interfaces"]) == 33
    assert template["placement"] == [{"group_name": "${aws_placement_group.nodes.name}"}]
    assert yaml.safe_load(made("training_efa").extras[0][1])["tolerations"]
    assert len(template_of("b300_together")["network_interfaces"]) == 17


def test_the_autoscaler_can_start_from_no_node():
    tags = resources("realtime")["aws_autoscaling_group_tag"]["scale_from_zero"]["for_each"]
    assert tags["k8s.io/cluster-autoscaler/node-template/resources/nvidia.com/gpu"] == "1"
    assert tags["k8s.io/cluster-autoscaler/node-template/taint/nvidia.com/gpu"] == "true:NoSchedule"


def test_a_type_without_an_image_is_refused():
    pick, workload = on("g7.2xlarge")
    with pytest.raises(ManifestError, match="own image"):
        terraform_manifest(answer_of(pick, workload), pick, CATALOG)


@pytest.mark.parametrize(
    "typed", ["${file(1)}", "%{for x}", 'a" b = "c', "a\n}\nresource {", "\\", "$${x}"]
)
def test_a_value_is_never_evaluated(typed):
    text = f"a = {hcl_value(typed)}\n"
    assert list(hcl_faults(text)) == []
    assert len(hcl2.loads(text)) == 1


@pytest.mark.parametrize("broken", ["a = [", 'a = "b', "a = }", 'a = "${x}"', 'a = "%{ if x }"'])
def test_a_malformed_file_never_leaves(broken):
    text = made("realtime").yaml_text
    check_terraform(text)
    with pytest.raises(ManifestError, match="malformed"):
        check_terraform(text + broken)


def test_a_file_without_its_node_group_never_leaves():
    with pytest.raises(ManifestError, match="resources are"):
        check_terraform('resource "aws_instance" "x" {\n}\n')


def test_a_hostile_name_stays_a_name():
    pick, workload = sample_pick("realtime")
    hostile = replace(workload, name="${path.root}", model='x" } ${1}')
    manifest = terraform_manifest(answer_of(pick, hostile), pick, CATALOG)
    code = [line for line in manifest.yaml_text.splitlines() if not line.startswith("#")]
    assert "${" not in "\n".join(code)
    variables = plain(hcl2.loads(manifest.yaml_text))["variable"]
    assert variables[0]["cluster_name"]["default"] == "path-root"


@pytest.mark.parametrize("text", ["as terraform", "terraform instead", "show me the terraform"])
def test_a_follow_up_gets_the_terraform_file(text):
    world = load_world()
    first = answer("inference 7B latency<100ms", world)
    manifest = answer(text, world, first.workload).manifest
    assert manifest.kind == "terraform"
    assert "aws_eks_node_group" in manifest.yaml_text
