# ruff: noqa: INP001 - a development tool beside the documents it writes
"""Writes docs/guides.md and its pictures: `python -m docs.render.guide_pages`.

Every leaf, table, snippet, claim and term of the documents is a row: the request that reaches it,
in plain words and as a slash command, and what the product answers today.
"""

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bot.answers.reply import Reply
from bot.answers.world import World, load_world
from bot.conversation.conversation import answer
from bot.language.parse import parse
from catalog.guides.guide_rows import (
    Claim,
    Definition,
    GuideRows,
    GuideTable,
    Snippet,
    load_guide_rows,
)
from catalog.guides.guides import Guide, Node, Tree, leaves
from docs.render.tree_svg import tree_svg
from engine.ask import model_of
from engine.guides.guides import GuidePath, first_leaf, guide_facts

DOCS = Path(__file__).resolve().parents[1]
REQUESTS = Path(__file__).with_name("guide_requests.csv")
ANSWER_CHARS = 420
HEAD = """# What the five documents say, answered

Written by `python -m docs.render.guide_pages` from `catalog/data/guides/`; a test fails when a row
is missing or the answers have changed. Where documents contradict each other both stay, shown in
the order of the headings below. "Today" comes from the catalog: us-east-1, on demand unless said.
"""


@dataclass(frozen=True)
class Requests:
    """The two requests that reach one thing of a document."""

    plain: str
    slash: str


def leaf_requests() -> dict[tuple[str, str, str], Requests]:
    """Return the requests of each leaf by document, tree and node."""
    with REQUESTS.open(encoding="utf-8", newline="") as file:
        return {
            (row["document"], row["tree"], row["leaf"]): Requests(row["plain"], row["slash"])
            for row in csv.DictReader(file)
        }


def claim_requests(claim: Claim) -> Requests:
    """Return the requests that ask for a claim."""
    place = f"/ec2-pick claim {claim.document} line {claim.line}"
    return Requests(f"is it true that {claim.claim}?", place)


def table_requests(table: GuideTable) -> Requests:
    """Return the requests that ask for a table."""
    name = table.names[0]
    return Requests(
        f"show me the {name} of guide {table.document}",
        f"/ec2-pick table {name} guide={table.document}",
    )


def snippet_requests(snippet: Snippet) -> Requests:
    """Return the requests that ask what became of a snippet."""
    return Requests(
        f"what about the {snippet.aliases[0]} example of guide {snippet.document}?",
        f"/ec2-pick snippet {snippet.id} guide={snippet.document}",
    )


def definition_requests(definition: Definition) -> Requests:
    """Return the requests that ask what a term means."""
    return Requests(f"what is {definition.term}?", f"/ec2-pick define {definition.term}")


def found_by(text: str, guide: Guide, world: World) -> GuidePath | None:
    """Return the leaf of a document that a request leads to."""
    understood = parse(text, world.catalog)
    said = understood.workload
    model, _ = model_of(said, world.catalog)
    named = model if said.model or said.params_b else None
    facts = guide_facts(said, named, world.catalog, understood.asked.guide_words)
    return first_leaf(guide, facts)


def pages(world: World) -> dict[Path, str]:
    """Return every file of the guides' documentation and its text."""
    rows, requests = load_guide_rows(), leaf_requests()
    written: dict[Path, str] = {}
    parts = [HEAD, _counts(world, rows)]
    for guide in world.guides:
        parts += _guide_part(guide, rows, requests, world)
        for tree in guide.trees:
            written[DOCS / "guides" / picture(guide, tree)] = _drawn(guide, tree, requests, world)
    written[DOCS / "guides.md"] = "\n".join(parts)
    return written


def picture(guide: Guide, tree: Tree) -> str:
    """Return the file name of a tree's picture."""
    return f"{guide.id}_{tree.id}.svg"


def _counts(world: World, rows: GuideRows) -> str:
    every = sum(len(list(leaves(tree))) for guide in world.guides for tree in guide.trees)
    return (
        f"{every} leaves, {len(rows.tables)} tables, {len(rows.snippets)} snippets, "
        f"{len(rows.claims)} claims and {len(rows.definitions)} terms.\n"
    )


def _drawn(
    guide: Guide, tree: Tree, requests: dict[tuple[str, str, str], Requests], world: World
) -> str:
    request = _example(guide, tree, requests)
    path = frozenset(node.id for node in _path(request, guide, world))
    return tree_svg(guide, tree, path, request)


def _example(guide: Guide, tree: Tree, requests: dict[tuple[str, str, str], Requests]) -> str:
    """Return the request whose path is drawn: the one of the last leaf."""
    *_, last = leaves(tree)
    return requests[guide.id, tree.id, last.id].plain


def _path(request: str, guide: Guide, world: World) -> tuple[Node, ...]:
    found = found_by(request, guide, world)
    return found.path if found else ()


def _path_in_words(request: str, guide: Guide, world: World) -> str:
    """Return the highlighted path as text, which also reads well aloud."""
    path = _path(request, guide, world)
    leaf = path[-1].leaf
    families = ", ".join(leaf.families) if leaf else ""
    return f"“{request}”: *{' › '.join(node.label for node in path)} → {families}*\n"


def _guide_part(
    guide: Guide,
    rows: GuideRows,
    requests: dict[tuple[str, str, str], Requests],
    world: World,
) -> Iterator[str]:
    yield f"## {guide.id}: {guide.title}\n"
    yield f"`{guide.document}`, checked {guide.as_of}. {guide.precedence_why}\n"
    for tree in guide.trees:
        yield f"### {guide.id} · {tree.title}\n"
        yield f"![{tree.title}](guides/{picture(guide, tree)})\n"
        yield _path_in_words(_example(guide, tree, requests), guide, world)
        asked = [(node, requests[guide.id, tree.id, node.id]) for node in leaves(tree)]
        cells = [_leaf_cells(guide, node, both, world) for node, both in asked]
        yield _table(("line", "the document says", "today", "request", "slash", "answer"), cells)
    yield from _rows_part(guide, rows, world)


def _rows_part(guide: Guide, rows: GuideRows, world: World) -> Iterator[str]:
    sections = (
        ("Tables", [(t, t.title, table_requests(t)) for t in rows.tables]),
        ("Snippets", [(s, s.title, snippet_requests(s)) for s in rows.snippets]),
        ("Claims", [(c, f"{c.claim} ({c.figure})", claim_requests(c)) for c in rows.claims]),
        ("Terms", [(d, d.term, definition_requests(d)) for d in rows.definitions]),
    )
    for heading, entries in sections:
        own = [entry for entry in entries if entry[0].document == guide.id]
        if own:
            yield f"### {guide.id} · {heading}\n"
            cells = [
                (str(row.line), name, both.plain, f"`{both.slash}`", answer_text(both, world))
                for row, name, both in own
            ]
            yield _table(("line", "what it says", "request", "slash", "answer"), cells)


def _leaf_cells(guide: Guide, node: Node, both: Requests, world: World) -> tuple[str, ...]:
    leaf = node.leaf
    if leaf is None:
        msg = f"{node.id} is no leaf"
        raise ValueError(msg)
    today = ", ".join(leaf.today.families) if leaf.today else "the same"
    says = f"{node.label} → {', '.join(leaf.families)}"
    reply = answer(both.plain, world)
    return (
        str(node.citation.line),
        says,
        today,
        both.plain,
        f"`{both.slash}`",
        _pick(guide, reply),
    )


def _pick(guide: Guide, reply: Reply) -> str:
    """Return what the document's path is answered with, and the pick beside it."""
    result = reply.recommendation
    advice = next((a for a in result.guides if a.source == guide.id), None) if result else None
    if result is None or advice is None:
        return "not reached"
    path = " → ".join(advice.path)
    if not result.picks:
        return f"{path}; nothing fits today"
    pick = result.picks[0]
    relation = "agrees" if advice.agrees else "differs, with the numbers"
    return f"{path}; pick {pick.instances} × {pick.instance.instance_type}: {relation}"


def answer_text(both: Requests, world: World) -> str:
    """Return what the product answers to the plain request, cut to what a cell holds."""
    reply = answer(both.plain, world)
    text = reply.explanation.text if reply.explanation else reply.text
    return text if len(text) <= ANSWER_CHARS else text[: ANSWER_CHARS - 1].rstrip() + "…"


def _table(columns: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [columns, ("---",) * len(columns), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines) + "\n"


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def main() -> int:
    """Write the pages; return the exit code."""
    for path, text in pages(load_world()).items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
