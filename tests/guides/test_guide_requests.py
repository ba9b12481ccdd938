"""What people ask of the five documents, through the real conversation: path, families, words."""

import pytest

from bot.answers.world import load_world
from bot.cards.terminal import render_terminal
from bot.conversation.conversation import answer
from bot.core.views import CardView, NoticeView, TableView
from bot.language.guides.names import branch_words
from catalog.guides.guide_rows import load_guide_rows
from catalog.guides.guides import FAMILY_GROUPS
from engine.ask import model_of
from engine.guides.guides import advice_for_all_objectives, guide_facts
from tests.shared_data import user_cases

WORLD = load_world()


def spoken(request, document):
    """What a document says in the answer to a request."""
    reply = answer(request, WORLD)
    return reply, next(a for a in reply.recommendation.guides if a.source == document)


# request in plain words, as a slash command, document, end of its path, families, part of the text
PATHS = [
    (
        "what does the tree say for training a 1T model?",
        "/ec2-pick train 1000B guide=000",
        "000",
        "frontier, 1T parameters and more",
        "p6e-gb200",
        "line 16",
    ),
    (
        "what does guide 000 say: train 300B as fast as possible",
        "/ec2-pick train 300B objective=performance guide=000",
        "000",
        "performance first",
        "p6-b200",
        "cost → trn2u",
    ),
    (
        "per the tree, a 7B in real time under 100ms with normal traffic?",
        "/ec2-pick inference 7B latency<100ms guide=000",
        "000",
        "standard throughput",
        "inf2",
        "Inference → real-time < 100 ms → standard throughput → inf2",
    ),
    (
        "tree for batch MoE",
        "/ec2-pick inference batch model=mixtral-8x7b guide=000",
        "000",
        "mixture of experts",
        "inf2",
        "line 39",
    ),
    (
        "what does guide 001 say for training 13B with balanced price and performance?",
        "/ec2-pick train 13B objective=balanced guide=001",
        "001",
        "balanced",
        "p4d",
        "experiment → p3, performance → p5, balanced → p4d, cost → trn1",
    ),
    (
        "per the compute guide, quick experiments training a 3B?",
        "/ec2-pick train 3B quick experiments guide=001",
        "001",
        "quick experiments",
        "g4dn",
        "Training Workloads, line 53",
    ),
    (
        "what does guide 001 say about experiments with training a 13B?",
        "/ec2-pick train 13B experimentation guide=001",
        "001",
        "experimentation",
        "p3",
        "Today g6e, g7e or p5",
    ),
    (
        "per the compute guide, high throughput inference with mixed models?",
        "/ec2-pick inference throughput=high models=mixed guide=001",
        "001",
        "mixed models",
        "g5",
        "transformer cost → inf2",
    ),
    (
        "per the compute guide, BERT inference under 10ms?",
        "/ec2-pick inference bert latency<10ms guide=001",
        "001",
        "under 10 ms",
        "g5",
        "line 71",
    ),
    (
        "what does the hardware recommender say for training 13B cost-optimised?",
        "/ec2-pick hardware recommender train 13B objective=cost",
        "001",
        "above 10B, cost-optimised",
        "trn1",
        "line 479",
    ),
    (
        "GPU selection table: what is listed for 70B and above?",
        "/ec2-pick train 70B guide=001",
        "001",
        "70B and more",
        "p5",
        "GPU Selection Criteria, line 115",
    ),
    (
        "guide 002: we serve a 7B with custom CUDA kernels",
        "/ec2-pick inference 7B needs_cuda=true guide=002",
        "002",
        "custom CUDA kernels: stay on NVIDIA",
        "g4dn g5",
        "line 67",
    ),
    (
        "guide 003: 100B-plus transformer training",
        "/ec2-pick train 120B guide=003",
        "003",
        "100B and more: P5",
        "p5",
        "line 44",
    ),
    (
        "guide 004: one flexible GPU family for mixed jobs on EKS",
        "/ec2-pick flexible workload guide=004",
        "004",
        "flexible workload",
        "g5",
        "line 195",
    ),
]


@pytest.mark.parametrize(("plain", "slash", "document", "end", "families", "part"), PATHS)
def test_a_guide_answers_with_its_path_and_the_numbers(plain, slash, document, end, families, part):
    for request in (plain, slash):
        reply, advice = spoken(request, document)
        assert isinstance(reply.view, CardView)
        assert advice.path[-1] == end
        assert advice.suggests == tuple(families.split())
        text = reply.explanation.text
        assert text.startswith(f"Guide {document} ({advice.section}, line {advice.line}): ")
        assert "The numbers say" in text
    assert part in text


def test_where_guide_and_numbers_differ_two_numbers_say_why():
    reply, advice = spoken("/ec2-pick inference 7B latency<100ms guide=000", "000")
    assert advice.agrees is False
    assert reply.explanation.verdict == "differs"
    assert "Why not: " in reply.explanation.text
    assert all(n.limit is not None for n in reply.explanation.numbers[:1])


def test_a_guide_without_a_workload_is_summed_up():
    for request in (
        "what does guide 001 say?",
        "/ec2-pick guide 001",
        "what is in the compute guide?",
    ):
        reply = answer(request, WORLD)
        assert isinstance(reply.view, NoticeView)
        assert "Training above 7B" in reply.text
        assert "Training cost, GPU against Trainium" in reply.text


def test_a_guide_that_the_memory_contradicts_is_warned_of():
    reply = answer("inference llama-3.1-405b batch guide=000", WORLD)
    assert "guide_conflicts_with_memory_model" in reply.recommendation.codes
    said = next(w for w in reply.recommendation.warnings if w.startswith("Guide 000 says inf2"))
    assert "inf2.48xlarge needs" in said
    fits = answer("inference 7B latency<100ms guide=000", WORLD).recommendation
    assert "guide_conflicts_with_memory_model" not in fits.codes


def test_an_unknown_guide_is_said_to_be_unknown():
    for request in ("guide 005 for training 7B", "/ec2-pick train 7B guide=009"):
        text = answer(request, WORLD).explanation.text
        assert "there are 000, 001, 002, 003, 004" in text
        assert "The numbers say" in text


def test_a_guide_that_is_silent_says_so():
    text = answer("guide 003 for edge inference", WORLD).explanation.text
    assert "does not speak of this workload" in text


def test_a_thread_asks_a_guide_about_its_workload():
    first = answer("train 13B objective=balanced", WORLD)
    reply = answer("what does guide 001 say?", WORLD, first.workload)
    assert "→ p4d" in reply.explanation.text
    assert reply.workload.params_b == 13


TABLES = [
    ("cost comparison table of 001", "/ec2-pick table cost comparison guide=001", "51 % less"),
    ("GPU vs Trainium training cost", "/ec2-pick table training cost comparison", "$21.50/h"),
    ("GPU vs Inferentia inference cost", "/ec2-pick table inference cost comparison", "62 % more"),
    ("show me the training decision matrix", "/ec2-pick training decision matrix", "★★★★★"),
    ("the inference decision matrix of 001", "/ec2-pick inference decision matrix", "bandwidth"),
    ("GPU selection table", "/ec2-pick table gpu selection guide=001", "$55.04/h"),
    ("trainium selection guide", "/ec2-pick table trainium selection guide", "$1.344/h"),
    ("inferentia selection guide", "/ec2-pick table inferentia selection", "128 is the host"),
    ("the rules of the hardware recommender", "/ec2-pick table recommender rules", "A100"),
    ("comparison table of 002", "/ec2-pick table family comparison guide=002", "$0.228/h"),
    ("cost map of 002", "/ec2-pick table cost map guide=002", "p5.48xlarge"),
    ("the hardware table of 003", "/ec2-pick hardware table guide=003", "newer: g6e, g7e"),
    ("star table of 004", "/ec2-pick star table guide=004", "★★★★☆"),
    ("what are the options of 004?", "/ec2-pick table options guide=004", "quantised models"),
    ("when should I use Trainium?", "/ec2-pick when to use trainium", "PyTorch or JAX"),
    ("explain the decision matrix", "/ec2-pick table decision matrix guide=001", "eager"),
    ("gpu table of 004", "/ec2-pick gpu table guide=004", "39.38 GiB"),
]


@pytest.mark.parametrize(("plain", "slash", "part"), TABLES)
def test_a_table_is_recomputed_beside_the_documents(plain, slash, part):
    for request in (plain, slash):
        reply = answer(request, WORLD)
        assert isinstance(reply.view, TableView)
        drawn = " ".join(render_terminal(reply.view, width=100).replace("│", " ").split())
        cells = " ".join(" ".join(row) for row in reply.view.rows)
        assert part in cells
        assert "today" in drawn
        if "$" in cells:
            assert "as of 2026-" in " ".join(reply.view.notes)
        for row in reply.view.rows:
            assert row[0] == "" or row[0] == "today" or row[0].startswith("line ")


def test_a_price_of_today_is_never_the_documents_old_one():
    reply = answer("GPU selection table", WORLD)
    today = " ".join(" ".join(row) for row in reply.view.rows if row[0] == "today")
    assert not any(price in today for price in ("$98.32", "$32.77", "$3.06"))


MEANINGS = [
    ("what is burstable?", "/ec2-pick define burstable", "t3", "credits"),
    ("what is a memory optimised family?", "/ec2-pick define memory optimised", "r8g", "memory"),
    ("what does compute optimized mean?", "/ec2-pick define compute optimised", "c8g", "2 GiB"),
    ("what is a general purpose instance?", "/ec2-pick define general purpose", "m8g", "balance"),
    (
        "what is an inference optimised instance?",
        "/ec2-pick define inf family",
        "inf2",
        "Inferentia",
    ),
    ("what is a GPU instance?", "/ec2-pick define gpu", "g7e", "g6f.large"),
    ("what is Trainium?", "/ec2-pick define trainium", "trn2", "Neuron"),
    ("what is NVLink?", "/ec2-pick define nvlink", "P families", "GPUs"),
]


@pytest.mark.parametrize(("plain", "slash", "family", "part"), MEANINGS)
def test_a_term_is_defined_with_what_it_covers_today(plain, slash, family, part):
    for request in (plain, slash):
        text = answer(request, WORLD).explanation.text
        assert family in text
        assert part in text
        assert "Guide 00" in text


@pytest.mark.parametrize(
    "request_",
    [
        "G5 vs Inf2?",
        "difference between a g5 instance and an inf2 instance",
        "/ec2-pick compare g5 inf2",
    ],
)
def test_two_families_stand_side_by_side(request_):
    view = answer(request_, WORLD).view
    assert view.columns == ("", "g5", "inf2")
    named = {row[0]: row[1:] for row in view.rows}
    assert named["bandwidth"] == ("600 GB/s each", "820 GB/s each")
    assert named["cheapest size"] == ("g5.xlarge $1.006/h", "inf2.xlarge $0.758/h")
    assert "previous generation" in named["status"][0]


def test_families_with_a_workload_are_picked_between():
    reply = answer("g5 vs inf2 for llama-3-8b", WORLD)
    assert reply.recommendation is not None
    thread = answer("inference llama-3-8b", WORLD).workload
    assert answer("g5 vs inf2?", WORLD, thread).recommendation is not None


def test_a_price_that_no_document_prints_is_answered_from_the_catalog():
    assert "$1.006/h" in answer("isn't g5.xlarge $3 an hour?", WORLD).text
    view = answer("isn't g5 $3 an hour?", WORLD).view
    assert "g5.xlarge $1.006/h" in {cell for row in view.rows for cell in row}


@pytest.mark.parametrize("snippet", load_guide_rows().snippets, ids=lambda s: s.id)
def test_a_snippets_own_request_is_answered(snippet):
    reply = answer(f"/ec2-pick snippet {snippet.id} guide={snippet.document}", WORLD)
    assert snippet.today in reply.explanation.text
    assert answer(snippet.ask, WORLD).error is None


# The leaves people were told, in our words: (request, document, families by choice or the family).
TOLD = [
    ("inference 7B latency<100ms", "000", "inf2"),
    ("a 7B bot, real time under 100ms, usual traffic: which family?", "000", "inf2"),
    ("nightly batch scoring with a mixture of experts, tree recommendation?", "000", "inf2"),
    ("edge inference with low resources", "000", "c7g"),
    ("train 300B objective=performance", "000", "p6-b200"),
    ("distributed training of a 34B, we need 3.2 Tbps networking", "000", "p5en"),
    ("train a 7B, speed matters most", "000", "p5"),
    ("train 8B objective=max-savings", "000", "trn2"),
    ("inference bert 1000 req/min latency<200ms", "002", "inf1"),
    ("train 120B", "003", "p5"),
    ("flexible workload", "004", "g5"),
    ("a dev and test environment on EKS", "004", ("cpu", "g4dn")),
    ("train 70B guide=001", "001", "p5"),
    (
        "per the compute guide, balanced training of a 13B?",
        "001",
        {"cost": "trn1", "performance": "p5", "balanced": "p4d", "experiment": "p3"},
    ),
    (
        "inference throughput=high models=mixed",
        "001",
        {
            "transformer_cost": "inf2",
            "mixed_models": "g5",
            "real_time": "g4dn",
            "simple": ["m5", "c5"],
        },
    ),
]


@pytest.mark.parametrize(("request_", "document", "told"), TOLD)
def test_the_documents_answer_is_in_the_reply(request_, document, told):
    check_told(request_, document, told)


def shared_cases():
    for case in user_cases({"plan", "nl_parse"}):
        expected = case["expected"]
        for key in ("tree_leaf", "tree_leaf_by_objective"):
            for document, told in expected.get(key, {}).items():
                yield pytest.param(case["question"], document, told, id=f"{case['id']}-{document}")


@pytest.mark.parametrize(
    ("question", "document", "told"),
    list(shared_cases())
    or [pytest.param("", "", "", marks=pytest.mark.skip("the shared user cases are not there"))],
)
def test_the_shared_cases_get_their_leaf(question, document, told):
    check_told(question, document, told)


def check_told(request, document, told):
    reply, advice = spoken(request, document)
    if not isinstance(told, dict):
        assert set(advice.suggests) == {told} if isinstance(told, str) else set(told)
        return
    model, _ = model_of(reply.workload, WORLD.catalog)
    named = model if reply.workload.model or reply.workload.params_b else None
    facts = guide_facts(reply.workload, named, WORLD.catalog, branch_words(request))
    choices = advice_for_all_objectives(WORLD.guides, facts, document)
    wanted = {key: {one} if isinstance(one, str) else set(one) for key, one in told.items()}
    assert {key: set(families) for key, families in choices.items()} == wanted
    assert set(advice.suggests) in wanted.values()
    assert all(
        family in FAMILY_GROUPS or family in WORLD.catalog.families for family in advice.suggests
    )
