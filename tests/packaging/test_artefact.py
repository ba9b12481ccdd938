"""The packaged functions themselves: what is in them, and that they answer with nothing else."""

import json
import os
import re
import subprocess
import sys
import time
import zipfile

import pytest

from requirements import package_lambda
from tests.lambdas.deployment import Deployment, command_event
from tests.lambdas.runtime_api import Sandbox, client_alone
from tests.slack.fake_slack import FakeSlack

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not package_lambda.PICTURES.artefact.exists(), reason="no artefact: run `make artefact`"
    ),
]
# Where the interpreter of the runtime is missing, `make artefact` has said that byte code is too.
HAS_RUNTIME = package_lambda.runtime_python() is not None


def unzipped(package, folder):
    with zipfile.ZipFile(package.artefact) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    return unzipped(package_lambda.APP, tmp_path_factory.mktemp("task"))


@pytest.fixture(scope="module")
def unpacked_pictures(tmp_path_factory):
    return unzipped(package_lambda.PICTURES, tmp_path_factory.mktemp("pictures"))


@pytest.mark.parametrize("package", [package_lambda.APP, package_lambda.PICTURES])
def test_it_is_small_enough(package):
    with zipfile.ZipFile(package.artefact) as archive:
        size_mb = sum(entry.file_size for entry in archive.infolist()) / 1e6
    assert 10 < size_mb <= package.max_unzipped_mb


def test_it_holds_code_data_and_libraries_and_nothing_of_a_developer(unpacked):
    names = {path.name for path in unpacked.iterdir()}
    assert {"bot", "engine", "catalog", "templates", "slack_bolt", "boto3"} <= names
    assert names.isdisjoint({"tests", "benchmarks", "moto", "pytest", "docs", "node_modules"})
    libraries = [path.name for path in unpacked.rglob("*.so")]
    assert libraries
    assert [name for name in libraries if "aarch64" not in name] == []


def test_the_function_that_draws_has_what_the_others_do_without(unpacked, unpacked_pictures):
    def has(folder):
        return {name for name in ("matplotlib", "numpy", "PIL") if (folder / name).exists()}

    assert has(unpacked) == set()
    assert has(unpacked_pictures) == {"matplotlib", "numpy", "PIL"}
    libraries = [path.name for path in unpacked_pictures.rglob("*.so")]
    assert len(libraries) > 20
    assert [name for name in libraries if "x86_64" in name] == []


OPENED = """
import sys
sys.path.insert(0, ".")
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from bot.cards.pictures.draw import drawn
from tests.pictures.test_pictures import PICTURES
del opened[:]
import matplotlib
for picture in PICTURES:
    drawn(picture)
libraries = matplotlib.__file__.removesuffix("matplotlib/__init__.py")
print(*sorted({p.removeprefix(libraries) for p in opened if p.startswith(libraries)}), sep="\\n")
"""


def test_nothing_is_left_out_that_drawing_opens(unpacked_pictures, tmp_path):
    """The wheels are another processor's: what they open here has to be in the package."""
    environ = {"MPLCONFIGDIR": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    run = subprocess.run(
        [sys.executable, "-c", OPENED], cwd=package_lambda.ROOT, text=True, capture_output=True,
        env={**os.environ, **environ}, check=True,
    )  # fmt: skip
    opened = {name.replace("__pycache__/", "") for name in run.stdout.splitlines()}
    sources = {re.sub(r"\.cpython-\d+(\.opt-\d)?\.pyc$", ".py", name) for name in opened}
    # Printers' fonts are looked at for a list of fonts; libraries carry the processor's name.
    sources = {name for name in sources if not name.endswith(".afm") and ".so" not in name}
    assert len(sources) > 150
    assert {name for name in sources if not (unpacked_pictures / name).exists()} == set()


@pytest.mark.skipif(not HAS_RUNTIME, reason="no interpreter of the Lambda runtime here")
def test_every_module_is_compiled_for_the_runtime_and_never_checked_again(unpacked):
    sources = [path for path in unpacked.rglob("*.py") if "__pycache__" not in path.parts]
    tag = f"cpython-{package_lambda.PYTHON.replace('.', '')}"
    for source in sources:
        compiled = source.parent / "__pycache__" / f"{source.stem}.{tag}.pyc"
        flags = int.from_bytes(compiled.read_bytes()[4:8], "little")
        assert flags == 0b01, source  # by hash, unchecked


def test_what_is_called_of_aws_is_still_there(unpacked):
    script = """
import boto3
for service in ("ec2", "pricing", "savingsplans", "service-quotas", "sts"):
    boto3.client(service, region_name="us-east-1", aws_access_key_id="a", aws_secret_access_key="b")
print(boto3.__file__)
"""
    run = subprocess.run(
        [sys.executable, "-S", "-c", script], cwd=unpacked, text=True, capture_output=True,
        env={"PYTHONPATH": str(unpacked), "PYTHONDONTWRITEBYTECODE": "1"}, check=False,
    )  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(str(unpacked))


QUESTIONS = [
    "inference 7B latency<100ms",
    "train 13B on 300B tokens within 2 weeks",
    "why not inf2 for llama-3.1-8b?",
    "eksctl manifest for inference 7B",
    "price p5.48xlarge in Ohio",
    "compare g6.xlarge and g5.xlarge for llama-3.1-8b",
    "does llama-3-70b fit g5.12xlarge?",
    "help",
]


def test_it_answers_a_signed_command_with_nothing_but_itself(unpacked, aws_url, tmp_path):
    """No package of this environment is in sight: what the functions import, they bring."""
    client = [client_alone(tmp_path)]
    with FakeSlack() as slack:
        deployment = Deployment.made(aws_url, slack, f"artefact-{time.time_ns()}")
        environ = {**deployment.environ, "PYTHONDONTWRITEBYTECODE": "1"}
        with (
            Sandbox("bot.lambdas.ingress.handler", environ, unpacked, client) as ingress,
            Sandbox("bot.lambdas.worker.handler", environ, unpacked, client) as worker,
            Sandbox("bot.lambdas.oauth.handler", environ, unpacked, client) as oauth,
            Sandbox("bot.lambdas.sweep.handler", environ, unpacked, client) as sweep,
            Sandbox("bot.lambdas.fan_out.handler", environ, unpacked, client) as fan_out,
        ):
            for sandbox in (ingress, worker, oauth, sweep, fan_out):
                sandbox.ready_ms()
            assert sweep.invoke({"sweep": "s"}).answer == {"pages": 256}
            assert fan_out.invoke(deployment.batch(deployment.pages)).answer == {
                "batchItemFailures": []
            }
            for question in QUESTIONS:
                assert ingress.invoke(command_event(question)).answer["statusCode"] == 200
                outcome = deployment.work(worker)
                assert outcome.answer == {"batchItemFailures": []}, worker.log
            assert "ERROR" not in worker.log
        assert len(slack.posts) == len(QUESTIONS)
        assert "g6" in json.dumps(slack.posts[0]["blocks"])
        assert not [post for post in slack.posts if "Sorry" in post["text"]]


def test_the_same_inputs_give_the_same_bytes(unpacked, tmp_path):
    first, second = tmp_path / "1.zip", tmp_path / "2.zip"
    package_lambda.write_zip(unpacked, first)
    for path in unpacked.rglob("*.json"):
        path.touch()
    package_lambda.write_zip(unpacked, second)
    assert first.read_bytes() == second.read_bytes()
