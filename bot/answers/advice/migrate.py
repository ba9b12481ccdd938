"""Moving a workload from GPUs to Trainium or Inferentia: a phased plan, or why not."""

from dataclasses import replace

from bot.answers.pick import pick_turn, recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.errors import RequestError
from bot.core.manifest import Manifest, ManifestError
from bot.manifests.nodes import trains
from bot.manifests.workload.images import neuron_vllm_tag
from catalog.catalog import Catalog
from catalog.checkpoints import checkpoint_of
from catalog.names import chip_words
from engine.core.result import Pick, Recommendation
from engine.plans.migration import MigrationPlan, chips_of, migration_plan
from engine.plans.phases import PILOT_TRAINING_SHARE
from engine.plans.sides import chosen

FEWEST_PILOT_STEPS = 100  # enough to lay two loss curves over each other


def migrate_turn(turn: Turn) -> Reply:
    """Return the plan; a move that is not from GPUs to Neuron is answered with a pick."""
    words = turn.understanding.asked.hardware
    targets = [word for word in words if chips_of(word, turn.world.catalog)]
    if len(targets) != 1 or not _is_move(turn, words):
        return pick_turn(turn)
    target = targets[0]
    sources = tuple(word for word in words if word != target)
    turn = about(turn, **one_model(turn.workload))
    old = recommendation_of(about(turn, **_side(sources, turn)))
    cleared = {"gpu": None, "gpu_count": None, "gpu_memory_gb": None}
    new_turn = about(turn, **_side((target,), turn) | cleared)
    new = recommendation_of(new_turn, compiled_ahead=True)
    chips = chips_of(target, turn.world.catalog)
    plan = migration_plan(old, new, target, chips, turn.world.catalog)
    values = _command_values(turn, plan, new, target)
    shown, other = (new, old) if plan.refusal is None else (old, new)
    reply = plan_reply(turn, "migrate", plan, shown, other, **values)
    if turn.understanding.manifest_kind != "migration" or plan.refusal is not None:
        return reply  # the plan says why there is nothing to apply
    pick = chosen(new)
    return reply if pick is None else replace(reply, manifest=_files(turn, plan, new, pick))


def _files(turn: Turn, plan: MigrationPlan, new: Recommendation, pick: Pick) -> Manifest:
    """Return the files of the plan, where they were asked for."""
    from bot.manifests.beside.migration import migration_manifest

    try:
        return migration_manifest(plan, new, pick, turn.world.catalog)
    except ManifestError as error:
        raise RequestError("invalid_value", str(error), field="instance") from error


def _command_values(
    turn: Turn, plan: MigrationPlan, new: Recommendation, word: str
) -> dict[str, object]:
    """Return what the commands of the plan are filled with."""
    side, compiling = plan.target, plan.compiling
    chip = (side.accelerator if side else None) or ""
    instance_type = side.instance_type if side else ""
    model = new.model
    steps = (new.workload.tokens_total or 0) / (new.workload.global_batch_tokens or 1)
    return {
        "chip": _chip_name(chip, word, turn.world.catalog),
        "first_family": _first_family(turn.world.catalog),
        "image": neuron_vllm_tag(turn.world.catalog.accelerators.get(chip)),
        "repo": _repository(new) or "FILL_IN_MODEL",
        "model_task": model.task if model else "decoder",
        "ask": turn.request,
        "export_type": instance_type.partition(".")[0],
        "cores": _cores(turn, instance_type, chip),
        "batch": (compiling.batch if compiling else None) or 1,
        "context": compiling.sequence_length if compiling else new.workload.context,
        "pilot_steps": max(FEWEST_PILOT_STEPS, round(PILOT_TRAINING_SHARE * steps)),
    }


def _repository(new: Recommendation) -> str:
    """Return what the commands load: the base where it is trained; empty where nobody knows."""
    if new.model is None:
        return ""
    checkpoint = checkpoint_of(new.workload.model, new.model)
    return checkpoint.trains if trains(new.workload) else checkpoint.repo


def _cores(turn: Turn, instance_type: str, chip: str) -> int:
    """Return the NeuronCores of one machine, as torchrun starts a worker for each."""
    instance = turn.world.catalog.instances.get(instance_type)
    accelerator = turn.world.catalog.accelerators.get(chip)
    per_chip = accelerator.cores_per_chip if accelerator else None
    return (instance.accelerators if instance else 1) * (per_chip or 1)


def _is_move(turn: Turn, words: tuple[str, ...]) -> bool:
    """Return whether the text moves to Neuron: it says so, or names both sides of a migration."""
    move = turn.understanding.asked.move
    both = len(words) > 1 or turn.workload.gpu is not None
    return move == "to_neuron" or (move == "somewhere" and both)


def _side(words: tuple[str, ...], turn: Turn) -> dict[str, object]:
    """Return the changes that put the workload on one side of the move."""
    types = [word for word in words if "." in word]
    families = tuple(word for word in words if "." not in word)
    if types:
        return {"instance": types[0], "allow": tuple(types)}
    if not families and turn.workload.gpu is None:
        families = ("nvidia",)
    return {"instance": None, "allow": families or None}


def _first_family(catalog: Catalog) -> str:
    """Return the family of the first NeuronCores: old code runs there alone."""
    chips = catalog.accelerators
    families = [f for f in catalog.families.values() if f.accelerator_id in chips]
    first = [f for f in families if chips[f.accelerator_id or ""].neuron_core_version == 1]
    return first[0].family


def _chip_name(accelerator: str, word: str, catalog: Catalog) -> str:
    family = catalog.families.get(word)
    own = accelerator or (family.accelerator_id if family else None)
    return chip_words(own) if own else word.capitalize()
