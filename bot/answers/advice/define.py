"""What a word of the guides means today, families side by side, and which is the first."""

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.examples import example
from catalog.reference import glossary
from engine.guides.asked import FamiliesQuestion, SuperlativeQuestion, TermsQuestion
from engine.pick.explain import Explanation

MOST_COMPARED = 5


def define_turn(turn: Turn) -> Reply:
    """Return the definition that was asked for, else the families named as a table."""
    from bot.cards.notices import notice_view
    from engine.guides.definitions import defined

    asked = turn.understanding.asked.guide
    if isinstance(asked, FamiliesQuestion):
        return families_reply(turn, asked.families)
    if asked is None:
        return _every_term(turn)
    terms, catalog = turn.asked_of(TermsQuestion).terms, turn.world.catalog
    region = turn.workload.region or turn.world.default_region
    told = " ".join(defined(definition, catalog, region) for definition in terms)
    title = " and ".join(definition.term for definition in terms)
    own = [definition for definition in terms if not definition.document]
    sources = [f"Source of {one.term}: {one.source}, {one.as_of}." for one in own]
    return Reply(
        request=turn.request,
        intent="explain",
        view=notice_view(title, told, sources),
        explanation=Explanation(title, "defined", (), told),
    )


def _every_term(turn: Turn) -> Reply:
    """Return the names of all terms that can be asked about."""
    from bot.cards.notices import notice_view

    terms = sorted((row.term for row in glossary()), key=str.lower)
    told = f"Ask what one means: {', '.join(terms)}."
    return Reply(
        request=turn.request,
        intent="explain",
        view=notice_view("Glossary", told, (example("glossary"),)),
        explanation=Explanation("glossary", "listed", (), told),
    )


def families_reply(turn: Turn, named: tuple[str, ...]) -> Reply:
    """Return the families side by side, at the prices of the turn's region."""
    from bot.cards.table import table_view
    from engine.guides.definitions import compared

    families = named[:MOST_COMPARED]
    region = turn.workload.region or turn.world.default_region
    comparison = compared(families, turn.world.catalog, region)
    title = " vs ".join(families)
    lead = "" if len(families) > 1 else f"What {families[0]} is today."
    notes = (comparison.note, "Name a model and a load to see which serves it cheaper.")
    view = table_view(title, lead, comparison.columns, comparison.rows, notes)
    told = " ".join(f"{name}: {'; '.join(cells)}." for name, *cells in comparison.rows)
    rows = [{"name": name, "values": cells} for name, *cells in comparison.rows]
    return Reply(
        request=turn.request,
        intent=turn.understanding.intent,
        view=view,
        explanation=Explanation(title, "compared", (), told),
        comparison={"columns": list(families), "rows": rows},
    )


def superlative_turn(turn: Turn) -> Reply:
    """Return whether it leads, and what does, at the prices of the turn's region."""
    from bot.cards.notices import notice_view
    from engine.guides.superlatives import order_in_words, order_today

    asked = turn.asked_of(SuperlativeQuestion)
    region = turn.workload.region or turn.world.default_region
    order = order_today(asked, turn.world.catalog, region)
    text = order_in_words(order, turn.world.catalog, region)
    verdict = "leads" if order.leads else "does not lead"
    return Reply(
        request=turn.request,
        intent="explain",
        view=notice_view(f"{asked.subject}: {order.scale.name}", text),
        explanation=Explanation(asked.subject, verdict, order.numbers, text),
    )
