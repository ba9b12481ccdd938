"""Machines that people own or name: the first words answer what was asked, the numbers follow."""

import pytest

from bot.answers.answer_json import answer_json
from bot.answers.world import load_world
from bot.conversation.conversation import answer


def first_line(text: str) -> str:
    """Return what a card says of the named machine before anything else."""
    view = answer(text, load_world()).view
    return view.explanation or view.asked or view.verdict


def said_aloud(text: str) -> str:
    return answer(text, load_world()).explanation.text


# (what is asked, how the answer opens, words of it)
OWNED = [
    (
        "we have 4 g5.12xlarge, is that enough for llama 70b for 40 engineers?",
        "No, your four g5.12xlarge do not: needs 32.9 GiB",
        ("With fp8 weights they do", "as planned (about", "a month less than yours"),
    ),
    ("is our g5.12xlarge enough for mixtral-8x7b?", "No, your g5.12xlarge does not", ("GiB",)),
    (
        "reicht unser g6.12xlarge für qwen3-32b mit 30 Nutzern?",
        "Just about: your g6.12xlarge may miss",
        ("one g7e.2xlarge at $3.363/h, $904 a month less",),
    ),
    (
        "we already run 2x L40S, is that enough for qwen3-32b with 20 users?",
        "Yes, your two L40S do it",
        ("requests/s as planned (about", "at most", "one g7e.2xlarge at $3.363/h"),
    ),
    ("notre g5.xlarge suffit pour mistral 7b avec 50 utilisateurs ?", "Just about: your g5", ()),
    ("我们有 2台 g5.xlarge, 跑 qwen3-8b 够用吗?", "Yes, your two g5.xlarge do it", ()),
    (
        "our 2 g5.xlarge at $0.5/h serve llama 8b at 30 rps, is it enough?",
        "No, your two g5.xlarge do not",
        ("a month more than yours",),
    ),
    ("we run 3 x p4d.24xlarge for llama-3.1-70b", "Yes, your three p4d.24xlarge do it", ()),
]


@pytest.mark.parametrize(("text", "opening", "words"), OWNED)
def test_what_runs_today_is_judged_first(text, opening, words):
    told = first_line(text)
    assert told.startswith(opening)
    assert [one for one in words if one not in told] == []


@pytest.mark.parametrize("text", [row[0] for row in OWNED])
def test_what_runs_today_narrows_no_choice(text):
    said = answer(text, load_world()).workload
    assert (said.instance, said.gpu, said.gpu_count, said.nodes, said.allow) == (None,) * 5
    assert said.owned


# (what is asked, how the answer opens): a bare yes or no never answers the opposite.
ASKED = [
    ("would a g6e.xlarge be enough for qwen3-8b?", "Yes on one g6e.xlarge: needs"),
    ("is one g6e.48xlarge enough for llama 70b at 3 rps?", "No on one g6e.48xlarge: "),
    ("isn't a g6.xlarge too small for llama 3 8b at 5 rps?", "One g6.xlarge does not: "),
    ("ist ein g6e.xlarge zu klein für llama 8b mit 10 rps?", "One g6e.xlarge does not: load 10 of"),
    ("is a g6e.xlarge too small for qwen3-8b?", "One g6e.xlarge does it: needs"),
    ("can't a g6.xlarge do llama 70b?", "One g6.xlarge does not: "),
    ("won't 2 g5.xlarge do for qwen3-8b at 30 requests per second?", "Two g5.xlarge do not: "),
    ("is a p5.48xlarge too much for one llama 8b?", "One p5.48xlarge is more than this needs: "),
    ("is p5 overkill for qwen3-8b?", "One p5.4xlarge is more than this needs: "),
    ("¿es demasiado grande un p5.48xlarge para llama 8b?", "One p5.48xlarge is more than"),
    ("un p5.48xlarge est-il surdimensionné pour llama 8b ?", "One p5.48xlarge is more than"),
    ("is a g5.xlarge overkill for llama 8b?", "One g5.xlarge is not too much: "),
    ("is a g6.xlarge overkill for llama 70b?", "One g6.xlarge does not: "),
]


@pytest.mark.parametrize(("text", "opening"), ASKED)
def test_the_first_words_fit_how_it_was_asked(text, opening):
    assert first_line(text).startswith(opening)


def verdict_in_json(text: str) -> dict | None:
    reply = answer(text, load_world())
    return answer_json(text, reply.intent, reply.recommendation)["verdict"]


@pytest.mark.parametrize(
    ("text", "told", "subject", "deciding"),
    [
        ("can a g6.xlarge do llama 70b?", "no", ("g6.xlarge", 1, False), "memory needed"),
        ("is 2x L40S enough for qwen3-32b?", "tight", ("L40S", 2, False), "time per token"),
        ("is our g6e.xlarge enough for qwen3-8b?", "yes", ("g6e.xlarge", 1, True), None),
        (
            "will a g6e.xlarge do llama 8b at 15 rps?",
            "no",
            ("g6e.xlarge", 1, False),
            "time per token",
        ),
    ],
)
def test_the_verdict_is_in_the_json(text, told, subject, deciding):
    verdict = verdict_in_json(text)
    asked_of = verdict["subject"]
    assert verdict["answer"] == told
    assert (asked_of["name"], asked_of["count"], asked_of["owned"]) == subject
    if deciding is not None:
        number = verdict["deciding"]
        assert number["name"] == deciding
        assert None not in (number["asked"], number["had"])


@pytest.mark.parametrize("text", ["llama 8b at 5 rps", "why not inf2 for llama 8b?"])
def test_no_verdict_where_no_machine_was_asked_about(text):
    assert verdict_in_json(text) is None


# (what is asked, words of the first sentence)
DIFFERENCES = [
    ("how much more is p5en than p5 a month?", "p5en.48xlarge costs $6,027 a month more than p5."),
    ("price difference between p5.48xlarge and p5en.48xlarge", "p5.48xlarge costs $6,027 a month"),
    ("wie viel teurer ist g7e als g6e?", "g7e.2xlarge costs $818 a month more than g6e.2xlarge"),
    ("is g6e.xlarge or g6.xlarge cheaper, and by how much?", "g6e.xlarge costs $771 a month more"),
    ("diferencia de precio entre H100 y H200", "p5.48xlarge costs $6,027 a month less than p5en"),
    ("combien de plus coûte g6e.xlarge que g6.xlarge ?", "g6e.xlarge costs $771 a month more"),
]


@pytest.mark.parametrize(("text", "words"), DIFFERENCES)
def test_a_difference_of_prices_needs_no_model(text, words):
    assert said_aloud(text).startswith(words)


# (what is asked, the field, its value in dollars, the currency beside it)
OTHER_MONEY = [
    ("llama 70b under 9000 € a month", "budget_usd_per_month", 10085, "EUR"),
    ("llama 8b für höchstens 900 Euro im Monat", "budget_usd_per_month", 1009, "EUR"),
    ("mistral 7b, moins de 800 euros par mois", "budget_usd_per_month", 896, "EUR"),
    ("llama 8b budget £5/h", "budget_usd_per_hour", 6.62, "GBP"),
    ("llama 8b budget=2000€", "budget_usd_per_month", 2241, "EUR"),
    ("llama 8b, prices in EUR", "budget_usd_per_month", None, "EUR"),
    ("llama 8b, show me the price in pounds sterling", "budget_usd_per_hour", None, "GBP"),
]


@pytest.mark.parametrize(("text", "field", "usd", "code"), OTHER_MONEY)
def test_money_of_another_currency_by_the_published_rate(text, field, usd, code):
    reply = answer(text, load_world())
    said = getattr(reply.workload, field)
    assert said == (None if usd is None else pytest.approx(usd, rel=0.01))
    assert f"{code} " in reply.view.head.headline
    assert f"{code} to USD on 2026-10-10" in reply.view.head.price_note


def test_a_currency_without_a_rate_is_left_out_and_never_dollars():
    reply = answer("llama 8b under 500 bitcoin a month", load_world())
    assert reply.workload.budget_usd_per_month is None
    assert any("no exchange rate is known" in note for note in reply.notes)


# (what is asked, how the answer opens, words of it): what its owner measured comes first.
MEASURED = [
    (
        "our p4d melts at 12 rps, what for 40?",
        "By your own figure of 12 requests/s, 40 take 5 × p4d.24xlarge planned to 70 %",
        "4 × p4d.24xlarge at the very least",
    ),
    (
        "we top out at 20 rps on 2 g5.xlarge with llama 8b, need 100",
        "By your own figure of 20 requests/s, 100 take 15 × g5.xlarge",
        "Estimated: No, your two g5.xlarge do not",
    ),
    (
        "unser g6.12xlarge ist am Limit bei 5 Anfragen pro Sekunde mit qwen3-32b, was für 20?",
        "By your own figure of 5.0 requests/s, 20 take 6 × g6.12xlarge",
        "4 × g6.12xlarge at the very least",
    ),
    (
        "our 3 g6e.xlarge saturate at 900 requests a minute with qwen3-8b, what for 60 rps?",
        "By your own figure of 15 requests/s, 60 take 18 × g6e.xlarge",
        "12 × g6e.xlarge at the very least",
    ),
]


@pytest.mark.parametrize(("text", "opening", "words"), MEASURED)
def test_what_machines_carry_today_is_what_more_of_them_carry(text, opening, words):
    told = first_line(text)
    assert told.startswith(opening)
    assert words in told


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("llama 70b on 8x T4", "On EC2 that is one g4dn.metal at $"),
        ("is 16x T4 enough for llama 70b?", "On EC2 that is two g4dn.metal at $"),
        ("llama 8b on two L4", "On EC2 that is two g6.xlarge at $1.610/h."),
    ],
)
def test_a_count_of_chips_is_told_as_machines(text, words):
    view = answer(text, load_world()).view
    assert words in f"{view.explanation} {view.asked} {view.verdict}"


def test_what_a_setup_takes_leads_with_what_to_plan_with():
    told = said_aloud("how many users can it take? inference llama-3.1-8b 20 rps latency<500ms")
    assert told.startswith("Plan 3 × g6e.xlarge for 20 requests/s, about 7,")
    assert "70 % of its most. 3 × g6e.xlarge carries up to 29 requests/s" in told


@pytest.mark.parametrize(
    ("text", "asked_for"),
    [("llama 70b at 30 rps on p5", True), ("llama 8b on g6e.xlarge", False)],
)
def test_where_the_quota_decides_the_command_asks_for_it(text, asked_for):
    caveats = " ".join(answer(text, load_world()).view.head.caveats)
    command = "aws service-quotas request-service-quota-increase --service-code ec2 --quota-code"
    assert (command in caveats) is asked_for


@pytest.mark.parametrize(
    "text",
    [
        "llama-3-70b in 4 bits on a c8g.16xlarge: tokens per second?",
        "does qwen3-8b run on two m7i.4xlarge?",
        "we have an r8g.8xlarge, is it enough for llama 8b with 5 users?",
    ],
)
def test_a_machine_without_a_chip_is_judged_too(text):
    assert "." in first_line(text)
    assert answer(text, load_world()).recommendation.picks


# Where so many of a chip do not do, more of them are not what was asked for.
COUNTED = [
    ("llama-3-8b 20 rps, whole answer within 2 s at p95. Are two A10G enough?", "No on two A10G"),
    ("llama-3.1-405b bf16 on 8x H100", "No on eight H100"),
    ("can 8x T4 serve llama 70b in fp16 for 100 users at once", "No on eight T4"),
]


@pytest.mark.parametrize(("text", "opening"), COUNTED)
def test_any_machine_may_do_what_a_count_of_chips_does_not(text, opening):
    reply = answer(text, load_world())
    result = reply.recommendation
    assert first_line(text).startswith(opening)
    assert result.said.gpu_count
    assert result.picks[0].instance.accelerator_id != result.said.gpu
