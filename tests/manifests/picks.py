"""Picks for the tests of node capacity: made-up answers, on real types of the catalog."""

from dataclasses import replace

from catalog.load import load_catalog
from tests.cards import samples

CATALOG = load_catalog()


def sample_pick(name):
    make, _ = samples.SAMPLES[name]
    recommendation = make()
    return recommendation.picks[0], recommendation.workload


def on(instance_type, **changes):
    """The real-time pick moved to another type of the catalog."""
    pick, workload = sample_pick("realtime")
    instance = CATALOG.instances[instance_type]
    plan = replace(
        pick.estimate.plan, instance_type=instance_type, accelerators=instance.accelerators
    )
    estimate = replace(pick.estimate, plan=plan)
    return replace(pick, instance=instance, estimate=estimate, **changes), workload


def spot():
    pick, workload = sample_pick("realtime")
    price = samples.quote("g6e.xlarge", 0.702, market="spot")
    return replace(pick, quote=price, cost=samples.cost(0.702)), workload


def capacity_block_training():
    pick, workload = sample_pick("training")
    price = samples.quote("p5.48xlarge", 31.464, market="capacity_block", region="us-east-2")
    return replace(pick, quote=price), replace(workload, market="capacity_block")


def reserved():
    pick, workload = sample_pick("realtime")
    return pick, replace(workload, reservation="cr-0123456789abcdef0")


def named_block():
    pick, workload = capacity_block_training()
    return pick, replace(workload, reservation="cr-0123456789abcdef0")


CASES = {
    "realtime": lambda: sample_pick("realtime"),
    "spot": spot,
    "reservation": reserved,
    "named_capacity_block": named_block,
    "cpu": lambda: sample_pick("cpu"),
    "neuron": lambda: sample_pick("neuron"),
    "training_efa": lambda: sample_pick("training"),
    "training_capacity_block": capacity_block_training,
    "capacity_block_only": lambda: sample_pick("capacity_block_only"),
    "multi_node": lambda: sample_pick("multi_node"),
    "small_nvme": lambda: sample_pick("encoder"),
    "own_image": lambda: on("g7.2xlarge"),
    "arm_gpu": lambda: on("g5g.xlarge"),
    "slice_of_a_gpu": lambda: on("g6f.large"),
    "trainium": lambda: on("trn1.2xlarge"),
}


def answer_of(pick, workload):
    """Return an answer whose first pick is this one."""
    make, _ = samples.SAMPLES["realtime"]
    return replace(make(), workload=workload, picks=(pick,), assumptions=())


def together(name, instances=2, **changes):
    """One replica, or one job, over several machines of a type."""
    pick, workload = on(name, instances=instances, **changes)
    plan = replace(
        pick.estimate.plan,
        instances=instances,
        accelerators=instances * pick.instance.accelerators,
        data_parallel=1,
    )
    return replace(pick, estimate=replace(pick.estimate, plan=plan)), workload
