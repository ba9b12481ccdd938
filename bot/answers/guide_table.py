"""A table or snippet of a guide: as printed, and as it is today."""

from dataclasses import replace

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from catalog.guides.guide_rows import Snippet
from engine.guides.asked import SnippetQuestion, TablesQuestion
from engine.guides.guide_tables import table_today
from engine.pick.explain import Explanation


def table_turn(turn: Turn) -> Reply:
    """Return the table with today's figures under the document's, or what became of a snippet."""
    asked = turn.understanding.asked.guide
    if isinstance(asked, SnippetQuestion):
        return _worked_reply(turn, asked.snippet) or _snippet_reply(turn, asked.snippet)
    from bot.cards.table import table_view

    region = turn.workload.region or turn.world.default_region
    today = table_today(turn.asked_of(TablesQuestion).tables, turn.world.catalog, region)
    told = " ".join(f"{'; '.join(cell for cell in row if cell)}." for row in today.rows)
    named = [{"name": name, "values": cells} for name, *cells in today.rows]
    return Reply(
        request=turn.request,
        intent=turn.understanding.intent,
        view=table_view(today.title, today.lead, today.columns, today.rows, today.notes),
        explanation=Explanation(today.title, "recomputed", today.numbers, f"{today.lead} {told}"),
        comparison={"columns": list(today.columns[1:]), "rows": named},
    )


def _worked_reply(turn: Turn, snippet: Snippet) -> Reply | None:
    """Return a worked example worked out today; None for a snippet that is no example."""
    from bot.answers.picks.metrics import metrics_turn
    from bot.core.views import TableView
    from bot.language.parse import parse

    asked = parse(snippet.ask, turn.world.catalog)
    if asked.topic != "metrics":
        return None
    reply = metrics_turn(replace(turn, understanding=asked))
    if not isinstance(reply.view, TableView) or reply.explanation is None:
        return None
    text = _snippet_text(snippet)
    view = replace(reply.view, lead=f"{text} {reply.view.lead}")
    explanation = replace(reply.explanation, text=f"{text} {reply.explanation.text}")
    return replace(reply, view=view, explanation=explanation)


def _snippet_text(snippet: Snippet) -> str:
    return (
        f"Guide {snippet.document}, line {snippet.line}, prints: {snippet.shows}. "
        f"Today: {snippet.today}. For your own: “{snippet.ask}”."
    )


def _snippet_reply(turn: Turn, snippet: Snippet) -> Reply:
    from bot.cards.notices import notice_view

    text = _snippet_text(snippet)
    return Reply(
        request=turn.request,
        intent="explain",
        view=notice_view(snippet.title, text, (f"Checked {snippet.as_of}: {snippet.source}.",)),
        explanation=Explanation(snippet.title, "today", (), text),
    )
