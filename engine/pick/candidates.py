"""The stages before any estimate: which types may be considered, each drop with its reason."""

from collections.abc import Callable

from catalog.facts.schema import Instance
from catalog.geography import nearest_regions_offering
from engine.core.question import Question
from engine.core.result import Number, Rejection
from engine.core.workload import Workload
from engine.pick.groups import in_group, left_out, vendor_of
from engine.pick.reasons import same_memory
from engine.pick.standing import model_kind, standing

CandidateCheck = Callable[[Instance, Question], Rejection | None]

USUAL = "engine.pick.candidates"


def candidates(question: Question) -> tuple[list[Instance], list[Rejection]]:
    """Return the types worth estimating and a rejection for each type that is not.

    The first check that speaks decides. The user's wishes come first: what was not wanted is no
    near miss, whatever else speaks against it.
    Without a wish they look at nothing but the catalog, which then remembers the outcome.
    """
    wished = _wish_checks(question.workload)
    if wished:
        return _sorted_out(question, (*wished, _supported, _offered_in_region, _current))
    return _usual(question)


def _usual(question: Question) -> tuple[list[Instance], list[Rejection]]:
    known = question.catalog.derived.setdefault(USUAL, {})
    kind = None if question.model is None else model_kind(question.model)
    work = (question.workload.task, question.workload.framework, kind)
    key = (question.region, question.trains, work)
    if key not in known:
        known[key] = _sorted_out(question, (_supported, _offered_in_region, _current))
    found: tuple[list[Instance], list[Rejection]] = known[key]
    return found


def _sorted_out(
    question: Question, checks: tuple[CandidateCheck, ...]
) -> tuple[list[Instance], list[Rejection]]:
    kept, rejected = [], []
    for instance in question.catalog.instances.values():
        for check in checks:
            rejection = check(instance, question)
            if rejection is not None:
                rejected.append(rejection)
                break
        else:
            kept.append(instance)
    return kept, rejected


def _supported(instance: Instance, question: Question) -> Rejection | None:
    chip = question.catalog.accelerators.get(instance.accelerator_id or "")
    if chip is not None and chip.unsupported is not None:
        return _no(instance, "unsupported", chip.unsupported)
    if question.trains and chip is None and question.model is not None:
        return _no(
            instance, "unsupported", "training on CPU types is not estimated: no measurements"
        )
    return _unbuilt(instance, question)


def _unbuilt(instance: Instance, question: Question) -> Rejection | None:
    """Reject hardware that no public image or wheel runs on, unless the user named it."""
    found = standing(instance, question)
    if found is None or found.runs or is_named(instance, question):
        return None
    why = found.stacks[0].artefact if found.stacks else "no public image or wheel is known for it"
    return _no(instance, "unsupported", why)


def is_named(instance: Instance, question: Question) -> bool:
    """Return whether the user named this very type, family or chip, not a group it is in."""
    workload = question.workload
    said = {word.lower() for word in workload.allow or ()}
    said |= {word.lower() for word in (workload.gpu, workload.instance) if word}
    own = {instance.family, instance.instance_type, (instance.accelerator_id or "").lower()}
    return not said.isdisjoint(own - {""})


def _current(instance: Instance, question: Question) -> Rejection | None:
    if instance.eol:
        return _no(
            instance, "excluded", f"end of life: {instance.lifecycle or 'no longer launched'}"
        )
    if instance.accelerator_id is None and not instance.current_generation:
        return _no(
            instance, "excluded", "previous generation: a newer family does the same for less"
        )
    if question.catalog.families[instance.family].purpose_built:
        return _no(
            instance, "excluded", "built for HPC, FPGA or video work, not for serving models"
        )
    if instance.bare_metal:
        return _no(instance, "excluded", "bare metal: the virtual size of the family is the same")
    if instance.burstable and question.workload.task != "development":
        return _no(instance, "excluded", "burstable: sustained load runs out of CPU credits")
    return None


def _offered_in_region(instance: Instance, question: Question) -> Rejection | None:
    return None if question.region in instance.regions else not_offered(instance, question)


def not_offered(instance: Instance, question: Question) -> Rejection:
    """Return the rejection of a type that the region does not have, with the nearest that do."""
    nearest = nearest_regions_offering(question.catalog, instance, question.region)
    where = f"; offered in {', '.join(nearest)}" if nearest else ""
    return _no(instance, "not_offered", f"not offered in {question.region}{where}")


def _wished(instance: Instance, question: Question) -> Rejection | None:
    workload = question.workload
    if word := left_out(instance, workload, question.catalog):
        return _no(instance, "excluded", f"you excluded {word}")
    if workload.allow and not any(in_group(instance, w, question.catalog) for w in workload.allow):
        asked = "you asked for" if question.said.allow else "the defaults allow"
        return _no(instance, "excluded", f"{asked} {', '.join(workload.allow)} only")
    if workload.needs_cuda and vendor_of(instance, question.catalog) != "nvidia":
        return _no(instance, "excluded", "custom CUDA code needs an NVIDIA GPU")
    return None


def _asked_devices(instance: Instance, question: Question) -> Rejection | None:
    workload = question.workload
    if workload.gpu is not None and instance.accelerator_id != workload.gpu:
        return _no(instance, "excluded", f"you asked for {workload.gpu}")
    if workload.gpu_count is not None and workload.gpu_count > instance.accelerators * 8:
        return _no(instance, "excluded", f"you asked for {workload.gpu_count} accelerators")
    if workload.gpu_count == 1 and workload.gpu is None and instance.accelerators > 1:
        detail = f"has {instance.accelerators} accelerators, you asked for a single one"
        return _no(instance, "excluded", detail)
    if workload.gpu_count is not None and instance.accelerators < min(workload.gpu_count, 8):
        wanted = Number("accelerators", instance.accelerators, "", workload.gpu_count)
        detail = f"has {instance.accelerators} accelerator(s), you asked for {workload.gpu_count}"
        return _no(instance, "excluded", detail, wanted)
    return _asked_memory(instance, question) or _asked_network(instance, question)


def _asked_memory(instance: Instance, question: Question) -> Rejection | None:
    wanted_gb = question.workload.gpu_memory_gb
    if wanted_gb is None:
        return None
    if instance.accelerator_id is None:
        return _no(instance, "excluded", f"you asked for a GPU with {wanted_gb:g} GB")
    chip = question.catalog.accelerators[instance.accelerator_id]
    has_gb = chip.mem_gb_marketed
    if same_memory(chip, wanted_gb):
        return None
    detail = f"its accelerator has {has_gb:g} GB, you asked for {wanted_gb:g} GB"
    return _no(instance, "excluded", detail, Number("memory", has_gb, "GB", wanted_gb))


def _asked_network(instance: Instance, question: Question) -> Rejection | None:
    wanted = question.workload.network_gbps
    if wanted is None or (instance.network_gbps or 0.0) >= wanted:
        return None
    has = "no stated rate" if instance.network_gbps is None else f"{instance.network_gbps:g} Gbit/s"
    numbers = (
        [Number("network", instance.network_gbps, "Gbit/s", wanted)]
        if instance.network_gbps
        else []
    )
    return _no(instance, "excluded", f"{has} of network, you asked for {wanted:g} Gbit/s", *numbers)


def _no(instance: Instance, reason: str, detail: str, *numbers: Number) -> Rejection:
    return Rejection(
        instance_type=instance.instance_type,
        reason=reason,  # type: ignore[arg-type]  # only literals of the alias are passed
        detail=detail,
        numbers=numbers,
    )


def _wish_checks(workload: Workload) -> tuple[CandidateCheck, ...]:
    """Return the checks of what the user asked for, none where nothing was."""
    groups = (workload.exclude, workload.allow, workload.needs_cuda)
    devices = (workload.gpu, workload.gpu_count, workload.gpu_memory_gb, workload.network_gbps)
    checks: list[CandidateCheck] = [_wished] if any(wish is not None for wish in groups) else []
    checks += [_asked_devices] if any(wish is not None for wish in devices) else []
    return tuple(checks)
