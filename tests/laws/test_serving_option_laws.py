"""What prefix caching, chunks and speculative decoding can and cannot change."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.answers.estimate.answer import estimate_json
from bot.answers.estimate.request import estimate_request
from bot.answers.world import load_world
from bot.core.errors import RequestError
from engine.core.plan import ServingOptions
from engine.performance.options import tokens_per_step

MODELS = st.sampled_from(["llama-3.1-8b", "mixtral-8x7b", "qwen3-30b-a3b"])
FLOWS = st.sampled_from([1, 8, 64])
PLAN = {"instance_type": "p5.48xlarge", "input_tokens": 3000, "output_tokens": 300}


def figures(**fields: Any) -> dict[str, Any]:
    """Return the middle of every figure of one plan, and what it rests on."""
    answer = estimate_json(estimate_request(PLAN | fields), load_world())["performance"]
    return {k: v["value"] if isinstance(v, dict) else v for k, v in answer.items()}


@given(MODELS, FLOWS, st.floats(0.05, 0.95))
def test_cached_prompts_answer_sooner_and_decode_no_slower(
    model: str, flow: int, share: float
) -> None:
    plain = figures(model=model, concurrency=flow)
    cached = figures(model=model, concurrency=flow, prefix_cached_share=share)
    assert cached["ttft_ms"] < plain["ttft_ms"]
    assert cached["tpot_ms"] <= plain["tpot_ms"] * 1.001


@given(MODELS, st.sampled_from([128, 256, 512, 1024]))
def test_smaller_chunks_never_bring_a_lone_first_token_forward(model: str, chunk: int) -> None:
    halved = figures(model=model, prefill_chunk_tokens=chunk // 2)
    assert halved["ttft_ms"] >= figures(model=model, prefill_chunk_tokens=chunk)["ttft_ms"]


@given(MODELS, FLOWS, st.integers(1, 8), st.floats(0, 0.5))
def test_drafts_that_are_never_accepted_only_cost(
    model: str, flow: int, drafts: int, cost: float
) -> None:
    rejected = figures(
        model=model, concurrency=flow, draft_tokens=drafts, draft_acceptance=0, draft_cost=cost
    )
    assert rejected["tpot_ms"] >= figures(model=model, concurrency=flow)["tpot_ms"] * 0.999


@given(MODELS, st.integers(1, 8))
def test_free_drafts_always_accepted_gain_at_most_their_number(model: str, drafts: int) -> None:
    plain = figures(model=model)["tpot_ms"]
    best = figures(model=model, draft_tokens=drafts, draft_acceptance=1, draft_cost=0)["tpot_ms"]
    assert plain / (drafts + 1) * 0.999 <= best < plain


@pytest.mark.parametrize(
    ("drafts", "accepted", "tokens"),
    [(0, 0.7, 1.0), (4, 0.0, 1.0), (4, 1.0, 5.0), (1, 0.5, 1.5), (4, 0.8, 3.3616)],
)
def test_tokens_of_a_step(drafts: int, accepted: float, tokens: float) -> None:
    options = ServingOptions(draft_tokens=drafts, draft_acceptance=accepted)
    assert tokens_per_step(options) == pytest.approx(tokens)


@pytest.mark.parametrize(
    ("option", "basis"),
    [
        ({"prefix_cached_share": 0.5}, "measured_class"),  # less of what is measured
        ({"prefill_chunk_tokens": 512}, "not_measured"),
        ({"draft_tokens": 3}, "not_measured"),
    ],
)
def test_an_option_says_that_it_was_not_measured(option: dict[str, Any], basis: str) -> None:
    assert figures(model="llama-3.1-8b")["basis"] == "measured_class"
    assert figures(model="llama-3.1-8b", **option)["basis"] == basis


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"instance_type": "inf2.xlarge", "draft_tokens": 4}, "draft_tokens"),
        ({"instance_type": "c7i.8xlarge", "prefix_cached_share": 0.5}, "prefix_cached_share"),
        ({"prefill_chunk_tokens": 512, "explain": True}, "prefill_chunk_tokens"),
        ({"prefix_cached_share": 1}, "prefix_cached_share"),
        ({"draft_tokens": 4, "draft_acceptance": 1.2}, "draft_acceptance"),
    ],
)
def test_what_options_cannot_do_is_refused_by_name(fields: dict[str, Any], field: str) -> None:
    with pytest.raises(RequestError) as refused:
        figures(model="llama-3.1-8b", **fields)
    assert refused.value.field == field
