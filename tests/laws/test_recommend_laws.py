"""Laws of a whole recommendation: what must hold whatever is asked."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from catalog.prices.prices import Prices
from engine.core.workload import Workload
from engine.pick.recommend import evaluate, recommend
from tests.laws.worlds import question, small_catalog

MODELS = ("llama-3.1-8b", "qwen2.5-32b", "mixtral-8x7b", "llama-3.3-70b", "bge-large")
workloads = st.builds(
    Workload,
    model=st.sampled_from(MODELS),
    concurrency=st.sampled_from((None, 4.0, 32.0)),
    latency_kind=st.sampled_from(("ttft", "per_token", "e2e")),
    latency_ms=st.floats(5, 20_000),
)
few = settings(max_examples=8, deadline=None)


def meeting(said: Workload) -> set[str]:
    return {option.instance.instance_type for option in evaluate(question(said)).meeting}


class TestTighterLimits:
    """A tighter limit never widens the choice."""

    @few
    @given(workloads, st.floats(0.1, 1.0))
    def test_latency(self, said: Workload, share: float):
        single = replace(said, concurrency=None)
        tighter = replace(single, latency_ms=single.latency_ms * share)
        assert meeting(tighter) <= meeting(single)

    @few
    @given(st.sampled_from(MODELS), st.floats(0.5, 120), st.floats(0.1, 1.0))
    def test_budget(self, model: str, budget: float, share: float):
        loose = Workload(model=model, budget_usd_per_hour=budget)
        assert meeting(replace(loose, budget_usd_per_hour=budget * share)) <= meeting(loose)

    @few
    @given(st.sampled_from(MODELS), st.sampled_from(("nvidia", "neuron", "cpu", "g5")))
    def test_exclusion(self, model: str, word: str):
        assert meeting(Workload(model=model, exclude=(word,))) <= meeting(Workload(model=model))


class TestOrder:
    """The order of the catalog never matters, and the same question has one answer."""

    @few
    @given(workloads, st.randoms(use_true_random=False))
    def test_shuffled_catalog(self, said: Workload, random):
        catalog = small_catalog()
        names = list(catalog.instances)
        random.shuffle(names)
        shuffled = replace(catalog, instances={name: catalog.instances[name] for name in names})
        assert recommend(question(said)) == recommend(question(said, shuffled))


class TestNewcomers:
    """A newcomer that is dearer and no better never becomes the pick."""

    @few
    @given(workloads, st.floats(1.01, 3.0))
    def test_dominated_newcomer(self, said: Workload, markup: float):
        before = recommend(question(said))
        if not before.picks or before.picks[0].quote.usd_per_hour is None:
            return
        best = before.picks[0]
        catalog = small_catalog()
        name = "zz9.plural"
        newcomer = replace(best.instance, instance_type=name, family="zz9")
        dearer = replace(
            best.quote, instance_type=name, usd_per_hour=best.quote.usd_per_hour * markup
        )
        prices = replace(
            catalog.prices, on_demand={**catalog.prices.on_demand, ("us-east-1", name): dearer}
        )
        assert isinstance(prices, Prices)
        families = {**catalog.families, "zz9": catalog.families[best.instance.family]}
        instances = {**catalog.instances, name: newcomer}
        wider = replace(catalog, instances=instances, families=families, prices=prices)
        after = recommend(question(said, wider))
        assert after.picks[0].instance.instance_type == best.instance.instance_type


class TestRejections:
    """Every type is a pick or has exactly one rejection, and an unpriced type is never first."""

    @few
    @given(workloads)
    def test_every_type_is_accounted_for(self, said: Workload):
        result = recommend(question(said))
        picked = [pick.instance.instance_type for pick in result.picks]
        rejected = [rejection.instance_type for rejection in result.rejected]
        assert sorted(picked + rejected) == sorted(small_catalog().instances)

    @few
    @given(workloads)
    def test_unpriced_follows_priced(self, said: Workload):
        prices = [pick.cost.usd_per_hour for pick in recommend(question(said)).picks]
        assert prices == sorted(prices, key=lambda usd: usd is None) or len(prices) < 2


@pytest.mark.parametrize("model", MODELS)
def test_picks_meet_every_limit(model: str):
    result = recommend(question(Workload(model=model, latency_ms=5000.0, latency_kind="e2e")))
    for pick in result.picks:
        assert all(check.verdict != "misses" for check in pick.limits)
