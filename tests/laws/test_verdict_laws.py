"""Laws of limits and verdicts: what holds whatever limits are named, and whoever is named."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from catalog.facts.coefficients import load_coefficients
from catalog.names import resolve_model
from engine.ask import ask
from engine.core.assumptions import fill
from engine.core.limits import LOAD_FIELD, latency_limits
from engine.core.option import Option
from engine.core.workload import Workload
from engine.pick.picks import best_label, distinct
from engine.pick.rank import SAFE_PREMIUM, how_unproven, in_reserve
from engine.pick.recommend import evaluate
from engine.pick.serving import MAX_INSTANCES
from engine.pick.verdict import verdict_of
from tests.laws.worlds import question, small_catalog

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


TYPES = ("g4dn.xlarge", "g5.xlarge", "g6.xlarge", "g6e.12xlarge", "p5.4xlarge", "p3.2xlarge",
         "inf2.8xlarge", "c7i.4xlarge")  # fmt: skip
loads = st.builds(
    Workload,
    model=st.sampled_from(("llama-3.1-8b", "mixtral-8x7b", "bge-large")),
    concurrency=st.sampled_from((None, 16.0, 200.0)),
    latency_kind=st.sampled_from((None, "ttft", "per_token")),
)


class TestOneJudge:
    """What is named is held to what the others are held to."""

    @few
    @given(loads, st.sampled_from(TYPES), st.sampled_from((60.0, 400.0, 3000.0)))
    def test_named_or_not(self, said: Workload, name: str, limit: float):
        if said.latency_kind is not None:
            said = replace(said, latency_ms=limit)
        unnamed = evaluate(question(said))
        named = evaluate(question(replace(said, instance=name)))
        assert _names(named.meeting) == _names(unnamed.meeting)
        if named.asked is None or named.asked_barred is not None:
            return
        twin = next(
            o for o in (*unnamed.meeting, *unnamed.missing) if o.instance.instance_type == name
        )
        assert (twin.limits, twin.instances) == (named.asked.limits, named.asked.instances)


def _names(options: list) -> list[str]:
    return [option.instance.instance_type for option in options]


def verdict(said: Workload):
    return verdict_of(evaluate(question(said)))


class TestCounts:
    """A verdict is bound to the count that was named."""

    @few
    @given(st.sampled_from(TYPES[:5]), st.integers(1, 3), st.sampled_from((4.0, 64.0, 400.0)))
    def test_more_of_a_type_never_do_less(self, name: str, count: int, at_once: float):
        said = Workload(model="llama-3.1-8b", instance=name, concurrency=at_once, nodes=count)
        fewer, more = verdict(said), verdict(replace(said, nodes=count + 1))
        assert more.holds or not fewer.holds
        assert fewer.estimate is None or fewer.estimate.plan.instances <= count

    @few
    @given(st.sampled_from(("L40S", "A10G", "H100-80", "T4")), st.sampled_from((1, 2, 3, 4, 8)))
    def test_no_more_devices_than_were_named(self, chip: str, count: int):
        found = verdict(Workload(model="llama-3.3-70b", quant="fp8", gpu=chip, gpu_count=count))
        assert found.estimate is None or found.estimate.plan.accelerators <= count


class TestRoom:
    """What is picked keeps its share of spare load; what was named is held to what it carries."""

    @few
    @given(st.sampled_from(("llama-3.1-8b", "bge-large")), st.floats(0.5, 40.0))
    def test_every_pick_has_room(self, model: str, rps: float):
        for option in evaluate(question(Workload(model=model, rps=rps))).meeting:
            planned = option.estimate.performance.planned_requests_per_s
            assert rps <= planned or rps > planned / option.instances * MAX_INSTANCES

    @few
    @given(st.sampled_from(TYPES[1:4]), st.integers(1, 2), st.floats(0.5, 40.0))
    def test_a_shortfall_is_a_miss_with_its_figure(self, name: str, count: int, rps: float):
        said = Workload(model="llama-3.1-8b", instance=name, nodes=count, rps=rps)
        found = verdict(said)
        held = [check for check in found.limits if check.field == LOAD_FIELD]
        performance = found.estimate.performance
        planned, carried = performance.planned_requests_per_s, performance.steady_requests_per_s
        assert [check.verdict for check in held] == (
            ["misses"] if rps > carried else ["tight"] if rps > planned else []
        )
        assert not (found.holds and rps > carried)

    @few
    @example(6.0)  # between two of the loads that full load is looked for at
    @given(st.floats(0.5, 20.0))
    def test_a_token_of_a_full_machine_costs_no_more(self, rps: float):
        """Over the budget too: it is the same machine at the same load."""
        said = Workload(model="llama-3.1-8b", rps=rps, budget_usd_per_hour=0.5)
        result = ask(said, small_catalog(), load_coefficients())
        for one in (*result.picks, *result.closest):
            if all(c.verdict != "misses" for c in one.limits if not c.field.startswith("usd")):
                at_full = one.cost.usd_per_million_tokens_full_load
                assert one.cost.usd_per_million_tokens >= at_full * 0.999


class TestFirstPick:
    """The first pick holds its limits at the far end of its range, or says that it may miss."""

    @few
    @given(loads, st.sampled_from((20.0, 60.0, 400.0, 3000.0)))
    def test_sure_or_said(self, said: Workload, limit: float):
        if said.latency_kind is not None:
            said = replace(said, latency_ms=limit)
        best = evaluate(question(said)).best
        if best is not None:
            label = best_label(best, question(said))
            assert ("may miss" in label) is best.may_miss
            assert ("every limit" in label) is not best.may_miss

    @few
    @given(loads, st.sampled_from((20.0, 60.0, 100.0, 150.0, 400.0, 3000.0)))
    def test_what_may_miss_is_first_only_where_nothing_safe_costs_little_more(
        self, said: Workload, limit: float
    ):
        if said.latency_kind is not None:
            said = replace(said, latency_ms=limit)
        asked = question(said)
        found = evaluate(asked)
        if found.best is None:
            return
        best, level = found.best, how_unproven(found.best, asked)
        fair = [
            option
            for option in found.meeting
            if how_unproven(option, asked) <= level
            and not in_reserve(option, asked)
            and not option.spans_hosts
        ]
        if best.may_miss:
            most = SAFE_PREMIUM * _usd(best)
            safe = (one for one in fair if not one.may_miss and not one.estimate.memory.tight)
            assert all(_usd(option) > most for option in safe)
        elif any(option.may_miss and _usd(option) < _usd(best) for option in fair):
            first, second, *_ = distinct(found.meeting, asked, top=3)
            assert "far end of its range" in first[1]
            assert second[1].startswith("cheaper: may miss")
            assert _usd(second[0]) < _usd(best) <= SAFE_PREMIUM * _usd(second[0])


def _usd(option: Option) -> float:
    return option.usd_per_hour or float("inf")


@few
@given(loads, st.sampled_from(("latency", "throughput", "performance")))
def test_a_wish_for_speed_is_held_within_money(said: Workload, objective: str):
    wished = evaluate(question(replace(said, latency_kind=None, objective=objective)))
    cheapest = evaluate(question(replace(said, latency_kind=None))).best
    if wished.best is not None and cheapest is not None and cheapest.usd_per_hour:
        assert wished.best.usd_per_hour <= 2 * cheapest.usd_per_hour


@few
@given(
    st.sampled_from(("llama-3.1-8b", "llama-3.3-70b")),
    st.floats(0.01, 3.0),
    st.floats(1, 200),
    st.sampled_from((None, ("g4dn",), ("g6",))),
)
def test_a_remedy_works(model: str, usd: float, limit: float, allow):
    said = Workload(
        model=model, budget_usd_per_hour=usd, latency_ms=limit, latency_kind="ttft", allow=allow
    )
    result = ask(said, small_catalog(), load_coefficients())
    for relaxation in result.relaxations:
        again = ask(replace(said, **relaxation.change), small_catalog(), load_coefficients())
        assert again.best is not None
        assert again.best.instance.instance_type == relaxation.instance_type
