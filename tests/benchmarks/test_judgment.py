"""First picks against deployments that experts published, where those are at hand."""

import json
from collections import Counter

import pytest

from benchmarks.judgment import ROWS, judged
from bot.answers.world import load_world
from tests.shared_data import needed_shared_file

MOST_WORSE = 0.08  # of the rows; each is explained in docs/judgment.md


@pytest.mark.slow
def test_experts_would_sign_what_is_picked():
    path = needed_shared_file(f"data/{ROWS}")
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    told = {row["id"]: judged(row, load_world()) for row in rows}
    counts = Counter(verdict for verdict, _ in told.values())
    assert {row: why for row, (verdict, why) in told.items() if verdict == "absurd"} == {}
    assert counts["worse"] <= MOST_WORSE * len(rows)
