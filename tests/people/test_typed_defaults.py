"""Defaults as people type them: read, or refused with what would be read."""

import pytest

from bot.answers.world import load_world
from bot.slack.home.defaults_form import typed_defaults
from bot.store.defaults import Defaults

CATALOG = load_world().catalog


@pytest.mark.parametrize(
    ("field", "typed", "expected"),
    [
        ("region", "eu-central-1", {"region": "eu-central-1"}),
        ("region", " Frankfurt ", {"region": "eu-central-1"}),
        ("region", "us-east1", {"region": "us-east-1"}),
        ("market", "savings_plan", {"market": "savings_plan"}),
        ("allow", "g6e", {"allow": ("g6e",)}),
        ("allow", "G6e, g6;inf2  g6e", {"allow": ("g6e", "g6", "inf2")}),
        ("allow", "graviton, intel", {"allow": ("graviton", "intel")}),
        ("discount", "0", {"discount_percent": 0.0}),
        ("discount", "12", {"discount_percent": 12.0}),
        ("discount", "12,5 %", {"discount_percent": 12.5}),
        ("discount", "60 percent", {"discount_percent": 60.0}),
        ("currency", "EUR 0.92", {"currency": "EUR", "per_usd": 0.92}),
        ("currency", "eur at 0,92", {"currency": "EUR", "per_usd": 0.92}),
        ("currency", "149.5 JPY", {"currency": "JPY", "per_usd": 149.5}),
        ("region", "   ", {}),
        ("currency", "", {}),
    ],
)
def test_what_is_typed_is_read(field, typed, expected):
    read = typed_defaults({field: typed}, CATALOG)
    assert read.errors == {}
    assert read.defaults == Defaults(**expected)


@pytest.mark.parametrize(
    ("field", "typed", "said"),
    [
        ("region", "eu-centrl-1", "Did you mean eu-central-1"),
        ("region", "mars", "no AWS region “mars”"),
        ("region", "europe", "no AWS region"),  # an area is no one region
        ("region", "<!channel>", "no AWS region"),
        ("market", "capacity_block", "Choose one"),
        ("allow", "g6e, g99", "no family “g99”"),
        ("allow", ", ;", "no family"),
        ("allow", " ".join(f"g{n}" for n in range(31)), "At most 30"),
        ("discount", "60.5", "from 0 to 60"),
        ("discount", "-1", "from 0 to 60"),
        ("discount", "a lot", "from 0 to 60"),
        ("discount", "1e1", "from 0 to 60"),
        ("currency", "EUR", "like EUR 0.92"),
        ("currency", "EUR 0", "like EUR 0.92"),
        ("currency", "USD 1", "another currency"),
        ("currency", "0.92", "like EUR 0.92"),
        ("currency", "EUR 9999999", "like EUR 0.92"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_would_be_read(field, typed, said):
    read = typed_defaults({field: typed}, CATALOG)
    assert read.errors.keys() == {field}
    assert said in read.errors[field]
    assert read.defaults == Defaults()
