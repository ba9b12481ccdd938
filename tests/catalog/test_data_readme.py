"""The guide to the data files says what is there."""

import re

from catalog.load import DATA_DIR
from tests.catalog.small_data import read

ROW = re.compile(r"^\| `(\w+\.csv)` \| (\d+) \|", re.MULTILINE)
TEXT = (DATA_DIR / "README.md").read_text(encoding="utf-8")


def test_every_file_is_listed_with_its_rows():
    counted = {path.name: len(read(path)[1]) for path in DATA_DIR.glob("*.csv")}
    assert {name: int(rows) for name, rows in ROW.findall(TEXT)} == counted


def test_every_price_source_is_explained():
    _, rows = read(DATA_DIR / "prices_ondemand.csv")
    for source in {row["source"] for row in rows}:
        name = re.split(r"-\d{4}|@", source)[0]
        assert name in TEXT, source


def test_regions_without_an_offering_list_are_named(catalog):
    unlisted = {
        code
        for code, region in catalog.regions.items()
        if region.location_type == "region" and code not in catalog.prices.listed_regions
    }
    for code in unlisted - {"us-gov-east-1", "us-gov-west-1", "cn-north-1", "cn-northwest-1"}:
        assert f"`{code}`" in TEXT
