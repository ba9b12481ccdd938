"""What to watch on a pick: exporters with their ports, and alert thresholds from the estimate."""

from dataclasses import dataclass
from typing import Literal

from catalog.catalog import Catalog
from engine.core.estimate import Figure
from engine.core.result import Pick, Recommendation
from engine.plans.sides import Side, side_of
from engine.plans.success import stated_limits

Origin = Literal[
    "limit", "range_high", "range_low", "estimate", "capacity", "specification", "rule"
]
MIB_PER_GIB = 1024.0
MS_PER_S = 1000.0
CACHE_FULL_SHARE = 0.9  # engines start to push requests out when the cache is full
POWER_SHARE = 0.97  # of the rated power: the chip is at its cap


@dataclass(frozen=True, slots=True, kw_only=True)
class Exporter:
    """One source of metrics: where it listens."""

    name: str
    port: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringAlert:
    """A metric, the threshold past which something is wrong, and where the threshold is from."""

    name: str
    series: str
    sense: Literal["above", "below"]
    threshold: float
    unit: str
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitoringPlan:
    """Exporters and alerts of one pick."""

    trains: bool
    side: Side
    vendor: str | None
    exporters: tuple[Exporter, ...]
    alerts: tuple[MonitoringAlert, ...]


# Ports: DCGM exporter, neuron-monitor's Prometheus exporter, node-exporter, and the server's own.
NODE_EXPORTER = Exporter(name="node-exporter", port=9100)
DEVICE_EXPORTERS = {
    "nvidia": Exporter(name="dcgm-exporter", port=9400),
    "aws": Exporter(name="neuron-monitor", port=8000),
}
VLLM = frozenset({"vllm", "neuronx"})  # on Neuron it is vLLM that serves
ENGINE_EXPORTERS = {
    "vllm": Exporter(name="vllm", port=8000),
    "neuronx": Exporter(name="vllm", port=8000),
    "sglang": Exporter(name="sglang", port=30000),
    "tgi": Exporter(name="tgi", port=80),
    "tei": Exporter(name="tei", port=80),
    "llama.cpp": Exporter(name="llama.cpp", port=8080),
}


def monitoring_plan(result: Recommendation, pick: Pick, catalog: Catalog) -> MonitoringPlan:
    """Return what to watch on the pick. Without an estimate for a figure its alert is left out."""
    side = side_of(pick)
    trains = pick.estimate.training is not None
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    vendor = chip.vendor if chip else None
    alerts = _training_alerts(side) if trains else _serving_alerts(side, result)
    alerts += _device_alerts(pick, vendor, chip.tdp_w if chip else None)
    return MonitoringPlan(
        trains=trains,
        side=side,
        vendor=vendor,
        exporters=tuple(_exporters(vendor, None if trains else side.serving_engine)),
        alerts=tuple(alerts),
    )


def _exporters(vendor: str | None, engine: str | None) -> list[Exporter]:
    found = [NODE_EXPORTER]
    if vendor in DEVICE_EXPORTERS:
        found.append(DEVICE_EXPORTERS[vendor])
    if engine in ENGINE_EXPORTERS:
        found.append(ENGINE_EXPORTERS[engine])
    return found


def _serving_alerts(side: Side, result: Recommendation) -> list[MonitoringAlert]:
    if side.serving_engine not in VLLM:
        return _other_engine(side, result)
    limits = stated_limits(result.said)
    alerts = [
        _slow("first token", "vllm:time_to_first_token_seconds", side.ttft_ms, limits, "ttft_ms"),
        _slow(
            "time per token", "vllm:inter_token_latency_seconds", side.tpot_ms, limits, "tpot_ms"
        ),
        _slow("whole request", "vllm:e2e_request_latency_seconds", side.e2e_ms, limits, "e2e_ms"),
    ]
    found = [alert for alert in alerts if alert is not None]
    if side.replica_concurrency is not None:
        full = side.replica_concurrency
        found.append(
            _rule("requests running", "vllm:num_requests_running", full, "per replica", "capacity")
        )
    return [
        *found,
        _rule("requests waiting", "vllm:num_requests_waiting", 0.0, "per replica", "rule"),
        _rule("KV cache used", "vllm:kv_cache_usage_perc", CACHE_FULL_SHARE, "of 1", "rule"),
        _rule("preemptions", "vllm:num_preemptions_total", 0.0, "per minute", "rule"),
    ]


def _other_engine(side: Side, result: Recommendation) -> list[MonitoringAlert]:
    """Return the one alert every server can give: the time of a request, at the gateway."""
    limits = stated_limits(result.said)
    series = {"tei": "te_request_duration", "tgi": "tgi_request_duration"}
    name = series.get(side.serving_engine, "http_request_duration_seconds")
    alert = _slow("whole request", name, side.e2e_ms, limits, "e2e_ms")
    return [] if alert is None else [alert]


def _slow(
    name: str,
    series: str,
    figure: Figure | None,
    limits: dict[str, float | None],
    field: str,
) -> MonitoringAlert | None:
    """Return the alert on a latency: the stated limit, else the upper end of the range."""
    limit = limits.get(field)
    if limit is None and figure is None:
        return None
    high = figure.high if figure is not None else 0.0
    return MonitoringAlert(
        name=name,
        series=series,
        sense="above",
        threshold=(high if limit is None else limit) / MS_PER_S,
        unit="s",
        origin="range_high" if limit is None else "limit",
    )


def _training_alerts(side: Side) -> list[MonitoringAlert]:
    rate = side.tokens_per_s_per_accelerator
    if rate is None:
        return []
    return [
        MonitoringAlert(
            name="training rate per accelerator",
            series="",  # no exporter has it: the trainer logs it
            sense="below",
            threshold=rate.low,
            unit="tokens/s",
            origin="range_low",
        )
    ]


def _device_alerts(pick: Pick, vendor: str | None, tdp_w: float | None) -> list[MonitoringAlert]:
    """Return the alerts on the device: memory beyond the plan, errors, power at its cap."""
    memory = pick.estimate.memory
    if vendor == "nvidia":
        found = [_rule("GPU errors (XID)", "DCGM_FI_DEV_XID_ERRORS", 0.0, "", "rule")]
        if memory.available > 0:
            limit = memory.available * MIB_PER_GIB
            memory_alert = _rule(
                "GPU memory used", "DCGM_FI_DEV_FB_USED", 0.98 * limit, "MiB", "specification"
            )
            found.append(memory_alert)
        if tdp_w is not None:
            power = POWER_SHARE * tdp_w
            found.append(_rule("GPU power", "DCGM_FI_DEV_POWER_USAGE", power, "W", "specification"))
        return found
    if vendor == "aws":
        return [
            _rule("failed executions", "execution_errors_total", 0.0, "per minute", "rule"),
            _rule("memory errors", "hardware_ecc_events_total", 0.0, "per minute", "rule"),
        ]
    needed = memory.needed_gib
    host = _rule("host memory in use", "node_memory_MemAvailable_bytes", needed, "GiB", "estimate")
    return [host] if needed > 0 else []


def _rule(name: str, series: str, threshold: float, unit: str, origin: Origin) -> MonitoringAlert:
    return MonitoringAlert(
        name=name, series=series, sense="above", threshold=threshold, unit=unit, origin=origin
    )
