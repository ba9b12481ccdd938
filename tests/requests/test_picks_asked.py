"""What a follow-up asks of the picks that were shown: another one, more of them, their bill."""

import pytest

from bot.cards.blocks import message
from bot.cards.notices import help_view
from bot.cards.slack_limits import check_blocks
from tests.requests.test_followups import START, TUNING, thread_of

# (what is said, the instance the thread goes on with)
CHOICES = [
    ("the second one", "p5.4xlarge"),
    ("use the second", "p5.4xlarge"),
    ("I'll take option 3", "inf2.24xlarge"),
    ("number 3 please", "inf2.24xlarge"),
    ("ok, the third one then", "inf2.24xlarge"),
    ("next best", "p5.4xlarge"),
    ("use the runner-up", "p5.4xlarge"),
    ("what's the second best?", "p5.4xlarge"),
    ("the last one", "inf2.24xlarge"),
    ("take the safest", "g6e.xlarge"),
    ("nimm die zweite", "p5.4xlarge"),
    ("something bigger", "g7e.2xlarge"),
    ("a bigger GPU", "g7e.2xlarge"),
    ("bigger box please", "g7e.2xlarge"),
    ("smaller", "g6.xlarge"),
    ("can we use a smaller instance?", "g6.xlarge"),
    ("kleiner", "g6.xlarge"),
    ("größer", "g7e.2xlarge"),
    ("go with g6.xlarge", "g6.xlarge"),
]


@pytest.mark.parametrize(("text", "instance"), CHOICES)
def test_a_choice_is_what_the_thread_goes_on_with(text, instance):
    reply, thread = thread_of(START, text)
    assert reply.error is None, reply.text
    assert reply.intent == "pick"
    assert thread.now.instance == instance
    assert reply.view.head.instance_type == instance
    assert not reply.view.not_understood
    assert thread_of(START, text, "undo")[1].now == thread_of(START)[1].now


def test_a_choice_may_come_with_a_change_and_is_of_what_was_shown():
    _, thread = thread_of(START, "the second one in Frankfurt on spot")
    assert (thread.now.instance, thread.now.region) == ("p5.4xlarge", "eu-central-1")
    assert thread.now.market == "spot"


def test_the_pick_itself_can_be_held_on_other_terms():
    _, thread = thread_of(START, "that one on spot")
    assert (thread.now.instance, thread.now.market) == ("g6e.xlarge", "spot")


def test_a_number_means_the_same_in_a_list_as_on_the_card():
    listed, _ = thread_of(START, "more options")
    for number in (1, 2, 3, 5, 8):
        row = listed.view.rows[number - 1]
        reply, _ = thread_of(START, "more options", f"number {number}")
        assert reply.view.head.machines == row[1]


def test_where_nothing_smaller_does_the_answer_stays():
    reply, thread = thread_of("embeddings with bge-large 200 rps on cpu", "smaller")
    assert thread.now.instance is None
    assert any("Nothing smaller meets every limit" in line for line in reply.view.readings)


def test_a_place_that_no_pick_holds_is_said_to_be_empty():
    reply, thread = thread_of("inference llama-3.1-405b bf16 on g5", "the second one")
    assert reply.error.code == "invalid_value"
    assert thread.now == thread_of("inference llama-3.1-405b bf16 on g5")[1].now


LISTS = ["more options", "show me more", "what else is there?", "any alternatives?", "was noch?"]


@pytest.mark.parametrize("text", [*LISTS, "what are my other options?", "list the alternatives"])
def test_more_options_are_listed_without_changing_the_thread(text):
    reply, thread = thread_of(START, text)
    assert len(reply.view.rows) == 8
    assert thread.now == thread_of(START)[1].now
    assert check_blocks(message(reply.view)["blocks"]) == []


@pytest.mark.parametrize(("text", "count"), [("give me 5 options", 5), ("top 10", 10)])
def test_as_many_are_listed_as_were_asked_for(text, count):
    assert len(thread_of(START, text)[0].view.rows) == count


def test_a_list_can_be_the_first_thing_asked():
    reply, _ = thread_of("top 5 instances for llama-3.1-8b")
    assert len(reply.view.rows) == 5


# (what is asked, of how many machines, a year on demand)
BILLS = [
    ("total per year?", 3, "$48,907"),
    ("how much is that a month?", 3, "$48,907"),
    ("wie viel im Jahr?", 3, "$48,907"),
    ("how much for 10 of them?", 30, "$489,071"),
    ("what if I run 5 of them", 15, "$244,535"),
    ("cost if it only runs 8 hours a day", 3, "$16,302"),
    ("how much on weekdays only?", 3, "$34,934"),
    ("per month during office hours?", 3, "$11,645"),
    ("40 hours a week, how much per year?", 3, "$11,645"),
]


@pytest.mark.parametrize(("text", "machines", "year"), BILLS)
def test_a_bill_is_worked_out_for_the_pick(text, machines, year):
    reply, thread = thread_of(START, text)
    assert reply.view.lead.startswith(f"{machines} × g6e.xlarge")
    on_demand = next(row for row in reply.view.rows if row[0] == "on-demand")
    assert on_demand[4] == year
    assert thread.now.rps == 20


def test_what_is_committed_to_is_paid_for_every_hour():
    asked = ("cost if it only runs 12 hours a day", "cost per year?")
    half, whole = (
        {row[0]: row[4] for row in thread_of(START, text)[0].view.rows} for text in asked
    )
    assert half["reserved, 1 year"] == whole["reserved, 1 year"]
    assert half["on-demand"] != whole["on-demand"]


def test_a_job_is_paid_by_the_run():
    reply, _ = thread_of(TUNING, "how much for 10 of them?")
    assert "10 runs cost" in reply.text


@pytest.mark.parametrize(
    "text",
    [
        *("cheaper", "cheaper one", "something cheaper", "too expensive", "and half the price?"),
        *("how can I save money?", "same but cheaper", "billiger bitte", "nicht so teuer"),
    ],
)
def test_cheaper_tells_what_would_bring_the_bill_down(text):
    reply, thread = thread_of(START, text)
    said = [row[0] for row in reply.view.rows]
    assert {"fp8", "on spot"} <= set(said)
    assert thread.now == thread_of(START)[1].now
    for change in ("on spot", "fp8", "reserved, 1 year"):
        row = next(row for row in reply.view.rows if row[0] == change)
        assert thread_of(START, change)[0].view.head.machines == row[1]


def test_cheaper_gives_up_a_wish_for_speed():
    _, thread = thread_of(START, "faster", "cheaper please")
    assert thread.now.objective == "cost"
    assert thread_of(START, "faster", "cheaper please", "undo")[1].now.objective == "performance"


def test_what_speaks_against_the_pick_is_told():
    reply, _ = thread_of("inference 7B on g6.xlarge", "what's the catch?")
    assert "It may miss the per token limit of 100 ms" in reply.text
    assert "one machine" in reply.text


@pytest.mark.parametrize(
    "text", ["what did I ask?", "summarise", "tl;dr", "recap", "summary please"]
)
def test_a_recap_can_be_asked_again_as_one_line(text):
    reply, thread = thread_of(START, "in Frankfurt", text)
    line = next(note for note in reply.view.notes if note.startswith("As one line: /ec2-pick "))
    again, _ = thread_of(line.removeprefix("As one line: "))
    assert again.workload == thread.now


@pytest.mark.parametrize("text", ["back to the first one", "go back to the first answer"])
def test_a_thread_goes_back_to_its_first_answer(text):
    _, thread = thread_of(START, "in Frankfurt", "on spot", "70B instead", text)
    assert thread.now == thread_of(START)[1].now


@pytest.mark.parametrize("text", ["ok do it", "ship it", "go ahead", "let's do it"])
def test_going_ahead_is_asking_for_the_files(text):
    reply, _ = thread_of(START, text)
    assert reply.manifest.kind == "eksctl"


MACHINES = [
    ("make it 4 replicas", 4),
    ("5 replicas", 5),
    ("at least 4 machines", 4),
    ("on 6 nodes", 6),
    ("for HA please", 2),
]


@pytest.mark.parametrize(("text", "fewest"), MACHINES)
def test_replicas_are_machines_at_least(text, fewest):
    reply, thread = thread_of(START, text)
    assert thread.now.nodes == fewest
    assert reply.recommendation.best.instances >= fewest


def test_too_few_machines_are_said_to_be():
    reply, _ = thread_of(START, "2 replicas")
    assert "2 × g6e.xlarge would not carry the load within the limits: it takes 3." in (
        reply.view.warnings
    )


def test_a_run_on_the_nodes_there_are_takes_as_long_as_it_takes():
    reply, _ = thread_of("train 7B on 2 nodes")
    assert reply.recommendation.best.instances == 2
    assert reply.recommendation.workload.deadline_h is None


@pytest.mark.parametrize("text", ["why this one?", "why so expensive?", "warum?"])
def test_why_tells_the_reasons_of_the_pick(text):
    reply, _ = thread_of(START, text)
    assert reply.explanation.text.startswith("g6e.xlarge is the pick: cheapest")
    assert "Next: p5.4xlarge" in reply.explanation.text


UNTOUCHED = [
    ("what about under $500 per month?", {"budget_usd_per_month": 500}),
    ("can we get it under 10k a month", {"budget_usd_per_month": 10000}),
    ("with a 3 year commitment?", {"market": "reserved", "term_years": 3}),
    ("no commitment", {"market": "on_demand"}),
    ("compare 2 instances", {"nodes": None}),
    ("the first token must come within 1 s", {"first_token_ms": None}),
    ("in the second region: Ohio", {"region": "us-east-2"}),
]


@pytest.mark.parametrize(("text", "fields"), UNTOUCHED)
def test_other_words_of_that_sound_are_read_as_before(text, fields):
    workload = thread_of(START, text)[1].now
    assert {name: getattr(workload, name) for name in fields} == fields
    assert workload.instance is None


FOLLOWS = [words for _, said in help_view().follows for words in said.split(" · ")]


@pytest.mark.parametrize("text", FOLLOWS)
def test_what_help_says_to_say_is_understood(text):
    reply, _ = thread_of(START, text)
    assert reply.error is None, reply.text
    assert not getattr(reply.view, "not_understood", ())


@pytest.mark.parametrize(
    ("text", "instance"),
    [
        ("what would the second one cost us per quarter?", "p5.4xlarge"),
        ("how much is option 2 per year?", "p5.4xlarge"),
        ("what does the last one cost a month?", "inf2.24xlarge"),
        ("total per year?", "g6e.xlarge"),
    ],
)
def test_a_bill_is_of_the_pick_that_is_named(text, instance):
    reply, thread = thread_of(START, text)
    assert reply.error is None
    assert reply.unread == ()
    assert instance in reply.view.title
    assert thread.now == thread_of(START)[1].now


def test_a_bill_of_a_pick_that_is_not_there_is_refused():
    one = "inference 7B allow=inf2"
    assert thread_of(one, "how much is option 9 per year?")[0].error.code == "invalid_value"
