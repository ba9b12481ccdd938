"""The steps of serving on CPUs: the bandwidth a socket gives, one step, one prompt."""

from catalog.facts.coefficients import Coefficients
from engine.derivation.serial import SerialParts
from engine.derivation.step import Step, Value, fact, fitted, model_source
from engine.performance.bytes import kv_read_bytes, precision_of, weight_read_bytes
from engine.performance.cpu import BATCH_MAX, PASS_TOKENS, CpuReplica, cpu_replica
from engine.performance.cpu_socket import Socket, bandwidth_bytes_s, socket_of
from engine.performance.device import Serving
from engine.performance.encoder import request_tokens
from engine.performance.machine import GIGA
from engine.shape.shape import transformer_of


def cpu_parts(asked: Serving, in_flight: float) -> SerialParts:
    """Return the parts of a text generator on a CPU.

    Raises:
        ValueError: a dtype is unknown.
    """
    model, plan, coefficients = asked.model, asked.plan, asked.coefficients
    shape = transformer_of(model)
    precision = precision_of(plan.weights_dtype, plan.kv_dtype, moe=shape.moe)
    socket = socket_of(asked.host, plan, weight_read_bytes(shape, precision, 1.0), coefficients)
    replica, row = cpu_replica(model, socket, plan, coefficients), model_source(model)
    tokens = request_tokens(model, asked.load, coefficients)
    capacity = asked.at_once(BATCH_MAX)
    drawn = _bandwidth_step(socket, coefficients)
    reached = _engine_bandwidth(replica, socket, drawn, coefficients)
    context = tokens + asked.load.output_tokens / 2
    return SerialParts(
        rates=[drawn, reached],
        decode=_decode_steps(replica, min(in_flight, capacity), context, reached, row),
        prompt=_prompt_steps(replica, tokens, row),
        capacity=capacity,
    )


def _bandwidth_step(socket: Socket, coefficients: Coefficients) -> Step:
    shared, rates = coefficients.cpu.shared, socket.rates
    known = coefficients.cpu.microarchitecture
    key = next((key for key, row in known.items() if row is rates), None)
    name = f"cpu.microarchitecture.{key}" if key else "cpus.csv, other"
    sockets = 1.0
    if socket.two_sockets:
        sockets = 2 * coefficients.cpu.vendor[socket.vendor].two_sockets_share
    values: list[Value] = [
        fact("T", socket.threads, "threads, one a physical core", "plan"),
        fact("j", socket.neighbours, "replicas on the socket", "plan"),
        fitted("b", rates.core_gb_s, f"{name}.core_gb_s", "GB/s one core draws"),
        fitted("u", rates.socket_share, f"{name}.socket_share", "share of the socket's peak"),
        fitted("B", rates.socket_gb_s, f"{name}.socket_gb_s", "peak of the socket, GB/s"),
        fact(
            "S", sockets, "sockets that count", f"from cpu.vendor.{socket.vendor}.two_sockets_share"
        ),
        fitted("p", shared.saturation_power, "cpu.shared.saturation_power", "sharpness"),
    ]
    limits = "(T×j×b)^(0-p) + (u×B×S)^(0-p)"
    if rates.chiplet_gb_s is not None:
        limits += " + (ceil(T×j/m)×g)^(0-p)"
        values += [
            fitted("m", shared.cores_per_chiplet, "cpu.shared.cores_per_chiplet", "cores of one"),
            fitted("g", rates.chiplet_gb_s, f"{name}.chiplet_gb_s", "GB/s of a chiplet"),
        ]
    return Step(
        "memory bandwidth drawn", f"({limits})^(0-1/p) × {GIGA:.0f} / j", tuple(values),
        bandwidth_bytes_s(socket, coefficients), "B/s",
    )  # fmt: skip


def _engine_bandwidth(
    of: CpuReplica, socket: Socket, drawn: Step, coefficients: Coefficients
) -> Step:
    """Return the bandwidth this engine reaches: quantised kernels what the cores draw."""
    name, shared = "bandwidth of this engine", coefficients.cpu.shared
    if of.bandwidth == drawn.result:
        return Step(name, "b", (drawn.as_value("b"),), of.bandwidth, "B/s")
    values = (
        drawn.as_value("b"),
        fitted("g", shared.core_gain, "cpu.shared.core_gain", "gain of vector loads a core"),
        fitted("l", shared.socket_limit_share, "cpu.shared.socket_limit_share", "most of a socket"),
        fact("S", socket.rates.socket_gb_s * GIGA, "peak of the socket, bytes/s", "cpus.csv"),
        fact("j", socket.neighbours, "replicas on the socket", "plan"),
    )
    return Step(name, "min(g×b, l×S/j)", values, of.bandwidth, "B/s")


def _decode_steps(
    of: CpuReplica, batch: float, context: float, bandwidth: Step, row: str
) -> list[Step]:
    sequences = fact("n", batch, "sequences in the step", "load")
    weights = of.widening * weight_read_bytes(of.writer, of.precision, batch)
    read = Step(
        "weights and cache read", "(W + n×K) / B",
        (fact("W", weights, f"bytes of weights in {of.precision.name}", row), sequences,
         fact("K", kv_read_bytes(of.writer, of.precision, context),
              f"bytes of cache at {context:g} tokens", row),
         bandwidth.as_value("B")),
        of.read_s(batch, context), "s",
    )  # fmt: skip
    whole = Step(
        "one decode step", "r + (n - 1) × 2 × A / F + h",
        (read.as_value("r"), sequences,
         fact("A", of.writer.active_params, "parameters a token meets", row),
         fact("F", of.flops, "FLOP/s of products", "engine/performance/cpu.py"),
         fact("h", of.step_host_s, "s the threads spend meeting", "from cpu.vendor")),
        of.step_s(batch, context), "s",
    )  # fmt: skip
    return [read, whole]


def _prompt_steps(of: CpuReplica, tokens: int, row: str) -> list[Step]:
    shape = of.reader
    values = (
        fact("q", of.request_s, "s for each request", "from cpu.shared.request_ms"),
        fact("P", shape.active_params - shape.head_params, "parameters a token meets", row),
        fact("n", tokens, "tokens of the prompt", "load"),
        fact("F", of.flops, "FLOP/s of products", "engine/performance/cpu.py"),
        fact("h", shape.heads, "attention heads", row),
        fact("d", shape.prefill_head_dims, "key and value width of a head", row),
        fact("L", shape.layers, "layers", row),
        fact(
            "G",
            of.attention_flops,
            "FLOP/s of attention",
            "from cpu.shared.prefill_attention_share",
        ),
        fact("p", PASS_TOKENS, "tokens read at once", "engine/performance/cpu.py"),
        fact("s", of.pass_host_s, "s the threads of a pass spend meeting", "from cpu.vendor"),
    )
    return [
        Step("one prompt", "q + ceil(n/p) × s + 2 × P × n / F + n × n × h × d × L / G", values,
             of.prompt_s(tokens), "s"),
    ]  # fmt: skip
