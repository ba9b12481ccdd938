"""Which steps explain an estimate: by device, and by what the model does."""

from collections.abc import Mapping

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Model
from engine.core.estimate import Estimate, Performance
from engine.core.plan import Host, Load, TrainingJob
from engine.core.tasks import SINGLE_SHOT_TASKS
from engine.derivation.cpu import cpu_parts
from engine.derivation.gpu_decode import decode_steps
from engine.derivation.gpu_prompt import prompt_steps
from engine.derivation.gpu_serving import gpu_read, rate_steps
from engine.derivation.memory import gpu_memory_steps
from engine.derivation.neuron import neuron_parts
from engine.derivation.requests import request_steps
from engine.derivation.serial import serial_steps
from engine.derivation.step import Step, in_section
from engine.derivation.training import training_steps
from engine.performance.device import Serving

Sections = Mapping[str, list[Step]]
MEMORY, RATES, DECODE, PROMPT, REQUESTS = SECTIONS = (
    "Memory of one GPU", "Rates", "One decode step", "One prompt", "What requests see",
)  # fmt: skip


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
    asked = Serving(
        model=model,
        host=host,
        plan=estimate.plan,
        load=load,
        sequences_max=estimate.memory.sequences_max,
        coefficients=coefficients,
    )
    found: Sections = {}
    if host.accelerator is not None and host.accelerator.vendor != "aws":
        found = _gpu_derivation(asked, estimate, context_tokens)
    elif estimate.performance is not None and asked.generates:
        found = _serial_derivation(asked, estimate.performance)
    return tuple(step for name in SECTIONS for step in in_section(name, found.get(name, [])))


def _gpu_derivation(asked: Serving, estimate: Estimate, context_tokens: int) -> Sections:
    found: dict[str, list[Step]] = {}
    if asked.model.task not in SINGLE_SHOT_TASKS:
        found[MEMORY] = gpu_memory_steps(asked, estimate.memory, context_tokens)
    if estimate.performance is None:
        return found
    of = gpu_read(asked)
    rates = rate_steps(of)
    prompt = prompt_steps(of, *rates)
    decode = decode_steps(of, *rates) if asked.generates else []
    requests = request_steps(of, (decode or prompt)[-1], prompt[-1])
    return found | {RATES: rates, DECODE: decode, PROMPT: prompt, REQUESTS: requests}


def _serial_derivation(asked: Serving, performance: Performance) -> Sections:
    """Return the steps on a CPU or on Neuron, which stop decoding while they read a prompt."""
    in_flight = max(1.0, (performance.concurrency or 1.0) / asked.copies)
    parts = (cpu_parts if asked.host.accelerator is None else neuron_parts)(asked, in_flight)
    requests = serial_steps(parts, asked.load, performance, in_flight)
    return {RATES: parts.rates, DECODE: parts.decode, PROMPT: parts.prompt, REQUESTS: requests}


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
