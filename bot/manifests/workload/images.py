"""Container images by server, chip and architecture; every tag is pinned."""

from dataclasses import dataclass, replace
from typing import Final

from bot.manifests.pool import Pool
from bot.manifests.tools import image_of, release_of, tool_name
from catalog.checkpoints import Checkpoint
from catalog.facts.schema import Accelerator
from catalog.reference import tool_versions

VLLM_CPU = {"amd64": "image-vllm-cpu-amd64", "arm64": "image-vllm-cpu-arm64"}
# TEI is built for one compute capability an image (its README's table).
TEI_GPU = {7.5: "turing-", 8.0: "", 8.6: "86-", 8.9: "89-", 9.0: "hopper-", 10.0: "100-"} | {
    10.3: "100-",
    12.0: "120-",
}
TEI_CPU = {"amd64": "cpu-", "arm64": "cpu-arm64-"}
NEURON_VLLM_FROM = 3  # NeuronCore-v3; SDK 2.28 is the last whose serving image supports older ones
TRAINING: Final = {"nvidia": "image-training", "neuron": "image-neuron-training"}
GPU_SERVERS: Final = {
    "vllm": "image-vllm",
    "sglang": "image-sglang",
    "tgi": "image-tgi",
    "tensorrt-llm": "image-tensorrt-llm",
    "llama.cpp": "image-llama.cpp-cuda",
}
AUDIO_HINT = "In it: uv pip install --system 'vllm[audio]', or each transcription fails."
OWN_REGISTRY = "registry.example.com"


@dataclass(frozen=True, slots=True)
class Image:
    """An image and, where it is only a placeholder, what a person has to put there."""

    name: str
    fill_in: str = ""
    build: tuple[str, ...] = ()  # how to make it, a line each


def own_image(name: str, arch: str, what: str, build: tuple[str, ...]) -> Image:
    """Return the placeholder of an image that nobody publishes, and how to build it."""
    return Image(f"{OWN_REGISTRY}/{name}:1.0.0-{arch}", f"your image: {what}", build)


def server_build(engine: str, accelerator_class: str, arch: str) -> tuple[str, ...]:
    """Return how to build a server that the pod of `_own` can start: what it gets and answers."""
    neuron = accelerator_class == "neuron"
    base = image_of("image-neuron-inference") if neuron else _base(accelerator_class, arch)
    packages = "optimum-neuron" if neuron else "transformers accelerate"
    if engine == "diffusers":
        packages += " diffusers"
    load = "compiled ahead by optimum-cli export neuron" if neuron else "in MODEL_DTYPE"
    return (
        f"FROM {base}",
        f"RUN pip install {packages} fastapi uvicorn",
        f"CMD your server: loads MODEL_ID ({load}), then answers GET /health on PORT.",
    )


def arm_build(engine: str, capability: float | None) -> tuple[str, ...]:
    """Return how to build a published server's own Dockerfile for arm64 and one GPU."""
    if engine == "vllm":
        version = release_of("image-vllm")
        target = "-f vllm/docker/Dockerfile --target vllm-openai"
        options = f"--platform linux/arm64 --build-arg torch_cuda_arch_list={capability}"
        return (
            f"git clone --branch {version} https://github.com/vllm-project/vllm",
            f"docker build vllm {target} {options}",
        )
    own = f"{engine}'s own Dockerfile for compute capability {capability}"
    return (f"docker build --platform linux/arm64 of {own}.",)


def _base(accelerator_class: str, arch: str) -> str:
    """Return an image with PyTorch to build a server on."""
    if arch == "arm64" or accelerator_class == "cpu":
        return image_of("image-pytorch" if accelerator_class == "nvidia" else "image-python")
    return image_of(TRAINING["nvidia"])


def serving_image(engine: str, pool: Pool, chip: Accelerator | None) -> Image | None:
    """Return the published image of a server for these nodes; None where there is none at all."""
    if pool.accelerator_class == "neuron":
        return _neuron(engine, chip)
    if pool.accelerator_class == "cpu":
        return _cpu(engine, pool.arch)
    if pool.arch == "arm64" and engine in {"vllm", "sglang", "tgi", "tensorrt-llm", "llama.cpp"}:
        capability = chip.compute_capability if chip else None
        what = f"{engine} for arm64, compute capability {capability}; none is published"
        build = arm_build(engine, capability)
        return own_image(engine.replace(".", "-"), pool.arch, what, build)
    return _gpu_image(engine, pool.arch, chip)


def loading_image(image: Image, checkpoint: Checkpoint) -> Image:
    """Return the image of a server in a version that loads a checkpoint."""
    name, _, version = image.name.partition(":v")
    if name != tool_name(GPU_SERVERS["vllm"]):
        return image
    last, first = checkpoint.vllm_until, checkpoint.vllm_from
    if last and _version_parts(version) > _version_parts(last):
        return replace(image, name=f"{name}:v{last}")
    if first and _version_parts(version) < _version_parts(first):
        return replace(image, name=f"{name}:v{first}")
    return image


def _version_parts(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def serves_pipelines(model_id: str, pool: Pool) -> bool:
    """Return whether AWS's image of vLLM-Omni serves a model on these nodes."""
    fits = pool.accelerator_class == "nvidia" and pool.arch == "amd64"
    return fits and model_id in tool_versions()["image-vllm-omni"].knows


def with_audio(image: Image, arch: str) -> Image:
    """Return the image with what decodes sound: vLLM's own lacks it, and fails each request."""
    if image.fill_in:
        return Image(image.name, image.fill_in, (*image.build, AUDIO_HINT))
    release = image.name.rpartition(":")[2].removeprefix("v").partition("-")[0]
    build = (f"FROM {image.name}", f"RUN uv pip install --system 'vllm[audio]=={release}'")
    return own_image("vllm-audio", arch, "vLLM with its audio extra", build)


def training_image(pool: Pool) -> Image:
    """Return the image that trains on these nodes."""
    published = TRAINING.get(pool.accelerator_class)
    if published is None or pool.arch == "arm64":
        base = _base(pool.accelerator_class, pool.arch)
        build = (f"FROM {base}", "RUN pip install transformers accelerate peft datasets")
        return own_image("pytorch-training", pool.arch, f"PyTorch for {pool.arch}", build)
    return Image(image_of(published))


def _gpu_image(engine: str, arch: str, chip: Accelerator | None) -> Image | None:
    if engine == "tei":
        prefix = TEI_GPU.get(chip.compute_capability or 0.0) if chip else None
        if prefix is None or arch == "arm64":
            capability = chip.compute_capability if chip else None
            build = arm_build("text-embeddings-inference", capability)
            return own_image("text-embeddings-inference", arch, "TEI; none is published", build)
        return Image(_tei_image(prefix))
    return Image(image_of(GPU_SERVERS[engine])) if engine in GPU_SERVERS else None


def _tei_image(prefix: str) -> str:
    """Return TEI's image: the tag is its version after what it was built for."""
    name, _, version = image_of("image-tei").partition(":")
    return f"{name}:{prefix}{version}"


def _cpu(engine: str, arch: str) -> Image | None:
    if engine == "tei":
        return Image(_tei_image(TEI_CPU[arch]))
    published = {"vllm": VLLM_CPU[arch], "llama.cpp": "image-llama.cpp"}
    return Image(image_of(published[engine])) if engine in published else None


def _neuron(engine: str, chip: Accelerator | None) -> Image | None:
    if engine not in {"neuronx", "vllm"}:
        return None
    return Image(image_of(_neuron_tool(chip)))


def neuron_vllm_tag(chip: Accelerator | None) -> str:
    """Return the tag of vLLM's Neuron image that supports the cores of a chip."""
    return release_of(_neuron_tool(chip))


def _neuron_tool(chip: Accelerator | None) -> str:
    newer = chip is not None and (chip.neuron_core_version or 0) >= NEURON_VLLM_FROM
    return "image-neuron-vllm" if newer else "image-neuron-vllm-older"
