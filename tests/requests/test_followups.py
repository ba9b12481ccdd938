"""What follows an answer in its thread: amendments, questions about it, questions beside it."""

from functools import cache

import pytest
import yaml

from bot.answers.world import load_world
from bot.cards.blocks import message
from bot.cards.slack_limits import check_blocks
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread
from catalog.facts.coefficients import load_coefficients
from tests.language.comparing import meets
from tests.shared_data import needed_shared_file, user_cases

START = "inference llama-3.1-8b 20 rps latency<500ms"
TUNING = "finetune llama-3.1-8b qlora tokens_total=50M"
NEAR = 1e-3


@cache
def thread_of(*turns):
    """Return the reply to the last of several turns and the thread after it."""
    if not turns:
        return None, Thread()
    *before, text = turns
    thread = thread_of(*before)[1]
    said_in = thread.before(text)
    reply = answer(text, load_world(), None if said_in is None else said_in.now)
    return reply, (said_in or thread).after(reply)


# (what is said, the fields that it changes; None: the field is gone)
AMENDMENTS = [
    ("in Frankfurt on spot", {"region": "eu-central-1", "market": "spot"}),
    ("and the same in Tokyo?", {"region": "ap-northeast-1"}),
    ("70B instead", {"model": "llama-3.1-70b"}),
    ("make it the 70B one", {"model": "llama-3.1-70b"}),
    ("use mistral 7b instead", {"model": "mistral-7b"}),
    ("32k context", {"context": 32768}),
    ("double the traffic", {"rps": 40}),
    ("half the load", {"rps": 10}),
    ("what if it doubles by Christmas?", {"rps": 40}),
    ("what if we double it?", {"rps": 40}),
    ("and if traffic triples?", {"rps": 60}),
    ("10x the requests", {"rps": 200}),
    ("under $10/h", {"budget_usd_per_hour": 10}),
    ("no more than $2000 a month", {"budget_usd_per_month": 2000}),
    ("no Neuron", {"exclude": ("neuron",)}),
    ("only nvidia please", {"allow": ("nvidia",)}),
    ("fp8", {"quant": "fp8"}),
    ("what about int4?", {"quant": "int4"}),
    ("drop the latency limit", {"latency_ms": None}),
    ("no, I meant per token", {"latency_kind": "per_token"}),
    ("p99", {"percentile": 99}),
    ("hi, and on spot?", {"market": "spot"}),
    ("great, in Ohio", {"region": "us-east-2"}),
    ("faster", {"objective": "performance"}),
    ("can you make it faster?", {"objective": "performance"}),
    ("with 4k prompts and 500 token answers", {"input_tokens": 4096, "output_tokens": 500}),
]


@pytest.mark.parametrize(("text", "changes"), AMENDMENTS, ids=[row[0] for row in AMENDMENTS])
def test_an_amendment_changes_what_it_says_and_nothing_else(text, changes):
    before = thread_of(START)[1].now.said()
    reply, thread = thread_of(START, text)
    assert reply.error is None
    assert reply.intent == "pick"
    after = thread.now.said()
    kept = before.keys() - changes.keys()
    assert {name: after.get(name) for name in kept} == {name: before[name] for name in kept}
    assert {name: after.get(name) for name in changes} == changes
    assert "Since the last answer" in reply.text


# (what is asked, the words of a true answer)
QUESTIONS = [
    ("why not inf2?", "inf2"),
    ("why not g5", "g5"),
    ("why g6e?", "g6e.xlarge is the pick"),
    ("what if prices drop 20 %?", "all prices 20 % lower"),
    ("what happens if all prices go up by 10 percent?", "all prices 10 % higher"),
    ("suppose prices were 15% lower", "all prices 15 % lower"),
    ("what if prices double?", "all prices 100 % higher"),
    ("what if aws prices halve", "all prices 50 % lower"),
    ("and if g5 gets 30% cheaper?", "g5 prices 30 % lower"),
    ("what if g5.xlarge were 60 % cheaper", "g5.xlarge prices 60 % lower"),
    ("what if prices rise by half?", "all prices 50 % higher"),
    ("how did you get the TTFT?", "first token (TTFT) ="),
    ("how is the time per token calculated?", "time per token (TPOT) ="),
    ("how was the throughput estimated", "output tokens a second ="),
    ("where does the memory figure come from?", "weights on one GPU"),
    ("show me the math", "first token (TTFT) ="),
    ("how sure are you?", "Eight of ten measurements"),
    ("where do the prices come from?", "AWS list price"),
    ("how old are the prices?", "AWS list price"),
    ("how many users can it take?", "carries up to"),
    ("how many requests can this handle?", "carries up to"),
    ("how far can it go?", "carries up to"),
    ("how much headroom do we have?", "carries up to"),
    ("what's the max rps?", "carries up to"),
    ("what breaks first?", "First to go"),
    ("what's the bottleneck?", "First to go"),
    ("what would fail first", "First to go"),
    ("when does it fall over?", "First to go"),
    ("compare with g5", "g5.xlarge"),
    ("compare it with 70B", "llama-3.1-70b"),
    ("compare frankfurt and ohio", "us-east-2"),
    ("on demand vs spot", "spot:"),
    ("migrate to inf2", "Inferentia2"),
    ("price of g6e.xlarge", "$1.861/h"),
    ("eksctl manifest", "eksctl.io"),
    ("show me the karpenter nodepool", "karpenter.sh"),
    ("kubernetes manifest", "kind: Deployment"),
    ("alert me below $4", "Best now"),
    ("tell me if prices drop 20%", "alert"),
    ("thanks!", "answer above stands"),
    ("ok", "answer above stands"),
    ("help", "Which EC2 instances"),
]


@pytest.mark.parametrize(("text", "words"), QUESTIONS, ids=[row[0] for row in QUESTIONS])
def test_a_question_is_answered_and_leaves_the_thread_where_it_was(text, words):
    reply, thread = thread_of(START, text)
    assert reply.error is None
    assert words in reply.text
    check_blocks(message(reply.view)["blocks"])
    kept = thread.now.said()
    kept.pop("compare_family", None)
    if not text.startswith("price"):  # a machine's price may be asked on: "on spot?"
        assert kept == thread_of(START)[1].now.said()


@pytest.mark.parametrize(
    "text", ["what breaks first?", "how did you get the TTFT?", "what if g5 drops 20 %?"]
)
def test_a_question_about_an_answer_needs_one(text):
    assert thread_of(text)[0].error.code == "no_context"


def test_a_question_may_bring_its_own_workload():
    reply, _ = thread_of(f"how many users can it take? {START}")
    assert "carries up to" in reply.text


def test_what_is_not_understood_in_a_thread_says_what_can_be_changed():
    reply, thread = thread_of(START, "purple")
    assert reply.error.code == "not_understood"
    assert "The answer before stands" in reply.text
    assert thread == thread_of(START)[1]


def explained(*turns):
    reply, _ = thread_of(*turns)
    return {number.name: number for number in reply.explanation.numbers}, reply


class TestWhatIfPricesChange:
    def test_every_price_alike_changes_the_price_and_not_the_pick(self):
        numbers, reply = explained(START, "what if prices drop 20 %?")
        price = numbers["price"]
        assert price.value == pytest.approx(0.8 * price.limit)
        figures = reply.comparison
        assert figures["today"]["instance_type"] == figures["supposed"]["instance_type"]
        assert (
            reply.recommendation.picks[0].cost.usd_per_hour == price.limit
        )  # today's, not supposed

    @pytest.mark.slow
    def test_a_type_wins_where_the_engine_says_that_it_does(self):
        flip = explained(START, "what would make g5 the best?")[0]["price at which it flips"]
        needed = 100 * (1 - flip.value / flip.limit)
        more, less = needed + 1, needed - 1
        cheap = explained(START, f"what if g5 gets {more:.1f}% cheaper?")[1].comparison
        dear = explained(START, f"what if g5 gets {less:.1f}% cheaper?")[1].comparison
        assert cheap["supposed"]["instance_type"].startswith("g5.")
        assert dear["supposed"] == dear["today"]

    def test_a_budget_is_met_at_lower_prices(self):
        over = (START, "under $5/h")
        assert not thread_of(*over)[0].recommendation.picks
        supposed = explained(*over, "what if prices drop 30 %?")[1].comparison["supposed"]
        assert supposed["usd_per_hour"] < 5

    @pytest.mark.parametrize("text", ["what if prices drop 100 %?", "what if prices rise 5000 %?"])
    def test_impossible_changes_are_refused(self, text):
        assert thread_of(START, text)[0].error.code == "out_of_range"


class TestHowFarItGoes:
    def test_what_it_carries_is_planned_with_room_and_more_needs_more(self):
        numbers, reply = explained(START, "how many users can it take?")
        most = numbers["most requests/s"].value
        today = reply.recommendation.picks[0]
        named = f"instance={today.instance.instance_type}"
        planned = load_coefficients().serving.shared.planned_load_share * most * 0.995
        inside = thread_of(START, f"rps={planned:.3f} {named}")[0].recommendation.asked
        beyond = thread_of(START, f"rps={most * 1.005:.3f} {named}")[0].recommendation.asked
        assert inside.instances <= today.instances
        assert beyond.instances > today.instances

    def test_the_limit_that_goes_is_named_with_its_figure(self):
        numbers, _ = explained(
            "inference llama-3.1-8b concurrency=8 input=2000 latency<300ms", "what breaks first?"
        )
        first = numbers["first token above requests in flight"]
        assert first.limit == 300
        assert 300 < first.value < 320

    def test_training_has_no_users(self):
        assert thread_of(TUNING, "how many users can it take?")[0].error.code == "invalid_value"


class TestHowAFigureCameAbout:
    @pytest.mark.parametrize(
        ("text", "figure"),
        [("how did you get the ttft?", "ttft_ms"), ("how is the tpot computed", "tpot_ms")],
    )
    def test_the_steps_end_at_the_figure_of_the_card(self, text, figure):
        numbers, reply = explained(START, text)
        shown = getattr(reply.recommendation.picks[0].estimate.performance, figure).value
        (last,) = numbers.values()
        assert 1000 * last.value == pytest.approx(shown, rel=NEAR)

    def test_a_training_time_has_its_steps(self):
        reply, _ = thread_of(TUNING, "how did you get the training time?")
        assert "time of the run, hours =" in reply.text


CASES = user_cases({"followup"})


def test_the_shared_follow_ups_are_there():
    needed_shared_file("data/user_cases.jsonl")
    assert len(CASES) > 9


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_a_shared_follow_up(case):
    """Every case through the conversation itself, its earlier turns included."""
    expected = case["expected"]
    earlier = [turn["text"] for turn in case["context"] or () if turn["role"] == "user"]
    reply, thread = thread_of(*earlier, case["question"])
    if "error" in expected:
        assert reply.error.code == expected["error"]
        return
    assert reply.error is None
    for field, value in expected.get("parse", {}).items():
        if field != "instance" or expected.get("action") != "emit_eksctl":
            assert meets(field, getattr(thread.now, field), value, expected)
    low = reply.text.lower()
    if "must_mention_any" in expected:
        assert any(words in low for words in expected["must_mention_any"])
    if "spot_can_be_interrupted" in expected.get("must_warn", ()):
        assert "reclaimed" in low
    if expected.get("action") == "emit_eksctl":
        manifest = yaml.safe_load(reply.manifest.yaml_text)
        assert manifest["metadata"]["region"] == expected["parse"]["region"]
    if "fits" in expected:
        assert (reply.recommendation.asked is not None) is expected["fits"]
    if expected.get("must_be_cheaper_or_say_already_cheapest"):
        before = thread_of(*earlier)[0].recommendation.picks[0].cost.usd_per_hour
        assert reply.recommendation.picks[0].cost.usd_per_hour < before
    for name, fits in expected.get("fits_by_instance", {}).items():
        rejected = {one.instance_type: one.reason for one in reply.recommendation.rejected}
        assert (rejected.get(name) != "does_not_fit") is fits
