"""What speaks against the pick itself: limits it may miss, what was not measured, its caveats."""

from collections.abc import Iterator

from bot.answers.pick import recommendation_of, shown_picks
from bot.answers.question_asked import computed_reply, notes_of
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.limits_met import FIELD_WORDS, limit_value
from bot.cards.notices import notice_view
from bot.core.figures import plain_line
from bot.core.wording import machines
from engine.core.result import Pick, Recommendation
from engine.pick.explain import Explanation

NO_RISKS = frozenset({"ambiguous_latency", "asked_rejected"})


def risks_turn(turn: Turn) -> Reply:
    """Return what may go wrong with the pick, the limits first; the thread stays as it is."""
    result = recommendation_of(turn)
    pick = next(iter(shown_picks(result)), None)
    lines = [] if pick is None else list(dict.fromkeys(_risks(result, pick)))
    name = "this" if pick is None else machines(pick.instance.instance_type, pick.instances)
    lead = f"{len(lines)} things to mind with {name}:" if len(lines) > 1 else "To mind:"
    text = lead if lines else f"Nothing that is known speaks against {name}."
    view = notice_view(f"What to mind with {name}", text, (*lines, *notes_of(turn, result)))
    explanation = Explanation(name, "risks", (), " ".join((text, *lines)))
    return computed_reply(turn, view, result, explanation=explanation)


def _risks(result: Recommendation, pick: Pick) -> Iterator[str]:
    for check in pick.limits:
        if check.verdict != "meets":
            what = FIELD_WORDS.get(check.field, check.field)
            limit, expected = (limit_value(check.field, v) for v in (check.limit, check.value))
            may = "may miss" if check.verdict == "tight" else "misses"
            yield f"It {may} the {what} limit of {limit}: {expected} is expected."
    if pick.quote.market == "spot":
        yield "Spot capacity can be taken back within two minutes."
    if pick.instances == 1 and result.workload.task == "inference":
        yield "It is one machine: nothing serves while that is down. Say “2 replicas” for a second."
    yield from (_risk_sentence(caveat) for caveat in pick.caveats)
    for code, warning in zip(result.codes, result.warnings, strict=False):
        if code not in NO_RISKS:
            yield _risk_sentence(warning)


def _risk_sentence(text: str) -> str:
    line = plain_line(text)
    return f"{line[:1].upper()}{line[1:]}" + ("" if line.endswith(".") else ".")
