"""The node group of a pick as Terraform: rendered and checked before it leaves."""

from collections.abc import Iterator

from bot.core.manifest import Manifest, ManifestError
from bot.core.render import hcl_environment
from bot.manifests.comments import purchase_notes, purpose_comments
from bot.manifests.eksctl.eksctl import DEFAULT_CLUSTER_NAME, efa_plugin_values
from bot.manifests.names import legal_name
from bot.manifests.terraform.hcl import hcl_faults, resource_types
from bot.manifests.terraform.node_group import TerraformView, terraform_view
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation

NEEDED = frozenset({"aws_launch_template", "aws_eks_node_group", "aws_autoscaling_group_tag"})
ALLOWED = NEEDED | {"aws_placement_group"}
DEVICE_PLUGINS = {"nvidia.com/gpu": "NVIDIA", "aws.amazon.com/neuron": "Neuron"}


def terraform_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return the `aws_eks_node_group` that runs the pick, with its launch template.

    Raises:
        ManifestError: no valid file can be written for this pick; says why and what to do.
    """
    cluster, name_note = legal_name(result.workload.name, DEFAULT_CLUSTER_NAME)
    view = terraform_view(pick, result.workload, catalog, cluster)
    notes = tuple(note for note in (name_note, *_notes(pick, view)) if note)
    comments = purpose_comments(pick, result.workload, catalog, result.assumptions)
    text = (
        hcl_environment()
        .get_template("terraform/node_group.tf.j2")
        .render(
            group=view,
            comments=(*comments, "terraform init, then terraform apply"),
            notes=notes,
        )
    )
    check_terraform(text)
    taints = (view.taint_key,) if view.taint_key else ()
    extras = efa_plugin_values(taints) if view.interfaces else ()
    return Manifest(kind="terraform", yaml_text=text, notes=notes, extras=extras)


def check_terraform(text: str) -> None:
    """Hold the text against HCL's form and the resources it may have.

    Raises:
        ManifestError: it is malformed, lacks a resource or has one too many.
    """
    faults = list(hcl_faults(text))
    types = resource_types(text)
    if not set(types) >= NEEDED or set(types) - ALLOWED or len(types) != len(set(types)):
        faults.append(f"resources are {', '.join(types)}")
    if faults:
        raise ManifestError(f"the Terraform file is malformed: {'; '.join(faults)}")


def _notes(pick: Pick, view: TerraformView) -> Iterator[str]:
    """Yield what a person has to fill in or know before applying."""
    if view.ultra_server:
        yield (
            f"{view.types[0]} is a part of an UltraServer, which neither eksctl nor Karpenter can "
            "bring: this launch template takes it from your Capacity Block."
        )
    if view.purchase == "capacity_block":
        yield "Fill in the id of your Capacity Block and give its zone's subnet; then scale up."
    elif view.purchase == "reservation":
        yield f"Give the subnet in the zone of {view.reservation_id}."
    if view.taint_key:
        yield f"Install the {DEVICE_PLUGINS[view.taint_key]} device plugin: EKS does not."
    yield from _network_notes(pick, view)
    yield from purchase_notes(pick, view.purchase, view.types)


def _network_notes(pick: Pick, view: TerraformView) -> Iterator[str]:
    if view.interfaces:
        yield (
            "EFA plugin: helm upgrade --install aws-efa-k8s-device-plugin "
            "eks/aws-efa-k8s-device-plugin -n kube-system -f efa-plugin-values.yaml"
        )
    elif view.ultra_server and pick.instances > 1:
        yield "Lay out its network cards by EC2's guide: which of them carry EFA is not known here."
    if view.ultra_server and view.taint_key == "nvidia.com/gpu":
        yield "The NVIDIA DRA driver lets its machines share memory (Kubernetes 1.33 or newer)."
