"""A new accelerator, family and instance type are rows of data: nothing else has to know them."""

import shutil
from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.cards.terminal import render_terminal
from bot.conversation.conversation import answer
from catalog.compile import compile_catalog
from catalog.compiled import FILE, load_compiled
from catalog.load import DATA_DIR
from tests.catalog.small_data import read, write

# file, what finds the row that is copied, what the copy has in other words
ROWS = [
    ("accelerators.csv", {"id": "L4"}, {"id": "Q9000", "marketed_name": "Quux Q9000"}),
    ("families.csv", {"family": "g6"}, {"family": "q9", "accelerator_id": "Q9000"}),
    ("instances.csv", {"instance_type": "g6.xlarge"}, {"instance_type": "q9.xlarge"}),
    ("eks.csv", {"instance_type": "g6.xlarge"}, {"instance_type": "q9.xlarge"}),
    (
        "prices_ondemand.csv",
        {"instance_type": "g6.xlarge", "region": "us-east-1"},
        {"instance_type": "q9.xlarge", "price_per_hour": "0.21"},
    ),
]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """The world with one more machine, compiled from a data folder of its own."""
    folder = tmp_path_factory.mktemp("data")
    for path in DATA_DIR.glob("*.csv"):
        shutil.copy(path, folder)
    for file, found, changed in ROWS:
        header, rows = read(folder / file)
        like = next(row for row in rows if found.items() <= row.items())
        write(folder / file, header, [*rows, like | changed])
    compile_catalog(folder)
    return replace(load_world(), catalog=load_compiled(folder / FILE))


def test_it_is_priced_planned_and_put_on_a_card(world):
    reply = answer("inference 7B quant=int4 region=us-east-1", world)
    pick = reply.recommendation.best

    assert pick.instance.instance_type == "q9.xlarge"
    assert pick.cost.usd_per_hour == pytest.approx(0.21 * pick.instances)
    card = render_terminal(reply.view)
    assert "q9.xlarge" in card
    assert "Q9000" in card


@pytest.mark.parametrize(
    "text", ["inference 7B gpu=Q9000", "serve a 7B on a Q9000", "inference 7B allow=q9"]
)
def test_it_is_heard_by_its_names(world, text):
    reply = answer(text, world)
    assert reply.recommendation.best.instance.family == "q9"


@pytest.mark.parametrize("kind", ["eksctl", "karpenter", "terraform"])
def test_it_is_put_into_a_file(world, kind):
    reply = answer(f"{kind} for inference 7B instance=q9.xlarge", world)

    assert reply.manifest is not None
    assert "q9.xlarge" in reply.manifest.yaml_text


def test_it_can_be_asked_why_it_is_not_taken(world):
    reply = answer("inference 70B: why not q9?", world)
    assert "q9" in reply.text
