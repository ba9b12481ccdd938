"""Where the model and the checkpoints are: real objects that bind, mounted by the pods."""

import pytest

from bot.conversation.conversation import answer
from bot.core.manifest import ManifestError
from bot.manifests.made import made_manifest
from bot.manifests.workload.storage import VolumeUser, checkpoint_claim, fsx_gi, model_store
from tests.manifests.kube_schemas import validate
from tests.manifests.workloads import KUBERNETES_VERSIONS, answered, documents_of, world

SERVES = "inference llama-3.1-8b instance=g6e.xlarge"
TRAINS = "finetune llama-3.1-8b lora instance=g6e.12xlarge"
PLACE = VolumeUser(name="m", nodes=1, region="us-east-1")


def documents(text):
    result, _ = answered(text)
    return documents_of(made_manifest("kubernetes", result, world().catalog).yaml_text)


def kinds(found):
    return {document["kind"]: document for document in found}


def container(found):
    by_kind = kinds(found)
    workload = by_kind.get("Deployment") or by_kind.get("Job") or by_kind["StatefulSet"]
    return workload["spec"]["template"]["spec"]["containers"][0]


def env_of(found):
    return {one["name"]: one.get("value") for one in container(found)["env"]}


@pytest.mark.parametrize("version", KUBERNETES_VERSIONS)
@pytest.mark.parametrize("source", ["s3://my-models/a", "s3", "fsx", "efs", "ebs", "pvc"])
@pytest.mark.parametrize("text", [SERVES, TRAINS])
def test_kubernetes_takes_every_source(text, source, version):
    said = f" from {source}" if source.startswith("s3") else f", model on {source}"
    found = documents(text + said)
    for document in found:
        validate(document, version)
    assert {"name": "models", "mountPath": "/models"}.items() <= _mount(found, "models").items()


def _mount(found, volume):
    (mount,) = [m for m in container(found)["volumeMounts"] if m["name"] == volume]
    return mount


def test_a_mounted_bucket_is_read_in_place():
    found = documents(f"{SERVES} from s3://my-models/Llama")
    args, volume = container(found)["args"], kinds(found)["PersistentVolume"]["spec"]
    assert args[0] == "/models"
    assert args[args.index("--served-model-name") + 1] == "meta-llama/Llama-3.1-8B-Instruct"
    assert volume["mountOptions"] == ["prefix Llama/"]
    assert volume["csi"]["volumeAttributes"] == {"bucketName": "my-models"}
    assert _mount(found, "models")["readOnly"] is True
    assert env_of(found)["HF_HOME"] == _mount(found, "cache")["mountPath"] == "/cache"


@pytest.mark.parametrize("source", ["efs", "ebs", "fsx"])
def test_a_file_system_keeps_the_download(source):
    found = documents(f"{SERVES}, model on {source}")
    assert container(found)["args"][0] == "meta-llama/Llama-3.1-8B-Instruct"
    assert env_of(found)["HF_HOME"] == "/models"
    size = kinds(found)["PersistentVolumeClaim"]["spec"]["resources"]["requests"]["storage"]
    assert 16 < int(size.removesuffix("Gi")) < 50  # 16 GB of weights


def test_without_a_word_the_model_is_on_the_node():
    found = documents(SERVES)
    assert not {"PersistentVolumeClaim", "StorageClass"} & kinds(found).keys()


@pytest.mark.parametrize(
    ("source", "nodes", "backing"),
    [
        ("pvc", 1, "ebs"),
        ("pvc", 2, "efs"),
        ("efs", 1, "efs"),
        ("fsx", 2, "fsx_existing"),
        ("s3", 2, "s3"),
    ],
)
def test_what_backs_a_claim(source, nodes, backing):
    place = VolumeUser(name="m", nodes=nodes, region="us-east-1")
    (claim,) = model_store(source, place, 16.0).claims
    assert claim.backing == backing


@pytest.mark.parametrize(
    ("store", "nodes", "large", "backing", "mode"),
    [
        (None, 1, False, "ebs", "ReadWriteOnce"),
        (None, 1, True, "fsx", "ReadWriteMany"),
        (None, 2, False, "fsx", "ReadWriteMany"),
        ("s3://ck-1/run", 2, True, "s3", "ReadWriteMany"),
        ("efs", 2, True, "efs", "ReadWriteMany"),
    ],
)
def test_where_checkpoints_go(store, nodes, large, backing, mode):
    place = VolumeUser(name="m", nodes=nodes, region="us-east-1")
    claim = checkpoint_claim(store, place, 50, large=large)
    assert (claim.backing, claim.access_mode) == (backing, mode)


def test_an_ebs_volume_for_several_nodes_is_refused():
    with pytest.raises(ManifestError, match="attached to one node"):
        model_store("ebs", VolumeUser(name="m", nodes=2, region="us-east-1"), 16.0)


@pytest.mark.parametrize(
    ("needed", "size"), [(50, 1200), (1200, 1200), (1201, 2400), (2401, 4800), (4801, 7200)]
)
def test_fsx_comes_in_its_own_sizes(needed, size):
    assert fsx_gi(needed) == size


def test_a_bucket_that_was_not_named_is_to_be_filled_in():
    text = answer(f"{SERVES} from s3 kubernetes yaml", world()).manifest.yaml_text
    assert "bucketName: fill-in-your-bucket # FILL IN" in text
