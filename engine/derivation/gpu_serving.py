"""What the steps of a GPU plan read, and the two rates that everything divides by."""

from catalog.facts.coefficients import Coefficients
from engine.core.value import kw_value
from engine.derivation.step import Step, Value, fact, fitted, model_source
from engine.performance.bytes import Precision, precision_of, weight_class
from engine.performance.decode import DecodeCosts
from engine.performance.device import Serving
from engine.performance.gpu import GpuReplica, gpu_outcome
from engine.performance.loads import DeploymentFlow
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
from engine.performance.prefill import PrefillCosts
from engine.performance.replica import layer_split
from engine.shape.shape import Shape, reader_and_writer


@kw_value
class ServingDerivation:
    """Everything the steps of a GPU plan read, as the estimate read it."""

    asked: Serving
    reader: Shape  # of the prompt: an encoder-decoder's encoder
    shape: Shape  # that generates
    machine: Machine
    precision: Precision
    run: GpuReplica
    outcome: DeploymentFlow
    copies: int  # replicas, each pipeline stage counted

    @property
    def coefficients(self) -> Coefficients:
        """The fitted coefficients."""
        return self.asked.coefficients

    @property
    def decode(self) -> DecodeCosts:
        """The constants of a decode step."""
        return self.run.replica.decode

    @property
    def prefill(self) -> PrefillCosts:
        """The constants of reading a prompt."""
        return self.run.replica.prefill

    @property
    def tokens(self) -> int:
        """Positions that a request's input takes."""
        return self.run.timed.input_tokens

    @property
    def row(self) -> str:
        """Where the model's facts are from."""
        return model_source(self.asked.model)

    @property
    def chip(self) -> str:
        """Where the accelerator's facts are from."""
        return f"accelerators.csv: {self.asked.accelerator.id}"

    @property
    def fitted_chip(self) -> str:
        """Start of the accelerator's coefficients."""
        return f"gpu.accelerator.{accelerator_class(self.asked.accelerator, self.coefficients)}"

    @property
    def fitted_engine(self) -> str:
        """Start of the engine's coefficients."""
        return f"gpu.engine.{self.run.engine}"

    @property
    def batch(self) -> float:
        """Sequences that a decode step serves."""
        return self.outcome.flow.decoding

    @property
    def context(self) -> float:
        """Tokens a sequence has in mid-answer."""
        return self.tokens + self.asked.load.output_tokens / 2


def gpu_read(asked: Serving) -> ServingDerivation:
    """Return what the steps of a GPU plan read.

    Raises:
        ValueError: the host has no accelerator, or a dtype is unknown.
    """
    served, plan = gpu_outcome(asked), asked.plan
    ratio = asked.coefficients.shapes.decoder_weight_ratio
    reader, shape = reader_and_writer(asked.model, ratio)
    machine = machine_of(asked.accelerator, asked.host, plan)
    return ServingDerivation(
        asked=asked,
        reader=reader,
        shape=shape,
        machine=layer_split(machine) if served.run.engine == "llama_cpp" else machine,
        precision=precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe),
        run=served.run,
        outcome=served.outcome,
        copies=served.copies,
    )


def rate_steps(of: ServingDerivation) -> list[Step]:
    """Return the two rates that everything else divides by."""
    chip, shared = of.asked.accelerator, of.coefficients.serving.accelerator
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
