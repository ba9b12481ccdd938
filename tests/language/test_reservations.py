"""The id of a reservation or block is read wherever it is said, and kept by a thread."""

import pytest

from bot.language.parse import parse
from catalog.load import load_catalog

CATALOG = load_catalog()
ID = "cr-0123456789abcdef0"


@pytest.mark.parametrize(
    "text",
    [
        f"inference 7B reservation={ID}",
        f"eksctl for 7B out of our reservation {ID}",
        f"7B inference, ODCR {ID}",
        f"train 8b on p5.48xlarge in capacity block {ID}",
    ],
)
def test_the_id_is_read(text):
    understood = parse(text, CATALOG)
    assert understood.workload.reservation == ID
    assert ID not in [span.text for span in understood.not_understood]


@pytest.mark.parametrize("text", ["inference 7B", "7B cr-12", "inference 7B cr-0123456789abcdef0z"])
def test_what_is_no_id_is_not(text):
    assert parse(text, CATALOG).workload.reservation is None


def test_a_thread_keeps_it():
    first = parse(f"inference 7B reservation={ID}", CATALOG)
    assert parse("karpenter instead", CATALOG, first.workload).workload.reservation == ID


@pytest.mark.parametrize(
    ("text", "market"),
    [
        (f"llama-3.3-70b on p4d.24xlarge with capacity reservation {ID}", None),
        (f"train 8b on p5.48xlarge, named reservation {ID}", None),
        (f"7B inference, on-demand capacity reservation {ID}", None),
        (f"7B inference on reserved instances in reservation {ID}", "reserved"),
        (f"train 8b on p5.48xlarge in capacity block {ID}", "capacity_block"),
        (f"7B inference on spot, not in {ID}", "spot"),
    ],
)
def test_reserved_capacity_is_no_commitment(text, market):
    assert parse(text, CATALOG).workload.market == market
