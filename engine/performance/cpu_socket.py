"""What one CPU socket gives a replica: threads, memory bandwidth, synchronisation, peak rates."""

from functools import lru_cache

from catalog.facts.coefficients import Coefficients, Microarchitecture
from catalog.facts.schema import Cpu
from engine.core.plan import Host, Plan
from engine.core.value import kw_value
from engine.performance.machine import GIGA, MICRO

SMALL_WEIGHTS_BYTES = 1.0e9  # below it more threads than ~48 slow every family down
TINY_WEIGHTS_BYTES = 0.2e9
QUIET_SOCKET_GB_S = 150.0  # a socket of a family without a row: what six DDR4 channels give


@kw_value
class Socket:
    """The CPU one replica runs on: its fitted rates, and the threads it uses."""

    rates: Microarchitecture
    vendor: str
    cpu: Cpu | None
    threads: float
    neighbours: float  # replicas that share the socket's bandwidth, itself included
    microarchitecture: str | None  # that was measured

    @property
    def measured(self) -> bool:
        """Whether its own rates were fitted, on llama.cpp's streams."""
        return self.microarchitecture is not None

    @property
    def two_sockets(self) -> bool:
        """Whether the threads of one replica span both sockets."""
        return self.threads > self.rates.socket_cores


def socket_of(host: Host, plan: Plan, weights_bytes: float, coefficients: Coefficients) -> Socket:
    """Return the CPU as one replica of the plan sees it.

    Unless the plan says otherwise it runs on one thread per physical core of one socket, fewer
    for small models: that was fastest on every family measured.
    """
    key = microarchitecture_key(host.cpu, coefficients)
    rates = (
        coefficients.cpu.microarchitecture[key]
        if key is not None
        else _unmeasured_rates(host, coefficients)
    )
    here = max(1, plan.data_parallel // max(1, plan.instances))
    share = max(1.0, host.cores / here)
    best = min(share, rates.socket_cores, _useful_threads(weights_bytes, coefficients))
    sockets = max(1.0, host.cores / rates.socket_cores)
    return Socket(
        rates=rates,
        vendor=vendor_of(host.cpu),
        cpu=host.cpu,
        threads=float(plan.threads or best),
        neighbours=max(1.0, here / sockets),
        microarchitecture=key,
    )


def _useful_threads(weights_bytes: float, coefficients: Coefficients) -> float:
    shared = coefficients.cpu.shared
    if weights_bytes < TINY_WEIGHTS_BYTES:
        return shared.threads_tiny_model
    return shared.threads_small_model if weights_bytes < SMALL_WEIGHTS_BYTES else float("inf")


@lru_cache(maxsize=1024)
def microarchitecture_key(cpu: Cpu | None, coefficients: Coefficients) -> str | None:
    """Return the fitted micro-architecture a CPU belongs to; None where none is measured."""
    if cpu is None:
        return None
    words = f"{cpu.microarchitecture} {cpu.model}".lower()
    names = coefficients.aliases.microarchitecture
    return next((key for part, key in names.items() if part in words), None)


def vendor_of(cpu: Cpu | None) -> str:
    """Return whose cores they are: "intel", "amd" or "arm"."""
    if cpu is None:
        return "intel"
    return "arm" if cpu.arch == "arm64" else "amd" if "amd" in cpu.vendor.lower() else "intel"


def _unmeasured_rates(host: Host, coefficients: Coefficients) -> Microarchitecture:
    """Return rates for a family without rows of its own: averages of the measured ones."""
    shared, cpu = coefficients.cpu.shared, host.cpu
    return Microarchitecture(
        socket_cores=cpu.cores_per_socket if cpu else host.cores,
        socket_gb_s=cpu.socket_bw_gb_s if cpu else QUIET_SOCKET_GB_S,
        core_gb_s=shared.other_core_gb_s,
        socket_share=shared.other_bandwidth_share,
        prefill_gops_per_core=shared.other_prefill_gops_per_core,
        prefill_loss_per_core=shared.other_prefill_loss_per_core,
    )


def bandwidth_bytes_s(socket: Socket, coefficients: Coefficients) -> float:
    """Return the memory bandwidth one replica draws, in bytes/s.

    A smooth minimum of three limits: the cores' own, the chiplets' (AMD), the socket's. Replicas
    on one socket share what all their threads together draw.
    """
    shared, rates = coefficients.cpu.shared, socket.rates
    cores = socket.threads * socket.neighbours
    limit = rates.socket_share * rates.socket_gb_s
    if socket.two_sockets:
        limit *= 2 * coefficients.cpu.vendor[socket.vendor].two_sockets_share
    power = -shared.saturation_power
    total = (cores * rates.core_gb_s) ** power + limit**power
    if rates.chiplet_gb_s is not None:
        chiplets = -(-cores // shared.cores_per_chiplet)
        total += (chiplets * rates.chiplet_gb_s) ** power
    drawn: float = total ** (1 / power)
    return drawn * GIGA / socket.neighbours


def synchronisation_s(socket: Socket, layers: int, coefficients: Coefficients) -> float:
    """Return the time of a step's layers besides their weights.

    What of a layer runs on one core, at that core's rate, and the threads' meetings at its end.
    """
    vendor = coefficients.cpu.vendor[socket.vendor]
    spread = coefficients.cpu.shared.two_sockets_sync if socket.two_sockets else 1.0
    serial_s = vendor.serial_layer_kb * 1e3 / (socket.rates.core_gb_s * GIGA)
    return layers * (serial_s + vendor.layer_thread_us * socket.threads * spread * MICRO)


def peak_flops_per_core(socket: Socket, dtype_name: str, coefficients: Coefficients) -> float:
    """Return one core's peak in FLOP/s for a weight format, 32-bit where it has no better unit."""
    cpu = socket.cpu
    if cpu is None:
        return coefficients.cpu.shared.other_prefill_gops_per_core * GIGA
    narrow = cpu.int8_gops_per_core if dtype_name == "int8" else None
    half = cpu.bf16_gflops_per_core if dtype_name != "fp32" else None
    return (narrow or half or cpu.fp32_gflops_per_core) * GIGA


def encoder_flops(socket: Socket, dtype_name: str, coefficients: Coefficients) -> float:
    """Return the FLOP/s an encoder's products reach on all threads of the socket."""
    shared = coefficients.cpu.shared
    peak = peak_flops_per_core(socket, dtype_name, coefficients)
    plain = socket.cpu is None or peak <= socket.cpu.fp32_gflops_per_core * GIGA
    return socket.threads * peak * (shared.encoder_share_fp32 if plain else shared.encoder_share)
