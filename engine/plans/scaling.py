"""How a serving pick scales: metric and target, replicas for the peak, time to scale up, nodes."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import Literal

from catalog.catalog import Catalog
from catalog.facts.schema import EksType, Instance
from catalog.reference import StartFigure
from engine.core.result import Pick, Recommendation
from engine.plans.sides import Side, loaded_gb, side_of

Provisioner = Literal["karpenter", "cluster_autoscaler"]
WhyProvisioner = Literal["any_type", "capacity_block", "unknown_to_karpenter"]
Start = Mapping[str, StartFigure]  # what the time of a start is worked out from, by step

# A replica is kept at four fifths of what it carries within the limits, so that a queue forms only
# after a new one has been asked for.
TARGET_SHARE = 0.8
BITS_PER_BYTE = 8.0
# Kubernetes' own default window before it takes replicas away is five minutes.
SHORTEST_COOLDOWN_S = 300
ZONES = (2, 3)  # over which a service is usually spread


@dataclass(frozen=True, slots=True, kw_only=True)
class ScaleUp:
    """From "one more replica" to serving, in seconds, and what the copy rate rests on."""

    node_s: float
    image_s: float
    weights_s: float
    engine_s: float
    total_s: float
    weights_gb: float
    rate_gb_s: float
    bound_by: Literal["network", "gp3", "nvme"]
    best_rate_gb_s: float  # with a gp3 volume at its maximum
    best_total_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingPlan:
    """The plan. `trains`: a job has a fixed size, so only its nodes scale."""

    trains: bool
    side: Side
    serving_engine: str
    batch: bool
    pods_per_node: int
    nodes_per_pod: int
    accelerators_per_pod: int
    resource: str | None
    target_in_flight: int | None
    replica_requests_per_s: float | None
    peak_requests_per_s: float | None
    peak_concurrency: float | None
    min_replicas: int
    max_replicas: int | None
    min_nodes: int
    max_nodes: int | None
    usd_per_hour_min: float | None
    usd_per_hour_max: float | None
    scale_up: ScaleUp
    cooldown_s: int
    provisioner: Provisioner
    why_provisioner: WhyProvisioner
    vcpus_at_max: int | None
    quota_code: str | None


@dataclass(frozen=True, slots=True)
class SparePlan:
    """So many machines, and what may fail while the rest carry the load."""

    name: str
    machines: int
    survives: str


def spare_plans(pick: Pick, needed: int) -> tuple[SparePlan, ...]:
    """Return the load alone, one spare, and enough in every zone left when one is gone.

    `needed`: the machines of the load. A replica over several machines fails whole, so its spare
    is as many.
    """
    span = max(1, pick.instances // max(1, pick.estimate.plan.data_parallel))
    units = ceil(needed / span)
    in_zones = ((zones, zones * ceil(units / (zones - 1)) * span) for zones in ZONES)
    return (
        SparePlan("the load alone", needed, "nothing"),
        SparePlan("N+1", (units + 1) * span, "one machine"),
        *(SparePlan(f"{zones} zones", machines, "one zone") for zones, machines in in_zones),
    )


def scaling_plan(result: Recommendation, pick: Pick, catalog: Catalog, start: Start) -> ScalingPlan:
    """Return how the pick scales for the peak that was said; without one `max_replicas` is None."""
    side = side_of(pick)
    workload = result.workload
    trains = pick.estimate.training is not None
    pods_per_node = 1 if trains else max(1, side.replicas // side.instances)
    nodes_per_pod = 1 if trains else max(1, side.instances // side.replicas)
    target = target_in_flight(side)
    peak_rps = workload.rps
    peak_concurrency = result.said.concurrency
    most = None if trains else replicas_for(side, peak_rps, peak_concurrency)
    least = _least_replicas(most, batch=workload.mode == "batch")
    scale_up = scale_up_of(pick, side, loaded_gb(result, pick), start)
    eks = catalog.eks.get(side.instance_type)
    provisioner, why = provisioner_of(eks, pick)
    max_nodes = side.instances if trains else _nodes_for(most, pods_per_node, nodes_per_pod)
    min_nodes = 0 if trains else _nodes_for(least, pods_per_node, nodes_per_pod) or 0
    return ScalingPlan(
        trains=trains,
        side=side,
        serving_engine=side.serving_engine,
        batch=workload.mode == "batch",
        pods_per_node=pods_per_node,
        nodes_per_pod=nodes_per_pod,
        accelerators_per_pod=pods_accelerators(pick, eks),
        resource=eks.resource_name if eks else None,
        target_in_flight=target,
        replica_requests_per_s=side.replica_requests_per_s,
        peak_requests_per_s=peak_rps,
        peak_concurrency=peak_concurrency if peak_rps is None else None,
        min_replicas=0 if trains else least,
        max_replicas=most,
        min_nodes=min_nodes,
        max_nodes=max_nodes,
        usd_per_hour_min=_usd(side, min_nodes),
        usd_per_hour_max=_usd(side, max_nodes),
        scale_up=scale_up,
        cooldown_s=cooldown_s(scale_up.total_s),
        provisioner=provisioner,
        why_provisioner=why,
        vcpus_at_max=None if max_nodes is None else pick.instance.vcpus * max_nodes,
        quota_code=quota_code(pick.instance, side.market),
    )


def target_in_flight(side: Side) -> int | None:
    """Return the requests in flight per replica to scale at: 80 % of what the limits allow."""
    full = side.replica_concurrency
    return None if full is None else max(1, int(TARGET_SHARE * full))


def replicas_for(
    side: Side, peak_requests_per_s: float | None, peak_concurrency: float | None
) -> int | None:
    """Return the replicas that carry the peak at the target share; None without a stated peak."""
    rate, in_flight = side.replica_requests_per_s, target_in_flight(side)
    if peak_requests_per_s is not None and rate is not None:
        return max(1, ceil(peak_requests_per_s / (TARGET_SHARE * rate)))
    if peak_concurrency is not None and in_flight is not None:
        return max(1, ceil(peak_concurrency / in_flight))
    return None


def _least_replicas(most: int | None, *, batch: bool) -> int:
    """Return the fewest replicas: none for batch, two where more than one is needed anyway."""
    if batch:
        return 0
    return 2 if most is not None and most > 1 else 1


def _nodes_for(replicas: int | None, pods_per_node: int, nodes_per_pod: int) -> int | None:
    return None if replicas is None else ceil(replicas / pods_per_node) * nodes_per_pod


def _usd(side: Side, nodes: int | None) -> float | None:
    if nodes is None or side.usd_per_hour is None:
        return None
    return side.usd_per_hour / side.instances * nodes


def scale_up_of(pick: Pick, side: Side, weights_gb: float, start: Start) -> ScaleUp:
    """Return the seconds until one more replica serves: node, image, weights, engine.

    A serving replica that spans machines loads its share on each; a training node the whole.
    """
    rate, bound_by = copy_rate(pick.instance, start["gp3"].value, start)
    best, _ = copy_rate(pick.instance, start["gp3_most"].value, start)
    trains = pick.estimate.training is not None
    per_node = weights_gb if trains else weights_gb / max(1, side.instances // side.replicas)
    image_gb, node_s, engine_s = (start[step].value for step in ("image", "node", "engine_again"))
    image_s, weights_s = image_gb / rate, per_node / rate
    fixed_s = node_s + engine_s
    return ScaleUp(
        node_s=node_s,
        image_s=image_s,
        weights_s=weights_s,
        engine_s=engine_s,
        total_s=fixed_s + image_s + weights_s,
        weights_gb=weights_gb,
        rate_gb_s=rate,
        bound_by=bound_by,
        best_rate_gb_s=best,
        best_total_s=fixed_s + (image_gb + per_node) / best,
    )


def copy_rate(
    instance: Instance, gp3_gb_s: float, start: Start
) -> tuple[float, Literal["network", "gp3", "nvme"]]:
    """Return GB/s at which image and weights arrive: the slower of network and disk.

    Local NVMe is faster than the network of the types that have it.
    """
    nvme = instance.local_nvme_gb > 0
    disk = start["gp3_most"].value if nvme else gp3_gb_s
    network = instance.network_gbps / BITS_PER_BYTE if instance.network_gbps else None
    if network is not None and network < disk:
        return network, "network"
    return disk, "nvme" if nvme else "gp3"


def cooldown_s(scale_up_s: float) -> int:
    """Return how long to wait before taking replicas away: twice the time one takes to come back.

    Whole minutes, never below Kubernetes' default of five.
    """
    return max(SHORTEST_COOLDOWN_S, ceil(2 * scale_up_s / 60) * 60)


def provisioner_of(eks: EksType | None, pick: Pick) -> tuple[Provisioner, WhyProvisioner]:
    """Return who brings the nodes: Karpenter, except where it cannot or a fixed group is bought."""
    if pick.quote.market == "capacity_block" or (eks is not None and eks.capacity_block_only):
        return "cluster_autoscaler", "capacity_block"
    if eks is not None and not eks.karpenter_known:
        return "cluster_autoscaler", "unknown_to_karpenter"
    return "karpenter", "any_type"


def pods_accelerators(pick: Pick, eks: EksType | None) -> int:
    """Return the devices one pod asks for: GPUs, or whole Neuron chips."""
    plan, instance = pick.estimate.plan, pick.instance
    if not instance.accelerators or pick.estimate.training is not None:
        return instance.accelerators  # a training pod takes its node whole
    ways = plan.tensor_parallel * plan.pipeline_parallel
    if eks is not None and eks.neuron_cores and eks.neuron_devices:
        ways = ceil(ways / (eks.neuron_cores / eks.neuron_devices))
    return max(1, min(ways, instance.accelerators))


def quota_code(instance: Instance, market: str) -> str | None:
    """Return the EC2 service quota that counts this type's vCPUs on this market."""
    return instance.quota_code_spot if market == "spot" else instance.quota_code_on_demand
