"""Charts in Slack: pictures in the thread with their words, else the same as bars."""

import json
import struct
import sys

import pytest

from bot.answers.world import load_world
from bot.cards import blocks
from bot.slack.serve import conversation as embedded_conversation
from bot.store.sqlite import SqliteItems
from tests.slack.conftest import assembled
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, mention
from tests.slack.test_same_message import ROOT, click


@pytest.fixture
def service(settings, database, clock):
    answer = embedded_conversation(load_world(), SqliteItems(database))
    return assembled(settings, database, answer, clock)


@pytest.fixture
def ask(sender, work):
    numbers = iter(range(100, 200))

    def ask(text):
        ts = f"1700000000.000{next(numbers)}"
        fields = {} if ts == ROOT else {"thread_ts": ROOT}
        sender.event(mention(f"<@{BOT}> {text}", ts, **fields))
        work()

    return ask


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("show chart", ["latency-versus-cost.png", "memory.png"]),
        ("draw the memory", ["memory.png"]),
        ("price history chart of p5.48xlarge", ["price-history.png"]),
        ("crossover chart", ["cheapest-at-every-load.png"]),
    ],
)
def test_a_chart_is_a_picture_in_the_thread_with_its_words(ask, slack, text, names):
    ask("inference 7B")
    ask(text)
    assert [file["filename"] for file in slack.shown] == names
    for file in slack.shown:
        width, height = struct.unpack(">II", file["content"][16:24])
        assert (width, height) == (1080, 600)
        assert len(file["alt_txt"]) > 20
        assert file["shown_in"] == ("C1", ROOT)
    assert "█" in json.dumps(slack.posts[1]["blocks"], ensure_ascii=False)


@pytest.mark.parametrize("missing", ["scope", "library"])
def test_where_no_picture_can_be_shown_the_chart_is_text(ask, slack, monkeypatch, missing):
    if missing == "library":
        monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    else:
        slack.script("files.getUploadURLExternal", error("missing_scope"))
    ask("inference 7B")
    ask("draw the memory")
    assert slack.shown == []
    assert "Memory of one GPU: 13.1 weights" in slack.posts[1]["text"]
    assert "█" in json.dumps(slack.posts[1]["blocks"], ensure_ascii=False)


def test_the_button_draws_the_card_it_is_on(ask, sender, work, slack):
    ask("inference 7B latency<100ms")
    rows = [block["elements"] for block in slack.posts[0]["blocks"] if block["type"] == "actions"]
    (chart,) = [one for row in rows for one in row if one["action_id"] == blocks.CHART]
    ask("inference 70B")
    sender.interaction(click(blocks.CHART, chart["value"]))
    work()
    frontier, memory = slack.shown
    assert "g6e.xlarge (the pick)" in frontier["alt_txt"]
    assert "13.1 weights" in memory["alt_txt"]
