"""Scaling of a serving workload on requests in flight: a KEDA ScaledObject, or an HPA."""

from dataclasses import dataclass, replace
from math import ceil

from bot.core.manifest import Manifest, ManifestError, ManifestKind
from bot.core.render import manifest_environment
from bot.manifests.nodes import purchase_of
from bot.manifests.tools import PROMETHEUS_PORT, PROMETHEUS_URL
from bot.manifests.workload.kubernetes import comments_of, workload_view, written
from bot.manifests.workload.serving import ServingView
from bot.manifests.workload.workload_rule import Bundle
from catalog.catalog import Catalog
from catalog.reference import server_facts, start_figures
from engine.core.result import Pick, Recommendation
from engine.plans.scaling import TARGET_SHARE, scaling_plan

RATE = {"tei": "te_request_count"}
METRIC_NAMES = {"vllm": "vllm_requests_in_flight", "neuronx": "vllm_requests_in_flight"}
UNKNOWN_PEAK_FACTOR = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalingView:
    """Who is scaled, on what, between which bounds."""

    name: str
    least: int
    most: int
    target: str  # of one replica, as text
    query: str
    series: tuple[str, ...]  # summed; one series means a rate
    metric_name: str
    cooldown_s: int
    nodes: int
    peak_known: bool

    @property
    def adapter_query(self) -> str:
        """The metric of one pod, in the adapter's own template language."""
        matched = "<<.LabelMatchers>>"
        if len(self.series) == 1:
            return f"sum(rate({self.series[0]}{{{matched}}}[1m])) by (<<.GroupBy>>)"
        return " + ".join(f"sum({name}{{{matched}}}) by (<<.GroupBy>>)" for name in self.series)


def keda_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the ScaledObject of a serving pick.

    Raises:
        ManifestError: it cannot scale this way; says why and what to do.
    """
    view, workload = _scaling(result, pick, catalog)
    return _scaler_manifest("autoscaling", view, workload, comments_of(result, pick))


def hpa_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the HorizontalPodAutoscaler and the adapter rule its metric needs.

    Raises:
        ManifestError: it cannot scale this way; says why and what to do.
    """
    view, workload = _scaling(result, pick, catalog)
    view = replace(view, least=max(1, view.least))
    made = _scaler_manifest("hpa", view, workload, comments_of(result, pick))
    adapter = manifest_environment().get_template("autoscaling/adapter-values.yaml.j2")
    text = adapter.render(view=view, url=PROMETHEUS_URL, port=PROMETHEUS_PORT)
    return replace(made, extras=(("prometheus-adapter-values.yaml", text),))


def most_nodes(result: Recommendation, pick: Pick, catalog: Catalog) -> int:
    """Return the nodes that scaling may ask for at most; 0 where nothing is scaled."""
    try:
        view, _ = _scaling(result, pick, catalog)
    except ManifestError:
        return 0
    return view.nodes


def _scaler_manifest(
    kind: ManifestKind, view: ScalingView, workload: ServingView, comments: tuple[str, ...]
) -> Manifest:
    return written(
        kind,
        f"autoscaling/{kind}.yaml.j2",
        Bundle(pool=workload.pool, targets=frozenset({workload.name})),
        comments=comments,
        notes=tuple(_scaling_notes(view)),
        view=view,
        prometheus=f"{PROMETHEUS_URL}:{PROMETHEUS_PORT}",
    )


def _scaling(
    result: Recommendation, pick: Pick, catalog: Catalog
) -> tuple[ScalingView, ServingView]:
    workload = workload_view(result, pick, catalog)
    if not isinstance(workload, ServingView):
        raise ManifestError("a training job has a fixed size: its nodes scale, not its pods")
    if workload.nodes_per_replica > 1:
        raise ManifestError(
            "a replica over several machines is a StatefulSet of its own: add a copy, not a pod"
        )
    plan = scaling_plan(result, pick, catalog, start_figures())
    engine, pods = workload.server.engine, f'pod=~"{workload.name}-.*"'
    series, target = _target(engine, workload, plan.target_in_flight, plan.replica_requests_per_s)
    most = max(workload.replicas, plan.max_replicas or UNKNOWN_PEAK_FACTOR * workload.replicas)
    if purchase_of(pick, result.workload) in {"reservation", "capacity_block"}:
        most = workload.replicas  # what is reserved does not grow
    view = ScalingView(
        name=workload.name,
        least=min(plan.min_replicas, workload.replicas),
        most=most,
        target=target,
        query=_query(series, pods),
        series=series,
        metric_name=METRIC_NAMES.get(engine, "requests_in_flight"),
        cooldown_s=plan.cooldown_s,
        nodes=ceil(most / max(1, workload.replicas // pick.instances)),
        peak_known=plan.max_replicas is not None,
    )
    return view, workload


def _target(
    engine: str, workload: ServingView, in_flight: int | None, rate: float | None
) -> tuple[tuple[str, ...], str]:
    """Return the series and what one replica may hold of them."""
    if not workload.server.metrics:
        raise ManifestError("this server is your own: expose its requests in flight, then scale")
    facts = server_facts()[engine]
    if facts.running and facts.waiting and in_flight is not None:
        return (facts.running, facts.waiting), str(in_flight)
    if engine in RATE and rate is not None:
        return (RATE[engine],), f"{TARGET_SHARE * rate:.3g}"
    raise ManifestError(f"no estimate says what one replica of {engine} carries: measure it first")


def _query(series: tuple[str, ...], pods: str) -> str:
    if len(series) == 1:
        return f"sum(rate({series[0]}{{{pods}}}[1m]))"
    return " + ".join(f"sum({name}{{{pods}}})" for name in series)


def _scaling_notes(view: ScalingView) -> list[str]:
    notes = []
    if not view.peak_known:
        notes.append(
            f"No peak was named, so at most twice what is deployed ({view.most}): say rps=… or "
            "concurrency=… of your busiest minute."
        )
    if view.least == view.most:
        notes.append("One size carries the peak: there is nothing to scale.")
    notes.append(
        f"{view.most} replicas take {view.nodes} node(s): the node file of the same request allows "
        "as many (maxSize, or limits of the NodePool), and a node autoscaler has to bring them."
    )
    notes.append("Remove replicas from the Deployment, or applying it again undoes the scaling.")
    return notes
