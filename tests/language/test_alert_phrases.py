"""What people type about alerts, and what of it is no wish for one."""

import pytest

from bot.core.errors import RequestError
from bot.language.questions.alerts import alert_request

THREAD = ("inference llama-3.1-8b latency<100ms",)
PRICE = {"action": "add", "watches": "price"}
DROP = {**PRICE, "direction": "down"}
CHANGE = {**PRICE, "direction": "either"}
RISE = {**PRICE, "direction": "up"}
OHIO = {**DROP, "instance_type": "p5.48xlarge", "region": "us-east-2", "threshold_percent": 10}
PICK = {"action": "add", "watches": "pick"}
SAID = [
    ("tell me if p5.48xlarge drops 10 % in Ohio", OHIO),
    ("/ec2-pick alert p5.48xlarge drops 10% in us-east-2", OHIO),
    (
        "alert me when g6e.xlarge gets cheaper",
        {**DROP, "instance_type": "g6e.xlarge", "threshold_percent": None},
    ),
    (
        "notify me if the price of inf2.xlarge changes by 5%",
        {**CHANGE, "instance_type": "inf2.xlarge", "threshold_percent": 5},
    ),
    (
        "tell me if the price of inf2.xlarge changes by 5 percent",
        {**CHANGE, "instance_type": "inf2.xlarge", "threshold_percent": 5},
    ),
    ("warn me if p5.48xlarge price goes up 5 percent", {**RISE, "threshold_percent": 5}),
    ("tell me if p5.48xlarge rises 5 %", {**RISE, "threshold_percent": 5}),
    ("alert me when g6.xlarge gets more expensive", RISE),
    ("tell me if g6.xlarge gets cheaper or more expensive", CHANGE),
    (
        "tell me when spot g5.xlarge goes above $0.90 in Frankfurt",
        {**RISE, "market": "spot", "region": "eu-central-1", "limit_usd_per_hour": 0.9},
    ),
    ("alert p5.48xlarge drops 10 % daily digest", {**DROP, "every": "daily"}),
    ("alert p5.48xlarge drops 10 % as a weekly digest", {**DROP, "every": "weekly"}),
    ("tell me once a week if p5.48xlarge drops 10 %", {**DROP, "every": "weekly"}),
    (
        "send me a weekly digest of price changes for p5.48xlarge",
        {**CHANGE, "instance_type": "p5.48xlarge", "every": "weekly"},
    ),
    (
        "ping me when inf2.xlarge is under $0.50",
        {**DROP, "instance_type": "inf2.xlarge", "limit_usd_per_hour": 0.5},
    ),
    ("alerts", {"action": "list"}),
    ("watch p5.48xlarge every day", {**CHANGE, "every": "daily"}),
    ("watch this thread weekly", {**PICK, "every": "weekly"}),
    (
        "tell me if the 3-year savings plan rate of p5.48xlarge drops 5 %",
        {**DROP, "market": "savings_plan", "threshold_percent": 5, "every": ""},
    ),
    ("alert p5.48xlarge drops 5% 1-year savings plan", {**DROP, "market": "savings_plan"}),
    (
        "tell me when spot g5.xlarge falls below $0.30 in Frankfurt",
        {**DROP, "market": "spot", "region": "eu-central-1", "limit_usd_per_hour": 0.3},
    ),
    (
        "let me know when p4d.24xlarge is below 20 dollars an hour",
        {**PRICE, "limit_usd_per_hour": 20},
    ),
    ("watch p5.48xlarge spot 12.5%", {**CHANGE, "market": "spot", "threshold_percent": 12.5}),
    ("watch this thread", PICK),
    ("alert when something beats this pick", PICK),
    ("list my alerts", {"action": "list"}),
    ("Please show me all my alerts.", {"action": "list"}),
    ("my alerts", {"action": "list"}),
    ("alerts list", {"action": "list"}),
    ("what am I watching?", {"action": "list"}),
    ("pause alert 2", {"action": "pause", "number": 2}),
    ("pause alert number two", {"action": "pause", "number": 2}),
    ("alert pause #2", {"action": "pause", "number": 2}),
    ("resume alert 2", {"action": "resume", "number": 2}),
    ("delete alert 1", {"action": "delete", "number": 1}),
    ("please cancel my alert 1!", {"action": "delete", "number": 1}),
    ("delete alert", {"action": "delete", "number": None, "subject": ""}),
    ("delete all alerts", {"action": "delete", "subject": "all"}),
    ("stop watching p5", {"action": "delete", "subject": "p5"}),
    ("stop watching p5.48xlarge", {"action": "delete", "subject": "p5.48xlarge"}),
    ("stop watching this thread", {"action": "delete", "subject": ""}),
    ("turn off alert 3", {"action": "pause", "number": 3}),
    ("stop the second alert", {"action": "delete", "number": 2}),
    ("lösche Alarm 2", {"action": "delete", "number": 2}),
    (
        "let us know if the price of g5.xlarge climbs above $0.6",
        {**RISE, "limit_usd_per_hour": 0.6},
    ),
    ("keep an eye on g5.xlarge for me", {**CHANGE, "instance_type": "g5.xlarge"}),
]


@pytest.mark.parametrize("earlier", [(), THREAD], ids=["alone", "in a thread"])
@pytest.mark.parametrize(("text", "expected"), SAID)
def test_asks_of_alerts(text, expected, earlier, understood):
    understanding = understood(text, earlier)
    wish = alert_request(understanding)
    assert understanding.intent == "alert"
    assert understanding.topic is None
    assert {name: getattr(wish, name) for name in expected} == expected
    assert understanding.not_understood == ()


def test_a_better_pick_is_watched_even_where_the_thread_names_a_type(understood):
    text = "alert when something beats this pick"
    assert alert_request(understood(text, ("llama-3.1-8b on g5.xlarge",))).watches == "pick"


@pytest.mark.parametrize(
    "text",
    [
        "tell me if llama-3-70b fits g5.12xlarge",
        "drop the latency limit for llama-3.1-8b",
        "inference 7B if the latency falls below 100ms",
        "monitor llama-3-8b on g5.xlarge",
        "tell me which gpu is in g5.xlarge",
        "stop using spot for llama-3.1-8b",
    ],
)
def test_other_requests_are_no_alerts(text, understood):
    assert alert_request(understood(text)) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("alert p5.48xlarge drops 0%", "out_of_range"),
        ("alert p5.48xlarge drops -5 %", "out_of_range"),
        ("alert p5.48xlarge drops 500 %", "out_of_range"),
        ("alert p5.48xlarge drops 99999999 %", "out_of_range"),
        ("alert p5.49xlarge drops 10 %", "unknown_instance"),
        ("tell me if it gets cheaper", "no_context"),
        ("pause alert -1", "invalid_value"),
        ("make alert 1 a daily digest", "invalid_value"),
        ("change alert #2 to weekly", "invalid_value"),
        ("pause alert 1.5", "invalid_value"),
        ("delete alert 1; drop table", "invalid_value"),
        ("delete alert <!channel>", "invalid_value"),
    ],
)
def test_what_no_alert_can_be_is_refused_with_an_example(text, code, understood):
    with pytest.raises(RequestError) as refusal:
        alert_request(understood(text))
    assert refusal.value.code == code
    assert refusal.value.example
