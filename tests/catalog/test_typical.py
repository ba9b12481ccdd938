"""Typical shapes: the right size, real proportions, and never smaller for a bigger one."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from catalog.facts.typical import LARGEST_B, size_name, typical_model

SIZES = st.floats(min_value=0.002, max_value=LARGEST_B * 0.9)
GROWING = (
    "layers",
    "hidden_size",
    "intermediate_size",
    "heads",
    "kv_heads",
    "head_dim",
    "vocab_size",
)


def params(model, experts=None):
    """Parameters that the shape adds up to, in billions."""
    hidden = model.hidden_size
    attention = 2 * hidden * model.head_dim * (model.heads + model.kv_heads)
    width = model.intermediate_size or model.moe_intermediate_size * experts
    layer = attention + 3 * hidden * width
    return (model.layers * layer + 2 * model.vocab_size * hidden) / 1e9


def kv_values_per_token(model):
    return 2 * model.layers * model.kv_heads * model.head_dim


@pytest.mark.parametrize("size", [1, 1.5, 3, 7, 8, 13, 14, 32, 34, 70, 72, 120, 180, 405])
def test_the_sizes_people_say_add_up_within_one_percent(size):
    assert params(typical_model(size)) == pytest.approx(size, rel=0.01)


@given(SIZES.filter(lambda size: size >= 1))
def test_any_size_adds_up(size):
    assert params(typical_model(size)) == pytest.approx(size, rel=0.017)


@given(st.floats(min_value=0.002, max_value=1))
def test_small_sizes_add_up_roughly(size):
    assert params(typical_model(size)) == pytest.approx(size, rel=0.25)


@given(SIZES, SIZES)
def test_a_bigger_model_is_smaller_in_nothing(one, other):
    small, big = (typical_model(size) for size in sorted((one, other)))
    for column in GROWING:
        assert getattr(small, column) <= getattr(big, column), column
    assert kv_values_per_token(small) <= kv_values_per_token(big)
    assert small.total_params_b <= big.total_params_b


@given(SIZES)
def test_the_size_said_is_the_size_kept(size):
    model = typical_model(size)
    assert model.total_params_b == model.active_params_b == size
    assert model.typical


@given(SIZES)
def test_tensor_parallelism_divides_it(size):
    model = typical_model(size)
    for tp in (1, 2, 4, 8):
        assert model.heads % tp == model.kv_heads % tp == model.intermediate_size % tp == 0


@given(st.floats(min_value=0.5, max_value=2000), st.floats(min_value=0.02, max_value=0.5))
def test_a_mixture_of_experts_adds_up(total, share):
    model = typical_model(total, total * share)
    assert params(model, model.num_experts) == pytest.approx(total, rel=0.025)
    assert model.experts_per_token < model.num_experts
    assert model.moe_layers == model.layers
    assert (model.total_params_b, model.active_params_b) == (total, total * share)


@pytest.mark.parametrize(
    ("total", "active"), [(671, 37), (235, 22), (30, 3), (120, 5.1), (1000, 32)]
)
def test_known_mixtures_have_the_active_size_said(total, active):
    model = typical_model(total, active)
    assert params(model, model.num_experts) == pytest.approx(total, rel=0.01)
    assert params(model, model.experts_per_token) == pytest.approx(active, rel=0.03)


def test_7b_is_like_a_real_one():
    model = typical_model(7)
    assert model.id == "7B"
    assert model.layers == 32
    assert (model.kv_heads, model.head_dim) == (8, 128)
    assert 3500 <= model.hidden_size <= 4096
    assert kv_values_per_token(model) * 2 == 131_072  # 128 KiB a token at 16 bit


def test_a_step_never_jumps_far():
    sizes = [1.001**step for step in range(8000)]
    hidden = [typical_model(size).hidden_size for size in sizes]
    assert max(big / small for small, big in pairwise(hidden)) < 1.05


@pytest.mark.parametrize(
    ("total", "active", "name"),
    [
        (7, None, "7B"),
        (0.35, None, "350M"),
        (671, 37, "671B-A37B"),
        (1.5, None, "1.5B"),
        (7, 7, "7B"),
    ],
)
def test_the_name_is_the_size_as_people_write_it(total, active, name):
    assert size_name(total, active) == name
    assert typical_model(total, active).id == name


@pytest.mark.parametrize(("total", "active"), [(0, None), (-7, None), (7, 8), (7, 0), (7, -1)])
def test_impossible_sizes_are_refused(total, active):
    with pytest.raises(ValueError, match="no model has"):
        typical_model(total, active)


@pytest.mark.parametrize(
    ("task", "attention"),
    [
        ("decoder", "full"),
        ("vision_language", "full"),
        ("enc_dec", "full"),
        ("speech", "full"),
        ("encoder", "bidirectional"),
        ("embedding", "bidirectional"),
        ("vision", "bidirectional"),
        ("diffusion", "none"),
    ],
)
def test_every_task_has_a_shape(task, attention):
    model = typical_model(1.0, task=task)
    assert (model.task, model.attention) == (task, attention)
    if task in {"enc_dec", "speech"}:
        assert model.encoder_layers
        assert model.layers
