"""What to watch on a pick: exporters with their ports, and alert thresholds from the estimate."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from catalog.catalog import Catalog
from catalog.reference import ServerFacts
from engine.core.estimate import Figure
from engine.core.result import Pick, Recommendation
from engine.plans.sides import Side, side_of
from engine.plans.success import stated_limits

Origin = Literal["limit", "range_high", "range_low", "rule"]
MS_PER_S = 1000.0
CACHE_FULL_SHARE = 0.9  # engines start to push requests out when the cache is full
HOST_SHARE = 0.95  # of its limit: a pod is killed at the whole
LEAST_LATENCY_S = 0.02  # a request crosses a network, a balancer and a queue
# What the kubelet counts of a container.
HOST_MEMORY = "container_memory_working_set_bytes"


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
    raised_from: float | None = None  # what was to be told, where the histogram tells it later


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
Servers = Mapping[str, ServerFacts]


def monitoring_plan(
    result: Recommendation, pick: Pick, catalog: Catalog, servers: Servers
) -> MonitoringPlan:
    """Return what to watch on the pick. Without an estimate for a figure its alert is left out."""
    side = side_of(pick)
    trains = pick.estimate.training is not None
    chip = catalog.accelerators.get(pick.instance.accelerator_id or "")
    vendor = chip.vendor if chip else None
    server = None if trains else servers.get(side.serving_engine)
    alerts = _training_alerts(side) if trains else _serving_alerts(side, result, server)
    alerts += _device_alerts(vendor)
    return MonitoringPlan(
        trains=trains,
        side=side,
        vendor=vendor,
        exporters=tuple(_exporters(vendor, server)),
        alerts=tuple(alerts),
    )


def _exporters(vendor: str | None, server: ServerFacts | None) -> list[Exporter]:
    found = [NODE_EXPORTER]
    if vendor in DEVICE_EXPORTERS:
        found.append(DEVICE_EXPORTERS[vendor])
    if server is not None:
        name = "vllm" if server.engine == "neuronx" else server.engine  # vLLM serves there too
        found.append(Exporter(name=name, port=int(server.port)))
    return found


def _serving_alerts(
    side: Side, result: Recommendation, server: ServerFacts | None
) -> list[MonitoringAlert]:
    """Return the alerts on the server's own series; one without a name is left out."""
    if server is None:
        return []
    limits = stated_limits(result.said)
    first, token, whole = server.first_token, server.per_token, server.whole
    slow = (
        _slow("first token", first, server.first_token_bounds, side.ttft_ms, limits.get("ttft_ms")),
        _slow(
            "time per token", token, server.per_token_bounds, side.tpot_ms, limits.get("tpot_ms")
        ),
        _slow("whole request", whole, server.whole_bounds, side.e2e_ms, limits.get("e2e_ms")),
    )
    rules = (
        _rule("requests waiting", server.waiting, 0.0, "per replica"),
        _rule("KV cache used", server.cache_full, CACHE_FULL_SHARE, "of 1"),
        _rule("preemptions", server.preempted, 0.0, "per minute"),
    )
    return [alert for alert in (*slow, *rules) if alert is not None]


def _slow(
    name: str,
    series: str | None,
    bounds: Sequence[str],
    figure: Figure | None,
    limit: float | None,
) -> MonitoringAlert | None:
    """Return the alert on a latency: the stated limit, else the upper end of the range.

    Raised to the next bound of the histogram, below which it could not tell slow from fast, and
    never below what a network takes.
    """
    high = figure.high if figure is not None else None
    threshold = high if limit is None else limit
    if series is None or threshold is None:
        return None
    seconds = max(threshold / MS_PER_S, LEAST_LATENCY_S)
    told = [float(bound) for bound in bounds if float(bound) >= seconds]
    tells = min(told, default=seconds)
    return MonitoringAlert(
        name=name,
        series=series,
        sense="above",
        threshold=tells,
        raised_from=None if tells == seconds else seconds,
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


def _device_alerts(vendor: str | None) -> list[MonitoringAlert]:
    """Return the alerts on what a device should never report.

    Neither its memory nor its power: a server reserves the one and is there to use the other.
    """
    nvidia = (
        _rule("GPU errors (XID)", "DCGM_FI_DEV_XID_ERRORS", 0.0, ""),
        _rule("GPU rows that could not be remapped", "DCGM_FI_DEV_ROW_REMAP_FAILURE", 0.0, ""),
    )
    neuron = (
        _rule("failed executions", "execution_errors_total", 0.0, "per minute"),
        _rule("memory errors", "hardware_ecc_events_total", 0.0, "per minute"),
    )
    host = (_rule("memory of the pod", HOST_MEMORY, HOST_SHARE, "of its limit"),)
    found = {"nvidia": nvidia, "aws": neuron}.get(vendor or "", host)
    return [alert for alert in found if alert is not None]


def _rule(name: str, series: str | None, threshold: float, unit: str) -> MonitoringAlert | None:
    if series is None:
        return None
    return MonitoringAlert(
        name=name, series=series, sense="above", threshold=threshold, unit=unit, origin="rule"
    )
