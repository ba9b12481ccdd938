"""Every accelerated type on every market for every task: a valid file of each kind, or a reason.

What the engine would answer is not asked here: the picks are made up on real types, so that each
combination is reached in milliseconds.
"""

import functools
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
import yaml

from bot.core.manifest import ManifestError
from bot.manifests.eksctl.eksctl import eksctl_manifest
from bot.manifests.karpenter.karpenter import karpenter_manifest
from bot.manifests.terraform import terraform_manifest
from tests.cards import samples
from tests.manifests.karpenter_crd import faults
from tests.manifests.picks import CATALOG, answer_of, on, sample_pick, together

SCHEMA = json.loads((Path(__file__).parent.parent / "schemas" / "eksctl.schema.json").read_text())
EKSCTL = jsonschema.Draft7Validator(SCHEMA)
TYPES = sorted(CATALOG.eks)
CPU_TYPES = ("c7i.4xlarge", "c8g.8xlarge", "m7i.8xlarge", "r8g.4xlarge", "m8a.4xlarge")
MARKETS = ("on_demand", "reserved", "spot", "savings_plan", "capacity_block")
TASKS = ("inference", "batch", "development", "train", "finetune")
MACHINES = (1, 2)
RESERVATIONS = (None, "cr-0123456789abcdef0")
REASONS = (
    "end of life",
    "no image",
    "UltraServer",
    "not sold in Capacity Blocks",
    "no whole GPU",
    "driver 595",
    "does not know",
    "lays out",
)


def case(name, market, task, machines, reservation):
    """Return a pick on a type, bought this way, for this task, over so many machines."""
    pick, workload = on(name) if machines == 1 else together(name, machines)
    price = samples.quote(name, 1.0, market=market)
    training, _ = sample_pick("training")
    trains = task in {"train", "finetune"}
    estimate = replace(pick.estimate, training=training.estimate.training if trains else None)
    workload = replace(
        workload,
        task="inference" if task == "batch" else task,
        mode="batch" if task == "batch" else None,
        market=market,
        reservation=reservation,
    )
    return replace(pick, quote=price, estimate=estimate), workload


@functools.cache
def refused_by_karpenter(text):
    """Return what Karpenter's own definitions say of a document; equal ones are asked once."""
    return tuple(faults(yaml.safe_load(text)))


def nameless(document):
    """Return a document without what no rule depends on, so that equal ones are found."""
    return json.dumps(document | {"metadata": {"name": "x"}}, sort_keys=True)


def eksctl_faults(pick, workload):
    document = yaml.safe_load(eksctl_manifest(pick, workload, CATALOG).yaml_text)
    return [error.message for error in EKSCTL.iter_errors(document)]


def karpenter_faults(pick, workload):
    text = karpenter_manifest(answer_of(pick, workload), pick, CATALOG).yaml_text
    documents = yaml.safe_load_all(text)
    return [fault for one in documents for fault in refused_by_karpenter(nameless(one))]


def terraform_faults(pick, workload):
    terraform_manifest(answer_of(pick, workload), pick, CATALOG)  # checks itself
    return []


KINDS = {"eksctl": eksctl_faults, "karpenter": karpenter_faults, "terraform": terraform_faults}


def swept(names, markets=MARKETS, tasks=TASKS, machines=MACHINES, reservations=RESERVATIONS):
    """Return how many files were made, and what is wrong: a fault, or a refusal for no reason."""
    made, wrong = 0, []
    for combination in (
        (name, market, task, count, reservation)
        for name in names
        for market in markets
        for task in tasks
        for count in machines
        for reservation in reservations
    ):
        pick, workload = case(*combination)
        for kind, check in KINDS.items():
            try:
                found = check(pick, workload)
                made += 1
            except ManifestError as error:
                found = [] if any(reason in str(error) for reason in REASONS) else [str(error)]
            wrong += [(kind, *combination, fault) for fault in found]
    return made, wrong


@pytest.mark.parametrize("name", [*TYPES, *CPU_TYPES])
def test_each_type_on_each_market(name):
    _, wrong = swept(
        [name], markets=MARKETS[::2], tasks=TASKS[::3], machines=(1,), reservations=(None,)
    )
    assert wrong == []


@pytest.mark.slow
@pytest.mark.parametrize("name", [*TYPES, *CPU_TYPES])
def test_each_type_on_each_market_for_each_task(name):
    _, wrong = swept([name])
    assert wrong == []


def test_nearly_every_type_has_a_file_of_some_kind():
    """Only types at their end, or without any image, have none."""
    without = {
        name
        for name in TYPES
        if swept(
            [name],
            markets=("on_demand", "capacity_block"),
            tasks=("train",),
            machines=(1,),
            reservations=(None,),
        )[0]
        == 0
    }
    sold = {n for n in without if not CATALOG.instances[n].eol}
    assert {CATALOG.eks[n].accelerator_class for n in sold} <= {"amd", "habana", "other"}
