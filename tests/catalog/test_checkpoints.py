"""A name means its own repository: never a relative's of the same shape."""

import re

import pytest

from bot.language.parse import parse
from catalog.checkpoints import checkpoint_of
from catalog.reference import checkpoint_rows

DECODES = {"decoder", "vision_language"}
ONLY_CHAT = {"GLM", "Phi", "Phi-3", "Phi-4", "Granite", "Qwen3", "Qwen3-VL"}
# Read without its ending, as every "-instruct" is.
ENDING_LOST = {"multilingual-e5-large-instruct"}
CHATS = re.compile(r"(?i)instruct|chat|-it$|thinking|reasoning")


def parts(name):
    return set(re.findall(r"[a-z]+|\d+(?:\.\d+)?", name.lower().rpartition("/")[2]))


def test_every_row_is_of_a_name_that_the_catalog_has(catalog):
    assert checkpoint_rows().keys() <= catalog.model_names.keys() | catalog.models.keys()


def test_another_way_to_write_a_name_leads_to_one_of_the_same_model(catalog):
    for row in checkpoint_rows().values():
        if row.same_as:
            assert catalog.model_names[row.name] == catalog.model_names[row.same_as]
            assert not row.serves


def test_a_row_without_a_repository_says_why():
    assert all(row.notes for row in checkpoint_rows().values() if not (row.serves or row.same_as))


def test_every_name_means_a_repository_that_belongs_to_it_or_none(catalog):
    """A part of a name that neither repository nor row knows is another checkpoint."""
    for name, identity in catalog.model_names.items():
        model = catalog.models[identity]
        found, row = checkpoint_of(name, model), checkpoint_rows().get(name)
        own = parts(model.id) | parts(model.hf_repo) | parts(found.repo)
        assert row or not found.repo or parts(name) <= own, name


@pytest.mark.slow
def test_a_name_read_from_a_text_keeps_its_repository(catalog):
    """Reading a name may respell it, and never change which checkpoint it is."""
    lost = {}
    for name, identity in catalog.model_names.items():
        meant = checkpoint_of(name, catalog.models[identity]).repo
        try:
            said = parse(f"inference {name} on g6e.xlarge", catalog).workload.model
        except ValueError:
            continue
        if said in catalog.model_names and meant:
            read = checkpoint_of(said, catalog.models[catalog.model_names[said]]).repo
            if read != meant and name not in ENDING_LOST:
                lost[name] = (said, meant, read)
    assert lost == {}


def test_what_answers_chats_is_served_and_its_base_is_trained(catalog):
    """A base model has no chat template: each call of a chat is a 400."""
    for model in catalog.models.values():
        if model.task not in DECODES or model.typical or not model.hf_repo:
            continue
        found, row = checkpoint_of(model.id, model), checkpoint_rows().get(model.id)
        assert row or model.shape_of or CHATS.search(found.repo) or known_chat(model), model.id


def known_chat(model):
    """Return whether a publisher gives its only checkpoint without a word for chat in the name."""
    return model.family.split()[0] in ONLY_CHAT


@pytest.mark.parametrize(
    ("name", "repo", "trains"),
    [
        ("llama-3.1-8b", "meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B"),
        ("llama-guard-3-8b", "meta-llama/Llama-Guard-3-8B", "meta-llama/Llama-Guard-3-8B"),
        ("qwen3-embedding-0.6b", "Qwen/Qwen3-Embedding-0.6B", "Qwen/Qwen3-Embedding-0.6B"),
        ("kimi-k2.7-code", "moonshotai/Kimi-K2.7-Code", "moonshotai/Kimi-K2.7-Code"),
        ("qwq-32b", "Qwen/QwQ-32B", "Qwen/QwQ-32B"),
        ("llama-3-405b", "meta-llama/Llama-3.1-405B-Instruct", "meta-llama/Llama-3.1-405B"),
        ("alpaca-7b", "", ""),
    ],
)
def test_a_name_means(catalog, name, repo, trains):
    found = checkpoint_of(name, catalog.models[catalog.model_names[name]])
    assert (found.repo, found.trains) == (repo, trains)
    assert bool(found.why_not) == (not repo)


def test_a_name_that_nobody_knows_means_no_repository(catalog):
    found = checkpoint_of("llama-3.1-8b-foo", catalog.models["llama-3.1-8b"])
    assert found.repo == ""
    assert "llama-3.1-8b-foo" in found.why_not
