"""Serving on Inferentia and Trainium: compiled graphs, so a step costs its compiled batch.

The floor of a step is the layers: about 150 us each, whatever the number of chips.
"""

from functools import lru_cache
from math import ceil, inf

from catalog.facts.coefficients import Coefficients, Factors, Neuron, RangeKey
from catalog.facts.schema import Accelerator, Model
from engine.core.dtypes import NEURON_FIRST_GENERATION
from engine.core.estimate import Basis, BoundBy
from engine.core.plan import Host, Load, Plan
from engine.core.tasks import ENCODER_DECODER_TASKS, READING_TASKS
from engine.core.value import kw_value
from engine.performance.bytes import Precision, precision_of, weight_read_bytes
from engine.performance.closed_loop import Flow
from engine.performance.device import Device, Serving
from engine.performance.encoder import encoder_batch_max, request_tokens
from engine.performance.figures import FigureFactors
from engine.performance.links import LinkTime, all_reduce_s, between_hosts
from engine.performance.loads import Server
from engine.performance.machine import GIGA, MICRO, flops_16bit
from engine.performance.ranges import NOT_MEASURED_WIDENING
from engine.shape.shape import Shape, reader_and_writer

FAST_PATH_FROM = 3  # NeuronCore-v3
MEASURED_TASKS = READING_TASKS | {"decoder"}
SHORTEST_BUCKET = 128  # tokens: prompts are padded to a compiled length, a power of two from here
LONGEST_POWER = 8192  # beyond it services compile for the length they allow
LEGACY_FLASH_TOKENS = 8192  # from here on transformers-neuronx swaps in its flash attention kernel
LEGACY_ENGINES = frozenset({"neuronx", "transformers-neuronx", "torch-neuron"})
OPTIMUM_ENGINES = frozenset({"optimum-neuron", "optimum"})


@kw_value
class NeuronReplica:
    """One replica: `cores` as software counts them, `chips` at work, and its software."""

    reader: Shape  # of the prompt: an encoder-decoder's encoder
    shape: Shape  # that generates
    precision: Precision
    chip: Accelerator
    rates: Neuron
    cores: int
    chips: float
    layers: float  # that a step passes
    ffn_width: int  # of the dense layers
    legacy: bool  # the software before NxD Inference: attention is not fused
    optimum: bool
    links: LinkTime = LinkTime(0.0, 0.0)  # between the hosts of a replica

    @property
    def newest(self) -> bool:
        """Whether the chip has the faster memory path and links of the later NeuronCores."""
        return (self.chip.neuron_core_version or 1) >= FAST_PATH_FROM

    def weights_bytes(self, batch: float) -> float:
        """Return the weight bytes a step reads; of experts, those the batch touches."""
        return weight_read_bytes(self.shape, self.precision, batch)

    def weights_s(self, batch: float, share: float) -> float:
        """Return the time to read the weights of a step at a share of the peak bandwidth."""
        return self.weights_bytes(batch) / (self.chips * self.chip.mem_bw_gb_s * GIGA * share)

    def host_s(self, batch: float) -> float:
        """Return the fixed time of a step's layers and of each compiled sequence."""
        rates = self.rates
        layer_us = rates.layer_us + rates.sequence_layer_us * batch
        if self.optimum and self.shape.moe:
            layer_us += rates.optimum_moe_layer_us
        sequence_ms = rates.optimum_sequence_ms * batch if self.optimum else 0.0
        return self.layers * layer_us * MICRO + sequence_ms / 1e3

    def cache_s(self, batch: float, tokens: float) -> float:
        """Return the time one core reads its caches of the compiled length.

        Heads are not split below one a core. Sliding windows keep at most twice the window.
        """
        shape = self.shape
        near = min(tokens, 2 * shape.window) if shape.window else 0.0
        seen = shape.full_layers * tokens + shape.window_layers * near
        head_bytes = shape.kv_elements / shape.kv_heads * self.precision.kv
        once = seen * head_bytes * max(1.0, shape.kv_heads / self.cores)
        core_rate = self.chip.mem_bw_gb_s * GIGA / (self.chip.cores_per_chip or 1)
        return batch * once / (core_rate * self.rates.kv_bandwidth_share)

    def step_s(self, batch: float, tokens: float) -> float:
        """Return one decode step of a graph compiled for `batch` sequences of `tokens`."""
        rates = self.rates
        share = rates.bandwidth_share_trainium2 if self.newest else rates.bandwidth_share
        read = self.weights_s(batch, share)
        own = self.host_s(batch) + read + self.cache_s(batch, tokens)
        return own + all_reduce_s(self.links, batch)

    def prompt_s(self, tokens: float, prompts: float = 1.0) -> float:
        """Return the time to read `prompts` prompts at once, padded to their compiled length."""
        length = prompt_bucket(tokens)
        work, rates = prompts * length, self.rates
        fixed = self.layers * rates.prompt_layer_us * MICRO
        if self.optimum and self.chips > 1:
            fixed += rates.optimum_prompt_ms / 1e3
        read = self.weights_s(inf, rates.prompt_bandwidth_share)
        own = fixed + read + self.products_s(work) + self.attention_s(length, work)
        return own + all_reduce_s(self.links, work)

    def products_s(self, work: float) -> float:
        """Return the time of a prompt's matrix products. All experts are computed.

        A core's slice of a layer narrower than its systolic array leaves part of it idle: with
        many cores to a replica the experts' slices are a few dozen columns wide.
        """
        rates, shape = self.rates, self.reader
        share = rates.prompt_flops_legacy if self.legacy else rates.prompt_flops
        seconds = 2 * work / (self.chips * flops_16bit(self.chip) * share)
        dense = shape.body_params * self._spread(self.ffn_width)
        experts = shape.routed_params * self._spread(shape.expert_width)
        return seconds * (dense + experts)

    def _spread(self, width: float) -> float:
        """Return by how much slower a layer of this width runs, split over the cores."""
        return 1 + self.rates.prompt_half_width * self.cores / width

    def attention_s(self, length: float, work: float) -> float:
        """Return the time of a prompt's attention.

        The older software writes all scores to memory, for whole heads a core, until its flash
        kernel takes over; the newer one computes attention at a share of the matrix rate.
        """
        rates, shape = self.rates, self.reader
        near = min(length, shape.window) if shape.window else 0.0
        scores = work * (shape.full_layers * length + shape.window_layers * near)
        if self.legacy:
            flash = length >= LEGACY_FLASH_TOKENS
            size = rates.score_bytes_flash if flash else rates.score_bytes
            core_rate = self.chip.mem_bw_gb_s * GIGA / (self.chip.cores_per_chip or 1)
            return scores * ceil(shape.heads / self.cores) * size / core_rate
        flops = scores * shape.heads * shape.prefill_head_dims
        return flops / (self.chips * flops_16bit(self.chip) * rates.prompt_attention)

    def encoder_s(self, tokens: float, batch: float) -> float:
        """Return the time of one encoder pass on one core."""
        rates, shape = self.rates, self.shape
        first = self.chip.neuron_core_version == NEURON_FIRST_GENERATION
        share = rates.encoder_flops_inferentia1 if first else rates.encoder_flops
        flops = 2 * shape.body_params * tokens + 4 * shape.layers * shape.hidden * tokens**2
        core = flops_16bit(self.chip) / (self.chip.cores_per_chip or 1)
        layer_us = rates.encoder_layer_inferentia1_us if first else rates.encoder_layer_us
        layer_us *= rates.wide_layer if shape.hidden > rates.wide_hidden else 1.0
        work, fixed = batch * flops / (core * share), shape.layers * layer_us * MICRO
        return float((work**3 + fixed**3) ** (1 / 3))


def neuron_replica(
    model: Model,
    chip: Accelerator,
    plan: Plan,
    coefficients: Coefficients,
    host: Host | None = None,
) -> NeuronReplica:
    """Return one replica of the plan. Tensor parallelism counts cores.

    `host` is one of those that it runs on; None where one holds it.

    Raises:
        ValueError: a dtype is unknown.
    """
    engine = plan.serving_engine.lower()
    reader, shape = reader_and_writer(model, coefficients.shapes.decoder_weight_ratio)
    layers = float(shape.layers)
    if model.task in ENCODER_DECODER_TASKS:
        layers = (reader.layers + shape.layers) * coefficients.neuron.encoder_decoder_layers
    cores = max(1, plan.tensor_parallel * plan.pipeline_parallel)
    return NeuronReplica(
        reader=reader,
        shape=shape,
        precision=precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe),
        chip=chip,
        rates=coefficients.neuron,
        cores=cores,
        chips=cores / (chip.cores_per_chip or 1),
        layers=layers,
        ffn_width=model.intermediate_size or shape.expert_width,
        legacy=engine in LEGACY_ENGINES,
        optimum=engine in OPTIMUM_ENGINES,
        links=_host_links(shape, cores, chip, host, coefficients),
    )


def _host_links(
    shape: Shape, cores: int, chip: Accelerator, host: Host | None, coefficients: Coefficients
) -> LinkTime:
    if host is None:
        return LinkTime(0.0, 0.0)
    hosts = -(-cores // (host.accelerators * (chip.cores_per_chip or 1)))
    return between_hosts(shape, hosts, host.network_gb_s, coefficients)


def neuron_device(asked: Serving) -> Device:
    """Return how a Neuron plan serves.

    Raises:
        ValueError: the host has no accelerator, or a dtype is unknown.
    """
    model, chip, coefficients = asked.model, asked.accelerator, asked.coefficients
    replica = neuron_replica(model, chip, asked.plan, coefficients, asked.host)
    tokens = request_tokens(model, asked.load, coefficients)
    known = "serving" in chip.measured and model.task in MEASURED_TASKS
    basis: Basis = "measured_class" if known and not shape_is_unusual(replica) else "not_measured"
    factors = _neuron_factors(basis, coefficients, generates=asked.generates)
    return Device(
        _neuron_server(asked, replica, tokens),
        basis,
        factors,
        lambda flow: _neuron_bound_by(replica, flow, tokens, asked.load),
    )


def shape_is_unusual(replica: NeuronReplica) -> bool:
    """Whether the model has layers no Neuron row covers: latent or linear attention."""
    return replica.shape.mla or replica.shape.linear_layers > 0


def compiled_batch(requests: float, capacity: float) -> float:
    """Return the batch a graph is compiled for: the next power of two, at most the capacity."""
    batch = 1.0
    while batch < requests and batch < capacity:
        batch *= 2
    return min(batch, max(1.0, capacity))


def prompt_bucket(tokens: float) -> float:
    """Return the compiled length a prompt is padded to: the next power of two from 128.

    The last length is the longest that was compiled for (`generate_buckets` of NxD Inference): a
    long prompt is read as it is, not as one of twice the length.
    """
    if tokens > LONGEST_POWER:
        return float(ceil(tokens / SHORTEST_BUCKET) * SHORTEST_BUCKET)
    length = float(SHORTEST_BUCKET)
    while length < tokens:
        length *= 2
    return length


def _neuron_server(asked: Serving, replica: NeuronReplica, tokens: int) -> Server:
    """Return the copies under a load; static batches read their prompts together."""
    most, output = asked.coefficients.neuron.batch_max, asked.load.output_tokens
    length, capacity = tokens + output, asked.at_once(most)

    def encoded(concurrency: float) -> Flow:
        """Return the flow of an encoder: one copy of the model a core, all cores of the replica."""
        batch = max(1.0, concurrency / replica.cores)
        once = replica.encoder_s(tokens, batch)
        return Flow(once, 0.0, once, concurrency / once, batch, 0.0, 0.0)

    def step_s(held: float) -> float:
        return replica.step_s(compiled_batch(held, capacity), length)

    def batch_at(batch: float) -> Flow:
        held = compiled_batch(batch, capacity)
        prompts, step = replica.prompt_s(tokens, held), replica.step_s(held, length)
        whole = (prompts + (output - 1) * step) * max(1.0, batch / held)
        return Flow(prompts, step, whole, batch / whole, held, 0.0, prompts)

    if not asked.generates:
        return asked.server(encoded, min(most, encoder_batch_max(tokens, asked.coefficients)))
    return asked.serial(replica.prompt_s(tokens), step_s, capacity, batch_at=batch_at)


def _neuron_bound_by(replica: NeuronReplica, flow: Flow, tokens: int, load: Load) -> BoundBy:
    steps, batch = load.output_tokens, flow.decoding
    if not steps:
        return "compute"
    host = steps * replica.host_s(batch)
    prompts = replica.prompt_s(tokens) + steps * flow.interference_s
    seconds: dict[BoundBy, float] = {
        "memory_bandwidth": max(0.0, flow.e2e_s - host - prompts),
        "compute": prompts,
        "overhead": host,
    }
    return max(seconds, key=seconds.__getitem__)


@lru_cache(maxsize=16)
def _neuron_factors(basis: Basis, coefficients: Coefficients, *, generates: bool) -> FigureFactors:
    def factors(figure: str) -> Factors:
        found = coefficients.ranges[RangeKey("neuron", figure, "any", None)]
        if basis == "measured_class":
            return found
        return Factors(found.low / NOT_MEASURED_WIDENING, found.high * NOT_MEASURED_WIDENING)

    if not generates:
        encoder = factors("encoder")
        return FigureFactors(encoder, encoder, encoder, encoder)
    return FigureFactors(factors("ttft"), factors("tpot"), factors("e2e"), factors("throughput"))
