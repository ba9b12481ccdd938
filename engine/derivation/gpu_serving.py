"""What the steps of a GPU plan read, and the two rates that everything divides by."""

from catalog.facts.coefficients import Coefficients
from catalog.facts.schema import Accelerator, Model
from engine.core.plan import Host, Load, Plan
from engine.core.value import kw_value
from engine.derivation.step import Step, Value, fact, fitted, model_source
from engine.performance.bytes import (
    Precision,
    precision_of,
    weight_class,
)
from engine.performance.gpu import PlanUnderLoad, gpu_outcome
from engine.performance.machine import (
    GIGA,
    Machine,
    accelerator_class,
    bandwidth_rate,
    flops_peak,
    flops_rate,
    gguf_peak,
    machine_of,
)
from engine.performance.replica import layer_split
from engine.shape.shape import Shape, reader_and_writer


@kw_value
class ServingDerivation:
    """Everything the steps read, as the estimate read it."""

    model: Model
    reader: Shape  # of the prompt: an encoder-decoder's encoder
    shape: Shape  # that generates
    accelerator: Accelerator
    machine: Machine
    precision: Precision
    served: PlanUnderLoad
    load: Load
    plan: Plan
    coefficients: Coefficients

    @property
    def row(self) -> str:
        """Where the model's facts are from."""
        return model_source(self.model)

    @property
    def chip(self) -> str:
        """Where the accelerator's facts are from."""
        return f"accelerators.csv: {self.accelerator.id}"

    @property
    def fitted_chip(self) -> str:
        """Start of the accelerator's coefficients."""
        return f"gpu.accelerator.{accelerator_class(self.accelerator, self.coefficients)}"

    @property
    def fitted_engine(self) -> str:
        """Start of the engine's coefficients."""
        return f"gpu.engine.{self.served.engine}"

    @property
    def batch(self) -> float:
        """Sequences that a decode step serves."""
        return self.served.outcome.flow.decoding

    @property
    def context(self) -> float:
        """Tokens a sequence has in mid-answer."""
        return self.served.timed.input_tokens + self.load.output_tokens / 2


def serving_of(
    model: Model,
    host: Host,
    plan: Plan,
    load: Load,
    *,
    sequences_max: float | None,
    coefficients: Coefficients,
) -> ServingDerivation:
    """Return what the steps of a GPU plan read.

    Raises:
        ValueError: the host has no accelerator, or a dtype is unknown.
    """
    served = gpu_outcome(
        model, host, plan, load, sequences_max=sequences_max, coefficients=coefficients
    )
    reader, shape = reader_and_writer(model, coefficients.shapes.decoder_weight_ratio)
    machine = machine_of(served.accelerator, host, plan)
    return ServingDerivation(
        model=model,
        reader=reader,
        shape=shape,
        accelerator=served.accelerator,
        machine=layer_split(machine) if served.engine == "llama_cpp" else machine,
        precision=precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe),
        served=served,
        load=load,
        plan=plan,
        coefficients=coefficients,
    )


def rate_steps(of: ServingDerivation) -> list[Step]:
    """Return the two rates that everything else divides by."""
    chip, shared = of.accelerator, of.coefficients.serving.accelerator
    shares = shared[accelerator_class(chip, of.coefficients)]
    kernel = weight_class(of.precision.name)
    flops = of.coefficients.serving.weights[kernel].flops
    reached = fitted("k", flops, f"gpu.weights.{kernel}.flops", "share of these kernels")
    if kernel == "gguf":
        peak = fact("F", gguf_peak(chip), "peak of quantised products, op/s", of.chip)
        formula = "F × k"
        more: tuple[Value, ...] = (reached,)
    else:
        peak = fact(
            "F", flops_peak(chip, of.precision.name), "peak of this format, FLOP/s", of.chip
        )
        share = fitted("u", shares.flops_share, f"{of.fitted_chip}.flops_share", "share reached")
        formula, more = "F × u × k", (share, reached)
    width = fact("B", chip.mem_bw_gb_s * GIGA, "peak memory bandwidth, bytes/s", of.chip)
    read = fitted("u", shares.bandwidth_share, f"{of.fitted_chip}.bandwidth_share", "share reached")
    return [
        Step("memory bandwidth", "B × u", (width, read), bandwidth_rate(chip, of.coefficients),
             "B/s"),
        Step("product rate", formula, (peak, *more),
             flops_rate(chip, of.precision, of.coefficients), "FLOP/s"),
    ]  # fmt: skip
