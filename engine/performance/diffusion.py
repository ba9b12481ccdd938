"""Image generation: steps x passes x the denoiser's FLOPs. A class estimate, not measured.

One request is one image or clip, of the size and in the steps that the load says, else as its maker
runs the model. Latent tokens grow with the pixels. Transformers multiply every weight with every
latent token; UNets work most layers at lower resolution. Held against what is published at 1024 px:
FLUX.1-dev in 28 steps 15.7 s on an A100 and 7.1 s on an H100 (varadrane1707/BenchmarkFlux), in 50
5.6 s on a B200 with 20 in flight (SGLang cookbook), SDXL in 50 steps 5.9 s on an A100
(fal-ai/stable-diffusion-benchmarks).
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
    tokens = latent_tokens(model, load, coefficients)
    products = 2 * model.active_params_b * 1e9
    if model.layers is None or model.hidden_size is None:  # UNet: no token stack of its own
        one_pass = products * tokens * rates.unet_flops_share
    else:
        tokens += rates.text_tokens
        one_pass = products * tokens + 4 * model.layers * model.hidden_size * tokens**2
    passes = model.guidance_passes or rates.guidance_passes
    return _denoiser_steps(model, load, coefficients) * passes * one_pass


def latent_tokens(model: Model, load: Load, coefficients: Coefficients) -> float:
    """Return the latent tokens of one image: as many as its pixels have, beside the model's own."""
    own = model.latent_tokens or coefficients.diffusion.tokens_per_image
    if load.image_px is None or model.image_px is None:
        return own
    return own * (load.image_px / model.image_px) ** 2


def _denoiser_steps(model: Model, load: Load, coefficients: Coefficients) -> float:
    """Return how often the denoiser is started for one image: guided passes run as one batch."""
    return load.steps or model.steps or coefficients.diffusion.steps


def image_device(asked: Serving) -> Device:
    """Return how an image model is served. Images of one replica run one after the other.

    Memory decides whether one fits, not how many.

    Raises:
        ValueError: the weights dtype is unknown.
    """
    model, coefficients = asked.model, asked.coefficients
    rates = coefficients.diffusion
    launches = _denoiser_steps(model, asked.load, coefficients) * (
        model.layers or rates.unet_layers
    )
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
