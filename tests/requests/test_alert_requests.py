"""What an alert turn answers, and what it leaves to whoever keeps alerts."""

from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.language.parse import parse
from tests.alerts.test_look import Live

PICK = "inference llama-3.1-8b latency<100ms"


@pytest.fixture(scope="module")
def said():
    world = load_world()

    def said(text, earlier=None):
        previous = None if earlier is None else parse(earlier, world.catalog).workload
        return answer(text, world, previous)

    return said


def test_a_price_is_watched_from_the_price_of_now(said):
    asked = said("price p5.48xlarge in Ohio").quotes[0].usd_per_hour
    wish = said("tell me if p5.48xlarge drops 10 % in Ohio").alert
    assert (wish.instance_type, wish.region, wish.market) == (
        "p5.48xlarge", "us-east-2", "on_demand",
    )  # fmt: skip
    assert wish.seen_usd_per_hour == asked
    assert wish.threshold_percent == 10
    assert "drops 10 % or more" in wish.told
    assert "2026" in wish.told


@pytest.mark.parametrize(("market", "percent"), [("", 1.0), ("spot ", 5.0)])
def test_what_counts_as_a_change_where_nobody_said(said, market, percent):
    assert said(f"alert me when {market}g5.xlarge gets cheaper").alert.threshold_percent == percent


def test_a_price_to_fall_below_is_a_drop_from_now(said):
    wish = said("tell me when p4d.24xlarge is below 20 dollars an hour").alert
    now = wish.seen_usd_per_hour
    assert now * (1 - wish.threshold_percent / 100) == pytest.approx(20)
    assert "$20.00/h or less" in wish.told


def test_a_price_to_rise_to_is_a_rise_from_now(said):
    wish = said("tell me when p4d.24xlarge is above 50 dollars an hour").alert
    assert wish.direction == "up"
    assert wish.seen_usd_per_hour * (1 + wish.threshold_percent / 100) == pytest.approx(50)
    assert "$50.00/h or more" in wish.told


@pytest.mark.parametrize("years", [1, 3])
def test_a_commitment_is_watched_by_its_term(said, years):
    wish = said(f"tell me if the {years}-year savings plan rate of p5.48xlarge drops 5 %").alert
    asked = said(f"price p5.48xlarge savings plan {years} years").quotes[0]
    assert (wish.market, wish.term_years) == ("savings_plan", years)
    assert (wish.seen_usd_per_hour, wish.seen_on) == (asked.usd_per_hour, asked.as_of)
    assert wish.seen_usd_per_hour is not None


def test_a_price_watched_in_a_thread_counts_for_its_workload(said):
    wish = said("watch g6.12xlarge price drops 5 %", "inference llama-3.1-8b rps=40").alert
    again = said(f"{wish.request} instance=g6.12xlarge").recommendation
    assert wish.instances == again.asked.instances > 1
    assert wish.best_type == said(wish.request).recommendation.picks[0].instance.instance_type
    assert f"{wish.instances} × g6.12xlarge" in wish.told


@pytest.mark.parametrize("earlier", [None, "inference llama-3.1-405b bf16"])
def test_where_no_workload_runs_on_it_one_instance_is_counted(said, earlier):
    wish = said("watch g6.xlarge price drops 5 %", earlier).alert
    assert (wish.request, wish.instances, wish.best_type) == ("", 1, "")


def test_a_digest_is_promised_as_one(said):
    assert (
        "in a weekly digest when" in said("alert p5.48xlarge drops 10 % weekly digest").alert.told
    )
    assert "in a daily digest when" in said("watch this thread daily", PICK).alert.told


def test_a_pick_is_watched_by_the_request_that_the_sweep_asks_again(said):
    wish = said("alert when something beats this pick", PICK).alert
    best = said(PICK).recommendation.picks[0]
    again = said(wish.request).recommendation.picks[0]
    assert wish.instance_type == best.instance.instance_type == again.instance.instance_type
    assert wish.seen_usd_per_hour == best.quote.usd_per_hour
    assert wish.region == best.region


def test_a_pick_among_several_regions_is_watched_in_all_of_them(said):
    wish = said("watch this thread", "inference 7B in Frankfurt or Ohio").alert
    regions = {"eu-central-1", "us-east-2"}
    assert wish.region in regions
    assert all(region in wish.request for region in regions)
    assert said(wish.request).recommendation.picks[0].region == wish.region


@pytest.mark.parametrize(
    ("text", "earlier"), [("alert p5.48xlarge drops 10%", None), ("watch this thread", PICK)]
)
def test_a_price_of_an_older_day_is_no_ground_to_measure_from(text, earlier):
    """AWS is asked and refuses: the first sweep notes the price to measure from."""
    world = replace(load_world(), live=Live())
    previous = None if earlier is None else parse(earlier, world.catalog).workload
    wish = answer(text, world, previous).alert
    assert (wish.seen_usd_per_hour, wish.seen_on) == (None, "")
    assert "Price now: $" in wish.told


def test_an_alert_leaves_the_thread_about_what_it_was(said):
    assert said("watch this thread", PICK).workload is None


def test_where_nothing_is_kept_the_answer_says_so(said):
    for text in ("alert p5.48xlarge drops 10%", "list my alerts", "delete alert 1"):
        reply = said(text)
        assert "No alert was set or changed" in reply.text
        assert "ec2-pick serve" in reply.text
        assert "will be told" not in reply.text
        assert reply.exit_code == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("watch this thread", "no_context"),
        ("alert", "no_context"),
        ("alert p9.banana drops 10%", "unknown_instance"),
        ("watch p5", "invalid_value"),
        ("tell me when p4d.24xlarge is below 900 dollars an hour", "invalid_value"),
        ("tell me when p4d.24xlarge is above 2 dollars an hour", "invalid_value"),
    ],
)
def test_what_cannot_be_watched_is_refused_with_an_example(said, text, code):
    error = said(text).error
    assert error.code == code
    assert error.example


@pytest.mark.parametrize(
    ("text", "group", "suggested"),
    [
        ("tell me if p5 drops 10 %", "p5", "p5.48xlarge"),
        ("notify me when inf2 gets cheaper", "inf2", "inf2.xlarge"),
        ("alert me if H200 falls 5 %", "H200-141", "p5en.48xlarge"),
    ],
)
def test_a_group_is_asked_which_type_of_it(said, text, group, suggested):
    error = said(text).error
    assert error.message == f"Name one type of {group}."
    assert suggested in error.suggestions
