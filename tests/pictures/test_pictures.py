"""Pictures: what they say in words, that they can be drawn, and that hostile names stay names."""

import struct
import sys
from dataclasses import replace
from datetime import date
from subprocess import run

import pytest

from bot.answers.world import load_world
from bot.cards.pictures.draw import drawn
from bot.cards.pictures.of_answer import (
    frontier_picture,
    history_picture,
    memory_picture,
)
from bot.cards.pictures.picture import (
    CrossoverPicture,
    DatedPrice,
    Dot,
    FrontierPicture,
    HistoryPicture,
    MemoryPart,
    MemoryPicture,
    Picture,
    Stretch,
)
from bot.cli.ask import ask_command
from bot.conversation.conversation import answer
from catalog.prices.history import PricePoint

NAMED = {"file_name": "picture.png", "title": "A title", "alt_text": "What it says."}
DOTS = (
    Dot(name="g6.xlarge", usd_per_hour=0.8, milliseconds=8000.0, picked=True),
    Dot(name="p5.4xlarge", usd_per_hour=6.9, milliseconds=700.0, picked=False),
)
STRETCHES = (
    Stretch(name="a.large", machines="a.large", loads=(1.0, 9.0), usd_per_hour=(1.0, 1.0)),
    Stretch(name="b.large", machines="2 × b.large", loads=(10.0, 99.0), usd_per_hour=(2.0, 4.0)),
    Stretch(name="c.large", machines="c.large", loads=(100.0, 101.0), usd_per_hour=(5.0, 5.0)),
)
PRICES = (
    DatedPrice(day=date(2023, 8, 8), usd_per_hour=98.32),
    DatedPrice(day=date(2026, 9, 25), usd_per_hour=55.04),
)
PARTS = (
    MemoryPart(name="weights", gib=13.1),
    MemoryPart(name="KV cache", gib=0.5),
    MemoryPart(name="free", gib=6.3),
)
PICTURES = [
    FrontierPicture(**NAMED, figure="whole answer", dots=DOTS, limit_ms=None),
    FrontierPicture(**NAMED, figure="whole answer", dots=DOTS, limit_ms=5000.0),
    CrossoverPicture(**NAMED, load="users at once", stretches=STRETCHES),
    HistoryPicture(**NAMED, prices=PRICES),
    MemoryPicture(**NAMED, device="GPU", parts=PARTS),
]


def size_of(png: bytes) -> tuple[int, int]:
    """Return width and height from a PNG's header."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    return struct.unpack(">II", png[16:24])


@pytest.mark.parametrize("picture", PICTURES, ids=lambda p: type(p).__name__)
def test_a_picture_is_drawn_the_same_each_time_and_has_ink(picture: Picture):
    first = drawn(picture)
    assert size_of(first) == (1080, 600)
    assert first == drawn(picture)
    assert first != drawn(replace(picture, title="Another title"))


@pytest.mark.parametrize("title", ["$x^2$ & <b>", r"\frac{1}{2} $", "a long name " * 20])
def test_a_title_is_never_a_formula(title: str):
    assert size_of(drawn(replace(PICTURES[0], title=title))) == (1080, 600)


def test_an_unknown_picture_is_refused():
    with pytest.raises(TypeError, match="no drawing for Picture"):
        drawn(Picture(**NAMED))


def test_the_frontier_of_an_answer_marks_its_pick_and_says_all_in_words():
    result = answer("inference 7B", load_world()).recommendation
    picture = frontier_picture(result, "a 7B")
    assert picture is not None
    assert [dot.name for dot in picture.dots if dot.picked] == [
        result.picks[0].instance.instance_type
    ]
    prices = [dot.usd_per_hour for dot in picture.dots]
    times = [dot.milliseconds for dot in picture.dots]
    assert prices == sorted(prices)
    assert times == sorted(times, reverse=True)
    assert all(dot.name in picture.alt_text for dot in picture.dots)
    assert "(the pick)" in picture.alt_text


def test_the_type_that_was_asked_about_is_the_one_marked_where_it_is_on_the_frontier():
    picked = {}
    for name in ("g7e.2xlarge", "g4dn.xlarge"):
        result = answer(f"inference 7B instance={name}", load_world()).recommendation
        dots = frontier_picture(result, "a 7B").dots
        picked[name] = [dot.name for dot in dots if dot.picked]
    assert picked == {"g7e.2xlarge": ["g7e.2xlarge"], "g4dn.xlarge": ["g5.xlarge"]}


@pytest.mark.parametrize("text", ["inference 405B, g4dn only", "train 7B"])
def test_what_has_no_frontier_of_answers_has_no_picture(text: str):
    assert frontier_picture(answer(text, load_world()).recommendation, text) is None


def test_the_memory_of_a_card_is_drawn_from_its_bar():
    bar = answer("inference 7B", load_world()).view.head.memory
    picture = memory_picture(bar, "a 7B")
    assert picture.parts[-1].name == "free"
    assert picture.alt_text == f"Memory of one GPU: {bar.summary}."


def test_one_known_price_is_no_history():
    point = PricePoint("2026-09-25", 55.04, "AWS")
    assert history_picture("p5", [point]) is None
    two = history_picture("p5", [replace(point, day="2023-08-08", usd_per_hour=98.32), point])
    assert two.alt_text == "Price of p5: $98.32/h on 2023-08-08, $55.04/h on 2026-09-25."


def test_a_turn_without_a_picture_loads_no_plotting_library():
    code = (
        "import sys; from bot.answers.world import load_world; "
        "from bot.conversation.conversation import answer; "
        "import bot.cards.pictures.draw; answer('inference 7B', load_world()).text; "
        "sys.exit('matplotlib' in sys.modules)"
    )
    assert run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "files"),
    [
        ("inference 7B", ["latency-versus-cost.png", "memory.png"]),
        ("train 7B", ["memory.png"]),
        ("8B cheapest at every load", ["cheapest-at-every-load.png"]),
        ("has p5.48xlarge got cheaper?", ["price-history.png"]),
        ("what is burstable?", []),
    ],
)
def test_the_command_line_writes_what_there_is_to_draw(text, files, tmp_path, capsys):
    folder = tmp_path / "new" / "folder"
    assert ask_command([text, "--pictures", str(folder)]) == 0
    assert sorted(path.name for path in folder.glob("*")) == files
    told = capsys.readouterr().err
    assert all(name in told for name in files) if files else "nothing to draw" in told


def test_a_folder_that_cannot_be_made_is_said_not_raised(tmp_path, capsys):
    (tmp_path / "file").touch()
    assert ask_command(["inference 7B", "--pictures", str(tmp_path / "file" / "sub")]) == 0
    assert "no picture in" in capsys.readouterr().err


def test_without_the_plotting_library_the_answer_still_comes(tmp_path, capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert ask_command(["inference 7B", "--pictures", str(tmp_path)]) == 0
    told = capsys.readouterr()
    assert "g6.xlarge" in told.out
    assert "pip install 'ec2-pick[pictures]'" in told.err
