"""The compiled catalog says what the CSV files say, and costs a request no validation."""

import subprocess
import sys

from catalog.compile import compiled_text
from catalog.compiled import FACTS, FILE
from catalog.load import DATA_DIR


def test_the_compiled_file_is_what_the_sources_compile_to(from_sources):
    assert compiled_text(from_sources) == (DATA_DIR / FILE).read_text(encoding="utf-8"), (
        "run `make catalog`"
    )


def test_the_compiled_catalog_equals_the_sources(catalog, from_sources):
    for section in FACTS:
        assert getattr(catalog, section) == getattr(from_sources, section), section
    assert catalog == from_sources


def test_values_keep_their_types(catalog, from_sources):
    """2 and 2.0 are equal but print differently; True and 1 too."""
    for section in FACTS:
        assert repr(getattr(catalog, section)) == repr(getattr(from_sources, section)), section


def test_quotes_by_key_and_by_walking_agree(catalog):
    for quotes in (catalog.prices.on_demand, catalog.prices.other, catalog.prices.three_year):
        walked = dict(quotes.items())
        assert len(walked) == len(quotes)
        key = min(walked)
        assert quotes[key] == walked[key]
        assert (*key[:-2], "us-moon-1", key[-1]) not in quotes
        assert (*key[:-1], "g5.huge") not in quotes


def test_loading_imports_no_validator_and_no_client():
    code = (
        "import sys; from catalog.load import load_catalog; load_catalog(); "
        "print(sorted({'annotated_types', 'boto3', 'pydantic', 'rapidfuzz'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        cwd=DATA_DIR.parents[1],
    )
    assert done.stdout.strip() == "[]"
