"""One way to run a workload, boiled down to the figures a plan compares and counts with."""

from dataclasses import dataclass

from catalog.facts.units import BYTES_PER_GIB, gb
from engine.core.estimate import Figure
from engine.core.result import Pick, Recommendation
from engine.memory.weights import total_weights_gb


@dataclass(frozen=True, slots=True, kw_only=True)
class Side:
    """A pick in plain figures. Rates and concurrency are of its full load within the limits."""

    instance_type: str
    instances: int
    region: str
    market: str
    price_as_of: str
    accelerator: str | None
    accelerators: int
    replicas: int
    tensor_parallel: int  # Neuron: cores of one replica
    dtype: str
    serving_engine: str
    usd_per_hour: float | None
    usd_per_month: float | None
    usd_per_million_tokens: float | None
    usd_total: float | None
    ttft_ms: Figure | None
    tpot_ms: Figure | None
    e2e_ms: Figure | None
    output_tokens_per_s: Figure | None
    requests_per_s: Figure | None
    concurrency: float | None
    tokens_per_s_per_accelerator: Figure | None
    time_h: Figure | None
    measured: bool

    @property
    def replica_requests_per_s(self) -> float | None:
        """Requests a second that one replica carries within the limits."""
        rate = self.requests_per_s
        return None if rate is None else rate.value / max(1, self.replicas)

    @property
    def replica_concurrency(self) -> float | None:
        """Requests in flight of one replica at its full load."""
        return None if self.concurrency is None else self.concurrency / max(1, self.replicas)


def side_of(pick: Pick) -> Side:
    """Return the figures of a pick."""
    estimate, cost = pick.estimate, pick.cost
    served, full, trained = estimate.performance, estimate.at_max, estimate.training
    timed = (served, full, trained)
    return Side(
        instance_type=pick.instance.instance_type,
        instances=pick.instances,
        region=pick.region,
        market=pick.quote.market,
        price_as_of=pick.quote.as_of,
        accelerator=pick.instance.accelerator_id,
        accelerators=estimate.plan.accelerators,
        replicas=estimate.plan.data_parallel,
        tensor_parallel=estimate.plan.tensor_parallel,
        dtype=estimate.plan.weights_dtype,
        serving_engine=estimate.plan.serving_engine,
        usd_per_hour=cost.usd_per_hour,
        usd_per_month=cost.usd_per_month,
        usd_per_million_tokens=cost.usd_per_million_tokens_full_load,
        usd_total=cost.usd_total,
        ttft_ms=served.ttft_ms if served else None,
        tpot_ms=served.tpot_ms if served else None,
        e2e_ms=served.e2e_ms if served else None,
        output_tokens_per_s=full.output_tokens_per_s if full else None,
        requests_per_s=full.requests_per_s if full else None,
        concurrency=full.concurrency if full else None,
        tokens_per_s_per_accelerator=trained.tokens_per_s_per_accelerator if trained else None,
        time_h=trained.time_h if trained else None,
        measured=all(t.basis != "not_measured" for t in timed if t is not None),
    )


def chosen(result: Recommendation) -> Pick | None:
    """Return the pick a plan is made for: the type named, the first pick, or what came closest."""
    shown = (result.asked, *result.picks, *result.closest)
    return next((pick for pick in shown if pick is not None), None)


def weights_gb(pick: Pick) -> float:
    """Return the weights of one serving replica in GB, all its accelerators (cores) together."""
    plan = pick.estimate.plan
    ways = plan.tensor_parallel * plan.pipeline_parallel
    return gb(pick.estimate.memory.weights * ways * BYTES_PER_GIB)


def loaded_gb(result: Recommendation, pick: Pick) -> float:
    """Return the GB of weights that a start has to load: a replica's, or the checkpoint trained."""
    if pick.estimate.training is None or result.model is None:
        return weights_gb(pick)
    return total_weights_gb(result.model, result.model.native_dtype)
