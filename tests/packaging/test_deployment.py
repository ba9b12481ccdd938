"""What `serverless.yml` deploys: rights by name, one artefact, the runtime it is built for."""

import json
import re
from fnmatch import fnmatchcase
from pathlib import Path

import pytest
import yaml

from bot.alerts.fan_out import SENT_PAGES
from bot.alerts.outbox import LEASE_S
from bot.cards.pictures.drawing import FUNCTION, READ_TIMEOUT_S
from bot.language.model_reading.model_at_start import MODEL
from bot.slack.door.tokens import INSTALLATIONS
from bot.store.alert_record import COLLECTION
from bot.store.dynamodb import row_key
from bot.store.owner import Owner
from bot.store.price_cache import CHANGES, PRICES
from requirements import package_lambda
from tests.aws_server import CloudFormationLoader

ROOT = Path(__file__).parents[2]
DOCUMENT = yaml.load((ROOT / "serverless.yml").read_text(), CloudFormationLoader)  # noqa: S506
RESOURCES = DOCUMENT["resources"]["Resources"]
FUNCTIONS = DOCUMENT["functions"]

# Actions of services that have no resource to name (service authorization reference).
WITHOUT_RESOURCE = {
    "ec2:DescribeCapacityBlockOfferings",
    "ec2:DescribeInstanceTypeOfferings",
    "ec2:DescribeInstanceTypes",
    "ec2:DescribeSpotPriceHistory",
    "ec2:GetSpotPlacementScores",
    "pricing:GetProducts",
    "savingsplans:DescribeSavingsPlansOfferingRates",
    "xray:PutTelemetryRecords",
    "xray:PutTraceSegments",
}


def as_list(value):
    return value if isinstance(value, list) else [value]


def statements():
    return [
        (name, statement)
        for name, resource in RESOURCES.items()
        for policy in policies(resource)
        for statement in policy["PolicyDocument"]["Statement"]
    ]


def policies(resource):
    properties = resource["Properties"]
    if resource["Type"] == "AWS::IAM::RolePolicy":
        return [properties]
    return properties["Policies"] if resource["Type"] == "AWS::IAM::Role" else []


def test_every_right_names_its_action_and_its_resource_where_there_is_one():
    assert statements()
    for role, statement in statements():
        actions = as_list(statement["Action"])
        assert statement["Effect"] == "Allow", role
        assert [action for action in actions if "*" in action] == [], role
        if "*" in as_list(statement["Resource"]):
            assert set(actions) <= WITHOUT_RESOURCE, role


def test_a_language_model_is_reached_by_the_worker_alone_and_only_where_one_is_named():
    (name,) = [name for name, s in statements() if "bedrock:InvokeModel" in as_list(s["Action"])]
    policy = RESOURCES[name]
    assert policy["Properties"]["RoleName"] == "WorkerRole"
    assert policy["Condition"] == "AsksModel"
    assert DOCUMENT["resources"]["Parameters"]["BedrockArns"]["Default"] == ""
    for name in ("bedrockModel", "bedrockArns", "bedrockRegion"):
        assert DOCUMENT["custom"][name] == f"${{param:{name}, ''}}"
    told = {name for name, one in FUNCTIONS.items() if MODEL in one.get("environment", {})}
    assert told == {"worker"}


def test_the_door_can_neither_read_the_queue_nor_list_the_table():
    rights = {a for role, s in statements() if role == "IngressRole" for a in as_list(s["Action"])}
    assert rights.isdisjoint({"sqs:ReceiveMessage", "dynamodb:Query", "dynamodb:DeleteItem"})


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_each_function_has_a_role_of_its_own_and_a_handler_that_exists(name):
    function = FUNCTIONS[name]
    module, _, attribute = function["handler"].rpartition(".")
    role = function["role"].removesuffix(".Arn")

    assert f"def {attribute}(" in (ROOT / f"{module}.py").read_text()
    assert RESOURCES[role]["Type"] == "AWS::IAM::Role"
    assert [f["role"] for f in FUNCTIONS.values()].count(function["role"]) == 1
    assert f"{name.capitalize()}ErrorsAlarm" in RESOURCES


def test_the_table_forgets_is_encrypted_and_can_be_restored():
    table = RESOURCES["Table"]
    properties = table["Properties"]
    assert properties["TimeToLiveSpecification"] == {
        "AttributeName": "expires_at",
        "Enabled": True,
    }
    assert properties["SSESpecification"] == {"SSEEnabled": True, "SSEType": "KMS"}
    assert properties["PointInTimeRecoverySpecification"]["PointInTimeRecoveryEnabled"]
    assert table["DeletionPolicy"] == "Retain"


def test_a_job_stays_hidden_while_the_worker_has_it():
    worker = FUNCTIONS["worker"]
    assert RESOURCES["Jobs"]["Properties"]["VisibilityTimeout"] >= worker["timeout"] * 1.5
    (event,) = worker["events"]
    assert event["sqs"]["maximumConcurrency"] == worker["reservedConcurrency"]
    assert event["sqs"]["functionResponseType"] == "ReportBatchItemFailures"


def test_a_page_stays_hidden_while_the_fan_out_has_it_and_until_its_leases_end():
    fan_out, pages = FUNCTIONS["fanout"], RESOURCES["AlertPages"]["Properties"]
    assert fan_out["timeout"] < LEASE_S < pages["VisibilityTimeout"]
    assert pages["VisibilityTimeout"] >= 1.5 * fan_out["timeout"]
    assert pages["RedrivePolicy"]["deadLetterTargetArn"] == "LostPages.Arn"
    (event,) = fan_out["events"]
    assert event["sqs"]["functionResponseType"] == "ReportBatchItemFailures"


def test_the_schedule_names_each_sweep_by_its_time_and_loses_none_silently():
    target = RESOURCES["Sweeps"]["Properties"]["Target"]
    assert json.loads(target["Input"]) == {"sweep": "<aws.scheduler.scheduled-time>"}
    assert target["Arn"] == "SweepLambdaFunction.Arn"
    assert target["DeadLetterConfig"] == {"Arn": "LostPages.Arn"}
    assert RESOURCES["LostPagesAlarm"]["Properties"]["Threshold"] == 0


def test_the_fan_out_reaches_the_documents_that_it_uses_and_no_other():
    (keys,) = [
        statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for role, statement in statements()
        if role == "FanoutRole" and "dynamodb:Query" in as_list(statement["Action"])
    ]
    used = (COLLECTION, SENT_PAGES, PRICES, CHANGES, INSTALLATIONS)
    assert sorted(keys) == sorted(f'["items","{name}"]' for name in used)


@pytest.mark.parametrize(
    ("kind", "is_reached"),
    [
        (["claim", "command|1"], True),
        (["thread", "T1", "C1", "1.1"], True),
        (["items", INSTALLATIONS], True),
        (["items", Owner("T1", "U1").collection], True),  # defaults, for the form
        (["items", Owner("T1").collection], True),
        (["items", COLLECTION], False),
        (["items", PRICES], False),
    ],
)
def test_the_door_reaches_the_rows_that_it_uses_and_no_other(kind, is_reached):
    (keys,) = [
        statement["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
        for role, statement in statements()
        if role == "IngressRole" and "dynamodb:BatchGetItem" in as_list(statement["Action"])
    ]
    key = row_key(*kind)["pk"]["S"]
    # IAM knows * and ? alone; to fnmatch a bracket is a pattern as well.
    assert any(fnmatchcase(key, pattern.replace("[", "[[]")) for pattern in keys) is is_reached


def test_the_artefact_is_built_for_the_runtime_that_is_deployed():
    provider = DOCUMENT["provider"]
    assert provider["runtime"] == f"python{package_lambda.PYTHON}"
    assert provider["architecture"] == "arm64"
    assert all(platform.endswith("aarch64") for platform in package_lambda.PLATFORMS)
    assert ROOT / DOCUMENT["package"]["artifact"] == package_lambda.APP.artefact
    own = {n: f["package"]["artifact"] for n, f in FUNCTIONS.items() if "package" in f}
    assert own == {"pictures": package_lambda.PICTURES.artefact.relative_to(ROOT).as_posix()}


def test_the_worker_alone_calls_the_function_that_draws_and_waits_for_it():
    callers = [role for role, s in statements() if "lambda:InvokeFunction" in as_list(s["Action"])]
    assert sorted(callers) == ["SweepsRole", "WorkerRole"]
    told = {name for name, one in FUNCTIONS.items() if FUNCTION in one.get("environment", {})}
    assert told == {"worker"}
    assert FUNCTIONS["pictures"]["timeout"] == READ_TIMEOUT_S


def pins(name):
    text = (ROOT / "requirements" / name).read_text()
    return dict(re.findall(r"^([a-z0-9._-]+)==([^ \\]+)", text, re.MULTILINE)), text


@pytest.mark.parametrize(
    "name", ["runtime.txt", "test.txt", "dev.txt", "lambda.txt", "pictures.txt", "audit.txt"]
)
def test_every_locked_package_is_held_against_a_hash(name):
    locked, text = pins(name)
    blocks = re.split(r"^(?=[a-z0-9._-]+==)", text, flags=re.MULTILINE)[1:]
    assert len(blocks) == len(locked) > 10
    assert [block.split()[0] for block in blocks if "--hash=sha256:" not in block] == []
    assert re.search(r"https?://|--index-url|--find-links", text.partition("==")[2]) is None


def test_the_functions_carry_the_versions_that_are_tested():
    answering, _ = pins("lambda.txt")
    drawing, _ = pins("pictures.txt")
    runtime, _ = pins("runtime.txt")
    developing, _ = pins("dev.txt")
    assert answering.items() <= runtime.items()
    assert drawing.items() <= (developing | runtime).items()


def test_the_node_lock_is_held_against_hashes_and_names_no_registry():
    lock = json.loads((ROOT / "requirements" / "node" / "package-lock.json").read_text())
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert len(packages) > 50
    assert [name for name, entry in packages.items() if "integrity" not in entry] == []
    assert [name for name, entry in packages.items() if "resolved" in entry] == []
