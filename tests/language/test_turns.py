"""A turn as a patch on its thread: what it fills, takes back, scales, goes back to or begins."""

from functools import reduce
from unittest.mock import Mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.answers.reply import Reply
from bot.cards.notices import notice_view
from bot.conversation.thread import Thread, recall, remember
from bot.language.parse import parse
from bot.language.text.vocabulary import vocabulary_of
from bot.language.turns import going_back, questions_in, sibling
from catalog.load import load_catalog

CATALOG = load_catalog()
START = "inference llama-3.1-8b 20 users at once latency<500ms in Frankfurt"


def said(thread, text):
    """Return the thread after a turn, as the conversation keeps it; nothing is sized."""
    said_in = thread.before(text)
    _, rest = going_back(text)
    if not rest:
        return said_in or thread
    base = said_in or thread
    found = parse(rest, CATALOG, base.now, earlier=base.earlier)
    view = notice_view("", "")
    told = Reply(
        request=text,
        intent=found.intent,
        view=view,
        workload=found.workload,
        begins=found.begins,
        filled=found.filled,
    )
    return base.after(told)


def thread_of(*turns):
    return reduce(said, turns, Thread())


def now(*turns):
    return thread_of(*turns).now.said()


# (turns after START, the fields of the workload then; None: unsaid)
PATCHES = [
    # A figure alone fills what was said last, in its words; a unit decides first.
    (["30 users", "actually 40"], {"concurrency": 40}),
    (["make it 300"], {"latency_ms": 300, "concurrency": 20}),
    # A limit for one figure takes none from another.
    (
        ["ttft<300ms", "per token below 40 ms"],
        {"latency_ms": 40, "latency_kind": "per_token", "first_token_ms": 300},
    ),
    (
        ["ttft<300ms", "the whole answer within 5 s", "ttft<200ms"],
        {"latency_ms": 5000, "latency_kind": "e2e", "first_token_ms": 200},
    ),
    (["32k context", "actually 16k"], {"context": 16384}),
    (["32k context", "no, 8"], {"context": 8192}),
    (["32k context", "actually 300"], {"context": 32768, "latency_ms": 300}),
    (["no wait, make it 60 users and tokyo"], {"concurrency": 60, "region": "ap-northeast-1"}),
    # People are there at once as before; a rate ends the job before it, a window of the week stays.
    (["60 people at the same time", "and what if only 20 people use it"], {"concurrency": 20}),
    (["60 people at the same time", "we have 500 employees"], {"users": 500}),
    (["only weekdays 9 to 5"], {"duty_h_per_day": 40 / 7, "concurrency": 20}),
    (["only weekdays 9 to 5", "undo that"], {"duty_h_per_day": None}),
    (["under $10/h", "actually 12"], {"budget_usd_per_hour": 12}),
    (["40 users", "drop it to 10"], {"concurrency": 10}),
    (["40 users", "raise that to 80"], {"concurrency": 80}),
    (["64k context", "40 users"], {"concurrency": 40, "context": 65536}),
    (["30 users", "nur 40"], {"concurrency": 40}),
    (["30 users", "plutôt 40"], {"concurrency": 40}),
    (["30 users", "mejor 40"], {"concurrency": 40}),
    (["30 users", "改成40"], {"concurrency": 40}),
    # An earlier figure again, whoever says it, and a figure behind the name of its slot.
    (["make that 90", "and 20 again"], {"concurrency": 20}),
    (["90 Nutzer", "wieder 20 Nutzer"], {"concurrency": 20}),
    (["budget 3000 a month", "my boss says 2000"], {"budget_usd_per_month": 2000}),
    (["900 in 200 out", "answers are more like 700"], {"output_tokens": 700, "input_tokens": 900}),
    (["answers are about 700"], {"output_tokens": 700, "concurrency": 20}),
    (["the context should be 16k"], {"context": 16384}),
    (["a second is fine"], {"latency_ms": 1000}),
    (["40 users", "90 at peak", "back to 40"], {"concurrency": 40}),
    (["90 Nutzer", "und wieder 20"], {"concurrency": 20}),
    (["finance says max 900 a month", "they want 800"], {"budget_usd_per_month": 800}),
    (["we have two g5.12xlarge", "we gave them back"], {"owned": None}),
    (["twice that"], {"concurrency": 40}),
    (["32k context", "half of that"], {"context": 16384}),
    (["without A100", "and without p5", "A100 is ok again"],
     {"exclude": ("p5",), "without": ("p5",), "gpu": None}),
    (["without p5", "p5 is fine after all"], {"exclude": None, "allow": None}),
    (["no gpu", "ok gpu allowed again"], {"allow": ("gpu",)}),
    (["y en Londres"], {"region": "eu-west-2"}),
    (["3 year plan"], {"market": "savings_plan", "term_years": 3}),
    (["50 requests per second", "actually 200 Nutzer at once"], {"concurrency": 200, "rps": None}),
    # One machine, two machines.
    (["only one"], {"nodes": 1}),
    (["30 users", "make it two"], {"nodes": 2, "concurrency": 30}),
    (["one replica is enough"], {"nodes": 1}),
    (["on two g5.xlarge", "only one g5.xlarge"], {"nodes": 1, "instance": "g5.xlarge"}),
    # Scaling: what is named, else what the last turn changed, else the load.
    (["double it"], {"concurrency": 40}),
    (["peak is 5x that"], {"concurrency": 20, "peak_factor": 5}),
    (["we might double next year, what then"], {"concurrency": 40}),
    (["32k context", "double it"], {"context": 65536, "concurrency": 20}),
    (["32k context", "halve the context"], {"context": 16384}),
    (["verdopple die last"], {"concurrency": 40}),
    (["doublez la charge"], {"concurrency": 40}),
    (["duplica la carga"], {"concurrency": 40}),
    (["流量翻倍"], {"concurrency": 40}),
    # Taking back: a limit, or a value, which is then what it was before.
    (["any region"], {"region": None}),
    (["under $10/h", "drop the budget"], {"budget_usd_per_hour": None}),
    (["under $10/h", "vergiss das budget"], {"budget_usd_per_hour": None}),
    (["under $10/h", "oublie le budget"], {"budget_usd_per_hour": None}),
    (["under $10/h", "olvida el presupuesto"], {"budget_usd_per_hour": None}),
    (["in Tokyo", "forget Tokyo"], {"region": "eu-central-1"}),
    (["40 users", "forget the 40 users"], {"concurrency": 20}),
    (["70b", "forget the 70b"], {"model": "llama-3.1-8b"}),
    (["use mistral 7b", "scrap mistral"], {"model": "llama-3.1-8b"}),
    (["fp8", "remove fp8"], {"quant": None}),
    (["on spot", "drop spot"], {"market": None}),
    (["forget Tokyo"], {"region": "eu-central-1"}),  # nobody said it
    # Going back to a value as the thread had it.
    (["use qwen3 32b", "no wait, back to the 8b"], {"model": "llama-3.1-8b"}),
    (["use qwen3 14b", "forget the 14b, back to the 8b fp8"],
     {"model": "llama-3.1-8b", "quant": "fp8"}),
    (["use qwen3 14b", "zurück zum 8b"], {"model": "llama-3.1-8b"}),
    (["in Tokyo", "back to Frankfurt"], {"region": "eu-central-1"}),
    (["in Tokyo", "undo that"], {"region": "eu-central-1"}),
    (["in Tokyo", "undo that, and 40 users"], {"region": "eu-central-1", "concurrency": 40}),
    (["in Tokyo", "forget that"], {"region": "eu-central-1"}),
    # A sibling of the thread's model.
    (["use whisper large v3", "use turbo instead"], {"model": "whisper-large-v3-turbo"}),
    (["whisper medium instead", "large"], {"model": "whisper-large"}),
    (["use 3.3"], {"model": "llama-3.3"}),
    # Beside what was there.
    (["add Tokyo"], {"regions": ("eu-central-1", "ap-northeast-1"), "region": None}),
    (["Tokyo as well"], {"regions": ("eu-central-1", "ap-northeast-1")}),
    (["Frankfurt as well"], {"region": "eu-central-1"}),
    (["and Tokyo"], {"region": "ap-northeast-1"}),
    (["add qwen3 32b"], {"models": ("llama-3.1-8b", "qwen3-32b"), "model": None}),
    # Words of time.
    (["i need it by tomorrow"], {"deadline_h": 24}),
    (["i need it by tomorrow", "no rush"], {"deadline_h": None}),
    # 4 bits that came with QLoRA go with it.
    (["finetune it with qlora on 10M tokens", "now serve the result to 50 users"],
     {"task": "inference", "quant": None, "users": 50, "method": None}),
    # Another question begins anew; an earlier one can be gone back to.
    (["another question: finetune qwen3 8b on 10M tokens"],
     {"task": "finetune", "concurrency": None, "latency_ms": None, "region": "eu-central-1"}),
    (["different topic: whisper large v3 for 10 users", "back to llama"],
     {"model": "llama-3.1-8b", "concurrency": 20, "latency_ms": 500}),
    (["neue frage: mixtral für 10 rps", "40 rps", "back to the 8b", "in Ohio"],
     {"model": "llama-3.1-8b", "concurrency": 20, "region": "us-east-2", "rps": None}),
    (["another question: mixtral", "back to the first question"],
     {"model": "llama-3.1-8b", "concurrency": 20}),
]  # fmt: skip


@pytest.mark.parametrize(("turns", "fields"), PATCHES, ids=[" | ".join(row[0]) for row in PATCHES])
def test_a_turn_patches_its_thread(turns, fields):
    after = now(START, *turns)
    assert {name: after.get(name) for name in fields} == fields


def kept_line(*turns):
    thread, last = thread_of(*turns[:-1]), turns[-1]
    notes = parse(last, CATALOG, thread.now, earlier=thread.earlier).notes
    return next((note for note in notes if "ept from the thread" in note), "")


@pytest.mark.parametrize(
    ("turns", "words"),
    [
        (["use qwen3 32b"], ["20 at once", "eu-central-1", "500 ms"]),
        (["another question: qwen3 32b for 4 users"], ["another question", "eu-central-1"]),
        (["another question: mixtral", "back to the 8b"], ["llama-3.1-8b", "20 at once"]),
        (["40 users"], []),  # the card says as much
    ],
)
def test_what_is_kept_is_said_where_it_is_not_obvious(turns, words):
    line = kept_line(START, *turns)
    assert bool(line) is bool(words)
    assert all(word in line for word in words)


SETS = {
    "region": ["in Tokyo", "in Ohio", "in Ireland"],
    "load": ["40 users at once", "5 rps", "90 users at once"],
    "quant": ["fp8", "int4"],
    "context": ["32k context", "16k context"],
    "market": ["on spot"],
    "budget": ["under $10/h", "at most $3000 a month"],
    "model": ["use qwen3 32b", "use mistral 7b"],
    "framework": ["with vllm", "with sglang"],
}
one_set = st.sampled_from([text for texts in SETS.values() for text in texts])
apart = st.lists(st.sampled_from(sorted(SETS)), min_size=2, max_size=4, unique=True).map(
    lambda slots: [SETS[slot][0] for slot in slots]
)
UNDOING = ["undo", "forget that", "take that back", "rückgängig", "annule", "撤销"]


class TestLaws:
    @settings(deadline=None, max_examples=25)
    @given(one_set, st.sampled_from(UNDOING))
    def test_taking_back_the_last_turn_gives_the_earlier_workload(self, text, back):
        before = thread_of(START)
        assert said(said(before, text), back).now == before.now

    @settings(deadline=None, max_examples=25)
    @given(one_set)
    def test_forgetting_a_value_gives_the_earlier_workload(self, text):
        bare = (
            text.removeprefix("in ").removeprefix("use ").removeprefix("on ").removeprefix("with ")
        )
        assert now(START, text, f"forget {bare}") == now(START)

    @settings(deadline=None, max_examples=25)
    @given(one_set)
    def test_saying_a_thing_twice_says_it_once(self, text):
        assert now(START, text, text) == now(START, text)

    @settings(deadline=None, max_examples=25)
    @given(apart)
    def test_the_order_of_independent_values_does_not_matter(self, texts):
        assert now(START, *texts) == now(START, *reversed(texts))

    @settings(deadline=None, max_examples=25)
    @given(st.sampled_from(["load", "context", "budget"]), st.data())
    def test_doubling_and_halving_changes_nothing(self, slot, data):
        turns = [START, data.draw(st.sampled_from(SETS[slot]))]
        assert now(*turns, f"double the {slot}", f"halve the {slot}") == now(*turns)
        assert now(*turns, "double it", "halve it") == now(*turns)

    @settings(deadline=None, max_examples=25)
    @given(st.lists(one_set, max_size=4))
    def test_the_first_question_can_be_gone_back_to(self, texts):
        assert now(START, *texts, "back to the first question") == now(START)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("how fast is it and what does it cost a month?",
         ("how fast is it?", "what does it cost a month?")),
        ("why not g5? And how many users can it take?",
         ("why not g5?", "how many users can it take?")),
        ("wie schnell ist es und was kostet es im monat?",
         ("wie schnell ist es?", "was kostet es im monat?")),
        ("how fast is it, what does it cost and how many users can it take?",
         ("how fast is it?", "what does it cost?", "how many users can it take?")),
        ("llama 8b and qwen 7b", ()),
        ("what is the difference between g5 and g6?", ()),
        ("it is slow. what should I use?", ()),
        ("which GPU and how many in it?", ()),  # half a question
        ("compare on demand and spot", ()),
    ],
)  # fmt: skip
def test_the_questions_of_a_text(text, parts):
    assert questions_in(text) == parts


QUESTIONS = st.sampled_from(
    [
        "how fast is it",
        "what does it cost a month",
        "how many users can it take",
        "why not inf2 then",
    ]
)


@given(st.lists(QUESTIONS, min_size=2, max_size=4), st.sampled_from([" and ", "? ", ", and "]))
def test_no_half_of_a_text_is_lost(questions, between):
    found = questions_in(between.join(questions) + "?")
    assert [part.rstrip("?") for part in found] == questions


def test_a_sibling_differs_in_what_is_named_alone():
    words = vocabulary_of(CATALOG)
    assert sibling("whisper-large-v3", "turbo", words) == "whisper-large-v3-turbo"
    assert sibling("llama-3.1-8b", "purple", words) is None
    assert sibling("qwen3-32b", "medium", words) is None


# Owned machines are read elsewhere; a machine that was compared is pointed at by its place.
def test_the_cheaper_of_two_that_were_compared_is_meant():
    rows = (("g6.xlarge", 1.0, 90.0), ("g5.xlarge", 2.0, 50.0))
    start = thread_of(START)
    thread = Thread(start.workloads, compared=rows)
    for text, name in [
        ("use the cheaper of the two", "g6.xlarge"),
        ("the faster one on spot", "g5.xlarge"),
        ("nimm das günstigere", "g6.xlarge"),
    ]:
        assert said(thread, text).now.instance == name


HOSTILE = [
    "forget " * 300,
    "back to " * 300 + "8b",
    "another question: " * 200,
    "double " * 400,
    "1 " * 1500,
    "and " * 900,
    ("9" * 300 + " users, ") * 10,
    "忘掉" * 900,
]


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:12])
def test_a_long_turn_ends_and_what_is_kept_is_bounded(text):
    from bot.core.errors import RequestError

    thread = thread_of(START, "40 users", "in Tokyo")
    try:
        thread = said(thread, text)
    except RequestError:
        return
    assert len(thread.filled) <= 12
    assert all(len(words) <= 80 for _, words in thread.filled)


def test_what_a_thread_remembers_survives_its_store():
    store = Mock()
    thread = thread_of(START, "32k context", "another question: mixtral for 5 rps")
    thread = Thread(thread.workloads, ("U1",), thread.topics, thread.filled, (("g5", 1.0, 2.0),))
    remember(store, "T", thread)
    store.get_thread.return_value = store.put_thread.call_args.args[1]
    assert recall(store, "T") == thread
    many = thread_of(START, *(f"{n} users and {n}k context" for n in range(2, 60)))
    remember(store, "T", many)
    assert len(store.put_thread.call_args.args[1]) < 20_000
