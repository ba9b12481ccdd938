"""One set of defaults: what is estimated of a plan is what the pick of the same request says."""

import pytest

from bot.answers.answer_json import memory_json, performance_json
from bot.answers.estimate.answer import estimate_json
from bot.answers.estimate.request import estimate_request
from bot.answers.world import load_world
from engine.ask import ask
from engine.core.workload import Workload

# How many usual requests fit at once is the pick's; an estimate counts those of the whole context.
OF_THE_PICK = {"sequences_max"}
# An estimate says no time of a job whose size nobody said.
OF_A_JOB = {"step_s", "time_h"}
REQUESTS = [
    ("llama-3.1-8b", "g6e.xlarge", {}),
    ("qwen3-32b", "g6e.12xlarge", {"concurrency": 8}),
    ("llama-3.1-8b", "g6e.xlarge", {"concurrency": 16, "input_tokens": 2000}),
    ("bge-m3", "g6.xlarge", {}),
    ("whisper-large-v3", "g6.xlarge", {}),
    ("sdxl", "g6e.xlarge", {}),
    ("llama-3.1-8b", "c8g.16xlarge", {}),
    ("llama-3.1-8b", "trn2.48xlarge", {}),
    ("flan-t5-xxl", "g5.12xlarge", {}),
    ("llama-3.1-8b", "p4d.24xlarge", {"task": "finetune"}),
    ("llama-3.1-8b", "p4d.24xlarge", {"task": "train"}),
]


@pytest.mark.parametrize(("model", "instance", "said"), REQUESTS)
def test_an_estimate_takes_the_defaults_of_a_pick(model, instance, said):
    world = load_world()
    alone = estimate_json(estimate_request({"model": model, "instance": instance, **said}), world)
    workload = Workload(model=model, instance=instance, **said)
    picked = ask(workload, world.catalog, world.coefficients).verdict.estimate
    memory, timed = memory_json(picked.memory), picked.performance or picked.training
    assert without(alone["memory"], OF_THE_PICK) == pytest.approx(without(memory, OF_THE_PICK))
    figures = performance_json(timed)
    rounding = 0.005 if picked.training else 1e-6  # of steps whose batch an estimate leaves open
    assert without(alone["performance"], OF_A_JOB) == pytest.approx(
        without(figures, OF_A_JOB), rel=rounding
    )
    assert alone["plan"]["serving_engine"] == picked.plan.serving_engine


def without(figures, names):
    """The bare figures, without their ranges and without `names`."""
    numbers = {n: v for n, v in figures.items() if isinstance(v, (int, float))}
    return {n: v for n, v in numbers.items() if n not in names}
