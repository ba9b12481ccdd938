"""The one Shape: right sizes by source, roles that add up, the same numbers for every reader."""

import re
from pathlib import Path

import pytest

from catalog.facts.typical import typical_model
from catalog.load import load_catalog
from engine.memory.kv_cache import kv_bytes_per_token, layer_token_bytes
from engine.memory.weights import total_weights_gb
from engine.performance.bytes import kv_read_bytes, precision_of, weight_read_bytes
from engine.shape.shape import reader_and_writer, shape_of, transformer_of
from tests.engine.plans import model_named

MODELS = load_catalog().models
EVERY = pytest.mark.parametrize("model", MODELS.values(), ids=MODELS)
DOC = Path(__file__).parents[2] / "docs" / "estimates.md"
ROW = re.compile(r"^\| `([^`]+)` \|([^|]*)\|([^|]*)\|([^|]*)\|([^|]*)\|([^|]+)\|$", re.MULTILINE)
TOTAL_TOLERANCE, EXPERTS_TOLERANCE = 0.005, 0.0005

# What the layers' shape does not tell is below 2 % of a model, but for these.
OTHER_SHARE = 0.02
OTHER_KNOWN = {
    "llama-3.3-nemotron-super-49b": "its layers differ: the FFN width is that of the widest",
    "llama-3.2-11b-vision": "eight layers that attend to the picture",
    "llama-3.2-90b-vision": "twenty layers that attend to the picture",
    "flan-t5-xl": "decoder layers attend twice",
    "clip-vit-large-patch14": "its text tower",
    "deepseek-v4-flash": "compressed attention, projected out in groups",
}


def changed_sizes():
    """(model, right total, right routed experts or None, source) of the table in the document."""
    section = DOC.read_text().split("## Sizes that changed")[1].split("\n## ")[0]
    for name, _, total, _, experts, source in ROW.findall(section):
        number = experts.strip().replace(",", "")
        yield (
            name,
            float(total.replace(",", "")),
            float(number) if number else None,
            source.strip(),
        )


CHANGED = list(changed_sizes())


def test_the_table_holds_every_model_that_changed():
    assert len(CHANGED) == 21
    assert sum(experts is not None for _, _, experts, _ in CHANGED) >= 7
    assert all(source for *_, source in CHANGED)


@pytest.mark.parametrize(("name", "total", "experts", "source"), CHANGED)
def test_sizes_are_those_of_their_source(name, total, experts, source):  # noqa: ARG001
    shape = shape_of(MODELS[name])
    assert shape.total_params / 1e9 == pytest.approx(total, rel=TOTAL_TOLERANCE)
    if experts is not None:
        assert shape.routed_params / 1e9 == pytest.approx(experts, rel=EXPERTS_TOLERANCE)
    else:
        assert not shape.moe


@EVERY
def test_every_parameter_has_one_role(model):
    shape = shape_of(model)
    assert shape.total_params == pytest.approx(model.total_params_b * 1e9, rel=1e-9)
    assert sum(shape.roles.values()) == pytest.approx(shape.total_params, rel=1e-9)
    assert all(count >= 0 for role, count in shape.roles.items() if role != "other")
    told = model.hidden_size and model.attention != "none" and model.task != "speech"
    if told and not shape.linear_layers and model.id not in OTHER_KNOWN:
        assert abs(shape.roles["other"]) <= OTHER_SHARE * shape.total_params


@EVERY
def test_memory_and_times_read_the_same_parameters(model):
    """Stored in 16 bit, what memory holds is what a step over every expert reads, and the rest."""
    shape, sixteen = transformer_of(model), precision_of("bf16", "bf16", moe=shape_of(model).moe)
    held = total_weights_gb(model, "bf16") * 1e9
    read = weight_read_bytes(shape, sixteen, float("inf"))
    looked_up = 2 * (shape.table_params - shape.head_params)
    assert read + looked_up + 2 * shape.vision_params == pytest.approx(held, rel=1e-9)


@EVERY
def test_memory_and_times_read_the_same_cache(model):
    kept, timed = shape_of(model), transformer_of(model)
    if not kept.caching_layers:
        assert kv_bytes_per_token(model) == 0
        return
    sixteen = precision_of("bf16", "bf16", moe=kept.moe)
    read = kv_read_bytes(timed, sixteen, 1.0) - 2 * kept.sequence_state_bytes
    indexer = kept.indexer_bytes * kept.caching_layers
    assert read + indexer == pytest.approx(kv_bytes_per_token(model))
    assert layer_token_bytes(kept, 2.0) == 2 * kept.kv_elements + kept.indexer_bytes


@EVERY
def test_a_stand_in_has_widths_and_keeps_every_parameter(model):
    kept, timed = shape_of(model), transformer_of(model)
    assert timed.hidden
    assert timed.layers
    assert timed.heads
    assert timed.total_params == pytest.approx(kept.total_params)
    if kept.hidden and kept.heads and kept.layers:
        assert timed is kept


# (model, full, window, linear layers, values cached a token and layer)
ATTENTION = [
    ("llama-2-7b", 32, 0, 0, 2 * 32 * 128),  # multi-head
    ("llama-3.1-8b", 32, 0, 0, 2 * 8 * 128),  # grouped
    ("deepseek-v3", 61, 0, 0, 512 + 64),  # latent
    ("gpt-oss-120b", 18, 18, 0, 2 * 8 * 64),  # every other layer a window
    ("qwen3-next-80b-a3b", 12, 0, 36, 2 * 2 * 256),  # linear but for every fourth
    ("bert-base", 12, 0, 0, 2 * 12 * 64),  # sees everything, keeps nothing
]


@pytest.mark.parametrize(("name", "full", "window", "linear", "cached"), ATTENTION)
def test_attention_by_kind(name, full, window, linear, cached):
    shape = shape_of(model_named(name))
    found = (shape.full_layers, shape.window_layers, shape.linear_layers, shape.kv_elements)
    assert found == (full, window, linear, cached)


# (model, billions a token meets as its maker says)
ACTIVE = [
    ("gpt-oss-120b", 5.13),
    ("kimi-k2", 32.0),
    ("kimi-k3", 104.0),
    ("minimax-m2", 10.0),
    ("mimo-v2-flash", 15.0),
    ("deepseek-v3", 37.0),
]


@pytest.mark.parametrize(("name", "active"), ACTIVE)
def test_a_token_meets_as_many_parameters_as_published(name, active):
    assert shape_of(model_named(name)).active_params / 1e9 == pytest.approx(active, rel=0.08)


@pytest.mark.parametrize(("total", "active"), [(120, 5), (671, 37), (1000, 32), (560, 2.8)])
def test_a_typical_mixture_keeps_its_attention(total, active):
    shape = shape_of(typical_model(total, active))
    assert shape.body_params >= 0.999 * shape.attention_params
    assert shape.active_params / 1e9 == pytest.approx(active, rel=0.1)


def test_an_encoder_decoder_is_two_stacks():
    model = model_named("whisper-large-v3")
    reader, writer = reader_and_writer(model, 4 / 3)
    whole = shape_of(model)
    assert reader.bidirectional
    assert reader.layers == model.encoder_layers
    assert reader.body_params + writer.body_params == pytest.approx(whole.body_params)
    assert reader_and_writer(model_named("llama-3.1-8b"), 4 / 3)[0].layers == 32
