"""What the accelerators of one replica can do: peak rates, fitted shares, links."""

from catalog.facts.coefficients import AcceleratorShares, Coefficients
from catalog.facts.schema import Accelerator
from engine.core.plan import Host, Plan
from engine.core.value import kw_value
from engine.performance.bytes import Precision, weight_class

TERA = 1e12
GIGA = 1e9
MICRO = 1e-6
GA10X_CAPABILITY = 8.6  # A10G lists its int8 peak at half of what GA10x multiplies


@kw_value
class Layout:
    """How one pipeline stage of a replica is split, and how many stages there are."""

    accelerators: int  # tensor parallel ways, or attention data-parallel ranks together
    attention_ways: int = 1  # attention data-parallel ranks
    expert_ways: int = 1
    stages: int = 1
    per_host: int = 8

    @property
    def ranks(self) -> float:
        """Ways in which dense weights and heads are split."""
        return self.accelerators / self.attention_ways


@kw_value
class Machine:
    """The accelerators of one replica and the network between its hosts."""

    accelerator: Accelerator
    layout: Layout
    network_gb_s: float | None


def machine_of(accelerator: Accelerator, host: Host, plan: Plan) -> Machine:
    """Return the machine one replica of the plan runs on."""
    attention_ways = max(1, plan.attention_data_parallel)
    accelerators = max(1, plan.tensor_parallel) * attention_ways
    layout = Layout(
        accelerators=accelerators,
        attention_ways=attention_ways,
        expert_ways=max(1, min(plan.expert_parallel, accelerators)),
        stages=max(1, plan.pipeline_parallel),
        per_host=max(1, host.accelerators),
    )
    return Machine(accelerator=accelerator, layout=layout, network_gb_s=host.network_gb_s)


def accelerator_class(accelerator: Accelerator, coefficients: Coefficients) -> str:
    """Return the fitted accelerator whose shares apply: its own, its relative's, or "other"."""
    name = coefficients.aliases.accelerator.get(accelerator.id, accelerator.id)
    return name if name in coefficients.serving.accelerator else "other"


def is_measured(accelerator: Accelerator, coefficients: Coefficients) -> bool:
    """Whether this very accelerator was among the measured ones."""
    return accelerator.id in coefficients.serving.accelerator


def shares_of(accelerator: Accelerator, coefficients: Coefficients) -> AcceleratorShares:
    """Return the bandwidth and FLOP shares that apply to an accelerator."""
    return coefficients.serving.accelerator[accelerator_class(accelerator, coefficients)]


def flops_16bit(accelerator: Accelerator) -> float:
    """Return the dense 16-bit peak in FLOP/s (fp16 where there is no bf16)."""
    peak = accelerator.tflops_bf16 or accelerator.tflops_fp16 or accelerator.tflops_fp32
    return (peak or 1.0) * TERA


def flops_peak(accelerator: Accelerator, dtype_name: str) -> float:
    """Return the dense peak in FLOP/s at which weights of a format are multiplied.

    Formats the card cannot multiply are expanded first: fp4 to fp8 to 16 bit; int4 and GGUF
    always. MXFP4 runs in fp8 where the card has fp4 units, else in 16 bit.
    """
    half = flops_16bit(accelerator)
    fp8 = (accelerator.tflops_fp8 or 0.0) * TERA or half
    if dtype_name == "fp8":
        return fp8
    if dtype_name == "nvfp4":
        return (accelerator.tflops_fp4 or 0.0) * TERA or fp8
    if dtype_name == "mxfp4":
        return fp8 if accelerator.tflops_fp4 else half
    if dtype_name == "int8":
        return max((accelerator.tops_int8 or 0.0) * TERA, half)
    if dtype_name == "fp32":
        return (accelerator.tflops_tf32 or accelerator.tflops_fp32 or 1.0) * TERA
    return half


def expert_class(dtype_name: str, accelerator: Accelerator) -> str:
    """Return which fitted kernels read a format's experts; without FP4 units MXFP4 is unpacked."""
    unpacked = dtype_name == "mxfp4" and not accelerator.tflops_fp4
    return "int4" if unpacked else weight_class(dtype_name)


def gguf_peak(accelerator: Accelerator) -> float:
    """Return the rate llama.cpp's quantised products are counted against, in op/s.

    They run as int8 products at half rate; cards without int8 units use their 16-bit ones.
    """
    int8 = (accelerator.tops_int8 or 0.0) * TERA
    if accelerator.compute_capability == GA10X_CAPABILITY:
        int8 *= 2
    return max(int8 / 2, flops_16bit(accelerator))


def link_class(accelerator: Accelerator) -> str:
    """Return the fitted link class between the accelerators of one host."""
    if accelerator.link in {"nvswitch", "nvlink"}:
        return "nvswitch"
    return "pcie_p2p" if accelerator.link == "pcie_p2p" else "pcie_host"


def bandwidth_rate(accelerator: Accelerator, coefficients: Coefficients) -> float:
    """Return the memory bandwidth 16-bit weights are read at, in bytes/s."""
    return accelerator.mem_bw_gb_s * GIGA * shares_of(accelerator, coefficients).bandwidth_share


def flops_rate(accelerator: Accelerator, precision: Precision, coefficients: Coefficients) -> float:
    """Return the FLOP/s that large matrix products of a weight format reach."""
    kernels = coefficients.serving.weights[weight_class(precision.name)]
    if weight_class(precision.name) == "gguf":
        return gguf_peak(accelerator) * kernels.flops
    share = shares_of(accelerator, coefficients).flops_share
    return flops_peak(accelerator, precision.name) * share * kernels.flops
