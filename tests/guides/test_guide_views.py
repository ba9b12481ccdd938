"""Tables on every surface: within the width, within Slack's limits, readable aloud, in JSON."""

import unicodedata

import pytest

from bot.answers.world import load_world
from bot.cards.table import table_lines, table_view
from bot.cards.terminal import render_terminal
from bot.cli.ask import reply_json
from bot.conversation.conversation import answer
from bot.core.views import TableView
from catalog.guides.guide_rows import load_guide_rows

WORLD = load_world()


def columns_taken(line):
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in line)


@pytest.mark.parametrize("table", load_guide_rows().tables, ids=lambda t: f"{t.document}-{t.id}")
def test_a_table_fits_every_surface(table):
    reply = answer(f"/ec2-pick table {table.names[0]} guide={table.document}", WORLD)
    assert isinstance(reply.view, TableView)
    for width in (60, 80, 100):
        drawn = render_terminal(reply.view, width=width)
        assert all(columns_taken(line) <= width for line in drawn.splitlines())
    code = [b for b in reply.blocks if b["type"] == "section" and "```" in b["text"]["text"]]
    assert code
    assert all(b["text"]["text"].endswith("```") for b in code)  # nothing was cut off
    spoken = reply.text
    assert all(cell in spoken for row in reply.view.rows for cell in row)
    found = reply_json(reply)["comparison"]
    assert found["columns"] == list(reply.view.columns[1:])
    assert len(found["rows"]) == len(reply.view.rows)


def test_outside_text_cannot_leave_its_cell():
    view = table_view("t", "", ("a", "b"), [("x\n```\n<!channel>", "y" * 500), ("short",)])
    lines = table_lines(view, 40)
    assert all(columns_taken(line) <= 40 for line in lines)
    assert "\n" not in view.rows[0][0]
    assert view.rows[1] == ("short", "")
    from bot.cards.blocks import message

    posted = message(view)["blocks"]
    code = next(b for b in posted if "```" in b.get("text", {}).get("text", ""))["text"]["text"]
    assert code.count("```") == 2
    assert "<!channel>" not in code


def test_a_long_table_is_cut_between_lines():
    rows = [(f"row {i}", "value " * 10) for i in range(200)]
    from bot.cards.blocks import message

    posted = message(table_view("t", "lead", ("name", "value"), rows, ("note",)))["blocks"]
    code = [b["text"]["text"] for b in posted if "```" in b.get("text", {}).get("text", "")]
    assert len(code) > 1
    assert sum(part.count("row ") for part in code) == 200


def test_narrow_columns_never_vanish():
    view = table_view("t", "", tuple("abcdefghij"), [tuple(["word " * 8] * 10)])
    lines = table_lines(view, 90)
    assert all(columns_taken(line) <= 90 for line in lines)
    assert all(letter in lines[0] for letter in "abcdefghij")
