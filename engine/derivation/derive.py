"""Which steps explain an estimate: by device, and by what the model does."""

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model
from engine.core.estimate import Estimate
from engine.core.plan import Host, Load, TrainingJob
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.derivation.cpu import cpu_steps
from engine.derivation.gpu_decode import decode_steps
from engine.derivation.gpu_prompt import prompt_steps
from engine.derivation.gpu_serving import rate_steps, serving_of
from engine.derivation.memory import gpu_memory_steps
from engine.derivation.neuron import neuron_steps
from engine.derivation.requests import request_steps
from engine.derivation.step import Step, in_section
from engine.derivation.training import training_steps


def serving_derivation(
    model: Model,
    host: Host,
    estimate: Estimate,
    load: Load,
    *,
    context_tokens: int,
    coefficients: Coefficients,
) -> tuple[Step, ...]:
    """Return the steps behind a serving estimate; none for work that is not derived (images).

    Figures are means over requests. Single-shot models are derived on GPUs only.
    """
    if model.task == "diffusion":
        return ()
    room = estimate.memory.sequences_max
    chip, performance = host.accelerator, estimate.performance
    if chip is not None and chip.vendor != "aws":
        found = _gpu_derivation(
            model, host, estimate, load, context_tokens=context_tokens, coefficients=coefficients
        )
        return tuple(found)
    if performance is None or load.output_tokens == 0:
        return ()
    steps = cpu_steps if chip is None else neuron_steps
    found = steps(
        model, host, estimate.plan, load, performance, sequences_max=room, coefficients=coefficients
    )
    return tuple(found)


def _gpu_derivation(
    model: Model,
    host: Host,
    estimate: Estimate,
    load: Load,
    *,
    context_tokens: int,
    coefficients: Coefficients,
) -> list[Step]:
    chip, plan, memory = host.accelerator, estimate.plan, estimate.memory
    if chip is None:
        return []
    found: list[Step] = []
    if model.task not in SINGLE_SHOT_TASKS:
        steps = gpu_memory_steps(model, chip, plan, memory, context_tokens)
        found += in_section("Memory of one GPU", steps)
    if estimate.performance is None:
        return found
    of = serving_of(
        model, host, plan, load, sequences_max=memory.sequences_max, coefficients=coefficients
    )
    rates = rate_steps(of)
    prompt = prompt_steps(of, *rates)
    found += in_section("Rates", rates)
    step = prompt[-1]
    if load.output_tokens:
        decode = decode_steps(of, *rates)
        found += in_section("One decode step", decode)
        step = decode[-1]
    found += in_section("One prompt", prompt)
    return found + in_section("What requests see", request_steps(of, step, prompt[-1]))


def training_derivation(
    model: Model, host: Host, estimate: Estimate, job: TrainingJob, coefficients: Coefficients
) -> tuple[Step, ...]:
    """Return the steps behind a training estimate; none on CPUs, which are a class estimate."""
    if estimate.training is None or host.accelerator is None:
        return ()
    steps = training_steps(
        model, host, estimate.plan, job, estimate.training, coefficients=coefficients
    )
    return tuple(steps)
