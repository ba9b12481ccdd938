"""docs/guides.md: a row for everything the documents hold, and nothing in it out of date."""

import pytest

from bot.answers.world import load_world
from bot.language.guides.lookup import definition_asked, snippet_asked, tables_asked
from catalog.guides.guide_rows import load_guide_rows
from catalog.guides.guides import leaves
from docs.render import guide_pages

WORLD = load_world()
ROWS = load_guide_rows()
REQUESTS = guide_pages.leaf_requests()
LEAVES = [
    (guide, tree, node) for guide in WORLD.guides for tree in guide.trees for node in leaves(tree)
]


def written():
    return (guide_pages.DOCS / "guides.md").read_text(encoding="utf-8")


def test_every_leaf_has_its_requests_and_no_request_is_left_over():
    assert REQUESTS.keys() == {(g.id, t.id, n.id) for g, t, n in LEAVES}


@pytest.mark.parametrize(("guide", "tree", "node"), LEAVES, ids=lambda one: getattr(one, "id", one))
def test_both_requests_lead_to_the_leaf(guide, tree, node):
    both = REQUESTS[guide.id, tree.id, node.id]
    for request in (both.plain, both.slash):
        found = guide_pages.found_by(request, guide, WORLD)
        assert found is not None
        assert (found.tree.id, found.path[-1].id) == (tree.id, node.id)
        assert guide_pages.parse(request, WORLD.catalog).topic == "guide"


def test_both_requests_name_the_table_the_snippet_or_the_term():
    for table in ROWS.tables:
        for request in vars(guide_pages.table_requests(table)).values():
            assert table in tables_asked(plain(request), ROWS, WORLD.guides)
    for snippet in ROWS.snippets:
        for request in vars(guide_pages.snippet_requests(snippet)).values():
            assert snippet_asked(plain(request), ROWS, WORLD.guides) == snippet
    for term in ROWS.definitions:
        for request in vars(guide_pages.definition_requests(term)).values():
            assert definition_asked(plain(request), ROWS, WORLD.guides) == term


def plain(request):
    return request.removeprefix("/ec2-pick ")


def test_no_row_is_missing():
    text = written()
    rows = [line for line in text.splitlines() if line.startswith("| ")]
    asked = [
        *REQUESTS.values(),
        *map(guide_pages.table_requests, ROWS.tables),
        *map(guide_pages.snippet_requests, ROWS.snippets),
        *map(guide_pages.claim_requests, ROWS.claims),
        *map(guide_pages.definition_requests, ROWS.definitions),
    ]
    for both in asked:
        assert any(f"| {both.plain} | `{both.slash}` |" in row for row in rows), both
    assert "not reached" not in text


def test_the_pages_are_current(update_goldens):
    """Everything that `python -m docs.render.guide_pages` writes is what the product says now."""
    pages = guide_pages.pages(WORLD)
    if update_goldens:
        for path, text in pages.items():
            path.write_text(text, encoding="utf-8")
    for path, text in pages.items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run with --update-goldens"
    drawn = {path for path in pages if path.suffix == ".svg"}
    assert drawn == set((guide_pages.DOCS / "guides").iterdir())
