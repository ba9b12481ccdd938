"""The README and the pages of docs/: what they show works, what they name exists."""

import json
import re
from datetime import date
from pathlib import Path

import pytest

from bot import __version__
from bot.answers.world import load_world
from bot.conversation.conversation import answer

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md"))]
NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
TEXTS = dict(zip(NAMES, (page.read_text(encoding="utf-8") for page in PAGES), strict=True))
WRITTEN = [name for name in NAMES if name not in {"docs/guides.md", "docs/estimates.md"}]  # by hand

COMMAND = r"(?:make pick Q=|ec2-pick (?:--\w+ \w+ |parse )*)"
REQUESTS = sorted({
    request for text in TEXTS.values() for request in re.findall(rf"{COMMAND}'([^'\n]+)'", text)
} - {"REQUEST", "… under $15 an hour"})  # fmt: skip


@pytest.mark.parametrize("request_text", REQUESTS)
def test_an_example_is_understood_whole_and_answered(request_text):
    reply = answer(request_text, load_world())
    assert (reply.error, reply.unread) == (None, ())
    assert reply.intent != "help"


@pytest.mark.parametrize("name", NAMES)
def test_a_request_is_quoted_so_that_a_dollar_survives(name):
    assert re.findall(rf'{COMMAND}"[^\n]*', TEXTS[name]) == []


def anchors(text):
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


@pytest.mark.parametrize("name", NAMES)
def test_every_link_leads_somewhere(name):
    for link in re.findall(r"\]\(([^)\s]+)\)", TEXTS[name]):
        if link.startswith("https://"):
            continue
        path, _, anchor = link.partition("#")
        target = (ROOT / name).parent / path if path else ROOT / name
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


@pytest.mark.parametrize("name", WRITTEN)
def test_every_target_of_make_exists(name):
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    named = re.findall(r"(?:`|^)make ([a-z-]+)", TEXTS[name], re.MULTILINE)
    assert set(named) <= targets


@pytest.mark.parametrize("name", [name for name in WRITTEN if name != "CHANGELOG.md"])
def test_every_file_that_is_named_exists(name):
    named = re.findall(
        r"`((?:bot|engine|catalog|tests|benchmarks|docs|requirements|templates)/[\w./-]+)`",
        TEXTS[name],
    )
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_the_index_lists_every_page():
    listed = set(re.findall(r"\]\(([\w-]+\.md)\)", TEXTS["docs/README.md"]))
    assert listed == {name.removeprefix("docs/") for name in NAMES if name.startswith("docs/")} - {
        "README.md"
    }


def test_the_accuracy_is_what_was_measured():
    measured = json.loads((ROOT / "benchmarks" / "accuracy.json").read_text(encoding="utf-8"))
    median = measured["inference"]["group_weighted_median"]["model_accelerator"]
    (said,) = re.findall(r"<!-- accuracy -->(\d+) %<!-- end -->", TEXTS["README.md"])
    assert int(said) == round(median)


VERSION = re.compile(r"^## (\d+)\.(\d+)\.(\d+) - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)
GROUPS = {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}
LONGEST_CHANGE = 360  # characters: more than that, nobody reads


def test_the_version_is_the_newest_of_the_changelog():
    released = VERSION.findall(TEXTS["CHANGELOG.md"])
    assert __version__ == ".".join(released[0][:3])


def test_versions_come_newest_first():
    released = VERSION.findall(TEXTS["CHANGELOG.md"])
    numbers = [tuple(map(int, one[:3])) for one in released]
    days = [date.fromisoformat(one[3]) for one in released]
    assert numbers == sorted(set(numbers), reverse=True)
    assert days == sorted(days, reverse=True)


def test_the_changelog_has_its_form():
    sections = re.findall(r"^## (.+)$", TEXTS["CHANGELOG.md"], re.MULTILINE)
    assert sections[0] == "Unreleased" or VERSION.match(f"## {sections[0]}")
    assert all(VERSION.match(f"## {one}") for one in sections[1:])
    assert set(re.findall(r"^### (.+)$", TEXTS["CHANGELOG.md"], re.MULTILINE)) <= GROUPS
    changes = re.findall(r"^- .+$", TEXTS["CHANGELOG.md"], re.MULTILINE)
    assert [one for one in changes if len(one) > LONGEST_CHANGE] == []


DECISION = re.compile(r"^- \*\*(.+)\.\*\*\n  (.+)$", re.MULTILINE)
LONGEST_LINE = 145


def test_a_decision_is_two_lines_under_a_heading_and_told_once():
    text = TEXTS["docs/decisions.md"]
    _, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    told = [title for section in sections for title, _ in DECISION.findall(section)]
    assert len(told) == len(set(told)) == len(re.findall(r"^- ", text, re.MULTILINE))
    lines = [line for section in sections for line in section.splitlines()[1:] if line]
    assert len(lines) == 2 * len(told)
    assert [line for line in lines if len(line) > LONGEST_LINE] == []
