"""Files of a move from GPUs to Neuron: compile Job, the new workload, canary weights, rollback."""

from dataclasses import dataclass, replace

from bot.core.figures import quantity
from bot.core.manifest import Manifest, ManifestError
from bot.core.render import manifest_environment
from bot.manifests.beside.compiling import compile_manifest
from bot.manifests.legal_names import dns_name
from bot.manifests.workload.kubernetes import kubernetes_manifest
from bot.manifests.workload.server import VLLM_TASKS
from bot.manifests.workload.serving import DEFAULT_NAME
from catalog.catalog import Catalog
from engine.core.result import Pick, Recommendation
from engine.plans.migration import MigrationPlan

ORDER = (
    "Order: this compile Job, then neuron-workload.yaml, then the canary files one by one; "
    "rollback.yaml at any time."
)
SIGNS = {"at_most": "at most", "at_least": "at least"}


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteView:
    """Traffic between the two Services, in percent."""

    name: str
    old: str
    new: str
    old_weight: int
    new_weight: int
    words: str


def migration_manifest(
    plan: MigrationPlan, new: Recommendation, pick: Pick, catalog: Catalog
) -> Manifest:
    """Return the compile Job and the first canary, with the later steps as files of their own.

    `pick` is the new side's, of a plan without a refusal.

    Raises:
        ManifestError: there is no packaged way to serve the model there.
    """
    target = replace(new, workload=replace(new.workload, name=_new_name(new)))
    workload = kubernetes_manifest(target, pick, catalog)
    files = [("neuron-workload.yaml", workload.yaml_text)]
    if plan.trains:
        return Manifest(kind="migration", yaml_text=workload.yaml_text, notes=workload.notes)
    routes = [_route(new, stage.target_weight) for stage in plan.stages]
    files += [(f"canary-{r.new_weight}.yaml", _route_text(r)) for r in routes[1:]]
    files.append(("rollback.yaml", _route_text(_route(new, 0))))
    compiled = _compile_job(plan, new, pick, catalog)
    text = f"{compiled.yaml_text}---\n{_route_text(routes[0])}"
    return replace(compiled, yaml_text=text, extras=tuple(files))


def _new_name(new: Recommendation) -> str:
    return f"{_old_name(new)}-neuron"


def _old_name(new: Recommendation) -> str:
    return dns_name(new.workload.name or new.workload.model, DEFAULT_NAME)[:38].rstrip("-")


def _route(new: Recommendation, new_weight: int) -> RouteView:
    old, neuron = _old_name(new), _new_name(new)
    step = f"{new_weight} % of the requests to the Neuron pods"
    words = step if new_weight else "Rollback: everything to the GPU pods, which are still warm"
    return RouteView(
        name=old,
        old=old,
        new=neuron,
        old_weight=100 - new_weight,
        new_weight=new_weight,
        words=words,
    )


def _route_text(route: RouteView) -> str:
    template = manifest_environment().get_template("migration/route.yaml.j2")
    return template.render(route=route)


def _compile_job(
    plan: MigrationPlan, new: Recommendation, pick: Pick, catalog: Catalog
) -> Manifest:
    """Return the volume of artefacts and the Job that fills it, checked."""
    model, compiling = new.model, plan.compiling
    if model is None or model.task not in VLLM_TASKS or compiling is None:
        raise ManifestError(
            "no packaged server compiles this model: export it with the plan's optimum-cli call "
            "and serve it from your own image"
        )
    return compile_manifest(
        new,
        pick,
        catalog,
        compiling,
        name=_new_name(new),
        comments=tuple(_migration_comments(plan)),
        notes=tuple(_migration_notes(plan, new)),
    )


def _migration_comments(plan: MigrationPlan) -> list[str]:
    """Return the numbers that decide whether to go on, from both estimates."""
    lines = ["Go on to the next weight only when these are measured:"]
    for number in plan.success:
        sign = SIGNS[number.sense]
        lines.append(f"{number.name} {sign} {quantity(number.pass_at)} {number.unit}")
    return lines


def _migration_notes(plan: MigrationPlan, new: Recommendation) -> list[str]:
    lines = [
        ORDER,
        "Weights need a Gateway API controller; fill in the name of your Gateway.",
    ]
    pilot, compiling = plan.pilot, plan.compiling
    if pilot is not None:
        asked = f"{new.workload.model or 'inference'} instance={pilot.instance_type}"
        nodes = f"{pilot.instances} x {pilot.instance_type}"
        lines.insert(0, f'Pilot nodes first ({nodes}): ec2-pick "{asked}" --manifest eksctl')
    if compiling is not None and not compiling.on_pick:
        lines.append(f"Compiling runs on {compiling.instance_type}: a node group of its own.")
    return lines
