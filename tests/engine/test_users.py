"""Users become requests a second by their use case; a context bounds and never fills the prompt."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.load import load_catalog
from engine.ask import model_of
from engine.core.assumptions import fill
from engine.core.workload import Workload

CATALOG = load_catalog()
ENGINEERS = Workload(model="qwen3-32b", users=200)


def filled(said):
    model, _ = model_of(said, CATALOG)
    return fill(said, model, CATALOG.use_cases, default_region="us-east-1")


def why(assumptions, field):
    return next(one.why for one in assumptions if one.field == field)


# Worked out by hand from the published rates: users x share x rate / 60 x peak, whole answers.
WORKED = [
    (ENGINEERS, 200 * 0.2 * 0.4 / 60 * 2, "200 users ≈ 0.53 requests/s: chat, 20% active"),
    (replace(ENGINEERS, use_case="code_completion"), 200 * 0.25 * 2 / 60 * 2.5, "11 to 38 in"),
    (replace(ENGINEERS, use_case="coding_chat"), 200 * 0.15 * 0.3 / 60 * 2, "5 to 14 in"),
    (replace(ENGINEERS, active_share=0.1), 200 * 0.1 * 0.4 / 60 * 2, "10% active"),
    (replace(ENGINEERS, peak_factor=3.0), 200 * 0.2 * 0.4 / 60 * 3, "peak x3"),
    (replace(ENGINEERS, requests_per_user_min=2.0), 200 * 2 / 60, "100% active"),
    (replace(ENGINEERS, use_case="voice"), 200 * 0.2 * 0.4 / 60 * 2, "voice"),
]


@pytest.mark.parametrize(("said", "rps", "words"), WORKED)
def test_users_are_requests_a_second(said, rps, words):
    workload, assumptions = filled(said)
    assert workload.rps == pytest.approx(rps)
    assert workload.concurrency is None
    assert words in why(assumptions, "rps")


def test_a_kind_of_model_has_its_usual_use_case():
    _, assumptions = filled(Workload(model="bge-m3", users=200))
    assert "embedding, 20% active" in why(assumptions, "rps")


@pytest.mark.parametrize("named", [{"concurrency": 20.0}, {"rps": 3.0}, {"mode": "batch"}])
def test_a_load_that_was_said_decides(named):
    workload, _ = filled(replace(ENGINEERS, **named))
    assert (workload.concurrency, workload.rps) == (named.get("concurrency"), named.get("rps"))


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 10**6), st.sampled_from((None, *CATALOG.use_cases)))
def test_more_users_ask_more(users, case):
    some, _ = filled(replace(ENGINEERS, users=users, use_case=case))
    more, _ = filled(replace(ENGINEERS, users=2 * users, use_case=case))
    if case == "coding_agent":  # who works without a pause: sessions, not arrivals
        assert more.concurrency == pytest.approx(max(1, 2 * users * 0.25))
        return
    assert more.rps == pytest.approx(2 * some.rps)


@settings(max_examples=60, deadline=None)
@given(st.integers(16, 131_072), st.sampled_from((None, *CATALOG.use_cases)))
def test_a_context_is_a_cap(context, case):
    said = Workload(model="llama-3.1-8b", use_case=case)
    free, _ = filled(said)
    bound, _ = filled(replace(said, context=context))
    assert bound.context == context
    assert bound.input_tokens <= free.input_tokens
    assert bound.output_tokens <= free.output_tokens
    assert bound.input_tokens + bound.output_tokens <= context
    if context >= 8 * (free.input_tokens + free.output_tokens):
        assert (bound.input_tokens, bound.output_tokens) == (free.input_tokens, free.output_tokens)


def test_a_coder_in_the_hands_of_people_is_a_coding_chat():
    said = Workload(model="qwen2.5-coder-32b", users=40)
    workload, _ = filled(said)
    assert (workload.use_case, workload.input_tokens) == ("coding_chat", 1024)
    assert filled(replace(said, use_case="rag"))[0].use_case == "rag"
    assert filled(replace(said, users=None))[0].use_case is None
    assert filled(replace(said, model="qwen2.5-32b"))[0].use_case is None


AGENTS = Workload(model="llama-3.1-8b", use_case="coding_agent", users=50)
CACHED = [
    (AGENTS, 0.92, 12.5),
    (replace(AGENTS, cached_share=0.5), 0.5, 12.5),
    (replace(AGENTS, users=None), 0.92, 1.0),
    (replace(AGENTS, mode="batch"), None, None),
    (replace(AGENTS, use_case="chat"), None, None),  # too little of its prompt to count on
]


@pytest.mark.parametrize(("said", "share", "sessions"), CACHED)
def test_an_agent_finds_its_earlier_steps_in_the_cache(said, share, sessions):
    workload, _ = filled(said)
    assert (workload.cached_share, workload.concurrency) == (share, sessions)


RARE = [("chat", 4142 + 256), ("code_completion", 7436 + 256), ("rag", 4096 + 512), (None, 4096)]


@pytest.mark.parametrize(("case", "context"), RARE)
def test_the_context_holds_the_longest_of_a_hundred_prompts(case, context):
    workload, assumptions = filled(Workload(model="llama-3.1-8b", use_case=case))
    assert workload.context == context
    why = next(one.why for one in assumptions if one.field == "context")
    assert ("longest of a hundred" in why) == (case in {"chat", "code_completion"})


SCALED = [
    ({"rps": 2.0, "peak_factor": 5.0}, {"rps": 10.0}),
    ({"concurrency": 10.0, "peak_factor": 2.0}, {"concurrency": 20.0}),
    ({"rps": 5.0, "use_case": "reranking", "items": 50.0}, {"rps": 250.0}),
    ({"items": 7.2e6, "tokens_per_item": 300}, {"mode": "batch", "deadline_h": 24.0}),
    ({"rps": 5.0, "items": 50.0}, {"rps": 250.0}),  # of each request, whoever scores them
    ({"batch": 32}, {"concurrency": 32.0}),
    ({"replicas_min": 2}, {"nodes": 2}),
    ({"zones_min": 3, "replicas_min": 2}, {"nodes": 3}),
    ({"use_case": "rag"}, {"input_tokens": 4096, "output_tokens": 512}),
    ({"use_case": "rag", "input_tokens": 900}, {"input_tokens": 900, "output_tokens": 512}),
]


@pytest.mark.parametrize(("fields", "expected"), SCALED)
def test_what_was_said_of_a_load_is_used(fields, expected):
    workload, assumptions = filled(Workload(model="llama-3.1-8b", **fields))
    for name, value in expected.items():
        assert getattr(workload, name) == (
            value if isinstance(value, str) else pytest.approx(value)
        )
    assert {one.field for one in assumptions} >= expected.keys() - fields.keys()
