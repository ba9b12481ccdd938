"""Everything it takes to run a pick on EKS: the steps in their order, and the file of each."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from bot.core.manifest import (
    Manifest,
    ManifestError,
    ManifestKind,
    marked_files,
    split_command,
)
from bot.core.render import yaml_comment
from bot.manifests.beside.autoscaling import hpa_manifest, keda_manifest, most_nodes
from bot.manifests.beside.compiling import compile_manifest
from bot.manifests.beside.monitors import monitoring_manifest
from bot.manifests.eksctl.eksctl import eksctl_manifest
from bot.manifests.legal_names import legal_name
from bot.manifests.needs import needs_of
from bot.manifests.node_file import (
    DEFAULT_CLUSTER_NAME,
    bundled_efa_plugin_removed,
    efa_plugin,
    neuron_plugin,
    nvidia_plugin,
)
from bot.manifests.tools import helm_install, release_of
from bot.manifests.workload.kubernetes import (
    WorkloadView,
    comments_of,
    key_command,
    kubernetes_manifest,
    workload_view,
)
from bot.manifests.workload.serving import ServingView
from bot.manifests.workload.training import TrainingView
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation
from engine.plans.phases import compile_job

# Cuts the file at its markers, so that each tool gets its own.
CLUSTER_FILE = "cluster.yaml"
MONITORING = "-n monitoring --create-namespace"
REPOSITORIES = {
    "autoscaler": "https://kubernetes.github.io/autoscaler",
    "eks": "https://aws.github.io/eks-charts",
    "gpu-helm-charts": "https://nvidia.github.io/dcgm-exporter/helm-charts",
    "kedacore": "https://kedacore.github.io/charts",
    "nvdp": "https://nvidia.github.io/k8s-device-plugin",
    "prometheus-community": "https://prometheus-community.github.io/helm-charts",
}


def _from(repository: str, *commands: str) -> tuple[str, ...]:
    """Return commands after the one that makes their charts known."""
    return (f"helm repo add {repository} {REPOSITORIES[repository]}", *commands)


def _prometheus() -> tuple[str, ...]:
    chart = "chart-kube-prometheus-stack"
    installed = helm_install("kube-prometheus-stack", chart, MONITORING)
    return _from("prometheus-community", installed)


def _dcgm() -> tuple[str, ...]:
    values = "-f dcgm-exporter-values.yaml"
    installed = helm_install("dcgm-exporter", "chart-dcgm-exporter", MONITORING, values)
    return _from("gpu-helm-charts", installed)


def _keda() -> tuple[str, ...]:
    installed = helm_install("keda", "chart-keda", "-n keda --create-namespace")
    return _from("kedacore", installed)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyStep:
    """One step. `commands` are in order; `words` ask for its file by itself."""

    title: str
    commands: tuple[str, ...]
    words: str = ""
    files: tuple[tuple[str, str], ...] = ()
    left_out: str = ""  # why it has no file


def everything_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return one text of every file in the order of use, the commands as comments.

    Raises:
        ManifestError: eksctl cannot bring the nodes; says why and what can.
    """
    needs = needs_of(result, pick, catalog)
    assumed = result.assumptions
    nodes = eksctl_manifest(pick, result.workload, catalog, assumptions=assumed, needs=needs)
    create = ApplyStep(
        title="Nodes",
        commands=(f"eksctl create cluster -f {CLUSTER_FILE}",),
        files=((CLUSTER_FILE, nodes.yaml_text),),
    )
    steps = (create, *_steps_after(nodes, result, pick, catalog))
    files = tuple(file for step in steps for file in step.files)
    return Manifest(
        kind="everything",
        yaml_text="\n".join([*_bundle_head(steps), marked_files(files)]),
        notes=nodes.notes,
        extras=files,
    )


def with_next_steps(
    nodes: Manifest, result: Recommendation, pick: Pick, catalog: Catalog
) -> Manifest:
    """Return the eksctl file with what comes after it: commands in order, words for the rest."""
    steps = _steps_after(nodes, result, pick, catalog)
    if not steps:
        return nodes
    lines = [
        "Then, each file by its words or all of them by: all manifests",
        *_steps_numbered(steps),
    ]
    text = "".join(f"# {yaml_comment(line)}\n" for line in lines)
    return replace(nodes, yaml_text=nodes.yaml_text + text, more=tuple(_kinds_after(steps)))


def _steps_after(
    nodes: Manifest, result: Recommendation, pick: Pick, catalog: Catalog
) -> tuple[ApplyStep, ...]:
    """Return what follows the node groups of `nodes`; empty where there is no workload to run."""
    try:
        view = workload_view(result, pick, catalog)
    except ManifestError:
        return ()
    cluster, _ = legal_name(result.workload.name, DEFAULT_CLUSTER_NAME)
    monitoring = _prometheus() + (_dcgm() if view.pool.accelerator_class == "nvidia" else ())
    steps = (
        ApplyStep(
            title="Devices", commands=tuple(_device_commands(view, nodes)), files=nodes.extras
        ),
        ApplyStep(title="Before the workload", commands=tuple(_before_pods(view))),
        _compile(view, result, pick, catalog),
        _file("Workload", (), lambda: kubernetes_manifest(result, pick, catalog)),
        _file("Monitoring", monitoring, lambda: monitoring_manifest(result, pick, catalog)),
        _file("Autoscaling", _keda(), lambda: keda_manifest(result, pick, catalog)),
        _node_scaling(result, pick, catalog, cluster),
        _hpa(result, pick, catalog),
    )
    return tuple(step for step in steps if step.commands or step.left_out)


def _compile(view: WorkloadView, result: Recommendation, pick: Pick, catalog: Catalog) -> ApplyStep:
    """Return the Job that compiles for Neuron before any pod serves; empty elsewhere."""
    compiles = isinstance(view, ServingView) and view.compiles
    job = compile_job(result, pick, catalog) if compiles else None
    if job is None:
        return ApplyStep(title="Compile", commands=())
    comments = comments_of(result, pick)
    made = compile_manifest(result, pick, catalog, job, name=view.name, comments=comments)
    cluster, _ = legal_name(result.workload.name, DEFAULT_CLUSTER_NAME)
    where = f"--cluster {cluster} --region {pick.region}"
    larger = (f"eksctl create nodegroup {where} --name compile --node-type {job.instance_type}",)
    done = f"kubectl wait --for=condition=complete job/{view.name}-compile --timeout=3h"
    return ApplyStep(
        title="Compile, before any pod does it",
        commands=(*(() if job.on_pick else larger), "kubectl apply -f compile.yaml", done),
        files=(("compile.yaml", made.yaml_text),),
    )


def _node_scaling(result: Recommendation, pick: Pick, catalog: Catalog, cluster: str) -> ApplyStep:
    """Return the autoscaler that brings the nodes replicas ask for, where they may ask for more."""
    most = most_nodes(result, pick, catalog)
    if most <= pick.instances:
        return ApplyStep(title="Nodes for more replicas", commands=())
    settings = {
        "autoDiscovery.clusterName": cluster,
        "awsRegion": pick.region,
        "rbac.serviceAccount.name": "cluster-autoscaler",
        "image.tag": release_of("image-cluster-autoscaler"),
    }
    options = (f"--set {key}={value}" for key, value in settings.items())
    installed = helm_install(
        "cluster-autoscaler", "chart-cluster-autoscaler", "-n kube-system", *options
    )
    title = f"Nodes for more replicas, {most} at most"
    return ApplyStep(title=title, commands=_from("autoscaler", installed))


def _hpa(result: Recommendation, pick: Pick, catalog: Catalog) -> ApplyStep:
    """Return the way without KEDA; empty where nothing is scaled."""
    try:
        manifest = hpa_manifest(result, pick, catalog)
    except ManifestError:
        return ApplyStep(title="Without KEDA", commands=())
    adapter = helm_install(
        "prometheus-adapter",
        "chart-prometheus-adapter",
        "-n monitoring -f prometheus-adapter-values.yaml",
    )
    return ApplyStep(
        title="Instead of KEDA, never beside it",
        commands=(adapter, "kubectl apply -f hpa.yaml"),
        words="hpa yaml",
        files=(("hpa.yaml", manifest.yaml_text), *manifest.extras),
    )


def _file(title: str, before: tuple[str, ...], make: Callable[[], Manifest]) -> ApplyStep:
    """Return the step that applies a file, or why there is none."""
    try:
        manifest = make()
    except ManifestError as error:
        return ApplyStep(title=title, commands=(), left_out=str(error))
    name = f"{title.lower()}.yaml"
    return ApplyStep(
        title=title,
        commands=(*before, f"kubectl apply -f {name}"),
        words=f"{manifest.kind} yaml",
        files=((name, manifest.yaml_text), *manifest.extras),
    )


def _device_commands(view: WorkloadView, nodes: Manifest) -> Iterator[str]:
    """Yield how the nodes come to offer what the pods ask for."""
    if nodes.extras:
        yield from _from("eks", bundled_efa_plugin_removed(), efa_plugin())
    plugin_by_hand = any("install the device plugin yourself" in note for note in nodes.notes)
    if view.pool.accelerator_class == "neuron" and (plugin_by_hand or view.pod.scheduler):
        yield neuron_plugin(*("--set scheduler.enabled=true",) * bool(view.pod.scheduler))
    elif plugin_by_hand:
        yield from _from("nvdp", nvidia_plugin())
    if view.pool.resource:
        column = view.pool.resource.replace(".", "\\.")
        yield (
            "kubectl get nodes -o custom-columns="
            f"'NODE:.metadata.name,DEVICES:.status.allocatable.{column}'"
        )


def _before_pods(view: WorkloadView) -> Iterator[str]:
    """Yield what the pods need to find when they start."""
    if view.gated:
        yield "kubectl create secret generic hf-token --from-literal=token=YOUR_TOKEN"
    if isinstance(view, ServingView) and view.server.key_variable:
        yield key_command(view)
    if isinstance(view, TrainingView) and not view.recipe:
        yield f"kubectl create configmap {view.name}-code --from-file=train.py"


def _kinds_after(steps: tuple[ApplyStep, ...]) -> Iterator[ManifestKind]:
    """Yield the kinds that can be asked for after the nodes."""
    titles = {step.title for step in steps if step.files}
    if "Workload" in titles:
        yield "kubernetes"
    yield "karpenter"
    if "Autoscaling" in titles:
        yield "autoscaling"
    if "Monitoring" in titles:
        yield "monitoring"
    yield "everything"


def _bundle_head(steps: tuple[ApplyStep, ...]) -> Iterator[str]:
    yield "# Everything for this pick, in the order of use. Saved as everything.yaml, it is cut"
    yield f"# into files by: {split_command('everything.yaml')}"
    for line in _steps_numbered(steps):
        yield f"# {yaml_comment(line)}"
    yield "# Instead of the node groups: karpenter yaml, terraform. Beside: quota, sharing yaml."


def _steps_numbered(steps: tuple[ApplyStep, ...]) -> Iterator[str]:
    """Yield the commands of each step under its number; a step left out says why."""
    for number, step in enumerate(steps, 1):
        words = f" ({step.words})" if step.words else ""
        yield f"{number}. {step.title}{words}" + (f": {step.left_out}" if step.left_out else "")
        yield from (f"$ {command}" for command in step.commands)
