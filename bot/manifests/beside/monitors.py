"""Monitoring of a pick for the Prometheus operator: what to scrape, alerts, a dashboard."""

import json
from dataclasses import dataclass

from bot.core.manifest import Manifest
from bot.core.render import manifest_environment
from bot.manifests.nodes import NEURON_PRESENT
from bot.manifests.tools import helm_install, image_of
from bot.manifests.workload.kubernetes import (
    WorkloadView,
    comments_of,
    workload_view,
    written,
)
from bot.manifests.workload.serving import ServingView
from bot.manifests.workload.workload_rule import Bundle
from catalog.catalog import Catalog
from catalog.reference import server_facts
from engine.core.result import Pick, Recommendation
from engine.plans.monitoring import HOST_MEMORY, MonitoringAlert, monitoring_plan

NAMESPACE = "monitoring"
# The pods of each exporter, as its own chart labels them, and the name of their metrics port.
# The chart of Prometheus scrapes node-exporter and the kubelet by itself.
EXPORTER_PODS = {
    "dcgm-exporter": ("dcgm-exporter", "metrics"),
    "neuron-monitor": ("neuron-monitor", "metrics"),
}
XID_WINDOW = "15m"  # the gauge keeps the last error for ever: what counts is that it changed
ON_EACH_NODE = ("execution_", "hardware_")  # neuron-monitor's, which knows nodes and no pods
PANEL_WIDTH, PANEL_HEIGHT, PANELS_A_ROW = 12, 8, 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Scrape:
    """Pods to scrape."""

    name: str
    label: str
    port: str
    namespace: str | None  # None: the workload's own
    path: str = "/metrics"
    own_labels: bool = False  # the exporter says which pod a device works for


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertRule:
    """One alert: its condition in PromQL and the words for whoever is woken."""

    name: str
    expr: str
    value_expr: str
    unit: str
    threshold: float
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorsView:
    """The file as its template lays it out."""

    name: str
    scrapes: tuple[Scrape, ...]
    rules: tuple[AlertRule, ...]
    dashboard: str
    neuron: bool
    taint_key: str | None
    neuron_image: str
    present: str = NEURON_PRESENT
    namespace: str = NAMESPACE


def monitoring_manifest(result: Recommendation, pick: Pick, catalog: Catalog) -> Manifest:
    """Return PodMonitors, PrometheusRule and dashboard for the pick.

    Raises:
        ManifestError: the pick has no workload.
    """
    workload = workload_view(result, pick, catalog)
    plan = monitoring_plan(result, pick, catalog, server_facts())
    rules = tuple(rule_of(alert, workload.name) for alert in plan.alerts if alert.series)
    neuron = workload.pool.accelerator_class == "neuron"
    view = MonitorsView(
        name=workload.name,
        scrapes=_scrapes(workload, [e.name for e in plan.exporters]),
        rules=rules,
        dashboard=dashboard(workload.name, rules),
        neuron=neuron,
        taint_key=workload.pool.taint_key,
        neuron_image=image_of("image-neuron-monitor"),
    )
    return written(
        "monitoring",
        "monitoring/monitoring.yaml.j2",
        Bundle(pool=workload.pool),
        comments=comments_of(result, pick),
        notes=tuple(_monitor_notes(workload)),
        extras=tuple(_exporter_values(workload)),
        view=view,
    )


def rule_of(alert: MonitoringAlert, name: str) -> AlertRule:
    """Return the alert in PromQL; latencies are 95th percentiles over five minutes."""
    value = _value_expr(alert, name)
    sign = ">" if alert.sense == "above" else "<"
    unit = f" {alert.unit}" if alert.unit else ""
    origin = alert.origin.replace("_", " ")
    return AlertRule(
        name="".join(word.capitalize() for word in _words_in(alert.name)),
        expr=f"{value} {sign} {alert.threshold:.4g}",
        value_expr=value,
        unit=alert.unit,
        threshold=alert.threshold,
        words=f"{alert.name} {alert.sense} {alert.threshold:.4g}{unit} ({origin})",
    )


def _value_expr(alert: MonitoringAlert, name: str) -> str:
    """Return the figure of this workload alone: other teams' pods share the cluster."""
    series, pods = alert.series, f'{{pod=~"{name}-.*"}}'
    if alert.unit == "s":
        return f"histogram_quantile(0.95, sum by (le) (rate({series}_bucket{pods}[5m])))"
    if series == HOST_MEMORY:
        container = f'{{pod=~"{name}-.*",container="server"}}'
        limit = f'{{pod=~"{name}-.*",container="server",resource="memory"}}'
        return f"max({series}{container}) / max(kube_pod_container_resource_limits{limit})"
    if series.endswith("XID_ERRORS"):
        return f"sum(changes({series}{pods}[{XID_WINDOW}]))"
    if alert.unit == "per minute" and series.startswith(ON_EACH_NODE):
        here = f"count by (node) (kube_pod_info{pods})"
        counted = f"sum by (node) (increase({series}[1m]))"
        return f"sum({counted} and on (node) {here})"
    if alert.unit == "per minute":
        return f"sum(increase({series}{pods}[1m]))"
    return f"max({series}{pods})"


def _words_in(text: str) -> list[str]:
    return [word for word in "".join(c if c.isalnum() else " " for c in text).split() if word]


def _scrapes(workload: WorkloadView, exporters: list[str]) -> tuple[Scrape, ...]:
    found = []
    if isinstance(workload, ServingView) and workload.server.metrics:
        facts = server_facts()[workload.server.engine]
        found.append(
            Scrape(
                name=workload.name,
                label=workload.name,
                port="http",
                namespace=None,
                path=facts.metrics_path,
            )
        )
    for exporter in exporters:
        if exporter in EXPORTER_PODS:
            label, port = EXPORTER_PODS[exporter]
            found.append(
                Scrape(
                    name=exporter,
                    label=label,
                    port=port,
                    namespace=NAMESPACE,
                    own_labels=exporter == "dcgm-exporter",
                )
            )
    return tuple(found)


def dashboard(name: str, rules: tuple[AlertRule, ...]) -> str:
    """Return a Grafana dashboard: one panel an alert, its threshold drawn in."""
    model = {
        "title": f"ec2-pick: {name}",
        "uid": f"ec2-pick-{name}"[:40],
        "schemaVersion": 39,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
    }
    panels = ",\n".join(json.dumps(_panel(i, rule)) for i, rule in enumerate(rules))
    return f'{json.dumps(model)[:-1]}, "panels": [\n{panels}\n]}}'


def _panel(number: int, rule: AlertRule) -> dict[str, object]:
    row, column = divmod(number, PANELS_A_ROW)
    steps = [{"color": "green", "value": None}, {"color": "red", "value": rule.threshold}]
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": rule.words,
        "gridPos": {
            "x": column * PANEL_WIDTH,
            "y": row * PANEL_HEIGHT,
            "w": PANEL_WIDTH,
            "h": PANEL_HEIGHT,
        },
        "targets": [{"refId": "A", "expr": rule.value_expr}],
        "fieldConfig": {
            "defaults": {
                "unit": "s" if rule.unit == "s" else "short",
                "custom": {"thresholdsStyle": {"mode": "line"}},
                "thresholds": {"mode": "absolute", "steps": steps},
            },
            "overrides": [],
        },
    }


def _monitor_notes(workload: WorkloadView) -> list[str]:
    notes = ["Needs the Prometheus operator and Grafana (chart kube-prometheus-stack)."]
    if workload.pool.accelerator_class == "nvidia":
        notes.append(
            "DCGM: "
            + helm_install(
                "dcgm-exporter", "chart-dcgm-exporter", "-n monitoring -f dcgm-exporter-values.yaml"
            )
        )
    if not isinstance(workload, ServingView):
        notes.append("The training rate is in the trainer's log; no exporter has it.")
    elif not workload.server.metrics:
        notes.append("The server is your own: add its /metrics to be scraped.")
    elif server_facts()[workload.server.engine].metrics_path != "/metrics":
        notes.append(
            "trtllm-serve exports its series only with return_perf_metrics: true in the file of "
            "--extra_llm_api_options."
        )
    return notes


def _exporter_values(workload: WorkloadView) -> list[tuple[str, str]]:
    if workload.pool.accelerator_class != "nvidia":
        return []
    template = manifest_environment().get_template("monitoring/dcgm-exporter-values.yaml.j2")
    text = template.render(taint_key=workload.pool.taint_key, many=workload.pool.count > 1)
    return [("dcgm-exporter-values.yaml", text)]
