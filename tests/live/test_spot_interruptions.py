"""The interruption class of spot types: sound rows, and on the card."""

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from catalog.facts.rows import read_rows
from catalog.facts.source_rows import InterruptionRow
from catalog.load import DATA_DIR
from catalog.prices.interruptions import interruptions


def test_every_row_is_sound(catalog):
    seen = set()
    for _, row in read_rows(DATA_DIR / "spot_interruptions.csv", InterruptionRow):
        assert row.instance_type in catalog.instances
        assert set(row.regions) <= set(catalog.regions)
        places = {(row.instance_type, region) for region in row.regions}
        assert not places & seen, "a type has one class in a region"
        seen |= places


def test_a_spot_card_names_the_class_and_its_day():
    result = answer("inference 7B on spot instance=g5.xlarge", load_world()).recommendation
    caveats = " ".join(result.picks[0].caveats)
    known = interruptions("g5.xlarge", "us-east-1")
    assert f"{known.band} of this type were in a month (AWS Spot Advisor, 2025-06-28)" in caveats


def test_what_the_advisor_does_not_know_is_not_made_up():
    assert interruptions("p5e.48xlarge", "us-east-1") is None
    result = answer("inference 7B instance=g5.xlarge", load_world()).recommendation
    assert "Spot Advisor" not in " ".join(result.picks[0].caveats)
