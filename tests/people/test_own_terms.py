"""Defaults, discount and currency in the answers they bear on, and their absence elsewhere."""

from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.language.questions.saved_words import save_wish
from bot.store.defaults import Defaults
from bot.store.preferences import Preferences, merged
from engine.core.workload import Workload

QUESTION = "inference 7B latency<100ms"
OWN = Defaults(discount_percent=10.0, currency="EUR", per_usd=0.5, rate_set_on="2026-11-01")


def under(own=Defaults(), workspace=Defaults()):  # noqa: B008 - frozen
    return replace(load_world(), preferences=merged(own, workspace))


def said_of(reply):
    return {one.field: (one.value, one.why) for one in reply.recommendation.assumptions}


@pytest.mark.parametrize(
    ("own", "workspace", "expected"),
    [
        ({"region": "eu-west-1"}, {"region": "us-west-2"}, ("eu-west-1", "your default")),
        ({}, {"region": "us-west-2"}, ("us-west-2", "workspace default")),
        ({"market": "spot"}, {}, ("us-east-1", "no region was named")),
    ],
)
def test_own_defaults_go_before_the_workspaces_and_those_before_the_products(
    own, workspace, expected
):
    reply = answer(QUESTION, under(Defaults(**own), Defaults(**workspace)))
    assert said_of(reply)["region"] == expected
    assert reply.workload == answer(QUESTION, load_world()).workload  # said is what was said


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        (f"{QUESTION} in Ohio", "region"),
        (f"{QUESTION} in europe", "region"),
        (f"{QUESTION} on spot", "market"),
        (f"{QUESTION} on inf2", "allow"),
        (f"{QUESTION} instance=g5.xlarge", "allow"),
        (f"{QUESTION} gpu=H100", "allow"),
    ],
)
def test_what_is_said_goes_before_every_default(asked, field):
    laid = Defaults(region="sa-east-1", market="savings_plan", allow=("g6",))
    taken = said_of(answer(asked, under(laid)))
    whose = {why for name, (_, why) in taken.items() if name == field}
    assert "your default" not in whose


def test_allowed_families_hold_and_a_rejection_says_whose_wish_it_was():
    reply = answer(QUESTION, under(Defaults(allow=("g6e",))))
    assert {pick.instance.family for pick in reply.recommendation.picks} == {"g6e"}
    (why,) = [
        one.detail for one in reply.recommendation.rejected if one.instance_type == "g5.xlarge"
    ]
    assert why == "the defaults allow g6e only"


def test_where_allowed_families_stand_in_the_way_the_button_gets_past_them():
    world = under(Defaults(allow=("t3",)))
    result = answer("inference 70B concurrency=20 latency<100ms", world).recommendation
    assert not result.picks
    (change,) = [one.change for one in result.relaxations if "other types" in one.text]
    amended = answer(f"allow={','.join(change['allow'])}", world, result.said)
    assert amended.recommendation.picks


def test_a_discount_is_taken_off_on_demand_prices_and_said():
    listed = answer(QUESTION, load_world()).recommendation.picks[0]
    reply = answer(QUESTION, under(OWN))
    pick = reply.recommendation.picks[0]
    assert pick.quote.usd_per_hour == pytest.approx(0.9 * listed.quote.usd_per_hour)
    assert pick.quote.list_usd_per_hour == listed.quote.usd_per_hour
    assert f"list ${listed.quote.usd_per_hour:.3f}/h, your 10 % discount" in reply.text
    assert "EUR" in reply.text
    assert "at your rate 0.5" in reply.text
    assert "EUR rate set on 2026-11-01" in reply.text


def test_a_discount_may_make_a_budget_do():
    pick = answer(QUESTION, load_world()).recommendation.picks[0]
    name, usd = pick.instance.instance_type, pick.cost.usd_per_hour
    named = f"{QUESTION} instance={name} budget<${usd - 0.01:.3f}/h"
    assert answer(named, load_world()).error.code == "conflict"
    asked = answer(named, under(OWN)).recommendation.asked
    assert asked.cost.usd_per_hour < usd - 0.01
    least = answer(f"{QUESTION} budget<${usd - 0.01:.3f}/h", under(OWN)).recommendation.picks[0]
    assert least.instance.instance_type == name


@pytest.mark.parametrize("market", ["spot", "savings_plan"])
def test_other_prices_stay_what_they_are(market):
    asked = f"{QUESTION} market={market}"
    plain, own = (
        answer(asked, world).recommendation.picks[0] for world in (load_world(), under(OWN))
    )
    assert own.quote.usd_per_hour == plain.quote.usd_per_hour
    assert "discount" not in answer(asked, under(OWN)).text


LESS = "AWS’s list prices less your 10 % discount"
WITHOUT = "AWS’s list prices, without your 10 % discount"


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("price g6e.xlarge", LESS),
        ("why inf2?", "list $"),
        ("eksctl manifest", "list $"),
        ("undo", "list $"),
        ("what would make inf2 the best?", WITHOUT),
        ("cheapest at 1, 10 and 100 rps", WITHOUT),
        ("price history g6e.xlarge", WITHOUT),
    ],
)
def test_every_answer_says_whether_its_prices_are_discounted(asked, said):
    previous = answer(QUESTION, load_world()).workload
    assert said in answer(asked, under(OWN), previous).text


@pytest.mark.parametrize("asked", ["price g6e.xlarge", "price history g6e.xlarge"])
def test_a_default_region_of_a_price_is_said(asked):
    text = answer(asked, under(Defaults(region="eu-west-1"))).text
    assert "Region: eu-west-1 (your default)." in text
    assert (
        "your default" not in answer(f"{asked} in Ohio", under(Defaults(region="eu-west-1"))).text
    )


def test_an_alert_says_what_its_defaults_were_as_nobody_is_asked_later():
    laid = Defaults(region="us-west-2", market="spot", allow=("g6",), discount_percent=10.0)
    reply = answer("watch this pick", under(laid), Workload(params_b=7.0))
    for word in ("region=us-west-2", "market=spot", "allow=g6"):
        assert word in reply.alert.request
    assert "Taken: us-west-2 (your default), spot (your default), g6 only (your def" in reply.text


@pytest.mark.parametrize("asked", ["monitor this", "70B fp8", "watch this pick", "why inf2?"])
def test_a_default_is_never_taken_for_what_was_said(asked):
    previous = Workload(params_b=7.0)
    plain = answer(asked, load_world(), previous)
    own = answer(asked, under(Defaults(region="eu-west-1", allow=("t3",))), previous)
    assert own.workload == plain.workload
    assert "eu-west-1 (your default)" in own.text


def test_without_defaults_nothing_changes():
    assert answer(QUESTION, replace(load_world(), preferences=Preferences())).text == (
        answer(QUESTION, load_world()).text
    )


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("save this pick", "save"),
        ("Save this", "save"),
        ("please bookmark it.", "save"),
        ("save", "save"),
        ("save this pick instance=g6.xlarge region=us-east-1 market=spot", "save"),
        ("my saved picks", "list"),
        ("list saved picks", "list"),
        ("show me my saved picks please", "list"),
        ("forget saved pick 2", "forget"),
        ("delete my saved pick #12", "forget"),
        ("forget pick 3", "forget"),
        ("forget saved pick 99999999999999999999", "forget"),
        ("drop pick 2", None),
        ("save money on 7B", None),
        ("how much would spot save?", None),
        ("inference 7B", None),
        ("forget it", None),
        ("save this pick if it gets cheaper", None),
    ],
)
def test_words_about_saved_picks_are_heard_and_no_others(text, action):
    wish = save_wish(text)
    assert (wish and wish.action) == action
