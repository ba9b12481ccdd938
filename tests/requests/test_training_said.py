"""How a training run is set is taken as said: optimiser, sharding, off-loading, 8-bit weights."""

import pytest

from bot.answers.world import load_world
from engine.ask import ask
from engine.core.question import training_job
from engine.core.workload import Workload

WORLD = load_world()

SAID = [
    ({"optimizer": "paged_adamw_8bit"}, {"optimizer": "paged_adamw_8bit"}),
    ({"sharding": "zero2"}, {"sharding": "zero2"}),
    ({"offload": "cpu"}, {"cpu_offload": True}),
    ({"method": "lora", "quant": "int8"}, {"method": "qlora", "base_bits": 8}),
    ({}, {"optimizer": "adamw", "sharding": None, "cpu_offload": False, "base_bits": 4}),
]


@pytest.mark.parametrize(("said", "expected"), SAID)
def test_the_job_is_what_was_said(said, expected):
    job = training_job(Workload(task="finetune", **said))
    assert {name: getattr(job, name) for name in expected} == expected


def asked(**said):
    return ask(Workload(**said), WORLD.catalog, WORLD.coefficients)


def test_a_small_card_trains_all_weights_with_a_paged_optimiser_alone():
    said = {"task": "finetune", "model": "llama-3.1-8b", "method": "full", "gpu_memory_gb": 24.0}
    lean = asked(**said, optimizer="paged_adamw_8bit").picks[0]
    assert lean.estimate.plan.accelerators == 1
    assert "needs_low_memory_optimizer" in lean.codes
    usual = asked(**said).picks
    assert not usual or usual[0].estimate.plan.accelerators > 1


def test_off_loading_tells_what_the_host_keeps():
    found = asked(
        task="finetune", model="llama-3.1-8b", method="full", offload="cpu", instance="g6e.24xlarge"
    )
    pick = found.asked
    assert {"cpu_offload", "host_memory"} <= set(pick.codes)
    assert any("GiB in the memory of each host" in line for line in pick.caveats)


def test_off_loading_of_a_service_is_named_as_not_used():
    found = asked(model="llama-3.1-8b", offload="cpu")
    assert "offload_unused" in found.codes
