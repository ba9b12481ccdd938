"""What a written guide says: its path for a workload beside the numbers, or what it holds."""

from bot.answers.pick import card_reply, recommendation_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.notices import notice_view
from engine.core.workload import Workload
from engine.guides.guide_answer import guide_answer, overview
from engine.guides.guides import guide_facts
from engine.pick.explain import Explanation


def guide_turn(turn: Turn) -> Reply:
    """Return the card headed by the guide's path; without a workload, what the guide decides."""
    if turn.workload.guide is not None and _names_no_work(turn):
        return _overview_reply(turn, turn.workload.guide)
    result = recommendation_of(turn)
    words = turn.understanding.asked.guide_words
    named = result.model if turn.workload.model or turn.workload.params_b else None
    facts = guide_facts(turn.workload, named, turn.world.catalog, words)
    explanation = guide_answer(result, turn.world.guides, facts, turn.workload.guide)
    return card_reply(turn, result, explanation)


def _names_no_work(turn: Turn) -> bool:
    asked, said = turn.understanding.asked, turn.workload.said().keys() - {"guide"}
    plain = turn.workload.task == Workload().task and not said - {"task"}
    return plain and not asked.guide_words and not asked.serving


def _overview_reply(turn: Turn, guide_id: str) -> Reply:
    from catalog.guides.guide_rows import load_guide_rows

    guide = next((g for g in turn.world.guides if g.id == guide_id), None)
    tables = tuple(t.title for t in load_guide_rows().tables if t.document == guide_id)
    known = ", ".join(g.id for g in turn.world.guides)
    text = f"There is no guide {guide_id}; there are {known}."
    if guide is not None:
        text = overview(guide, tables)
    view = notice_view(f"Guide {guide_id}", text, ("Name a task and a size for its path.",))
    explanation = Explanation(f"guide {guide_id}", "overview", (), text)
    return Reply(request=turn.request, intent="explain", view=view, explanation=explanation)
