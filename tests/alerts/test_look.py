"""What is true now for a subscription, and a sweep in one process: on embedded and live prices."""

from dataclasses import replace

import pytest

from bot.alerts.look import WorldLook
from bot.alerts.sweep import sweep_locally
from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.store.subscriptions import add, read
from catalog.facts.schema import Quote
from catalog.prices.live.desk import DeskAnswer
from tests.alerts.channel import G6, PLACE, at, subscribed, swept

PICK = "inference llama-3.1-8b latency<100ms"
P5 = "p5.48xlarge"


class Live:
    """AWS as a world asks it: `quotes` are what it answers, `asked` what it was asked."""

    def __init__(self, *quotes):
        self.quotes, self.asked = quotes, []

    def answer(self):
        return self

    def ask(self, wanted):
        self.asked += wanted.prices
        keys = {ask.key: ask for ask in wanted.prices}
        found = {
            key: quote for key, ask in keys.items() for quote in self.quotes
            if (quote.market, quote.instance_type) == (ask.market, ask.instance_type)
        }  # fmt: skip
        return DeskAnswer(quotes=found, failed=dict.fromkeys(wanted.prices, "refused"))


def live_quote(usd_per_hour, market="on_demand"):
    return Quote(P5, "us-east-1", market, usd_per_hour, "pricing_api", "2026-11-28")


@pytest.fixture(scope="module")
def world():
    return load_world()


def price(**fields):
    return subscribed(instance_type=P5, region="us-east-1", **fields)


def pick(**fields):
    return subscribed(watches="pick", request=PICK, instance_type="", **fields)


@pytest.mark.parametrize(
    ("market", "years"),
    [("on_demand", 0), ("spot", 0), ("savings_plan", 1), ("savings_plan", 3)],
)
def test_a_price_is_the_quote_of_its_market_and_term(world, market, years):
    seen = WorldLook(world)(price(market=market, term_years=years))
    quote = world.catalog.prices.quote(
        world.catalog.instances[P5], "us-east-1", market, term_years=years or 1
    )
    assert (seen.usd_per_hour, seen.as_of) == (quote.usd_per_hour, quote.as_of)
    assert seen.usd_per_hour > 0


def test_one_and_three_years_are_two_prices(world):
    look = WorldLook(world)
    one, three = (look(price(market="savings_plan", term_years=n)) for n in (1, 3))
    assert three.usd_per_hour < one.usd_per_hour


@pytest.mark.parametrize("fields", [{"instance_type": "p9.gone"}, {"region": "mars-north-1"}])
def test_what_is_not_sold_is_unknown(world, fields):
    assert WorldLook(world)(replace(price(), **fields)) is None


def test_a_pick_is_the_answer_to_its_request(world):
    best = answer(PICK, world).recommendation.picks[0]
    seen = WorldLook(world)(pick())
    assert (seen.instance_type, seen.instances) == (best.instance.instance_type, best.instances)
    assert (seen.usd_per_hour, seen.region) == (best.quote.usd_per_hour, best.region)


@pytest.mark.parametrize("request_text", ["", "inference of nothing 9999999B", "help"])
def test_a_request_without_a_pick_is_unknown(world, request_text):
    assert WorldLook(world)(replace(pick(), request=request_text)) is None


def test_a_live_price_is_asked_once_however_many_watch_it(world):
    live = Live(live_quote(50.0))
    look = WorldLook(replace(world, live=live))
    seen = [look(price(place=replace(PLACE, user=f"U{n}"))) for n in range(5)]
    assert [one.usd_per_hour for one in seen] == [50.0] * 5
    assert len(live.asked) == 1


def test_a_price_that_aws_does_not_give_is_unknown_and_not_the_list_of_an_older_day(world):
    assert WorldLook(replace(world, live=Live()))(price()) is None


def test_a_pick_on_older_prices_than_awss_own_is_unknown(world):
    assert WorldLook(replace(world, live=Live()))(pick()) is None


def test_a_sweep_in_one_process_reaches_every_page_and_tells_what_changed(world, unsynced, channel):
    known = WorldLook(world)(price()).usd_per_hour
    for n in range(250):
        was = known * 2 if n % 50 == 0 else known
        place = replace(PLACE, user=f"U{n}")
        add(unsynced, price(place=place, seen_usd_per_hour=was, threshold_percent=10))
    assert sweep_locally(world, unsynced, channel) == {"quiet": 245, "told": 5}
    assert {round(one.percent) for one in channel.alerts} == {-50}
    assert sweep_locally(world, unsynced, channel) == {"quiet": 250}


def test_a_sweep_without_time_leaves_everything_for_the_next(world, unsynced, channel):
    add(unsynced, price(seen_usd_per_hour=1.0))
    assert sweep_locally(world, unsynced, channel, lambda: False) == {}
    assert sweep_locally(world, unsynced, channel) == {"told": 1}


def test_a_price_watched_for_a_workload_tells_what_becomes_of_its_pick(world, unsynced, channel):
    best = answer(PICK, world).recommendation.picks[0].instance.instance_type
    one = price(seen_usd_per_hour=1.0, request=PICK, best_type="g5.xlarge", instances=3)
    add(unsynced, one)
    sweep_locally(world, unsynced, channel)
    (alert,) = channel.alerts
    assert (alert.old_best, alert.new_best) == ("g5.xlarge", best)
    assert alert.monthly_usd == pytest.approx((alert.new_usd_per_hour - 1.0) * 3 * 730)
    assert read(unsynced, one.id).subscription.best_type == best


def test_no_pick_is_worked_out_where_the_price_is_no_news(unsynced, channel, clock):
    looked = []

    def look(one):
        looked.append(one.watches)
        return at(1.0, G6)(one)

    add(unsynced, subscribed(request=PICK))
    swept(unsynced, look, channel, clock)
    assert looked == ["price"]
