"""Every name people type finds its model; what finds none gets the nearest names."""

import json

import pytest

from catalog.names import (
    nearest_instances,
    nearest_models,
    normalised,
    resolve_checkpoint,
    resolve_model,
)
from tests.shared_data import needed_shared_file

# As typed in requests and bug reports -> the catalog's row.
NAMES = {
    "bert": "bert-base",
    "bert-base": "bert-base",
    "codellama-34b": "codellama-34b",
    "deepseek-r1": "deepseek-r1",
    "deepseek-r1-distill-llama-8b": "deepseek-r1-distill-llama-8b",
    "deepseek-r1-distill-qwen-7b": "deepseek-r1-distill-qwen-7b",
    "deepseek-v3": "deepseek-v3",
    "dolphin-mixtral": "mixtral-8x7b",
    "dolphin-mixtral-8x7b": "mixtral-8x7b",
    "gpt-oss-120b": "gpt-oss-120b",
    "gpt-oss-20b": "gpt-oss-20b",
    "gpt2-xl": "gpt2-xl",
    "kimi-k2-thinking": "kimi-k2-thinking",
    "llama-2-13b": "llama-2-13b",
    "llama-2-70b": "llama-2-70b",
    "llama-2-7b": "llama-2-7b",
    "llama-2-7b-chat": "llama-2-7b",
    "llama-3-70b": "llama-3-70b",
    "llama-3-8b": "llama-3-8b",
    "llama-3.1-405b": "llama-3.1-405b",
    "llama-3.1-70b": "llama-3.1-70b",
    "llama-3.1-8b": "llama-3.1-8b",
    "llama-3.3-70b": "llama-3.3-70b",
    "llama-4-scout": "llama-4-scout",
    "llama-7b": "llama-7b",
    "llama-guard-3-8b": "llama-guard-3-8b",
    "mistral-7b": "mistral-7b-v0.3",
    "mistral-7b-v0.3": "mistral-7b-v0.3",
    "mixtral-8x22b": "mixtral-8x22b",
    "mixtral-8x7b": "mixtral-8x7b",
    "qwen-14b": "qwen-14b",
    "qwen-72b": "qwen-72b",
    "qwen1.5-32b": "qwen1.5-32b",
    "qwen1.5-72b": "qwen1.5-72b",
    "qwen1.5-7b": "qwen1.5-7b",
    "qwen3-235b-a22b": "qwen3-235b-a22b",
    "qwen3-next-80b-a3b": "qwen3-next-80b-a3b",
    "qwen3-next-80b": "qwen3-next-80b-a3b",
    "resnet": "resnet-50",
    "vicuna-7b-v1.5": "vicuna-7b",
    # the same in other spellings
    "Llama 3 8B": "llama-3-8b",
    "LLAMA_3_8B": "llama-3-8b",
    "llama3-8b": "llama-3-8b",
    "llama3.1-8b": "llama-3.1-8b",
    "meta-llama/Llama-3.1-8B-Instruct": "llama-3.1-8b",
    "meta-llama/Meta-Llama-3-70B-Instruct": "llama-3-70b",
    "meta-llama/Llama-2-7b-chat-hf": "llama-2-7b",
    "mistralai/Mixtral-8x7B-Instruct-v0.1": "mixtral-8x7b",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral-7b-v0.3",
    "google/gemma-2-9b-it": "gemma-2-9b",
    "openai/gpt-oss-120b": "gpt-oss-120b",
    "8x7B": "mixtral-8x7b",
    "8x22b": "mixtral-8x22b",
    "sdxl": "sdxl-base-1.0",
    "whisper-large": "whisper-large-v3",
}


@pytest.mark.parametrize(("said", "identity"), NAMES.items())
def test_a_name_finds_its_model(catalog, said, identity):
    assert resolve_model(catalog, said).id == identity


def test_every_model_that_the_shared_cases_name_is_found(catalog):
    lines = needed_shared_file("data/user_cases.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) for line in lines]
    named = {name for case in cases for name in _models(case["expected"])}
    assert len(named) > 30
    assert [name for name in sorted(named) if resolve_model(catalog, name) is None] == []


def _models(value):
    if isinstance(value, dict):
        for key, inner in value.items():
            if key in {"model", "models"}:
                yield from [inner] if isinstance(inner, str) else inner
            else:
                yield from _models(inner)


def test_every_id_alias_and_published_name_is_found(catalog):
    for model in catalog.models.values():
        for name in (model.id, *model.aliases):
            assert resolve_model(catalog, name) is model, name
            assert resolve_model(catalog, name.upper()) is model, name
        assert not model.hf_repo or resolve_model(catalog, model.hf_repo) is not None


@pytest.mark.parametrize(
    ("said", "identity", "dtype"),
    [
        ("qwen-72b-int4", "qwen-72b", "int4"),
        ("qwen3-235b-a22b-fp8", "qwen3-235b-a22b", "fp8"),
        ("Qwen/Qwen2.5-72B-Instruct-AWQ", "qwen2.5-72b", "awq"),
        ("Qwen1.5-7B-Chat-GPTQ-Int4", "qwen1.5-7b", "gptq"),
        ("unsloth/llama-3-8b-bnb-4bit", "llama-3-8b", "int4"),
        ("neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8-dynamic", "llama-3.1-70b", "fp8"),
        ("TheBloke/Mistral-7B-Instruct-v0.2-GPTQ", "mistral-7b-v0.3", "gptq"),
        ("llama-3-8b", "llama-3-8b", None),
    ],
)
def test_the_dtype_in_a_checkpoints_name_is_told(catalog, said, identity, dtype):
    model, told = resolve_checkpoint(catalog, said)
    assert (model.id, told) == (identity, dtype)


@pytest.mark.parametrize("said", ["", " ", "-", "/", "lama-3-8b", "gpt-7", "x" * 5000, "-fp8", "☃"])
def test_no_model_is_made_up(catalog, said):
    assert resolve_model(catalog, said) is None


def test_normalising_twice_changes_nothing(catalog):
    for name in catalog.model_names:
        once, _ = normalised(name)
        assert normalised(once) == (once, None)


@pytest.mark.parametrize(
    ("said", "nearest"),
    [("lama-3-8b", "llama-3-8b"), ("mistrl-7b", "mistral-7b-v0.3"), ("qwen-72", "qwen-72b")],
)
def test_the_nearest_model(catalog, said, nearest):
    found = nearest_models(catalog, said, 3)
    assert found[0] == nearest
    assert len(found) == len(set(found)) == 3


@pytest.mark.parametrize(
    ("said", "nearest"),
    [
        ("g5.12xlrage", "g5.12xlarge"),
        ("G5.12XLARGE ", "g5.12xlarge"),
        ("p5.48xlage", "p5.48xlarge"),
    ],
)
def test_the_nearest_instance_type(catalog, said, nearest):
    assert nearest_instances(catalog, said)[0] == nearest


def test_an_unknown_size_is_near_its_family(catalog):
    assert all(name.startswith("g7.") for name in nearest_instances(catalog, "g7.900xlarge", 3))
