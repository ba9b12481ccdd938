"""The files of a move to Neuron: they agree with each other and with the plan."""

import pytest

from bot.cli.main import main
from bot.conversation.conversation import answer
from tests.manifests.kube_schemas import validate
from tests.manifests.workloads import KUBERNETES_VERSIONS, documents_of, world

MOVE = "move llama-3.1-8b from g5.12xlarge to inf2 rps=2"


def asked(text):
    return answer(text, world())


def files_of(reply):
    return {"first": reply.manifest.yaml_text, **dict(reply.manifest.extras)}


@pytest.fixture(scope="module")
def reply():
    return asked(f"{MOVE} migration manifests")


def test_files(reply, golden):
    assert reply.manifest.kind == "migration"
    for name, text in files_of(reply).items():
        golden(f"migration/{name.removesuffix('.yaml')}.yaml", text)


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
def test_kubernetes_takes_them(reply, version):
    for text in files_of(reply).values():
        for document in documents_of(text):
            validate(document, version)


def test_what_is_compiled_is_what_is_served(reply):
    files = files_of(reply)
    first, second = (
        {document["kind"]: document for document in documents_of(files[name])}
        for name in ("first", "neuron-workload.yaml")
    )
    compiled = first["Job"]["spec"]["template"]["spec"]["containers"][0]
    served = second["Deployment"]["spec"]["template"]["spec"]["containers"][0]
    assert compiled["image"] == served["image"]
    args = served["args"]
    flags = ("--tensor-parallel-size", "--max-num-seqs", "--max-model-len")
    assert compiled["args"] == [args[0], *(args[args.index(flag) + 1] for flag in flags)]
    for kind in ("StorageClass", "PersistentVolumeClaim"):
        assert first[kind] == second[kind]


def test_weights_rise_to_all_and_go_back(reply):
    files = files_of(reply)
    names = ("first", "canary-25.yaml", "canary-50.yaml", "canary-100.yaml", "rollback.yaml")
    weights = []
    for name in names:
        (route,) = [d for d in documents_of(files[name]) if d["kind"] == "HTTPRoute"]
        old, new = route["spec"]["rules"][0]["backendRefs"]
        assert old["weight"] + new["weight"] == 100
        weights.append(new["weight"])
    assert weights == [5, 25, 50, 100, 0]


def test_the_success_numbers_are_in_the_file(reply):
    assert "# first token at most" in reply.manifest.yaml_text
    assert reply.plan["kind"] == "migrate"


def test_words_alone_give_no_files():
    assert asked(MOVE).manifest is None


def test_the_terminal_prints_them(capsys):
    assert main(["--manifest", "migration", MOVE]) == 0
    kinds = [d["kind"] for d in documents_of(capsys.readouterr().out)]
    assert kinds[:4] == ["StorageClass", "PersistentVolumeClaim", "Job", "HTTPRoute"]
    assert "Deployment" in kinds[4:]  # the files beside it


def test_a_model_without_a_packaged_server_is_refused():
    reply = asked("move bge-large from g5.xlarge to inf2 migration files")
    assert "optimum-cli" in reply.error.message


def test_no_move_gives_the_plan_that_says_why(capsys):
    move = "move llama-3.1-8b from g6.xlarge to trn1.32xlarge"
    assert asked(f"{move} migration files").manifest is None
    assert main(["--manifest", "migration", move]) == 3
    assert "Do not move" in capsys.readouterr().err
