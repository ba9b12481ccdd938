"""Today's price of a saved pick: known, moved, or owned up to as unknown."""

from dataclasses import dataclass, field, replace

import pytest

from bot.answers.price_today import drift, prices_today
from bot.answers.world import load_world
from bot.cards.price_lines import price_line
from bot.store.kept_of_people import SavedPick
from catalog.facts.schema import Quote
from catalog.prices.prices import live_key

PICK = SavedPick(
    instance_type="g6e.xlarge",
    instances=2,
    region="us-east-1",
    market="on_demand",
    term_years=0,
    usd_per_hour=2.0,
    priced_on="2026-10-01",
    workload="llama-3.1-8b",
    request="inference model=llama-3.1-8b",
    saved_on="2026-10-02",
)


@dataclass
class Desk:
    """Stands in for AWS: gives the quotes it has, and counts how often it is asked."""

    quotes: dict = field(default_factory=dict)
    asked: list = field(default_factory=list)

    def answer(self):
        return self

    def ask(self, wanted):
        self.asked.append(len(wanted.prices))
        return self


def quote(usd, **fields):
    return Quote(instance_type="g6e.xlarge", region="us-east-1", market="on_demand",
                 usd_per_hour=usd, source="pricing_api", as_of="2026-11-28", **fields)  # fmt: skip


@pytest.mark.parametrize(
    ("before", "now", "said"),
    [
        (2.0, 2.0, "when saved (2026-10-02) → $4.00/h today (price of 2026-11-28): unchanged"),
        (2.0, 1.5, "→ $3.00/h today (price of 2026-11-28): down 25 %, $730 a month less"),
        (2.0, 2.2, "→ $4.40/h today (price of 2026-11-28): up 10 %, $292 a month more"),
        (None, 2.0, "no price known when saved (2026-10-02) → $4.00/h today (price of 2026-11-28)"),
    ],
)  # fmt: skip
def test_the_drift_is_in_words(before, now, said):
    pick = replace(PICK, usd_per_hour=before)
    line = price_line(pick, quote(now), drift(pick, quote(now)))
    assert line.endswith(said)


def test_a_price_that_is_not_known_is_never_guessed():
    unpriced = quote(None, why_unpriced="withdrawn by AWS")
    assert "today’s price is not known" in price_line(PICK, None, drift(PICK, None))
    assert price_line(PICK, unpriced, drift(PICK, unpriced)).endswith(
        "no price today: withdrawn by AWS"
    )


def test_aws_is_asked_once_for_all_and_an_older_list_does_not_stand_in():
    other = replace(PICK, instance_type="g5.xlarge")
    gone = replace(PICK, instance_type="g99.xlarge")
    key = live_key("on_demand", "us-east-1", "g6e.xlarge", 0)
    desk = Desk({key: quote(1.9)})
    found = prices_today(replace(load_world(), live=desk), [PICK, other, gone])
    assert found == (quote(1.9), None, None)
    assert desk.asked == [3]
    assert prices_today(replace(load_world(), live=Desk()), []) == ()


def test_without_aws_the_embedded_list_is_todays():
    (found,) = prices_today(load_world(), [PICK])
    assert found.source == "snapshot"
    assert found.usd_per_hour
