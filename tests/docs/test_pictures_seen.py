"""A picture is kept where a document shows it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("benchmarks/**/*.md")]
KINDS = {".png", ".svg", ".jpg", ".gif"}


def shown(page):
    linked = re.findall(r"\]\(([^)#\s]+)\)|src=\"([^\"]+)\"", page.read_text(encoding="utf-8"))
    return {(page.parent / (link or source)).resolve() for link, source in linked}


def test_every_picture_is_shown_by_a_document():
    kept = {p for top in ("docs", "benchmarks") for p in (ROOT / top).rglob("*")}
    pictures = {p for p in kept if p.suffix in KINDS and "node_modules" not in p.parts}
    assert pictures
    assert sorted(pictures - set().union(*map(shown, PAGES))) == []
