"""Everything it takes to run a pick on EKS: the steps after the node groups, or one file of all."""

from collections.abc import Iterator
from dataclasses import replace

from bot.core.manifest import Manifest, ManifestKind
from bot.core.render import yaml_comment
from bot.manifests.eksctl.eksctl import DEFAULT_CLUSTER_NAME, eksctl_manifest, system_nodes
from bot.manifests.names import legal_name
from bot.manifests.steps import ApplyStep, steps_after
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation

# Cuts the file at its markers, so that each tool gets its own.
SPLIT = "awk '/^# FILE /{f=$3; next} f{print > f}' everything.yaml"
FILE_MARK = "# FILE "
CLUSTER_FILE = "cluster.yaml"


def everything_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return one text of every file in the order of use, the commands as comments.

    Raises:
        ManifestError: eksctl cannot bring the nodes; says why and what can.
    """
    nodes = _nodes(result, pick, catalog)
    create = ApplyStep(
        title="Nodes",
        commands=(f"eksctl create cluster -f {CLUSTER_FILE}", *_system_nodes(result, pick)),
        files=((CLUSTER_FILE, nodes.yaml_text),),
    )
    steps = (create, *steps_after(nodes, result, pick, catalog))
    files = tuple(file for step in steps for file in step.files)
    return Manifest(
        kind="everything",
        yaml_text="\n".join([*_head(steps), *_marked(files)]),
        notes=nodes.notes,
        extras=files,
    )


def with_next_steps(
    nodes: Manifest, result: Recommendation, pick: Pick, catalog: Catalog
) -> Manifest:
    """Return the eksctl file with what comes after it: commands in order, words for the rest."""
    steps = steps_after(nodes, result, pick, catalog)
    if not steps:
        return nodes
    lines = ["Then, each file by its words or all of them by: all manifests", *_numbered(steps, 1)]
    text = "".join(f"# {yaml_comment(line)}\n" for line in lines)
    return replace(nodes, yaml_text=nodes.yaml_text + text, more=tuple(_more(steps)))


def _nodes(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    return eksctl_manifest(pick, result.workload, catalog, assumptions=result.assumptions)


def _system_nodes(result: Recommendation, pick: Pick) -> Iterator[str]:
    """Yield the command for nodes without a taint, where the pick's have one."""
    if pick.instance.accelerators:
        cluster, _ = legal_name(result.workload.name, DEFAULT_CLUSTER_NAME)
        yield system_nodes(cluster, pick.region)


def _more(steps: tuple[ApplyStep, ...]) -> Iterator[ManifestKind]:
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


def _head(steps: tuple[ApplyStep, ...]) -> Iterator[str]:
    yield "# Everything for this pick, in the order of use. Saved as everything.yaml, it is cut"
    yield f"# into files by: {SPLIT}"
    for line in _numbered(steps, 1):
        yield f"# {yaml_comment(line)}"
    yield "# Instead of the node groups: karpenter yaml, terraform. Beside: quota, sharing yaml."


def _numbered(steps: tuple[ApplyStep, ...], first: int) -> Iterator[str]:
    """Yield the commands of each step under its number; a step left out says why."""
    for number, step in enumerate(steps, first):
        words = f" ({step.words})" if step.words else ""
        yield f"{number}. {step.title}{words}" + (f": {step.left_out}" if step.left_out else "")
        yield from (f"$ {command}" for command in step.commands)


def _marked(files: tuple[tuple[str, str], ...]) -> Iterator[str]:
    for name, text in files:
        yield f"{FILE_MARK}{name}\n---\n{text.rstrip()}"
    yield ""
