"""Asking for a chart: which one is meant, of what, and what a terminal prints of it."""

import pytest

from bot.answers.world import load_world
from bot.cards.pictures.picture import (
    CrossoverPicture,
    FrontierPicture,
    HistoryPicture,
    MemoryPicture,
    chart_view,
)
from bot.conversation.conversation import answer
from bot.language.questions.chart_asked import chart_asked
from engine.core.workload import Workload

CARD = Workload(params_b=7.0)


@pytest.mark.parametrize(
    ("text", "kind", "rest"),
    [
        ("show chart", None, ""),
        ("Show me the chart!", None, ""),
        ("please show us a graph", None, ""),
        ("visualise it", None, ""),
        ("chart", None, ""),
        ("chart of llama-3.1-8b", None, "llama-3.1-8b"),
        (
            "chart instance=g6.xlarge region=us-east-1 market=on_demand",
            None,
            "instance=g6.xlarge region=us-east-1 market=on_demand",
        ),
        ("draw the memory", "memory", ""),
        ("draw the memory breakdown of 13B on g6.xlarge", "memory", "13B on g6.xlarge"),
        ("show the frontier", "frontier", ""),
        ("show the latency-versus-cost frontier", "frontier", ""),
        ("plot cost against latency for 8B", "frontier", "8B"),
        ("price history chart", "history", ""),
        ("price history chart of p5.48xlarge in Ohio", "history", "p5.48xlarge in Ohio"),
        ("plot the price history of g6.xlarge", "history", "g6.xlarge"),
        ("crossover chart", "crossover", ""),
        ("draw the crossover for 8B at us-east-2", "crossover", "8B at us-east-2"),
        ("8B cheapest at every load as a chart", "crossover", "8B"),
    ],
)
def test_what_is_to_be_drawn(text, kind, rest):
    asked = chart_asked(text)
    assert asked is not None
    assert (asked.kind, asked.rest) == (kind, rest)


@pytest.mark.parametrize(
    "text",
    [
        "inference 7B",
        "graph neural network training",
        "does CUDA graphs memory count?",
        "memory of 7B",
        "has p5 got cheaper?",
        "8B cheapest at every load",
        "a model that draws pictures: sdxl",
        "price g6.xlarge",
        "serve a chart-reading model, 7B",
        "show me the price of g6",
        "plot cost against complexity",
        "cost against complexity chart of the catalog",
        "",
    ],
)
def test_what_asks_for_no_chart(text):
    assert chart_asked(text) is None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("show chart", [FrontierPicture, MemoryPicture]),
        ("draw the memory", [MemoryPicture]),
        ("show the frontier", [FrontierPicture]),
        ("price history chart of g6.xlarge", [HistoryPicture]),
        ("crossover chart", [CrossoverPicture]),
        ("price history chart of p5.48xlarge in Ohio", [HistoryPicture]),
        ("draw the memory of train 7B", [MemoryPicture]),
        ("memory chart for llama-3.1-8b on g6.xlarge", [MemoryPicture]),
    ],
)
def test_a_chart_of_what_the_thread_is_about_or_the_text_names(text, kinds):
    reply = answer(text, load_world(), CARD)
    assert [type(picture) for picture in reply.draws] == kinds
    assert reply.error is None
    if reply.picture is None:
        assert all(picture.alt_text in reply.text for picture in reply.draws)
    assert "█" in reply.text
    assert reply.blocks


def test_a_chart_leaves_the_thread_where_it_is():
    assert answer("show chart", load_world(), CARD).workload.params_b == 7.0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("draw the frontier for train 7B", "nothing to draw"),
        ("chart watch p5.48xlarge in Ohio", "nothing to draw"),
        ("chart of llama-99", "no model called"),
    ],
)
def test_what_cannot_be_drawn_is_said(text, said):
    reply = answer(text, load_world(), CARD)
    assert said in reply.text
    assert reply.draws == ()
    assert reply.alert is None


def test_without_anything_to_draw_it_is_said_what_to_name():
    reply = answer("show chart", load_world())
    assert reply.error.code == "no_context"
    assert answer("draw the memory of 8B on g6.xlarge", load_world()).draws


def test_a_picture_without_a_table_is_refused():
    with pytest.raises(TypeError, match="no table for HistoryPicture"):
        chart_view(answer("price history chart of g6.xlarge", load_world(), CARD).draws)
