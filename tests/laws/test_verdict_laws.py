"""Laws of limits and verdicts: what holds whatever limits are named, and whoever is named."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.names import resolve_model
from engine.core.assumptions import fill
from engine.core.limits import latency_limits
from engine.core.workload import Workload
from tests.laws.worlds import small_catalog

FIGURES = {"ttft": "ttft_ms", "per_token": "tpot_ms", "e2e": "e2e_ms"}
few = settings(max_examples=8, deadline=None)


def limits_of(said: Workload) -> dict[str, tuple[str, float]]:
    catalog = small_catalog()
    model = resolve_model(catalog, said.model)
    filled, _ = fill(said, model, catalog.use_cases, default_region="us-east-1")
    return latency_limits(filled)


class TestFloors:
    """Interactive text holds a first token and a time per token, whatever limit was named."""

    @given(st.sampled_from((None, "ttft", "per_token", "e2e")), st.floats(1, 1000))
    def test_one_named(self, kind: str | None, limit: float):
        """A limit for one figure takes none from another."""
        said = Workload(
            model="llama-3.1-8b", latency_ms=None if kind is None else limit, latency_kind=kind
        )
        limits = limits_of(said)
        assert {"ttft_ms", "tpot_ms"} <= limits.keys()
        if kind is not None:
            assert limits[FIGURES[kind]] == ("latency_ms", limit)

    @given(st.floats(1, 9000), st.floats(1, 900), st.floats(1, 90_000))
    def test_all_named(self, first: float, each: float, whole: float):
        said = Workload(
            model="llama-3.1-8b", latency_ms=whole, latency_kind="e2e", first_token_ms=first,
            per_token_ms=each,
        )  # fmt: skip
        expected = {"ttft_ms": first, "tpot_ms": each, "e2e_ms": whole}
        assert {figure: limit for figure, (_, limit) in limits_of(said).items()} == expected


@pytest.mark.parametrize(
    ("said", "figures"),
    [
        (Workload(model="llama-3.1-8b", mode="batch"), set()),
        (Workload(model="llama-3.1-8b", latency_ms=60_000.0, latency_kind="e2e"), {"e2e_ms"}),
        (Workload(model="bge-large"), {"e2e_ms"}),
        (Workload(model="bge-large", latency_ms=50.0, latency_kind="e2e"), {"e2e_ms"}),
    ],
)
def test_work_that_nobody_reads_along(said: Workload, figures: set[str]):
    assert limits_of(said).keys() == figures
