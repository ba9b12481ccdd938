"""The server container of a serving pick: image, command, flags, port, probes' path, settings."""

from dataclasses import dataclass, replace
from hashlib import sha256

from bot.manifests.pool import MIB_PER_GIB, Pool
from bot.manifests.tools import image_of
from bot.manifests.workload import server_flags as flags
from bot.manifests.workload.images import (
    Image,
    loading_image,
    own_image,
    server_build,
    serves_pipelines,
    serving_image,
    with_audio,
)
from bot.manifests.workload.server_flags import Flags, ServingReplica
from catalog.facts.schema import Accelerator
from catalog.reference import server_facts

COMPILE_CACHE_PATH = "/artefacts"
OMNI = "vllm-omni"
NAME_DIGITS = 12
# Longest single compilation, and the longest step while it lasts, that vLLM on Neuron waits for.
NEURON_COMPILE_S, NEURON_STEP_S = 3600, 1800
VLLM_PORT, TEI_PORT, LLAMA_CPP_PORT, SGLANG_PORT, OWN_PORT = 8000, 8080, 8080, 30000, 8080
CPU_RUNTIME_GIB = 4.0  # code, activations and what loading leaves behind
GGUF_NAMES = {"int4": "Q4_K_M", "int8": "Q8_0", "fp16": "F16", "fp32": "F32"}
NO_SERVER = {
    "diffusers": "a server around diffusers",
    "torch-neuronx": "a server around the model compiled with optimum-neuron",
    "neuronx": "a server around the model compiled with optimum-neuron",
    "pytorch": "a server around the PyTorch model",
}
# What vLLM generates with; encoder-decoders other than Whisper left it with its second engine.
VLLM_ENGINES = frozenset({"vllm", "neuronx"})
VLLM_TASKS = frozenset({"decoder", "vision_language", "speech"})


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerContainer:
    """What runs in the container. `model_fill_in` and the image's say what a person must put."""

    image: Image
    command: tuple[str, ...]
    args: Flags
    port: int
    health_path: str
    metrics: bool
    env: tuple[tuple[str, str], ...]
    model_fill_in: str = ""
    engine: str = "vllm"
    key_variable: str = ""  # of the key that clients must send


def server_of(serving: ServingReplica, pool: Pool, chip: Accelerator | None) -> ServerContainer:
    """Return the server that runs the plan on these nodes."""
    engine, model = serving.plan.serving_engine, serving.model
    image = serving_image(engine, pool, chip)
    if image is None and serves_pipelines(model.id, pool):
        return _vllm_omni(serving)
    image = image and loading_image(image, serving.served.checkpoint)
    if image is None or (engine in VLLM_ENGINES and model.task not in VLLM_TASKS):
        return _own_container(serving, pool)
    if model.task == "speech" and engine == "vllm":
        image = with_audio(image, pool.arch)
    return _published_server(serving, image, pool)


def _published_server(serving: ServingReplica, image: Image, pool: Pool) -> ServerContainer:
    """Return the container of a server that somebody publishes."""
    engine = serving.plan.serving_engine
    if pool.accelerator_class == "neuron":
        return _vllm_on_neuron(serving, image)
    if engine == "vllm" and pool.accelerator_class == "cpu":
        return _vllm_on_cpu(serving, image, pool)
    makers = {"vllm": _vllm, "sglang": _sglang, "tgi": _tgi, "tei": _tei}
    makers["tensorrt-llm"] = _tensorrt_llm
    if engine in makers:
        return makers[engine](serving, image)
    return _llama_cpp(serving, image, gpu=pool.accelerator_class == "nvidia")


def _container(
    serving: ServingReplica,
    image: Image,
    command: tuple[str, ...],
    args: Flags,
    port: int,
    *,
    env: tuple[tuple[str, str], ...] = (),
    health_path: str = "/health",
    metrics: bool = True,
) -> ServerContainer:
    return ServerContainer(
        image=image,
        command=command,
        args=args,
        port=port,
        health_path=health_path,
        metrics=metrics,
        env=((_cache_variable(serving.plan.serving_engine), serving.hf_home), *env),
        model_fill_in=serving.fill_in,
        engine=serving.plan.serving_engine,
    )


def _cache_variable(engine: str) -> str:
    facts = server_facts().get(engine)
    return facts.cache_variable if facts else "HF_HOME"


def _listening(port: int) -> Flags:
    return ("--host", "0.0.0.0", "--port", str(port))  # noqa: S104 - a container's own address


def _vllm(serving: ServingReplica, image: Image) -> ServerContainer:
    args = (serving.repo, *flags.vllm_flags(serving), *_listening(VLLM_PORT))
    return _container(serving, image, ("vllm", "serve"), args, VLLM_PORT)


def _vllm_on_cpu(serving: ServingReplica, image: Image, pool: Pool) -> ServerContainer:
    args = (serving.repo, *flags.vllm_cpu_flags(serving), *_listening(VLLM_PORT))
    free_gib = pool.memory_mib / MIB_PER_GIB - serving.weights_gib - CPU_RUNTIME_GIB
    cache_gib = max(1, int(min(serving.room_gib or 1.0, free_gib)))
    env = (("VLLM_CPU_KVCACHE_SPACE", str(cache_gib)), ("VLLM_CPU_OMP_THREADS_BIND", "auto"))
    return _container(serving, image, ("vllm", "serve"), args, VLLM_PORT, env=env)


def _vllm_on_neuron(serving: ServingReplica, image: Image) -> ServerContainer:
    args = (serving.repo, *flags.vllm_neuron_flags(serving), *_listening(VLLM_PORT))
    env = (
        ("VLLM_CACHE_ROOT", COMPILE_CACHE_PATH),
        ("NEURON_COMPILE_CACHE_URL", f"{COMPILE_CACHE_PATH}/neuron"),
        ("NEURON_COMPILED_ARTIFACTS", artefact_path(serving)),
        ("VLLM_NEURON_COMPILATION_TIMEOUT", str(NEURON_COMPILE_S)),
        ("VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS", str(NEURON_STEP_S)),
    )
    return _container(serving, image, ("vllm", "serve"), args, VLLM_PORT, env=env)


def artefact_path(serving: ServingReplica) -> str:
    """Return the folder of what is compiled: its name says what is compiled in.

    Another model, degree, batch or length is another artefact; the server would load the old one.
    """
    numbers = (serving.plan.tensor_parallel, serving.sequences or 1, serving.context)
    compiled = "|".join((serving.repo, *map(str, numbers)))
    return f"{COMPILE_CACHE_PATH}/{sha256(compiled.encode()).hexdigest()[:NAME_DIGITS]}"


def _sglang(serving: ServingReplica, image: Image) -> ServerContainer:
    args = ("--model-path", serving.repo, *flags.sglang_flags(serving), "--enable-metrics")
    command = ("python3", "-m", "sglang.launch_server")
    return _container(serving, image, command, (*args, *_listening(SGLANG_PORT)), SGLANG_PORT)


def _tgi(serving: ServingReplica, image: Image) -> ServerContainer:
    args = ("--model-id", serving.repo, *flags.tgi_flags(serving), "--port", str(VLLM_PORT))
    return _container(serving, image, ("text-generation-launcher",), args, VLLM_PORT)


def _tensorrt_llm(serving: ServingReplica, image: Image) -> ServerContainer:
    args = (serving.repo, *flags.tensorrt_llm_flags(serving), *_listening(VLLM_PORT))
    return _container(serving, image, ("trtllm-serve", "serve"), args, VLLM_PORT)


def _tei(serving: ServingReplica, image: Image) -> ServerContainer:
    args = ("--model-id", serving.repo, *flags.tei_flags(serving), "--port", str(TEI_PORT))
    return _container(serving, image, ("text-embeddings-router",), args, TEI_PORT)


def _llama_cpp(serving: ServingReplica, image: Image, *, gpu: bool) -> ServerContainer:
    dtype = serving.plan.weights_dtype
    repo = f"{flags.PLACEHOLDER_MODEL}:{GGUF_NAMES.get(dtype, dtype.upper())}"
    source = (
        ("-m", f"{serving.path}/{flags.PLACEHOLDER_MODEL}.gguf") if serving.path else ("-hf", repo)
    )
    args = (*source, *flags.llama_cpp_flags(serving, gpu=gpu), "--metrics")
    env = (("LLAMA_CACHE", serving.hf_home),)
    command, listening = ("/app/llama-server",), _listening(LLAMA_CPP_PORT)
    made = _container(serving, image, command, (*args, *listening), LLAMA_CPP_PORT, env=env)
    kind = "the GGUF file" if serving.path else "a GGUF repository"
    what = f"{kind} of {serving.served.checkpoint.repo or serving.model.id}"
    return replace(made, model_fill_in=what)


def _vllm_omni(serving: ServingReplica) -> ServerContainer:
    """Return AWS's image for pipelines: its entry point is `vllm serve --omni` on its own port."""
    args = ("--model", serving.repo, "--port", str(OWN_PORT))
    image = Image(image_of("image-vllm-omni"))
    made = _container(serving, image, (), args, OWN_PORT, metrics=False)
    return replace(made, engine=OMNI)


def _own_container(serving: ServingReplica, pool: Pool) -> ServerContainer:
    """Return a container that a person has to build: nobody publishes a server for this."""
    engine = serving.plan.serving_engine
    what = NO_SERVER.get(engine, f"a server for {serving.model.task} models")
    env = (
        ("MODEL_ID", serving.repo),
        ("MODEL_DTYPE", serving.plan.weights_dtype),
        ("MAX_BATCH", str(serving.sequences or 1)),
        ("PORT", str(OWN_PORT)),
    )
    build = server_build(engine, pool.accelerator_class, pool.arch)
    image = own_image(f"{serving.model.task.replace('_', '-')}-server", pool.arch, what, build)
    return _container(serving, image, (), (), OWN_PORT, env=env, metrics=False)
