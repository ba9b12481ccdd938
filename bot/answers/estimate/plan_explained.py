"""`estimate --explain`: how one plan's estimate comes about, its figures and their ranges."""

from collections.abc import Iterator

from bot.answers.estimate.answer import PlanEstimate, derivation, estimated
from bot.answers.estimate.derivation import derivation_text
from bot.answers.estimate.request import EstimateRequest
from bot.answers.world import World
from catalog.facts.provenance import coefficient_provenance
from engine.core.estimate import Figure, Performance, TrainingPerformance

NOT_DERIVED = (
    "No steps are written for this kind of estimate (images, single-shot models off GPUs, training "
    "on CPUs): run it without --explain for its figures.\n"
)
FIGURES = {
    "ttft_ms": "first token, ms",
    "tpot_ms": "per token, ms",
    "e2e_ms": "whole request, ms",
    "output_tokens_per_s": "output tokens/s",
    "requests_per_s": "requests/s",
    "tokens_per_s_per_accelerator": "tokens/s and accelerator",
    "mfu": "MFU",
    "time_h": "hours",
}


def explained(asked: EstimateRequest, world: World) -> tuple[str, bool]:
    """Return the derivation as text, and whether the plan fits.

    Raises:
        RequestError: unknown model, instance or accelerator, or a dtype the device cannot run.
    """
    found = estimated(asked, world)
    steps = derivation(found, world)
    text = derivation_text(steps, coefficient_provenance()) if steps else NOT_DERIVED
    fits = found.estimate is not None and found.estimate.fits
    return "\n".join(_heading(asked, found)) + "\n" + text + "".join(_figure_ranges(found)), fits


def _heading(asked: EstimateRequest, found: PlanEstimate) -> Iterator[str]:
    where = asked.instance_type or asked.accelerator or "one machine"
    if found.estimate is None:
        yield f"{found.model.id} on {where}: these parallel degrees are not valid here"
        return
    plan = found.estimate.plan
    yield (
        f"{found.model.id} on {where}: {plan.weights_dtype}, {plan.serving_engine}, "
        f"tensor parallel {plan.tensor_parallel}, pipeline parallel {plan.pipeline_parallel}, "
        f"{plan.data_parallel} replica(s)"
    )
    if not found.estimate.fits:
        yield f"does not fit: {found.estimate.memory.why_not}"


def _figure_ranges(found: PlanEstimate) -> Iterator[str]:
    """Yield the figures with the range that eight of ten measurements fall into."""
    estimate = found.estimate
    performance = (estimate.performance or estimate.training) if estimate else None
    if performance is None:
        return
    basis = "measured class" if performance.basis == "measured_class" else "not measured"
    yield f"\nFigures and 80 % ranges ({basis})\n"
    yield "-" * 32 + "\n"
    for name, words in FIGURES.items():
        figure = _figure_named(performance, name)
        if figure is not None:
            yield f"{words}: {figure.value:.4g} ({figure.low:.4g} to {figure.high:.4g})\n"


def _figure_named(performance: Performance | TrainingPerformance, name: str) -> Figure | None:
    figure: Figure | None = getattr(performance, name, None)
    return figure
