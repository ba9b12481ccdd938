"""What a price was: the published rows, the changes seen from here, and the question in words."""

from datetime import date
from itertools import pairwise

import pytest

from bot.answers.world import load_world
from bot.cli.main import main
from bot.conversation.conversation import answer
from bot.store.price_cache import ItemPriceCache
from bot.store.sqlite import Database, SqliteItems
from catalog.facts.rows import read_rows
from catalog.facts.schema import Quote
from catalog.facts.source_rows import PriceHistoryRow
from catalog.load import DATA_DIR
from catalog.prices.history import PriceChange, history, published_changes
from catalog.prices.live.cache import CachedAnswer
from catalog.prices.prices import live_key

P5 = live_key("on_demand", "us-east-1", "p5.48xlarge", 1)


def test_every_published_row_is_sound(catalog):
    rows = [row for _, row in read_rows(DATA_DIR / "prices_history.csv", PriceHistoryRow)]
    assert len(rows) == len(published_changes())
    for row in rows:
        assert row.instance_type in catalog.instances
        assert row.region in catalog.regions
        assert date.fromisoformat(row.last_seen_old) <= date.fromisoformat(row.first_seen_new)
        assert row.old_usd_per_hour != row.new_usd_per_hour


def test_one_change_is_one_row_and_each_goes_on_from_the_last():
    by_key = {}
    for change in published_changes():
        by_key.setdefault(change.key, []).append(change)
    for changes in by_key.values():
        changes.sort(key=lambda change: change.first_seen_new)
        for before, after in pairwise(changes):
            assert before.first_seen_new <= after.last_seen_old, (before, after)
            if after.old_usd_per_hour is not None:
                assert after.old_usd_per_hour == pytest.approx(before.new_usd_per_hour, rel=1e-3)


def test_the_history_ends_with_the_quote():
    quote = Quote("p5.48xlarge", "us-east-1", "on_demand", 55.04, "pricing_api", "2026-11-20")
    points = history(P5, quote, published_changes())
    assert [(p.day, p.usd_per_hour) for p in points] == [
        ("2023-08-08", 98.32),
        ("2025-06-04", 98.32),
        ("2025-06-05", 55.04),
        ("2026-11-20", 55.04),
    ]
    assert history(live_key("spot", "us-east-1", "p5.48xlarge", 1), None, published_changes()) == ()


ASKED = [
    ("has p5 got cheaper?", "p5.48xlarge", "cheaper"),
    ("have p5 instances become cheaper?", "p5.48xlarge", "cheaper"),
    ("price history p5.48xlarge in Ohio", "p5.48xlarge", "cheaper"),
    ("how has the price of p4d.24xlarge changed?", "p4d.24xlarge", "cheaper"),
    ("price history of g6e.xlarge", "g6e.xlarge", "unchanged"),
    ("is p5en more expensive than last year?", "p5en.48xlarge", "cheaper"),
    ("price history of p5.48xlarge capacity blocks in Oregon", "p5.48xlarge", "dearer"),
    ("price history p5.48xlarge in Frankfurt", "p5.48xlarge", "unknown"),
]


@pytest.mark.parametrize(("text", "name", "verdict"), ASKED)
def test_the_question_in_words(text, name, verdict):
    reply = answer(text, load_world())
    assert reply.explanation is not None
    assert reply.explanation.subject.startswith(name)
    assert reply.explanation.verdict == verdict


def test_the_answer_is_dated_and_drawn():
    reply = answer("has p5 got cheaper?", load_world())
    assert "−44 %" in reply.text
    assert "2025-06-05 ███████████ $55.04/h (−44 %)" in reply.text
    assert reply.workload is None  # the thread's workload stays


def test_whose_price_is_asked_back():
    kept = answer("inference 7B", load_world()).workload
    reply = answer("has it got cheaper?", load_world(), kept)
    assert reply.error is not None
    assert reply.error.field == "instance"


@pytest.fixture
def kept_cache(tmp_path):
    database = Database(tmp_path / "state.db")
    yield ItemPriceCache(SqliteItems(database))
    database.close()


def change(day, old, new, name="p5.48xlarge"):
    return PriceChange(
        "on_demand", "us-east-1", name, 0, old, new, "2026-01-01", day, "pricing_api"
    )


def test_changes_are_kept_in_the_state(kept_cache):
    for one in (change("2026-11-02", 50, 45), change("2026-11-01", 55, 50)):
        kept_cache.record(one)
        kept_cache.record(one)
    kept_cache.record(change("2026-11-01", 9, 8, name="p5.4xlarge"))
    found = kept_cache.changes(P5)
    assert [one.new_usd_per_hour for one in found] == [50, 45]


def test_more_changes_than_a_page(kept_cache):
    for day in range(1, 32):
        for month in range(1, 6):
            kept_cache.record(change(f"2026-{month:02}-{day:02}", 1.0, 2.0))
    assert len(kept_cache.changes(P5)) == 155


def test_answers_are_kept_in_the_state(kept_cache):
    assert kept_cache.get("k") is None
    kept_cache.put("k", CachedAnswer({"a": 1}, 5.0))
    assert kept_cache.get("k") == CachedAnswer({"a": 1}, 5.0)


def test_state_that_fails_is_as_good_as_empty(tmp_path, caplog):
    database = Database(tmp_path / "state.db")
    cache = ItemPriceCache(SqliteItems(database))
    database.close()
    cache.put("k", CachedAnswer({}, 1.0))
    cache.record(change("2026-11-01", 1, 2))
    assert cache.get("k") is None
    assert cache.changes(P5) == ()
    assert "cannot be" in caplog.text


def test_a_change_seen_between_two_sweeps_is_in_the_history(aws, monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("EC2_PICK_STATE", f"sqlite:///{tmp_path}/state.db")
    for usd in ("55.0400000000", "49.5360000000"):
        aws.price("p5.48xlarge", usd)
        assert main(["prices", "refresh", "p5.48xlarge"]) == 0
    capsys.readouterr()
    assert main(["has p5 got cheaper?"]) == 0
    out = capsys.readouterr().out
    assert "$49.54/h (−10 %)" in out
