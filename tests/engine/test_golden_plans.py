"""Figures of thirty plans, kept so that a change of a formula or coefficient is seen as a diff."""

from bot.answers.estimate.answer import estimated
from bot.answers.estimate.request import estimate_request
from bot.answers.world import load_world
from tests.estimate_plans import PLANS
from tests.golden import rows_of

MEMORY = ("weights", "kv_cache", "activations", "total", "available", "kv_bytes_per_token")
SERVING = ("ttft_ms", "tpot_ms", "e2e_ms", "output_tokens_per_s", "requests_per_s")
TRAINING = ("tokens_per_s_per_accelerator", "mfu", "time_h")
FEWEST = 30


def digits(value):
    return None if value is None else float(f"{value:.4g}")


def figures(fields):
    estimate = estimated(estimate_request(fields), load_world()).estimate
    plan, memory = estimate.plan, estimate.memory
    performance = estimate.performance or estimate.training
    names = SERVING if estimate.training is None else TRAINING
    ranges = {}
    for name in names if performance is not None else ():
        figure = getattr(performance, name)
        if figure is not None:
            ranges[name] = [digits(figure.value), digits(figure.low), digits(figure.high)]
    return {
        "asked": fields,
        "plan": f"{plan.weights_dtype} {plan.serving_engine} tp{plan.tensor_parallel} "
        f"pp{plan.pipeline_parallel} dp{plan.data_parallel} ep{plan.expert_parallel}",
        "fits": memory.fits,
        "memory_gib": {name: digits(getattr(memory, name)) for name in MEMORY},
        "kv_tokens_max": memory.kv_tokens_max,
        "figures": ranges,
        "bound_by": performance.bound_by if performance else None,
        "basis": performance.basis if performance else None,
    }


def test_figures_of_thirty_plans(golden):
    assert len(PLANS) >= FEWEST
    found = {name: figures(fields) for name, fields in PLANS.items()}
    golden("plans/plans.json", rows_of(found) + "\n")
