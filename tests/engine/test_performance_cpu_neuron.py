"""CPU, Neuron, speech, vision and images: figures near published ones, and how they move."""

import csv
import statistics

import pytest

from catalog.facts.coefficients import load_coefficients
from engine.performance.bytes import weight_read_bytes
from engine.performance.cpu import cpu_replica
from engine.performance.cpu_socket import bandwidth_bytes_s, socket_of
from engine.performance.neuron import compiled_batch, neuron_replica, prompt_bucket
from tests.engine.performance_cases import catalog, chip, estimate, host, load, model, plan
from tests.shared_data import needed_shared_file

LLAMA_CPP = plan(weights="q4_k_m", engine="llama.cpp")


def replica_on(instance_type, model_name="llama-7b", threads=None):
    the_plan = plan(weights="q4_k_m", engine="llama.cpp", threads=threads)
    socket = socket_of(host(instance_type), the_plan, 4e9, load_coefficients())
    return cpu_replica(model(model_name), socket, the_plan, load_coefficients())


@pytest.mark.parametrize("model_name", ["llama-7b", "phi-4", "llama-3.3-70b"])
def test_llama_cpp_rates_match_the_measured_cpu_families(model_name):
    """Every CPU family EC2 sells, one stream: within the published error of the fit."""
    path = needed_shared_file("data/llamacpp_ec2.csv")
    ratios = []
    with path.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            instance = catalog().instances.get(row["instance_type"])
            if row["model"] != model_name or instance is None or instance.accelerators:
                continue
            if row["decode_128_tok_s"] and instance.family in catalog().cpus:
                replica = replica_on(row["instance_type"], model_name, threads=int(row["threads"]))
                ratios.append(1 / replica.step_s(1, 64) / float(row["decode_128_tok_s"]))
    assert len(ratios) > 30
    assert statistics.median(abs(ratio - 1) for ratio in ratios) < 0.12
    assert abs(statistics.median(ratios) - 1) < 0.1


@pytest.mark.parametrize("family", sorted(load_coefficients().cpu.microarchitecture))
def test_every_fitted_cpu_is_found_by_some_family(family):
    names = load_coefficients().aliases.microarchitecture
    words = [f"{cpu.microarchitecture} {cpu.model}".lower() for cpu in catalog().cpus.values()]
    assert any(part in text for part, key in names.items() if key == family for text in words)


def test_every_cpu_family_of_the_catalog_has_a_measured_class():
    the_plan = plan()
    for family in catalog().cpus:
        types = [i for i in catalog().instances.values() if i.family == family]
        if types:
            socket = socket_of(host(types[0].instance_type), the_plan, 4e9, load_coefficients())
            assert socket.measured, family


def test_threads_stay_on_one_socket_and_few_for_small_models():
    coefficients, big = load_coefficients(), host("r8g.48xlarge")
    assert socket_of(big, LLAMA_CPP, 4e9, coefficients).threads == 96
    assert socket_of(big, LLAMA_CPP, 0.5e9, coefficients).threads == 48
    assert socket_of(big, LLAMA_CPP, 0.1e9, coefficients).threads == 16


def test_two_arm_sockets_are_far_slower_than_one():
    one, two = replica_on("r8g.48xlarge", threads=96), replica_on("r8g.48xlarge", threads=192)
    assert two.step_s(1, 64) > 5 * one.step_s(1, 64)


def test_replicas_on_one_socket_share_its_bandwidth():
    coefficients, machine = load_coefficients(), host("m7i.24xlarge")
    alone = socket_of(machine, plan(), 4e9, coefficients)
    halved = socket_of(machine, plan(dp=2), 4e9, coefficients)
    both = 2 * bandwidth_bytes_s(halved, coefficients)
    assert both == pytest.approx(bandwidth_bytes_s(alone, coefficients), rel=0.01)


def test_hosts_without_a_cpu_row_still_get_a_figure():
    figures = estimate("llama-3.2-1b", "c4.8xlarge", LLAMA_CPP, load())
    assert figures.basis == "not_measured"
    assert figures.tpot_ms.value > 0


@pytest.mark.parametrize(("name", "cores"), [("llama-2-7b", 8), ("llama-2-70b", 32)])
def test_neuron_steps_are_floored_by_their_layers(name, cores):
    replica = neuron_replica(model(name), chip("Trainium1"), plan(tp=cores), load_coefficients())
    floor = model(name).layers * load_coefficients().neuron.layer_us / 1e6
    assert floor < replica.step_s(1, 2048) < 10 * floor


def test_a_step_over_several_hosts_waits_for_the_network():
    coefficients = load_coefficients()
    the_plan, machine = plan(tp=128), host("trn1.32xlarge")
    alone = neuron_replica(model("llama-3.1-405b"), chip("Trainium1"), the_plan, coefficients)
    spread = neuron_replica(
        model("llama-3.1-405b"), chip("Trainium1"), the_plan, coefficients, machine
    )
    waits = 2 * 126 * coefficients.serving.link["network"].latency_us / 1e6
    assert spread.step_s(1, 2048) - alone.step_s(1, 2048) > waits
    assert spread.prompt_s(2048) > alone.prompt_s(2048)


def test_neuron_median_error_stays_that_of_the_fit():
    path = needed_shared_file("data/benchmarks_inference.csv")
    ratios = []
    with path.open(encoding="utf-8", newline="") as rows:
        for row in csv.DictReader(rows):
            ratios += _neuron_ratio(row)
    assert len(ratios) > 20
    assert statistics.median(abs(ratio - 1) for ratio in ratios) < 0.15


def _neuron_ratio(row):
    """Return predicted over measured TPOT of a static batch under the older software."""
    if row["metric"] != "tpot_ms" or not row["engine"].startswith("Transformers NeuronX"):
        return []
    name = catalog().model_names.get(row["model"])
    if name is None:
        return []
    the_plan = plan(tp=int(row["tp"]), engine="transformers-neuronx")
    replica = neuron_replica(model(name), chip(row["accelerator"]), the_plan, load_coefficients())
    tokens = float(row["input_tokens"] or 0) + float(row["output_tokens"] or 0)
    step = replica.step_s(float(row["load_value"] or 1), tokens)
    return [step * 1e3 / float(row["value"])]


@pytest.mark.parametrize(
    ("requests", "capacity", "batch"), [(1, 8, 1), (3, 8, 4), (9, 8, 8), (5, 6, 6)]
)
def test_compiled_batch(requests, capacity, batch):
    assert compiled_batch(requests, capacity) == batch


@pytest.mark.parametrize(
    ("tokens", "length"),
    [(1, 128), (128, 128), (129, 256), (1500, 2048), (8192, 8192), (10_000, 10_112)],
)
def test_prompts_are_padded_to_their_compiled_length(tokens, length):
    assert prompt_bucket(tokens) == length


def test_thin_expert_slices_leave_the_systolic_array_idle():
    """Experts 1,536 wide over 64 cores: 4.6 s for 1,500 tokens were measured on 16 chips."""
    the_plan = plan(tp=64, engine="optimum-neuron")
    coefficients = load_coefficients()
    thin = neuron_replica(model("qwen3-235b-a22b"), chip("Trainium2"), the_plan, coefficients)
    assert 2.0 < thin.prompt_s(1500) < 7.0


def test_a_static_batch_reads_its_prompts_together():
    the_plan, machine = plan(tp=24, engine="transformers-neuronx"), "inf2.48xlarge"
    alone, eight = (
        estimate("mistral-7b-v0.1", machine, the_plan, load("batch", 128, 128, concurrency=n), 8)
        for n in (1, 8)
    )
    assert 1.3 * alone.ttft_ms.value < eight.ttft_ms.value < 4 * alone.ttft_ms.value
    assert eight.output_tokens_per_s.value > 3 * alone.output_tokens_per_s.value


def test_experts_weigh_only_as_touched():
    replica = neuron_replica(
        model("mixtral-8x7b"), chip("Trainium1"), plan(tp=8), load_coefficients()
    )
    one, all_of_them = replica.weights_bytes(1), replica.weights_bytes(64)
    assert one < 0.4 * all_of_them
    assert all_of_them == pytest.approx(
        weight_read_bytes(replica.shape, replica.precision, 1e6), rel=0.01
    )


@pytest.mark.parametrize(
    ("name", "machine", "the_plan", "low_s", "high_s"),
    [
        ("flux.1-dev", "g6e.xlarge", plan(), 10, 60),
        ("flux.1-schnell", "g7e.2xlarge", plan(), 0.5, 3),
        ("stable-diffusion-1.5", "g5.xlarge", plan(weights="fp16"), 1, 10),
        ("sdxl-base-1.0", "g5.xlarge", plan(weights="fp16"), 4, 25),
        ("sdxl-base-1.0", "inf2.xlarge", plan(tp=2), 4, 40),
        ("sdxl-base-1.0", "c7i.8xlarge", plan(), 30, 2000),
    ],
    ids=["flux", "schnell", "sd15", "sdxl", "sdxl neuron", "sdxl cpu"],
)
def test_images_take_about_this_long(name, machine, the_plan, low_s, high_s):
    figures = estimate(name, machine, the_plan, load(tokens=1, output=0))
    assert low_s < figures.e2e_ms.value / 1e3 < high_s
    assert figures.basis == "not_measured"
    assert figures.e2e_ms.high > 2 * figures.e2e_ms.value


@pytest.mark.parametrize(
    ("name", "machine", "steps", "published_s"),
    [
        # varadrane1707/BenchmarkFlux, bf16, without caches between steps
        ("flux.1-dev", "p4de.24xlarge", 28, 15.65),
        ("flux.1-dev", "p5.4xlarge", 28, 7.11),
        ("flux.1-dev", "p6-b200.48xlarge", 50, 5.6),  # SGLang cookbook
        # fal-ai/stable-diffusion-benchmarks, diffusers with SDPA, not compiled
        ("sdxl-base-1.0", "p4de.24xlarge", 50, 5.93),
        ("stable-diffusion-1.5", "p4de.24xlarge", 50, 1.59),
        # Wan's README: about four minutes on an RTX 4090, which is about twice an A10G in 16 bit
        ("wan2.1-t2v-1.3b", "g6e.xlarge", 50, 240),
    ],
)
def test_images_and_clips_take_about_as_long_as_published(name, machine, steps, published_s):
    asked = load(tokens=1, output=0, steps=steps)
    figure = estimate(name, machine, plan(), asked).e2e_ms
    assert 0.6 < figure.value / 1e3 / published_s < 1.5


def test_an_image_takes_its_models_steps_and_passes_and_grows_with_its_pixels():
    def seconds(name, **said):
        return estimate(name, "p5.4xlarge", plan(), load(tokens=1, output=0, **said)).e2e_ms.value

    assert seconds("flux.1-dev") == seconds("flux.1-dev", steps=28, image_px=1024)
    assert seconds("flux.1-schnell") == seconds("flux.1-dev", steps=4)
    assert seconds("sdxl-turbo") < seconds("sdxl-base-1.0", steps=1)
    sides = [seconds("flux.1-dev", image_px=side) for side in (512, 768, 1024, 2048)]
    assert sides == sorted(set(sides))
    assert sides[3] > 4 * sides[2]  # four times the tokens, and attention among them


@pytest.mark.parametrize(
    ("embedder", "generator"),
    [("qwen3-embedding-0.6b", "qwen3-0.6b"), ("qwen3-reranker-8b", "qwen3-8b")],
)
def test_a_decoder_that_embeds_costs_its_prefill(embedder, generator):
    asked = load(tokens=512, output=0)
    once = estimate(embedder, "g6.xlarge", plan(), asked).e2e_ms.value
    first = estimate(generator, "g6.xlarge", plan(), load(tokens=512, output=1)).ttft_ms.value
    assert 0.5 < once / first < 1.1
    answer = estimate(generator, "g6.xlarge", plan(), load(tokens=512, output=128)).e2e_ms.value
    assert once < answer / 3


@pytest.mark.parametrize("machine", ["g6.xlarge", "inf2.xlarge", "c7i.4xlarge"])
@pytest.mark.parametrize(
    ("name", "output"), [("whisper-large-v3", 200), ("resnet-50", 0), ("vit-base-patch16-224", 0)]
)
def test_speech_and_vision_have_figures_everywhere(machine, name, output):
    the_plan = plan(tp=2) if machine.startswith("inf2") else plan()
    figures = estimate(name, machine, the_plan, load(tokens=1, output=output))
    assert 0 < figures.e2e_ms.low <= figures.e2e_ms.value <= figures.e2e_ms.high


def test_speech_reads_its_window_whatever_the_prompt_says():
    short = estimate("whisper-large-v3", "g6.xlarge", plan(), load(tokens=1, output=100))
    long = estimate("whisper-large-v3", "g6.xlarge", plan(), load(tokens=4000, output=100))
    assert short.ttft_ms == long.ttft_ms
