"""Live, cached, embedded: what is used when, and what a failing source may cost."""

import threading
from dataclasses import dataclass, field

import pytest

from catalog.facts.schema import Quote
from catalog.load import load_catalog
from catalog.prices.history import price_change
from catalog.prices.live.budget import FAILURES, PAUSE_S, Circuit, finished_within
from catalog.prices.live.cache import CachedAnswer, MemoryCache, body_of, found_of
from catalog.prices.live.checked_source import SECOND_READ_S, CheckedSource
from catalog.prices.live.desk import kin_price
from catalog.prices.live.lookup import Lookup, cache_key
from catalog.prices.live.source import Findings, PriceQuery

ASK = PriceQuery("on_demand", "us-east-1", "p5.48xlarge")
OTHER = PriceQuery("on_demand", "us-east-1", "g6.xlarge")


def quote(usd, ask=ASK, as_of="2026-11-20", source="pricing_api"):
    return Quote(ask.instance_type, ask.region, ask.market, usd, source, as_of)


@dataclass
class Played:
    """A source that answers from a script: a price, a reason, an error, or when it is released."""

    script: list = field(default_factory=list)
    name: str = "played"
    ttl_s: float = 100.0
    found_type: type = Quote
    batch: int = 10
    calls: list = field(default_factory=list)
    called: threading.Event = field(default_factory=threading.Event)

    def place(self, asked):
        return asked.region

    def find(self, asked):
        self.calls.append(tuple(asked))
        self.called.set()
        step = self.script.pop(0) if self.script else "no more"
        if isinstance(step, threading.Event):
            step.wait(10)
            step = 1.0
        if isinstance(step, Exception):
            raise step
        if isinstance(step, str):
            return Findings(failed=dict.fromkeys(asked, step))
        return Findings({ask: quote(step, ask) for ask in asked})


@pytest.fixture
def cache():
    return MemoryCache()


@pytest.fixture
def lookup(cache, clock):
    return Lookup(cache, clock.now, monotonic=clock.monotonic)


def looked(lookup, source, ask=ASK, **how):
    one = lookup.look_up([(source, [ask])], **how)[0]
    found = one.found.get(ask)
    return None if found is None else (found.usd_per_hour, found.cached), one.failed.get(ask)


def test_live_then_cached_until_the_ttl_then_live_again(lookup, clock):
    source = Played([1.0, 2.0])
    assert looked(lookup, source) == ((1.0, False), None)
    clock.advance(99)
    assert looked(lookup, source) == ((1.0, True), None)
    clock.advance(2)
    assert looked(lookup, source) == ((2.0, False), None)
    assert len(source.calls) == 2


def test_fresh_asks_whatever_the_cache_holds(lookup):
    source = Played([1.0, 2.0])
    looked(lookup, source)
    assert looked(lookup, source, fresh=True) == ((2.0, False), None)


def test_the_last_good_figure_stands_in_and_the_reason_is_told(lookup, clock):
    source = Played([1.0, "throttled"])
    looked(lookup, source)
    clock.advance(10_000)
    assert looked(lookup, source) == ((1.0, True), "throttled")


def test_nothing_known_is_nothing_found(lookup):
    assert looked(lookup, Played(["throttled"])) == (None, "throttled")


def test_a_bug_of_ours_is_a_failure_of_one_source_only(lookup):
    broken, fine = Played([KeyError("x")]), Played([1.0], name="fine")
    one, other = lookup.look_up([(broken, [ASK]), (fine, [ASK])])
    assert one.failed[ASK] == "played could not be read (KeyError)"
    assert other.found[ASK].usd_per_hour == 1.0


def test_a_slow_source_costs_the_budget_and_no_more(lookup, cache):
    held = threading.Event()
    slow, fine = Played([held]), Played([1.0], name="fine")
    one, other = lookup.look_up([(slow, [ASK]), (fine, [ASK])], budget_s=0.3)
    assert one.failed[ASK] == "played did not answer in time"
    assert other.found[ASK].usd_per_hour == 1.0
    written = threading.Event()
    put = cache.put
    cache.put = lambda *args: (put(*args), written.set())
    held.set()  # it answers at last: kept for the next answer
    assert written.wait(5)
    assert looked(lookup, slow) == ((1.0, True), None)


def test_a_lasting_process_serves_stale_figures_at_once(cache, clock):
    lookup = Lookup(cache, clock.now, monotonic=clock.monotonic, revalidates=True)
    source = Played([1.0, 2.0])
    looked(lookup, source)
    clock.advance(150)
    written = threading.Event()
    put = cache.put
    cache.put = lambda *args: (put(*args), written.set())
    assert looked(lookup, source) == ((1.0, True), None)
    assert written.wait(5)  # looked up behind the answer
    assert looked(lookup, source) == ((2.0, True), None)
    clock.advance(10_000)  # too old to be served without asking
    source.script.append(3.0)
    assert looked(lookup, source) == ((3.0, False), None)


def test_a_source_that_keeps_failing_is_left_alone_for_a_while(lookup, clock):
    source = Played(["down"] * 3 + [1.0])
    for _ in range(FAILURES):
        assert looked(lookup, source)[1] == "down"
    assert "failed repeatedly" in looked(lookup, source)[1]
    assert len(source.calls) == FAILURES
    clock.advance(PAUSE_S)
    assert looked(lookup, source) == ((1.0, False), None)


def test_one_region_failing_leaves_the_others(lookup):
    source = Played(["down"] * 3 + [1.0])
    for _ in range(FAILURES):
        looked(lookup, source)
    elsewhere = PriceQuery("on_demand", "eu-west-1", "p5.48xlarge")
    assert looked(lookup, source, elsewhere) == ((1.0, False), None)


def test_a_half_open_circuit_lets_one_through(clock):
    circuit = Circuit(clock.monotonic)
    for _ in range(FAILURES):
        circuit.record(answered=False)
    assert not circuit.allows()
    clock.advance(PAUSE_S)
    assert [circuit.allows(), circuit.allows()] == [True, False]
    circuit.record(answered=False)
    assert not circuit.allows()
    clock.advance(PAUSE_S)
    assert circuit.allows()
    circuit.record(answered=True)
    assert circuit.allows()


def test_calls_go_by_region_and_size(lookup):
    source = Played([1.0] * 5, batch=2)
    names = ["a", "b", "c"]
    asks = [PriceQuery("on_demand", region, n) for region in ("r1", "r2") for n in names]
    assert len(lookup.look_up([(source, asks)])[0].found) == 6
    assert sorted(len(call) for call in source.calls) == [1, 1, 2, 2]
    assert all(len({ask.region for ask in call}) == 1 for call in source.calls)


def test_what_another_version_kept_is_not_used(lookup, cache):
    source = Played([1.0])
    for body in ({"gone": 1}, {"instance_type": "p5.48xlarge"}):
        cache.put(cache_key(source, ASK), CachedAnswer(body, 4e9))
        assert found_of(body, Quote) is None
    assert looked(lookup, source) == ((1.0, False), None)


def test_a_quote_comes_back_from_the_cache_as_it_went_in():
    assert found_of(body_of(quote(1.5)), Quote) == quote(1.5)


def test_jobs_that_raise_are_told_apart():
    error = ValueError("no")

    def fails():
        raise error

    assert finished_within({"a": fails, "b": lambda: 1}, 5.0) == {"a": error, "b": 1}


def known_of(known):
    return lambda ask: known.get(ask.market)


def believed(source, cache, known):
    return CheckedSource(source, known_of(known), cache)


DOUBTS = [
    ("ten times too high", "on_demand", 550.4, False),
    ("a cut by half", "on_demand", 27.0, True),
    ("four times and nine", "on_demand", 55.04 * 4.9, False),
    ("a fifth", "on_demand", 55.04 / 4.9, False),
    ("a tenth", "on_demand", 5.5, False),
    ("spot at a test server's price", "spot", 0.00001, False),
    ("spot as dear as on demand", "spot", 55.04, True),
    ("spot at 10 %", "spot", 5.504, True),
    ("a savings plan at half", "savings_plan", 27.0, True),
    ("a capacity block in the wrong unit", "capacity_block", 1.0, False),
]


@pytest.mark.parametrize(("why", "market", "usd", "is_believed"), DOUBTS)
def test_a_figure_far_from_the_known_one_is_no_answer(cache, why, market, usd, is_believed):
    ask = PriceQuery(market, "us-east-1", "p5.48xlarge")
    source = believed(Played([usd]), cache, {"on_demand": quote(55.04)})
    findings = source.find([ask])
    assert (ask in findings.found) == is_believed, why
    assert (ask in findings.failed) != is_believed


def test_a_gap_in_the_list_is_no_end_of_sale(cache):
    known = {"on_demand": quote(55.04)}
    gap = believed(Played([None]), cache, known).find([ASK])
    assert gap.failed[ASK].endswith("where it had a price")
    assert believed(Played([None]), cache, {}).find([ASK]).found[ASK].usd_per_hour is None


def test_a_type_nobody_knows_is_believed(cache):
    assert believed(Played([9.0]), cache, {}).find([ASK]).found[ASK].usd_per_hour == 9.0


def test_an_unusual_price_is_believed_at_a_second_read_some_hours_later(cache, clock):
    known = {"on_demand": quote(55.04, as_of="2025-06-03")}
    usd = 55.04 / 4
    source = CheckedSource(
        Played([usd] * 9 + [55.04 * 20] * 9), known_of(known), cache, now=clock.now
    )

    def reads():
        return source.find([ASK]).found

    assert not reads()
    clock.advance(60)
    assert not reads()
    assert cache.changes(ASK.key) == ()
    clock.advance(SECOND_READ_S)
    assert reads()[ASK].usd_per_hour == usd
    assert len(cache.changes(ASK.key)) == 1


def test_a_figure_beyond_all_reason_is_not_believed_however_often(cache, clock):
    known = {"on_demand": quote(55.04)}
    source = CheckedSource(Played([550.4] * 9), known_of(known), cache, now=clock.now)
    for _ in range(5):
        assert not source.find([ASK]).found
        clock.advance(SECOND_READ_S)


@pytest.mark.parametrize(("usd", "is_believed"), [(0.00001, False), (60.0, True), (600.0, False)])
def test_a_type_without_a_price_is_held_against_its_kin(cache, usd, is_believed):
    source = CheckedSource(Played([usd]), known_of({}), cache, lambda _: 63.0)
    assert bool(source.find([ASK]).found) is is_believed


def test_kin_are_types_of_the_same_chip_or_family():
    catalog = load_catalog()
    by_chip = PriceQuery("on_demand", "us-east-1", "p5e.48xlarge")
    assert 40 < kin_price(catalog, by_chip) < 90
    by_family = PriceQuery("on_demand", "us-east-1", "m7i.48xlarge")
    listed = catalog.prices.quote(catalog.instances["m7i.48xlarge"], "us-east-1").usd_per_hour
    assert kin_price(catalog, by_family) == pytest.approx(listed, rel=0.1)
    assert kin_price(catalog, PriceQuery("on_demand", "us-east-1", "no.such")) is None


def test_every_change_between_sweeps_is_recorded_once(cache, lookup, clock):
    source = believed(
        Played([55.04, 55.04, 50.0, 50.0, 60.0]),
        cache,
        {"on_demand": quote(98.32, as_of="2025-06-03")},
    )
    for _ in range(5):
        lookup.look_up([(source, [ASK])], fresh=True)
    steps = [(c.old_usd_per_hour, c.new_usd_per_hour) for c in cache.changes(ASK.key)]
    assert sorted(steps) == [(50.0, 60.0), (55.04, 50.0), (98.32, 55.04)]
    del clock


@pytest.mark.parametrize(
    ("before", "now", "changes"),
    [
        (quote(1.0, as_of="2026-01-01"), quote(1.1), True),
        (quote(1.0, as_of="2026-01-01"), quote(1.00001), False),
        (quote(None), quote(1.0), False),
        (quote(1.0), quote(None), False),
        (quote(1.0, as_of="2027-01-01"), quote(2.0), False),  # older news than what is known
    ],
)
def test_what_counts_as_a_change(before, now, changes):
    assert (price_change(before, now, 0) is not None) == changes
