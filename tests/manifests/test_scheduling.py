"""Every pod that is printed finds room on the nodes that are printed, type by type."""

import pytest
import yaml

from bot.conversation import answer
from bot.manifests.eksctl import eksctl_manifest
from bot.manifests.kubernetes import kubernetes_manifest
from bot.manifests.manifest import ManifestError
from tests.manifests.scheduler import unplaced
from tests.manifests.workloads import documents_of, world

ACCELERATED = sorted(world().catalog.eks)
MARKETS = ("on demand", "on spot", "in a capacity block")
TASKS = (
    "inference 1B latency<1s",
    "inference llama-3.1-8b",
    "inference llama-3.1-70b int4",
    "inference llama-3.1-405b fp8",
    "llama-3.1-8b batch 2B tokens per day",
    "bge-large embeddings rps=100",
    "whisper-large-v3 inference",
    "sdxl inference",
    "finetune 8B lora",
    "train llama-3.1-8b deadline 30 days",
)
FEW_TYPES = ("g6e.12xlarge", "g6f.large", "inf2.48xlarge", "trn1.32xlarge", "p5.48xlarge")
FEW = [(name, task, MARKETS[0]) for name in FEW_TYPES for task in TASKS[1:9:3]]
ALL = [(name, task, market) for name in ACCELERATED for task in TASKS for market in MARKETS]
REFUSED = ("end of life", "no image", "cannot run", "lays out", "not sold", "larger size")


def pending(instance_type, task, market):
    """Return why pods stay pending; None where the type does not carry the workload."""
    result = answer(f"{task} {market} instance={instance_type}", world()).recommendation
    pick = None if result is None else result.asked
    if pick is None or pick.instance.instance_type != instance_type:
        return None
    catalog = world().catalog
    try:
        eksctl = eksctl_manifest(pick, result.workload, catalog)
        workload = kubernetes_manifest(result, pick, catalog)
    except ManifestError as error:
        why = str(error)
        return None if any(words in why for words in REFUSED) else [why]
    (group,) = yaml.safe_load(eksctl.yaml_text)["managedNodeGroups"]
    documents = documents_of(workload.yaml_text)
    types = group.get("instanceTypes") or [group["instanceType"]]  # several on spot
    return [
        why
        for name in types
        for why in unplaced(documents, group, catalog.instances[name], pick.instances)
    ]


@pytest.mark.parametrize(("instance_type", "task", "market"), FEW)
def test_pods_find_room(instance_type, task, market):
    assert not pending(instance_type, task, market)


@pytest.mark.slow
@pytest.mark.parametrize("instance_type", ACCELERATED)
def test_pods_find_room_on_every_type(instance_type):
    found = {
        (task, market): why
        for name, task, market in ALL
        if name == instance_type and (why := pending(name, task, market))
    }
    assert found == {}
