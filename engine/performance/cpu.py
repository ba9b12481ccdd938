"""Serving on CPUs: llama.cpp with quantised weights, 16-bit and int8 engines, encoders.

A step reads the weights through a bandwidth that saturates smoothly between what the threads, the
chiplets and the socket can draw; threads that must meet after every layer cost the rest.
"""

from functools import lru_cache
from math import ceil

from catalog.facts.coefficients import Coefficients, Factors, RangeKey
from catalog.facts.schema import Model
from engine.core.dtypes import SIXTEEN_BIT
from engine.core.estimate import Basis, BoundBy
from engine.core.plan import Load, Plan
from engine.core.value import kw_value
from engine.performance.bytes import (
    Precision,
    kv_read_bytes,
    precision_of,
    weight_class,
    weight_read_bytes,
)
from engine.performance.closed_loop import Flow
from engine.performance.cpu_socket import (
    SMALL_WEIGHTS_BYTES,
    Socket,
    bandwidth_bytes_s,
    encoder_flops,
    peak_flops_per_core,
    socket_of,
    synchronisation_s,
)
from engine.performance.device import Device, Serving
from engine.performance.encoder import encoder_batch_max, request_tokens
from engine.performance.figures import FigureFactors
from engine.performance.loads import Server
from engine.performance.machine import GIGA
from engine.performance.ranges import inverse
from engine.shape.shape import Shape, reader_and_writer, transformer_of

PASS_TOKENS = 512  # of a prompt that llama.cpp reads at once
K_QUANT_BLOCK = 256  # weights
PLAIN_OVER_K_QUANT = 1.25
WIDE_MEASURED = "graviton5"  # the design on which vLLM was measured in 16 bit
BATCH_MAX = 256.0  # sequences: the engines' default


@kw_value
class CpuRun:
    """How an engine runs a model, whatever the socket."""

    reader: Shape  # of the prompt
    writer: Shape  # of the output
    precision: Precision
    weights_bytes: float  # read by a step of one sequence
    llama_cpp: bool
    vllm: bool


@kw_value
class CpuReplica:
    """One model on one socket: the pieces of a step and of a prompt."""

    reader: Shape  # of the prompt
    writer: Shape  # of the output
    precision: Precision
    widening: float  # of quantised weights: see `weights_widening`
    bandwidth: float  # bytes/s
    step_host_s: float
    pass_host_s: float  # of a pass of up to `PASS_TOKENS` prompt tokens
    flops: float  # of a prompt's products
    attention_flops: float
    request_s: float

    def read_s(self, sequences: float, context: float) -> float:
        """Return the time a step reads weights and caches."""
        weights = self.widening * weight_read_bytes(self.writer, self.precision, sequences)
        cache = sequences * kv_read_bytes(self.writer, self.precision, context)
        return (weights + cache) / self.bandwidth

    def step_s(self, sequences: float, context: float) -> float:
        """Return a decode step's time; further sequences share the weights, not the products."""
        products = (sequences - 1) * 2 * self.writer.active_params / self.flops
        return self.read_s(sequences, context) + products + self.step_host_s

    def prompt_s(self, tokens: float) -> float:
        """Return the time of reading one prompt."""
        shape = self.reader
        products = 2 * (shape.active_params - shape.head_params) * tokens / self.flops
        width = shape.heads * shape.prefill_head_dims / 2
        attention = 2 * tokens * tokens * width * shape.layers / self.attention_flops
        passes = ceil(tokens / PASS_TOKENS) * self.pass_host_s
        return self.request_s + passes + products + attention


def cpu_device(asked: Serving) -> Device:
    """Return how a CPU plan serves.

    Raises:
        ValueError: a dtype is unknown.
    """
    model, plan, coefficients = asked.model, asked.plan, asked.coefficients
    run = run_of(model, plan.weights_dtype, plan.kv_dtype, plan.serving_engine, coefficients)
    socket = socket_of(asked.host, plan, run.weights_bytes, coefficients)
    replica = _replica(run, socket, coefficients)
    tokens = request_tokens(model, asked.load, coefficients)
    known = _is_measured(run, socket) and model.task == "decoder"
    basis: Basis = "measured_class" if known else "not_measured"
    population = _population(run, replica, socket, asked.load, basis)
    factors = _cpu_factors(population, coefficients, generates=asked.generates)
    return Device(
        _cpu_server(asked, replica, tokens),
        basis,
        factors,
        lambda flow: _cpu_bound_by(replica, flow, tokens, asked.load),
    )


@lru_cache(maxsize=256)
def run_of(
    model: Model, weights_dtype: str, kv_dtype: str, engine: str, coefficients: Coefficients
) -> CpuRun:
    """Return how an engine runs a model on any CPU.

    Raises:
        ValueError: a dtype is unknown.
    """
    whole = transformer_of(model)
    reader, writer = reader_and_writer(model, coefficients.shapes.decoder_weight_ratio)
    precision = precision_of(weights_dtype, kv_dtype, moe=whole.moe)
    gguf = weight_class(precision.name) == "gguf"
    return CpuRun(
        reader=reader,
        writer=writer,
        precision=precision,
        weights_bytes=weight_read_bytes(whole, precision, 1.0),
        llama_cpp=gguf or coefficients.aliases.engine.get(engine.lower()) == "llama_cpp",
        vllm="vllm" in engine,
    )


def cpu_replica(model: Model, socket: Socket, plan: Plan, coefficients: Coefficients) -> CpuReplica:
    """Return a model on a socket under the plan's engine."""
    run = run_of(model, plan.weights_dtype, plan.kv_dtype, plan.serving_engine, coefficients)
    return _replica(run, socket, coefficients)


def _replica(run: CpuRun, socket: Socket, coefficients: Coefficients) -> CpuReplica:
    build = _quantised_replica if run.llama_cpp else _wide_replica
    return build(run, socket, coefficients)


def _quantised_replica(run: CpuRun, socket: Socket, coefficients: Coefficients) -> CpuReplica:
    """Return a model under llama.cpp."""
    flops = _llama_cpp_flops(run.reader, socket, coefficients)
    return CpuReplica(
        reader=run.reader,
        writer=run.writer,
        precision=run.precision,
        widening=weights_widening(run.writer.hidden, run.precision),
        bandwidth=bandwidth_bytes_s(socket, coefficients),
        step_host_s=synchronisation_s(socket, run.writer.layers, coefficients),
        pass_host_s=synchronisation_s(socket, run.reader.layers, coefficients),
        flops=flops,
        attention_flops=flops * coefficients.cpu.shared.prefill_attention_share,
        request_s=0.0,
    )


def _wide_replica(run: CpuRun, socket: Socket, coefficients: Coefficients) -> CpuReplica:
    """Return a model in 16 bit or int8 under an engine that runs wide products."""
    shared, writer = coefficients.cpu.shared, run.writer
    encodes = run.reader is writer and run.reader.bidirectional
    flops = (encoder_flops if encodes else _wide_flops)(socket, run.precision.name, coefficients)
    limit = shared.socket_limit_share * socket.rates.socket_gb_s * GIGA / socket.neighbours
    layer_ms = shared.vllm_layer_ms if run.vllm else shared.other_layer_ms
    return CpuReplica(
        reader=run.reader,
        writer=writer,
        precision=run.precision,
        widening=1.0,
        bandwidth=min(shared.core_gain * bandwidth_bytes_s(socket, coefficients), limit),
        step_host_s=writer.layers * layer_ms / 1e3,
        pass_host_s=0.0,
        flops=flops,
        attention_flops=flops,
        request_s=writer.layers * layer_ms / 1e3 if encodes else shared.request_ms / 1e3,
    )


def weights_widening(hidden: int, precision: Precision) -> float:
    """Return how much larger K-quants are where rows are no multiple of their blocks.

    llama.cpp then stores a tensor in the next wider plain format: 5.5 bits for 4.5, 8.5 for 6.6.
    """
    fits = hidden % K_QUANT_BLOCK == 0 or "_k" not in precision.name
    return 1.0 if fits else PLAIN_OVER_K_QUANT


def _llama_cpp_flops(shape: Shape, socket: Socket, coefficients: Coefficients) -> float:
    """Return the rate of quantised products: wide models use it better, many threads worse."""
    shared, rates, cores = coefficients.cpu.shared, socket.rates, socket.threads
    amx = socket.cpu is not None and socket.cpu.amx
    half = shared.half_width_amx if amx else shared.half_width
    filled: float = 1 / (1 + (half / shape.hidden) ** shared.half_width_power)
    flops = cores * rates.prefill_gops_per_core * GIGA * filled
    flops *= shared.two_sockets_prefill if socket.two_sockets else 1.0
    return flops / (1 + rates.prefill_loss_per_core * (cores - 1))


def _wide_flops(socket: Socket, dtype_name: str, coefficients: Coefficients) -> float:
    """Return the rate of 16-bit or int8 products."""
    shared, cores = coefficients.cpu.shared, socket.threads
    amx = socket.cpu is not None and socket.cpu.amx
    share = shared.gemm_share_amx if amx else shared.gemm_share
    loss = shared.gemm_loss_per_core_amx if amx else shared.gemm_loss_per_core
    peak = peak_flops_per_core(socket, dtype_name, coefficients)
    return cores * peak * share / (1 + loss * (cores - 1))


def _cpu_server(asked: Serving, replica: CpuReplica, tokens: int) -> Server:
    """Return the copies under a load. An encoder's passes cost products only: batches are free."""
    prompt_s, context = replica.prompt_s(tokens), tokens + asked.load.output_tokens / 2
    if asked.generates:
        most = asked.at_once(BATCH_MAX)
        return asked.serial(prompt_s, lambda sequences: replica.step_s(sequences, context), most)

    def flow_at(concurrency: float) -> Flow:
        whole = concurrency * prompt_s
        return Flow(whole, 0.0, whole, 1 / prompt_s, concurrency, 0.0, prompt_s)

    return asked.server(flow_at, encoder_batch_max(tokens, asked.coefficients))


def _cpu_bound_by(replica: CpuReplica, flow: Flow, tokens: int, load: Load) -> BoundBy:
    steps, batch = load.output_tokens, flow.decoding
    if not steps:
        return "compute"
    read = steps * replica.read_s(batch, tokens + steps / 2)
    host = steps * replica.step_host_s + replica.request_s
    compute = max(0.0, flow.e2e_s - read - host)
    seconds: dict[BoundBy, float] = {
        "memory_bandwidth": read,
        "compute": compute,
        "overhead": host,
    }
    return max(seconds, key=seconds.__getitem__)


def cpu_population(replica: CpuReplica, socket: Socket) -> str:
    """Return which measured streams under llama.cpp a replica is like: its range is theirs."""
    if weight_read_bytes(replica.writer, replica.precision, 1.0) < SMALL_WEIGHTS_BYTES:
        return "cpu_small"
    return "cpu_two_sockets" if socket.two_sockets else "cpu_socket"


def _is_measured(run: CpuRun, socket: Socket) -> bool:
    """Whether rows of this design ran such weights: llama.cpp's widely, 16 bit on one design.

    No mixture of experts is among them.
    """
    if run.writer.moe:
        return False
    if run.llama_cpp:
        return socket.measured
    wide = run.vllm and run.precision.name in SIXTEEN_BIT
    return wide and socket.microarchitecture == WIDE_MEASURED


def _population(run: CpuRun, replica: CpuReplica, socket: Socket, load: Load, basis: Basis) -> str:
    """Return whose residuals give the range: one stream under llama.cpp was measured widely."""
    if not run.llama_cpp:
        return "cpu_wide"
    single = basis == "measured_class" and load.kind == "single"
    return cpu_population(replica, socket) if single else "cpu_other"


@lru_cache(maxsize=32)
def _cpu_factors(population: str, coefficients: Coefficients, *, generates: bool) -> FigureFactors:
    """Return range factors. Throughput has both kinds of work in it, an encoder's only one."""
    kind = "any" if population in {"cpu_other", "cpu_wide"} else "single"
    prefill = coefficients.ranges[RangeKey(population, "prefill_rate", kind, None)]
    decode = coefficients.ranges[RangeKey(population, "decode_rate", kind, None)]
    if not generates:
        once = inverse(prefill)
        return FigureFactors(ttft=once, tpot=once, e2e=once, throughput=prefill)
    both = Factors(min(decode.low, prefill.low), max(decode.high, prefill.high))
    return FigureFactors(ttft=inverse(both), tpot=inverse(decode), e2e=None, throughput=both)
