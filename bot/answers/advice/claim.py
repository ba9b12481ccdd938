"""Is it true? What a guide states, what holds today, and since when."""

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from engine.core.result import Number
from engine.guides.asked import ClaimsQuestion
from engine.guides.claims import ClaimAnswer, claim_answer
from engine.pick.explain import Explanation

MOST_ANSWERED = 4
# What a claim of these kinds states depends on the workload.
BY_WORKLOAD = {"savings", "cost", "latency", "performance"}


def claim_turn(turn: Turn) -> Reply:
    """Return the document's figure beside today's; else the type's price."""
    from bot.answers.advice.define import families_reply
    from bot.answers.costs.price import price_turn
    from bot.cards.notices import notice_view

    asked = turn.asked_of(ClaimsQuestion)
    claims = asked.claims
    if not claims and turn.workload.instance is None:
        return families_reply(turn, asked.families)
    if not claims:
        return price_turn(turn)
    region = turn.workload.region or turn.world.default_region
    found = [claim_answer(claim, turn.world.catalog, region) for claim in claims[:MOST_ANSWERED]]
    text = " ".join([*(answer.text for answer in found), *_worked_out(turn, found[0])])
    lines = " and ".join(dict.fromkeys(f"{c.document}, line {c.line}" for c in claims))
    explanation = Explanation(
        subject=f"Guide {lines}",
        verdict="; ".join(dict.fromkeys(answer.claim.true_today for answer in found)),
        numbers=(*_price_of_type(turn), *(number for answer in found for number in answer.numbers)),
        text=text,
    )
    view = notice_view(explanation.subject, text, turn.understanding.notes)
    return Reply(
        request=turn.request,
        intent=turn.understanding.intent,
        view=view,
        explanation=explanation,
        notes=turn.understanding.notes,
    )


def _worked_out(turn: Turn, answered: ClaimAnswer) -> tuple[str, ...]:
    """Return how the hardware set side by side does today, where no figure of today's says it."""
    from bot.answers.picks.compare import groups_in_words
    from bot.answers.planning import about

    claim = answered.claim
    if turn.understanding.intent != "compare" or claim.kind not in BY_WORKLOAD or answered.numbers:
        return ()
    trains = all(family.startswith("trn") for family in claim.families)
    today = groups_in_words(about(turn, task="train") if trains else turn)
    return (f"Worked out for {today[:1].lower()}{today[1:]}",) if today else ()


def _price_of_type(turn: Turn) -> tuple[Number, ...]:
    """Return today's price of the type the question names, if it names one that is sold."""
    from bot.answers.costs.price import quote_of

    instance = turn.world.catalog.instances.get(turn.workload.instance or "")
    price = quote_of(turn, instance).usd_per_hour if instance is not None else None
    return () if price is None else (Number("price", price, "USD/h"),)
