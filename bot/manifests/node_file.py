"""What every file of nodes says, whichever tool reads it: the machines, and for what they are."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import ceil
from typing import Final

from bot.core.figures import usd_per_hour
from bot.core.render import manifest_environment
from bot.core.wording import MARKET_WORDS, assumed_view, price_note, workload_words
from bot.manifests.equivalents import node_types
from bot.manifests.nodes import (
    RESERVATION_PLACEHOLDER,
    Interface,
    Purchase,
    disk_need_gb,
    efa_interfaces,
    in_one_zone,
    pool_labels,
    purchase_of,
    spans_machines,
    taint_key,
    trains,
    zones_of,
)
from bot.manifests.served_model import pulled_gb
from bot.manifests.tools import helm_install, release_of, tool_name
from bot.manifests.workload.storage import VolumeClaim
from catalog.catalog import Catalog
from catalog.facts.schema import Model
from engine.core.result import Pick, Recommendation
from engine.core.workload import Assumption, Workload

KUBERNETES_VERSION = release_of("kubernetes")
DEFAULT_CLUSTER_NAME = "ec2-pick"
# The root volume where images and models lie on the local disks.
NVME_ROOT_GB = 100
EFA_PLUGIN_TAINT = "aws.amazon.com/efa"
# gp3 as it comes, and its limits (EBS user guide): 125 to 1,000 MB/s, at most 0.25 MB/s an IOPS.
GP3_LEAST_MB_S, GP3_MOST_MB_S, GP3_STEP_MB_S = 125, 1000, 125
GP3_LEAST_IOPS, GP3_IOPS_PER_MB_S = 3000, 4
READ_S = 300  # images and weights are read from the volume within five minutes
KUBE_SYSTEM = "-n kube-system"


def efa_plugin() -> str:
    """Return the command that installs the EFA device plugin on tainted nodes too."""
    values = "-f efa-plugin-values.yaml"
    return helm_install("aws-efa-k8s-device-plugin", "chart-efa-plugin", KUBE_SYSTEM, values)


def bundled_efa_plugin_removed() -> str:
    """Return the command that makes room for the chart: eksctl's own runs on no tainted node."""
    return f"kubectl delete daemonset {KUBE_SYSTEM} --ignore-not-found {tool_name('daemonset-efa')}"


def nvidia_plugin(*options: str) -> str:
    """Return the command that installs the NVIDIA device plugin."""
    return helm_install("nvidia-device-plugin", "chart-nvidia-plugin", KUBE_SYSTEM, *options)


def neuron_plugin(*options: str) -> str:
    """Return the command that installs the Neuron device plugin."""
    return helm_install("neuron", "chart-neuron", KUBE_SYSTEM, *options)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterNeeds:
    """What a workload needs of its cluster beside its own nodes."""

    system_type: str | None = None  # of the nodes for all else
    claims: tuple[VolumeClaim, ...] = ()
    most_nodes: int = 0  # that scaling may ask for


NO_NEEDS: Final = ClusterNeeds()


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupPurpose:
    """What some nodes of a cluster are for; `workload` is the filled one."""

    pick: Pick
    workload: Workload
    assumptions: tuple[Assumption, ...] = ()
    needs: ClusterNeeds = NO_NEEDS


@dataclass(frozen=True, slots=True, kw_only=True)
class Nodes:
    """The machines of a part. A placeholder is a legal value that a person has to replace."""

    types: tuple[str, ...]  # several on spot only; the pick's first
    min_size: int
    desired: int
    max_size: int
    need_gb: int  # images and weights
    volume_gb: int
    throughput: int  # MB/s of the root volume
    local_raid: bool  # images and weights are on the local disks
    labels: tuple[tuple[str, str], ...]
    taint_key: str | None
    zone: str | None  # that they have to share
    interfaces: tuple[Interface, ...]  # of machines that work together over EFA
    purchase: Purchase
    reservation_id: str
    reservation_fill_in: bool  # the id is a placeholder

    @property
    def iops(self) -> int:
        """What the root volume needs for its throughput: gp3 gives 0.25 MB/s for each."""
        return max(GP3_LEAST_IOPS, GP3_IOPS_PER_MB_S * self.throughput)

    @property
    def reserved(self) -> bool:
        """Whether they are taken from a reservation or a Capacity Block."""
        return self.purchase in {"reservation", "capacity_block"}

    @property
    def grouped(self) -> bool:
        """Whether a placement group keeps them near one another; what is reserved lies where."""
        return bool(self.interfaces) and not self.reserved


def part_of(result: Recommendation, pick: Pick, needs: ClusterNeeds) -> GroupPurpose:
    """Return the whole cluster as one part: the nodes of a pick of the answer."""
    return GroupPurpose(
        pick=pick, workload=result.workload, assumptions=result.assumptions, needs=needs
    )


def nodes_of(part: GroupPurpose, catalog: Catalog) -> Nodes:
    """Return the machines that run a part.

    Raises:
        ManifestError: they cannot be bought as was asked.
    """
    pick, workload = part.pick, part.workload
    eks = catalog.eks.get(pick.instance.instance_type)
    types = node_types(pick, workload, catalog)
    need_gb = disk_need_gb(pick, pulled_gb(pick, workload, catalog))
    purchase = purchase_of(pick, workload)
    block = purchase == "capacity_block"
    local = all(catalog.instances[name].local_nvme_gb >= need_gb for name in types)
    return Nodes(
        types=types,
        min_size=0 if block or trains(workload) else pick.instances,
        desired=0 if block else pick.instances,
        max_size=max(pick.instances, 0 if block else part.needs.most_nodes),
        need_gb=need_gb,
        volume_gb=NVME_ROOT_GB if local else need_gb,
        throughput=GP3_LEAST_MB_S if local else volume_throughput(need_gb),
        local_raid=local,
        labels=pool_labels(workload, eks),
        taint_key=taint_key(eks),
        zone=zones_of(catalog.regions[pick.region])[0] if in_one_zone(pick, purchase) else None,
        interfaces=efa_interfaces(eks) if eks is not None and spans_machines(pick) else (),
        purchase=purchase,
        reservation_id=workload.reservation or RESERVATION_PLACEHOLDER,
        reservation_fill_in=workload.reservation is None,
    )


def volume_throughput(need_gb: int) -> int:
    """Return MB/s at which what a node holds on its volume is read in `READ_S`, within gp3's."""
    steps = ceil(need_gb * 1000 / READ_S / GP3_STEP_MB_S)
    return min(GP3_MOST_MB_S, max(GP3_LEAST_MB_S, steps * GP3_STEP_MB_S))


def purpose_comments(part: GroupPurpose, catalog: Catalog) -> Iterator[str]:
    """Yield what the file is for, what it costs and what was assumed."""
    pick, workload = part.pick, part.workload
    yield f"{pick.instances} x {pick.instance.instance_type} in {pick.region}"
    yield f"For: {workload_words(_typed_model(workload, catalog), workload)}"
    per_hour = pick.cost.usd_per_hour
    market = MARKET_WORDS[pick.quote.market]
    amount = "" if per_hour is None else f"{usd_per_hour(per_hour)} {market}, "
    yield f"Price: {amount}{price_note(pick.quote)}"
    if part.assumptions:
        yield f"Assumed: {', '.join(assumed_view(a).value for a in part.assumptions)}"


def purchase_notes(pick: Pick, nodes: Nodes) -> Iterator[str]:
    """Yield what a person must know of the way the machines are bought."""
    named = nodes.types[0]
    if nodes.purchase == "spot":
        yield "Spot machines can be taken back at two minutes' notice: checkpoint or tolerate it."
        if pick.instance.rare_on_spot:
            yield f"Spot seldom has {named}: do not plan on it."
        if len(nodes.types) > 1:
            yield f"The estimate is for {named}; the other types do at least as much."
    if pick.quote.market in {"reserved", "savings_plan"}:
        yield "The commitment is bought apart from this file and then applies by itself."


def once(lines: Iterable[str | None]) -> tuple[str, ...]:
    """Return the lines that say something, each where it stands first."""
    return tuple(dict.fromkeys(line for line in lines if line))


def efa_plugin_values(taint_keys: Iterable[str | None]) -> tuple[tuple[str, str], ...]:
    """Return the file of chart values with which the EFA plugin runs on the tainted nodes."""
    values = manifest_environment().get_template("eksctl/efa-plugin-values.yaml.j2")
    keys = once((EFA_PLUGIN_TAINT, *taint_keys))
    return (("efa-plugin-values.yaml", values.render(keys=keys)),)


def _typed_model(workload: Workload, catalog: Catalog) -> Model | None:
    typed = (workload.model or "").lower()
    return catalog.models.get(catalog.model_names.get(typed, workload.model or ""))
