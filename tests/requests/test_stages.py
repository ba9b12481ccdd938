"""Several kinds of models in one text are stages: a pick each, one total, one shared limit."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.what_if.stages import shares_of_limit
from tests.requests.test_followups import thread_of

STAGED = [
    ("a pipeline of bge-m3 + llama 3.1 8b", ["bge-m3", "llama-3.1-8b"]),
    (
        "bge-m3, bge-reranker-v2-m3 and llama 3.1 8b",
        ["bge-m3", "bge-reranker-v2-m3", "llama-3.1-8b"],
    ),
    ("whisper + 8B + TTS at 2 s end to end", ["whisper", "typical 8B model"]),
]


@pytest.mark.parametrize(("text", "names"), STAGED, ids=[text for text, _ in STAGED])
def test_each_stage_has_its_pick_and_all_one_total(text, names):
    reply, _ = thread_of(text)
    *stages, total = reply.view.rows
    assert [row[0] for row in stages] == names
    assert total[0] == "all together"
    cents = [float(row[2].removeprefix("$").removesuffix("/h")) for row in (*stages, total)]
    assert sum(cents[:-1]) == pytest.approx(cents[-1], abs=0.002)


def test_a_limit_is_shared_and_what_is_not_known_is_said():
    reply, _ = thread_of("whisper + 8B + TTS at 2 s end to end")
    *stages, _ = reply.view.rows
    parts = [row[5] for row in stages]
    assert all(parts)
    assert any("not understood is in neither" in note for note in reply.view.notes)
    assert any("TTS" in note for note in reply.view.notes)


def test_a_limit_that_nothing_keeps_is_said():
    reply, _ = thread_of("bge-m3 and llama 3.1 8b within 10 ms end to end")
    assert "nothing runs" in reply.view.lead
    assert "all together" not in [row[0] for row in reply.view.rows]


ONE_KIND = ["llama 3.1 8b or llama 3.1 70b", "compare whisper-large-v3 and llama-3.1-8b", "whisper"]


@pytest.mark.parametrize("text", ONE_KIND)
def test_one_kind_of_model_or_a_comparison_is_no_pipeline(text):
    assert not hasattr(thread_of(text)[0].view, "rows")


OFFERS = st.lists(st.tuples(st.floats(0.1, 100), st.floats(1, 1000)), min_size=1, max_size=6)


@given(st.lists(OFFERS, min_size=1, max_size=3), st.floats(10, 3000))
def test_parts_of_a_limit_are_the_whole_of_it(stages, limit):
    parts = shares_of_limit(stages, limit)
    assert sum(parts) == pytest.approx(limit)
    if sum(min(ms for _, ms in offers) for offers in stages) <= limit:
        for offers, part in zip(stages, parts, strict=True):
            assert any(ms <= part * 1.0001 for _, ms in offers)


def test_the_cheapest_way_to_share_is_taken():
    slow_or_dear = [(1.0, 500.0), (10.0, 100.0)]
    dear_to_hurry = [(1.0, 500.0), (50.0, 100.0)]
    first, second = shares_of_limit([slow_or_dear, dear_to_hurry], 600.0)
    assert (round(first), round(second)) == (100, 500)
