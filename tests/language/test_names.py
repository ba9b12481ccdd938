"""A model's name is read in full or not at all; nothing ever stands in for a name."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from bot.core.errors import RequestError
from bot.language.names.whole_names import JOINED_VARIANTS, is_known
from bot.language.parse import parse
from bot.language.text.vocabulary import vocabulary_of
from catalog.load import load_catalog

CATALOG = load_catalog()
NAMED = [one for one in CATALOG.models.values() if not one.typical]
REPOSITORIES = {one.hf_repo: one.id for one in NAMED if one.hf_repo}


@pytest.mark.parametrize(("repository", "model"), REPOSITORIES.items())
@pytest.mark.parametrize("written", ["{}", "deploy {} for 20 users", "inference model={}"])
def test_every_repository_of_the_catalog_is_its_model(repository, model, written):
    said = parse(written.format(repository), CATALOG).workload
    assert CATALOG.model_names.get(said.model, said.model) == model
    assert said.params_b is None


@settings(max_examples=200, deadline=None)
@given(
    st.sampled_from(NAMED),
    st.sampled_from(sorted(JOINED_VARIANTS)),
    st.sampled_from(["{}-{}", "serve acme/{}-{}", "{}-{} on g6e.xlarge", "model={}-{}"]),
)
def test_a_part_left_over_is_another_model(model, variant, written):
    assume(not is_known(f"{model.id}-{variant}", vocabulary_of(CATALOG)))
    outcome = outcome_of(written.format(model.id, variant))
    assert outcome in {"unknown_model", "unknown_model_sized"} or variant in outcome


def outcome_of(text):
    """Return the code of a refusal, or of the note that a name was sized from itself."""
    try:
        understood = parse(text, CATALOG)
    except RequestError as refusal:
        return refusal.code
    sized = understood.workload.model is None and understood.workload.params_b is not None
    return understood.codes[0] if sized else understood.workload.model


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("deploy deepseek-ai/DeepSeek-R1", {"model": "deepseek-r1"}),
        ("Qwen/Qwen3-Next-80B-A3B-Instruct", {"model": "qwen3-next-80b-a3b"}),
        (
            "Qwen/Qwen3-235B-A22B-Instruct-2507-FP8",
            {"model": "qwen3-235b-a22b-2507", "quant": "fp8"},
        ),
        ("mistralai/Mistral-7B-Instruct-v0.3-AWQ", {"model": "mistral-7b-v0.3", "quant": "awq"}),
        ("TheBloke/Llama-2-13B-chat-GPTQ", {"model": "llama-2-13b", "quant": "gptq"}),
        ("llama-3.1-8b-instruct-q4_k_m.gguf", {"model": "llama-3.1-8b", "quant": "int4"}),
        ("llama3.1:8b", {"model": "llama-3.1-8b"}),
        ("llama-3-8b/llama-3-70b", {"models": ("llama-3-8b", "llama-3-70b")}),
        ("whisper large v3 asr", {"model": "whisper-large-v3"}),
        ("llama 3 8b flash attention", {"model": "llama-3-8b"}),
        ("Qwen3.6-27B behind Claude Code for 50 developers", {"model": "qwen3.6-27b"}),
        ("llava-hf/llava-v1.6-mistral-7b-hf", {"model": None, "params_b": 7}),
        ("unsloth/Llama-3.3-70B-Instruct-GGUF", {"model": "llama-3.3-70b"}),
        ("01-ai/Yi-1.5-34B-Chat", {"model": "yi-1.5-34b"}),
        ("bloomz-7b on g5", {"model": "bloomz-7b"}),
        ("opt-iml-7b on g5", {"model": None, "params_b": 7}),
        ("serve qwen3 reranker 8b", {"model": "qwen3-reranker-8b"}),
        ("Qwen/Qwen3-ASR-1.7B", {"model": None, "params_b": 1.7, "model_task": "speech"}),
        ("Qwen/Qwen3-VL-Reranker-2B", {"model": None, "params_b": 2, "model_task": "reranker"}),
        ("acme-embed-7b for search", {"model": None, "params_b": 7, "model_task": "embedding"}),
        ("Wan-AI/Wan2.2-TI2V-5B", {"model": None, "params_b": 5, "model_task": "diffusion"}),
        ("serve qwen3 vl 8b", {"model": "qwen3-vl-8b"}),
        ("granite-3.1-3b-a800m", {"model": None, "params_b": 3, "active_params_b": 0.8}),
        ("allenai/OLMoE-1B-7B-0924", {"model": None, "params_b": 7, "active_params_b": 1}),
        ("aya-expanse-32b endpoint", {"model": None, "params_b": 32}),
        ("EXAONE-4.0-32B for 10 users", {"model": "exaone-4.0-32b", "params_b": None}),
        ("speech to text with whisper large v2", {"model": "whisper-large-v2"}),
        ("edit photos with FLUX.1 Kontext dev", {"model": "flux.1-kontext-dev"}),
        ("faster-whisper on a T4", {"model": "faster-whisper"}),
        ("Wan2.1-T2V-14B endpoint", {"model": "wan2.1-t2v-14b"}),
        ("granite rapids for a 7B", {"model": None, "params_b": 7}),
        ("we distil a 7B", {"model": None, "params_b": 7}),
        (
            "Nemotron Ultra 550B in NVFP4",
            {"model": "nemotron-3-ultra-550b-a55b", "params_b": None, "quant": "nvfp4"},
        ),
        ("Qwen3.9-27B on one g6e.4xlarge", {"model": None, "params_b": 27}),
        (
            "moonshotai/Kimi-K4-2.4T-A60B",
            {"model": None, "params_b": 2400, "active_params_b": 60},
        ),
        ("gemma-3n-E4B", {"model": None, "params_b": 4}),
        ("NousResearch/Hermes-4-405B", {"model": "hermes-4-405b"}),
        ("NousResearch/Hermes-5-405B", {"model": None, "params_b": 405}),
        ("SD 3.5 Large (8.1B)", {"model": "sd3.5-large"}),
        ("six A100-80s for 70B", {"gpu": "A100-80", "gpu_count": 6}),
        ("70B on p6-b200", {"allow": ("p6-b200",), "gpu": None}),
        ("llama-3-8b on g5/g6", {"model": "llama-3-8b", "allow": ("g5", "g6")}),
        ("7B spot/on-demand", {"params_b": 7, "model": None}),
    ],
)
def test_a_name_says(text, said):
    workload = parse(text, CATALOG).workload
    assert {name: getattr(workload, name) for name in said} == said


@pytest.mark.parametrize(
    "text",
    [
        "deepseek-ai/DeepSeek-VL2",
        "serve glm-ocr",
        "sdxl refiner",
        "stabilityai/stable-diffusion-xl-refiner-1.0",
        "HunyuanOCR endpoint",
        "LTX-Video endpoint",
        "serve Florence-2-large",
        "zai-org/GLM-4.5V",
        "phi-4-multimodal",
        "deploy acme/support-bot",
        "model=acme/foo",
        "whisper large v4",
        "phi 3 small on g5",
        "facebook/sam2-hiera-large",
        "mixedbread-ai/mxbai-colbert-large-v1",
    ],
)
def test_an_unknown_name_without_a_size_is_refused(text):
    with pytest.raises(RequestError) as refusal:
        parse(text, CATALOG)
    assert refusal.value.code == "unknown_model"
    assert len(refusal.value.suggestions) == 3
    assert "--model-config" in refusal.value.message
