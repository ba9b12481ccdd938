"""Training memory: what each method, optimiser and sharding leaves on one accelerator."""

import pytest

from engine.core.plan import TrainingJob
from engine.memory.training import (
    lora_params,
    resolved_job,
    training_host_memory_gib,
    training_memory,
    training_states,
)
from engine.shape.shape import shape_of
from tests.engine.plans import host_named, host_with, model_named, plan_of

GB = 1e9


def job(method="full", **more):
    return TrainingJob(**{"method": method, "seq_len": 2048, "tokens_total": None, **more})


def memory(name, host, plan, settings):
    return training_memory(model_named(name), host, plan, settings)


# Bytes per parameter of weights, gradients and optimiser.
STATES = [
    ("adamw", "bf16", (2, 2, 12)),
    ("adamw", "fp32", (4, 4, 8)),
    ("adamw_bf16", "bf16", (2, 2, 4)),
    ("adamw_8bit", "bf16", (2, 2, 2)),
]


@pytest.mark.parametrize(("optimizer", "precision", "rates"), STATES)
def test_full_training_states(optimizer, precision, rates):
    model = model_named("llama-3.1-8b")
    states = training_states(model, job(optimizer=optimizer, precision=precision))
    found = (states.weights, states.gradients, states.optimizer)
    assert found == pytest.approx([rate * 8.03 * GB for rate in rates])


def test_adapters_on_all_linear_layers():
    """Rank 16 on Llama-3.1-8B: 41.9 million parameters, as PEFT prints."""
    assert lora_params(shape_of(model_named("llama-3.1-8b")), 16) == pytest.approx(
        41.94e6, rel=1e-3
    )


def test_qlora_keeps_embeddings_in_16_bit():
    states = training_states(model_named("llama-3.1-8b"), job("qlora"))
    embeddings = 2 * 128_256 * 4096
    assert states.weights == pytest.approx(0.527 * (8.03 * GB - embeddings) + 2 * embeddings)


# (sharding, GiB of weights, gradients and optimiser on each of eight cards, of 8.03B parameters)
SHARDINGS = [
    ("ddp", 1, 1, 1),
    ("zero1", 1, 1, 8),
    ("zero2", 1, 8, 8),
    ("zero3", 8, 8, 8),
]


@pytest.mark.parametrize(("sharding", "weights", "gradients", "optimizer"), SHARDINGS)
def test_what_each_stage_shards(sharding, weights, gradients, optimizer):
    host = host_with("H100-80", 8)
    found = memory("llama-3.1-8b", host, plan_of(dp=8), job(sharding=sharding))
    one = 8.03 * GB / 2**30
    assert found.weights == pytest.approx(2 * one / weights)
    assert found.gradients == pytest.approx(2 * one / gradients)
    assert found.optimizer == pytest.approx(12 * one / optimizer)


def test_model_parallelism_divides_states_too():
    host = host_with("H100-80", 8)
    alone = memory("llama-3.1-8b", host, plan_of(dp=8), job(sharding="ddp"))
    cut = memory("llama-3.1-8b", host, plan_of(4, 2), job(sharding="ddp"))
    assert cut.weights == pytest.approx(alone.weights / 8)


def test_sharding_is_chosen_only_where_needed():
    host, model = host_with("A100-80", 8), model_named("llama-3.1-8b")
    assert resolved_job(model, host, plan_of(dp=8), job("lora")).sharding == "ddp"
    assert resolved_job(model, host, plan_of(dp=8), job()).sharding == "zero3"
    assert resolved_job(model, host, plan_of(), job()).sharding == "ddp"
    cores = host_named("trn1.32xlarge")
    assert resolved_job(model, cores, plan_of(8, accelerators=16), job()).sharding == "zero1"


def test_neuron_recomputes_little_where_there_is_room():
    """The examples of NxD Training recompute attention alone, from 7B on one host to 70B on 16."""
    cores, model = host_named("trn1.32xlarge"), model_named("llama-2-7b")
    roomy, full = plan_of(8, dp=4, accelerators=16), plan_of(2, dp=16, accelerators=16)
    assert resolved_job(model, cores, roomy, job(seq_len=4096)).checkpointing == "selective"
    assert resolved_job(model, cores, full, job(seq_len=4096)).checkpointing == "full"
    said = job(checkpointing="none")
    assert resolved_job(model, cores, roomy, said).checkpointing == "none"


def test_training_on_neuron_is_compiled_in_the_hosts_memory():
    found = memory(
        "llama-3.1-8b", host_named("trn1.2xlarge"), plan_of(2, accelerators=1), job("lora")
    )
    assert found.why_not == "needs 38 GiB of host memory to compile, has 29"


def test_packed_checkpoints_are_not_sharded():
    """Qwen-72B in GPTQ on eight 32 GB cards: about 40 GB a process, refused by its maintainers."""
    packed = job("qlora", precision="gptq")
    assert not memory("qwen-72b", host_with("V100-32", 8), plan_of(dp=8), packed).fits


def test_offload_moves_states_to_the_host():
    model, offloaded = model_named("llama-3.1-70b"), job(cpu_offload=True)
    found = memory("llama-3.1-70b", host_named("p4de.24xlarge"), plan_of(dp=8), offloaded)
    assert found.weights == 0
    assert {"cpu_offload", "host_memory"} <= set(found.notes)
    assert found.host_gib == pytest.approx(16 * 70.554e9 / 2**30)
    assert training_host_memory_gib(model, offloaded) == pytest.approx(16 * 70.554e9 / 2**30)
    assert training_host_memory_gib(model, job()) == 0


def test_offload_that_the_host_cannot_hold():
    found = memory(
        "llama-3.1-405b", host_named("p4de.24xlarge"), plan_of(dp=8), job(cpu_offload=True)
    )
    assert not found.fits
    assert "host memory" in found.why_not


def test_refusal_names_the_terms():
    found = memory("llama-3.1-8b", host_with("A100-80"), plan_of(), job())
    assert found.why_not.startswith("needs 121.5 GiB per GPU")
    assert "optimizer 89.7" in found.why_not
    assert "needs_low_memory_optimizer" in found.notes
    parts = found.weights + found.gradients + found.optimizer + found.activations + found.overhead
    assert found.total == pytest.approx(parts)


CHECKPOINTING = ["none", "selective", "full"]


def test_checkpointing_keeps_less():
    host = host_with("B200")
    sizes = [
        memory("llama-3.2-3b", host, plan_of(), job(checkpointing=kind)).activations
        for kind in CHECKPOINTING
    ]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) == 3


def test_long_qlora_takes_the_recipe_that_fits_it():
    """16,384 tokens: about 20 GB with a vocabulary of 128 thousand, about 10 with 32 thousand."""
    long = job("qlora", seq_len=16_384)
    host = host_with("A10G")
    large = memory("llama-3-8b", host, plan_of(), long).total * 2**30 / GB
    small = memory("mistral-7b-v0.1", host, plan_of(), long).total * 2**30 / GB
    assert large == pytest.approx(20, rel=0.3)
    assert small == pytest.approx(10, rel=0.35)


def test_training_has_no_cpu_plan():
    with pytest.raises(TypeError, match="accelerators only"):
        memory("bert-base", host_named("m7i.4xlarge"), plan_of(), job())


def test_experts_may_stay_in_16_bit_under_qlora():
    """A 30B-A3B took 29.6 GiB where 4 bits throughout say 17.9; recipes that quantise its experts
    reach the lower figure. Both are told, and a card that holds only the lower may not do."""
    found = memory("qwen3-30b-a3b", host_with("L40S"), plan_of(), job("qlora"))
    assert found.total < 29.6 < found.at_worst_gib
    assert found.fits
    assert found.unsure
    roomy = memory("qwen3-30b-a3b", host_with("B200"), plan_of(), job("qlora"))
    assert roomy.at_worst_gib is not None
    assert not roomy.unsure
    assert memory("llama-3.1-8b", host_with("L40S"), plan_of(), job("qlora")).at_worst_gib is None


# Published peaks of QLoRA recipes that quantise experts too, GiB: axolotl's examples.
EXPERTS_IN_4_BIT = [("glm-4.5-air", 2048, 63.4), ("llama-4-scout", 4096, 64.5)]


@pytest.mark.parametrize(("name", "seq_len", "peak"), EXPERTS_IN_4_BIT)
def test_recipes_that_quantise_experts(name, seq_len, peak):
    found = memory(name, host_with("H100-80"), plan_of(), job("qlora", seq_len=seq_len))
    assert found.total == pytest.approx(peak, rel=0.12)


# Bytes per adapter parameter of the optimiser's states on the device.
ADAPTER_OPTIMIZERS = [("adamw", 12), ("adamw_8bit", 2), ("paged_adamw_8bit", 0)]


@pytest.mark.parametrize(("optimizer", "rate"), ADAPTER_OPTIMIZERS)
def test_optimisers_of_adapters(optimizer, rate):
    model = model_named("llama-3.1-8b")
    states = training_states(model, job("qlora", optimizer=optimizer))
    assert states.adapters[2] == rate * lora_params(shape_of(model), 16)


def test_eight_bit_weights_under_adapters():
    model = model_named("llama-3.1-8b")
    four, eight = (training_states(model, job("qlora", base_bits=bits)).weights for bits in (4, 8))
    sixteen = training_states(model, job("lora")).weights
    assert four < eight < sixteen


def test_qlora_of_70b_on_one_48_gb_card():
    """Published as the least for it, with the optimiser paged to the host (QLoRA's paper)."""
    paged = memory(
        "llama-3.1-70b", host_with("L40S"), plan_of(), job("qlora", optimizer="paged_adamw_8bit")
    )
    assert paged.fits
    assert "needs_low_memory_optimizer" in paged.notes
