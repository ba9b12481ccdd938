"""Image generation: steps x passes x the denoiser's FLOPs. A class estimate, not measured.

One request is one image at 1024 px (or `input_tokens` latent tokens, where the load gives more
than one) in 30 steps with guidance, or in as many as the load says. Transformers multiply every
weight with every latent token; UNets work most layers at lower resolution.
"""

from catalog.facts.coefficients import Coefficients, RangeKey
from catalog.facts.schema import Model
from engine.core.plan import Host, Load, Plan
from engine.performance.bytes import precision_of
from engine.performance.closed_loop import Flow
from engine.performance.cpu_socket import encoder_flops, socket_of
from engine.performance.device import Device, Serving
from engine.performance.figures import FigureFactors
from engine.performance.machine import MICRO, flops_16bit, flops_rate


def denoiser_flops(model: Model, load: Load, coefficients: Coefficients) -> float:
    """Return the FLOPs of one image: products of every pass, attention among latent tokens."""
    rates = coefficients.diffusion
    tokens = float(load.input_tokens) if load.input_tokens > 1 else rates.tokens_per_image
    products = 2 * model.active_params_b * 1e9
    if model.layers is None or model.hidden_size is None:  # UNet: no token stack of its own
        one_pass = products * tokens * rates.unet_flops_share
    else:
        tokens += rates.text_tokens
        one_pass = products * tokens + 4 * model.layers * model.hidden_size * tokens**2
    return _passes(load, coefficients) * one_pass


def _passes(load: Load, coefficients: Coefficients) -> float:
    """Return how often the denoiser runs for one image."""
    rates = coefficients.diffusion
    return (load.steps or rates.steps) * rates.guidance_passes


def image_device(asked: Serving) -> Device:
    """Return how an image model is served. Images of one replica run one after the other.

    Memory decides whether one fits, not how many.

    Raises:
        ValueError: the weights dtype is unknown.
    """
    model, coefficients = asked.model, asked.coefficients
    rates = coefficients.diffusion
    launches = _passes(asked.load, coefficients) * (model.layers or rates.unet_layers)
    flops = denoiser_flops(model, asked.load, coefficients)
    work = flops / product_rate(asked.host, asked.plan, coefficients)
    once = work + launches * rates.pass_layer_us * MICRO + rates.fixed_ms / 1e3

    def flow_at(concurrency: float) -> Flow:
        whole = once * concurrency
        return Flow(whole, 0.0, whole, 1 / once, concurrency, 0.0, once)

    factors = coefficients.ranges[RangeKey("class", "any", "any", None)]
    return Device(
        server=asked.server(flow_at, 1.0),
        basis="not_measured",
        factors=FigureFactors(factors, factors, factors, factors),
        bound_by=lambda _: "compute" if work > once / 2 else "overhead",
    )


def product_rate(host: Host, plan: Plan, coefficients: Coefficients) -> float:
    """Return the FLOP/s one replica reaches in large matrix products."""
    precision = precision_of(plan.weights_dtype, "auto", moe=False)
    chip = host.accelerator
    if chip is None:
        socket = socket_of(host, plan, float("inf"), coefficients)
        return encoder_flops(socket, precision.name, coefficients)
    if chip.vendor == "aws":
        chips = plan.tensor_parallel / (chip.cores_per_chip or 1)
        return chips * flops_16bit(chip) * coefficients.diffusion.neuron_flops_share
    return plan.tensor_parallel * flops_rate(chip, precision, coefficients)
