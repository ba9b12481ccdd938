"""Tables, claims, definitions and snippets: checked strictly, and every claim answered safely."""

import csv
import json
import re
import shutil
from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from catalog.facts.errors import CatalogError
from catalog.guides.guide_rows import NEVER, load_guide_rows
from catalog.guides.guides import GUIDES_FOLDER
from engine.guides.claims import VERDICTS, verdict
from engine.guides.guide_facts import filled
from tests.guides.guide_rows_check import check_guide_rows
from tests.shared_data import needed_shared_file

WORLD = load_world()
ROWS = load_guide_rows()
DOCUMENTS = [guide.id for guide in WORLD.guides]


def fill(text):
    return filled(text, WORLD.catalog, "us-east-1")


def test_the_real_rows_pass_every_check():
    checked = check_guide_rows(documents=DOCUMENTS, fill=fill)
    assert len(checked.claims) == 172
    assert {table.document for table in checked.tables} == {"001", "002", "003", "004"}


def copied(tmp_path):
    folder = tmp_path / "guides"
    shutil.copytree(GUIDES_FOLDER, folder)
    return folder


@pytest.mark.parametrize(
    ("file", "old", "new", "names"),
    [
        ("claims.csv", "000,14,", "007,14,", "no guide '007'"),
        ("claims.csv", "000,14,", "000,0,", "cites line 0"),
        ("claims.csv", ",yes,", ",perhaps,", "true_today"),
        ("claims.csv", "{price:c7i.xlarge}", "{price:c77.xlarge}", "no machines called"),
        ("claims.csv", "{price:c7i.xlarge}", "{prize:c7i.xlarge}", "prize"),
        ("claims.csv", "{status:p3}", "{status:p33}", "no family called 'p33'"),
        ("claims.csv", "document,line", "document,lines", "unknown column"),
        ("snippets.csv", "000_tree,", "001_job,", "listed twice"),
        ("definitions.csv", "GPU,", "burstable,", "listed twice"),
        ("tables/004.json", '"names"', '"name"', "missing or unknown keys"),
        ("tables/004.json", '"document": "004"', '"document": "044"', "no guide '044'"),
        ("tables/004.json", '"T4",', "", "cells do not match"),
        ("tables/004.json", '{"tables"', '{"table"', "not"),
    ],
)
def test_a_mistake_stops_the_build(file, old, new, names, tmp_path):
    path = copied(tmp_path) / file
    text = path.read_text(encoding="utf-8")
    if file.endswith(".json"):
        text = json.dumps(json.loads(text), ensure_ascii=False)
        new = new if names != "not" else '{"tables'
    assert old.strip() in text
    path.write_text(text.replace(old.strip(), new, 1), encoding="utf-8")
    with pytest.raises(CatalogError, match=re.escape(names)):
        check_guide_rows(tmp_path / "guides", documents=DOCUMENTS, fill=fill)


@pytest.mark.parametrize("claim", ROWS.claims, ids=lambda c: f"{c.key}-{c.kind}")
@pytest.mark.parametrize(
    "asked", ["is it true that {0.claim}?", "/ec2-pick claim {0.document} line {0.line}"]
)
def test_every_claim_is_answered_and_only_quoted(claim, asked):
    reply = answer(asked.format(claim), WORLD)
    text = reply.explanation.text
    assert f"Guide {claim.document}, line {claim.line}, says: {claim.claim}" in text
    told = next(part for part in sentences_about(text) if claim.claim in part)
    assert told.startswith(VERDICTS[claim.true_today])
    if claim.since == NEVER:
        assert "It was never so." in told
    elif claim.since:
        assert f"Since {claim.since}" in told
    assert reply.workload is None  # the thread keeps what it was about


def sentences_about(text):
    """The answers to several claims of one line, each from its verdict on."""
    starts = "|".join(re.escape(verdict) for verdict in VERDICTS.values())
    return [part.strip() for part in re.split(rf"(?= (?:{starts})\. Guide)", f" {text}")]


@pytest.mark.parametrize(
    "claim", [c for c in ROWS.claims if c.true_today in {"stale", "no"}], ids=lambda c: c.key
)
def test_the_figure_of_a_wrong_claim_is_not_todays(claim):
    """What is said of today must not hold the price the document got wrong."""
    today = fill(claim.today).text
    for price in re.findall(r"\$\d[\d.,]*/h", claim.figure):
        assert price not in today


PRICES = [c for c in ROWS.claims if c.kind == "price" and "$" in c.figure]


@pytest.mark.parametrize("claim", PRICES, ids=lambda c: c.key)
def test_a_printed_price_is_held_against_todays(claim):
    numbers = fill(claim.today).numbers
    assert verdict(claim, numbers) == claim.true_today
    printed = float(claim.figure.removeprefix("$").removesuffix("/h"))
    same = bool(numbers) and abs(numbers[0].value - printed) <= 0.02 * printed
    assert same == (claim.true_today == "yes")
    if same:  # a price that moves after the row was written is no longer confirmed
        assert verdict(claim, (replace(numbers[0], value=2 * printed),)) == "stale"


@pytest.mark.parametrize(
    ("question", "keys"),
    [
        ("isn't p5 $98/h?", ["001:118"]),
        ("P5e is 40% cheaper than P5en, right?", ["000:25"]),
        ("is inf2.8xlarge 128GB of accelerator memory?", ["001:207"]),
        ("our wiki says p5.48xlarge is $98.32 an hour. still true?", ["001:118"]),
        (
            "guide says inf2.24xlarge is $6.09/h and has 384 GB of accelerator memory, right?",
            ["001:215", "001:213"],
        ),
        ("isn't p4d.24xlarge $32.77?", ["001:113"]),
        ("p6-b200 is 20x faster than p5en, right?", ["000:21"]),
        ("does Inf2 have hardware sparsity?", ["000:39"]),
        ("is it true that Inferentia is 70% cheaper?", ["001:183"]),
    ],
)
def test_a_claim_is_found_however_it_is_asked(question, keys):
    text = answer(question, WORLD).explanation.text
    for key in keys:
        document, line = key.split(":")
        assert f"Guide {document}, line {line}, says" in text


@pytest.mark.parametrize(
    "question",
    [
        "is it true that llama 70b fits g6e.12xlarge?",
        "is g4dn.xlarge with 16 GB enough for 7B?",
        "does llama-3-70b fit g5.12xlarge?",
        "the guide compares 7B training on p3.2xlarge and trn1.2xlarge. do they really hold it?",
        "the console says 24 GB for g5 -- how much of that can the serving engine actually see?",
    ],
)
def test_a_workload_is_no_claim(question):
    reply = answer(question, WORLD)
    assert reply.recommendation is not None


def test_every_claim_on_record_is_a_row():
    path = needed_shared_file("data/seed_claims.csv")
    with path.open(encoding="utf-8", newline="") as file:
        recorded = sorted(
            (r["seed_file"][:3], int(r["line"]), r["claim_kind"], r["true_today"])
            for r in csv.DictReader(file)
        )
    assert recorded == sorted((c.document, c.line, c.kind, c.true_today) for c in ROWS.claims)
