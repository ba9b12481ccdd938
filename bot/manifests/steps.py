"""What to do in which order to run a pick on EKS: the commands, and the file of each step."""

from collections.abc import Iterator
from dataclasses import dataclass

from bot.core.manifest import Manifest, ManifestError, ManifestKind
from bot.manifests.eksctl.eksctl import DEFAULT_CLUSTER_NAME
from bot.manifests.made import made_manifest
from bot.manifests.names import legal_name
from bot.manifests.workload.kubernetes import WorkloadView, workload_view
from bot.manifests.workload.storage import DRIVERS, addon_command
from bot.manifests.workload.training import TrainingView
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation

MONITORING = "-n monitoring --create-namespace"
DCGM_CHART = "dcgm-exporter gpu-helm-charts/dcgm-exporter"
EFA_CHART = "aws-efa-k8s-device-plugin eks/aws-efa-k8s-device-plugin"
NVIDIA_CHART = "nvidia-device-plugin nvdp/nvidia-device-plugin"
UPGRADE = "helm upgrade --install"
PROMETHEUS = (
    "helm repo add prometheus-community https://prometheus-community.github.io/helm-charts",
    f"{UPGRADE} kube-prometheus-stack prometheus-community/kube-prometheus-stack {MONITORING}",
)
DCGM = (
    "helm repo add gpu-helm-charts https://nvidia.github.io/dcgm-exporter/helm-charts",
    f"{UPGRADE} {DCGM_CHART} --version 4.8.2 {MONITORING} -f dcgm-exporter-values.yaml",
)
KEDA = (
    "helm repo add kedacore https://kedacore.github.io/charts",
    f"{UPGRADE} keda kedacore/keda -n keda --create-namespace",
)
EFA_PLUGIN = (
    "helm repo add eks https://aws.github.io/eks-charts",
    "kubectl delete daemonset -n kube-system aws-efa-k8s-device-plugin-daemonset",
    f"{UPGRADE} {EFA_CHART} -n kube-system -f efa-plugin-values.yaml",
)
NVIDIA_PLUGIN = (
    "helm repo add nvdp https://nvidia.github.io/k8s-device-plugin",
    f"{UPGRADE} {NVIDIA_CHART} --version 0.20.0 -n kube-system",
)
NEURON_CHART = (
    "helm upgrade --install neuron oci://public.ecr.aws/neuron/neuron-helm-chart -n kube-system"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApplyStep:
    """One step. `commands` are in order; `words` ask for its file by itself."""

    title: str
    commands: tuple[str, ...]
    words: str = ""
    files: tuple[tuple[str, str], ...] = ()
    left_out: str = ""  # why it has no file


def steps_after(
    nodes: Manifest, result: Recommendation, pick: Pick, catalog: Catalog
) -> tuple[ApplyStep, ...]:
    """Return what follows the node groups of `nodes`; empty where there is no workload to run."""
    try:
        view = workload_view(result, pick, catalog)
    except ManifestError:
        return ()
    cluster, _ = legal_name(result.workload.name, DEFAULT_CLUSTER_NAME)
    steps = (
        ApplyStep(
            title="Devices", commands=tuple(_device_commands(view, nodes)), files=nodes.extras
        ),
        ApplyStep(title="Before the workload", commands=tuple(_before(view, cluster))),
        _file("kubernetes", "Workload", (), result, catalog),
        _file("monitoring", "Monitoring", _monitoring_commands(view), result, catalog),
        _file("autoscaling", "Autoscaling", KEDA, result, catalog),
    )
    return tuple(step for step in steps if step.commands or step.left_out)


def _file(
    kind: ManifestKind,
    title: str,
    before: tuple[str, ...],
    result: Recommendation,
    catalog: Catalog,
) -> ApplyStep:
    """Return the step that applies the file of a kind, or why there is none."""
    try:
        manifest = made_manifest(kind, result, catalog)
    except ManifestError as error:
        return ApplyStep(title=title, commands=(), left_out=str(error))
    name = f"{title.lower()}.yaml"
    return ApplyStep(
        title=title,
        commands=(*before, f"kubectl apply -f {name}"),
        words=f"{kind} yaml",
        files=((name, manifest.yaml_text), *manifest.extras),
    )


def _device_commands(view: WorkloadView, nodes: Manifest) -> Iterator[str]:
    """Yield how the nodes come to offer what the pods ask for."""
    if nodes.extras:
        yield from EFA_PLUGIN
    plugin_by_hand = any("install the device plugin yourself" in note for note in nodes.notes)
    if view.pool.accelerator_class == "neuron" and (plugin_by_hand or view.pod.scheduler):
        yield NEURON_CHART + (" --set scheduler.enabled=true" * bool(view.pod.scheduler))
    elif plugin_by_hand:
        yield from NVIDIA_PLUGIN
    if view.pool.resource:
        column = view.pool.resource.replace(".", "\\.")
        yield (
            "kubectl get nodes -o custom-columns="
            f"'NODE:.metadata.name,DEVICES:.status.allocatable.{column}'"
        )


def _before(view: WorkloadView, cluster: str) -> Iterator[str]:
    """Yield what the pods need to find when they start."""
    for driver in sorted({DRIVERS[claim.backing] for claim in view.pod.claims}):
        yield addon_command(driver, cluster)
    if view.gated:
        yield "kubectl create secret generic hf-token --from-literal=token=YOUR_TOKEN"
    if isinstance(view, TrainingView):
        yield f"kubectl create configmap {view.name}-code --from-file=train.py"


def _monitoring_commands(view: WorkloadView) -> tuple[str, ...]:
    return PROMETHEUS + (DCGM if view.pool.accelerator_class == "nvidia" else ())
