from dataclasses import replace

import pytest

from bot.cards.card_view import card_view
from bot.cards.text import fallback_text
from bot.core.understanding import Span
from engine.core.result import LimitCheck, Reading
from engine.core.workload import Assumption, Workload
from tests.cards import samples


def view_of(name, **changes):
    make, request = samples.SAMPLES[name]
    return card_view(replace(make(), **changes), request=request)


def figure(view, name):
    return next(line for line in view.head.figures if line.name == name)


def test_head_is_the_first_pick_with_its_price():
    head = view_of("realtime").head
    assert (head.machines, head.hardware, head.region) == ("g6e.xlarge", "1× L40S", "us-east-1")
    assert head.headline == "$1.861/h · $1,359/month"
    assert head.price_note == "AWS list price of 2026-07-20, snapshot"


def test_limit_stands_beside_the_figure_it_limits():
    line = figure(view_of("realtime"), "first token")
    assert (line.value, line.spread, line.limit) == ("48 ms", "(38–61)", "limit 100 ms")
    assert line.verdict == "meets, 2.1× headroom"


def test_a_limit_nobody_said_is_called_assumed():
    assumed = Assumption("latency_ms", 100.0, "what feels instant")
    line = figure(view_of("realtime", assumptions=(assumed,)), "first token")
    assert line.limit == "assumed limit 100 ms"


def test_a_limit_without_its_figure_is_still_shown():
    check = LimitCheck("requests_per_s", 5.0, 8.0, "meets")
    head = replace(samples.realtime_pick(), limits=(check,))
    line = figure(view_of("realtime", picks=(head,)), "requests")
    assert (line.value, line.limit) == ("8.0 requests/s", "at least 5 requests/s")


def test_per_token_also_reads_as_a_rate():
    assert figure(view_of("realtime"), "per token").note == "56 tok/s per user"


def test_full_load_carries_the_price_of_a_million_tokens():
    assert figure(view_of("realtime"), "at full load").note.endswith("$0.36 per 1M output tokens")


def test_unpriced_is_said_and_never_zero():
    head = view_of("capacity_block_only").head
    assert head.headline == "no on-demand price"
    assert "AWS publishes no on-demand price" in head.price_note
    assert "$0" not in fallback_text(view_of("capacity_block_only"))


def test_asked_market_without_price_shows_the_on_demand_ceiling():
    first = samples.realtime_pick()
    unknown = samples.quote("g6e.xlarge", None, market="spot", why_unpriced="no spot history")
    first = replace(first, quote=unknown, ceiling=first.quote, cost=samples.cost(None))
    head = view_of("realtime", picks=(first,)).head
    assert head.headline == "no spot price, at most the on-demand $1.861/h"


def test_not_measured_is_marked_only_where_it_is_so():
    assert view_of("capacity_block_only").head.basis.startswith("Not measured")
    assert not view_of("realtime").head.basis


def test_memory_bar_adds_up_and_names_its_parts():
    bar = view_of("realtime").head.memory
    assert sum(segment.share for segment in bar.segments) == pytest.approx(1)
    assert bar.summary == "13.5 weights · 0.1 KV cache · 3.1 runtime · 27.7 free of 44.4 GiB"
    assert bar.room == "KV cache room for 47k tokens a replica"


def test_memory_that_does_not_fit_says_how_much_is_needed():
    bar = view_of("too_big").head.memory
    assert bar.summary.endswith("needs 41.3 of 22.2 GiB")
    assert sum(segment.share for segment in bar.segments) == pytest.approx(1)


@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("realtime", "1 replica, bf16, vLLM"),
        ("moe", "TP 4 × 1 replica (EP 2), bf16, vLLM"),
        ("multi_node", "TP 8 × PP 2 × 1 replica, bf16, vLLM"),
        ("cpu", "1 replica of 8 threads, int8, llama.cpp"),
        ("neuron", "TP 2 × 1 replica, bf16, vLLM on Neuron"),
        ("training", "16 data-parallel ranks, bf16"),
    ],
)
def test_plan_in_words(name, plan):
    assert view_of(name).head.plan == plan


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("realtime", "Typical 7B model, bf16, 512 in / 128 out, 1 request at a time"),
        ("encoder", "bge-m3, fp16, 128 tokens in, 200 requests/s"),
        ("training", "Pre-training of llama-3.1-8b, 15B tokens, sequences of 4,096"),
    ],
)
def test_workload_in_words(name, line):
    assert view_of(name).workload == line


def test_training_leads_with_total_cost_and_time():
    view = view_of("training")
    assert view.kind == "training"
    assert view.head.headline == "$3,082 in total · 28 h (25–34)"
    assert [line.name for line in view.head.figures[:2]] == ["time to finish", "total cost"]
    assert figure(view, "total cost").spread == "($2,715–$3,693)"


def test_encoder_shows_requests_and_no_per_token_figures():
    view = view_of("encoder")
    names = [line.name for line in view.head.figures]
    assert "per request" in names
    assert "per token" not in names
    assert figure(view, "at full load").value == "900 requests/s"


def test_runners_earn_their_line_by_a_difference():
    runners = view_of("realtime").runners
    assert [r.machines for r in runners] == ["p5.4xlarge", "g6.2xlarge", "inf2.xlarge"]
    assert runners[0].difference == "fastest, 3.7× the price"
    assert runners[1].figures == "fp8, first token 96 ms"
    assert runners[1].difference == "47% cheaper, tight: may miss"
    assert runners[2].difference == "59% cheaper, misses the first token limit by 110 ms"


def test_bare_latency_states_its_reading_and_the_other_one():
    view = view_of("realtime")
    assert view.readings == (
        "Read “latency 100 ms” as time to first token.",
        "If you meant per token: g6.xlarge, $0.805/h.",
    )
    assert "latency kind" not in [a.name for a in view.assumed]
    assert view.choices[0].change == (("latency_kind", "per_token"),)


def test_a_reading_that_nothing_meets_is_said_but_is_no_choice():
    whole = Reading("the whole answer", {"latency_kind": "e2e"}, None, None)
    view = view_of("realtime", readings=(whole,))
    assert view.readings[1] == "If you meant the whole answer: nothing would meet it."
    assert view.choices == ()


def test_a_latency_said_in_full_needs_no_reading():
    said = replace(samples.REALTIME_SAID, latency_kind="ttft")
    assert view_of("realtime", said=said, readings=()).readings == ()


def test_guide_line_says_what_differs():
    line, others = view_of("realtime").guides
    assert others == "001, 004 say inf2; 002 says inf1, inf2."
    assert line.startswith("000 says inf2 (inference → real-time → standard)")
    assert "210 ms against 100 ms" in line


def test_nothing_fits_leads_with_the_nearest_miss_and_the_smallest_changes():
    view = view_of("nothing_fits")
    assert view.kind == "no_fit"
    assert view.verdict == (
        "Nothing meets every limit. Closest is g6e.xlarge: misses the first token limit by 28 ms."
    )
    assert view.changes[0] == "fp8 weights: g6e.2xlarge, $2.242/h"
    assert view.choices[0].label == "fp8 weights"


def test_nothing_at_all_came_close():
    view = view_of("too_big", closest=(), asked_rejection=None)
    assert view.head is None
    assert view.verdict.startswith("Nothing fits this workload.")
    assert fallback_text(view)


def test_the_named_instance_is_shown_first_with_what_beats_it():
    view = view_of("asked")
    assert view.head.machines == "p5.4xlarge"
    assert view.asked == (
        "You asked about p5.4xlarge. First choice would be g6e.xlarge, $1.861/h; "
        "p5.4xlarge is 3.7× the price."
    )
    assert view.runners[0].machines == "g6e.xlarge"
    assert view.runners[0].difference.startswith("cheapest")


def test_the_named_instance_that_cannot_says_why():
    assert view_of("too_big").asked == ("You asked about g6.xlarge: needs 41.3 GiB, has 20.0")


def test_a_warning_with_a_line_of_its_own_is_not_said_twice():
    view = view_of(
        "realtime",
        warnings=("Read the 100 ms latency as time to first token.", "Prices are old."),
        codes=("ambiguous_latency", "stale"),
    )
    assert view.warnings == ("Prices are old.",)


def test_a_reason_that_is_the_label_is_not_said_twice():
    head = samples.realtime_pick()
    view = view_of("realtime", picks=(replace(head, why=(head.label, "other")),))
    assert view.head.why == ("other",)


def test_caveats_sit_on_the_pick_they_concern_and_are_not_said_twice():
    caveat = "Sold by Capacity Block only: reserve it for a window, paid up front."
    view = view_of("capacity_block_only", warnings=(caveat, "Prices are old."))
    assert view.head.caveats == (caveat,)
    assert view.warnings == ("Prices are old.",)


def test_words_not_understood_are_echoed_without_control_characters():
    span = Span(0, 9, "fl\x1b[31mux\n<!channel>", suggestion="flux")
    view = card_view(samples.realtime(), not_understood=[span])
    assert view.not_understood == ("Not understood: “fl[31mux <!channel>”. Did you mean “flux”?",)


def test_an_unknown_assumption_still_reads():
    view = view_of("realtime", assumptions=(Assumption("network_gbps", 100.0, "x"),))
    assert view.assumed[0].value == "network gbps 100.0"


def test_no_model_named():
    workload = Workload(task="development", input_tokens=None)
    view = view_of("realtime", workload=workload, model=None)
    assert view.workload == "No model named"


@pytest.mark.parametrize("name", samples.SAMPLES)
def test_text_is_complete(name):
    """Whoever only hears the answer gets every figure, limit, caveat and price of the card."""
    view = view_of(name)
    text = fallback_text(view)
    for line in view.head.figures:
        assert line.value in text
        assert line.verdict in text
    for words in (*view.head.caveats, view.head.price_note, *view.readings, *view.warnings):
        assert words.rstrip(".") in text
