"""A verdict on a named machine in the words that fit how it was asked for."""

from bot.cards.runner_ups import compared_words, price_of
from bot.core.asked import Whether
from bot.core.figures import plain_line, times
from bot.core.wording import machines
from engine.core.result import Pick, Recommendation, Verdict

MOST_WORDS = 700
MORE_THAN_NEEDED = 1.5  # times the price of the first choice: from there on it is more than needed


def verdict_words(result: Recommendation, whether: Whether | None) -> str:
    """Return the verdict of an answer, first what was asked; empty where nothing was judged.

    "Yes" answers whether it is enough. Where a bare yes or no could be read either way ("isn't it
    too small?", "can't it?"), the first words are a whole statement.
    """
    verdict = result.verdict
    if verdict is None:
        return ""
    if whether == "too_much" and verdict.holds:
        return plain_line(_against_the_need(result, verdict), MOST_WORDS)
    said = verdict.statement if whether in {"too_much", "too_little", "negated"} else verdict.text
    return plain_line(said, MOST_WORDS)


def _against_the_need(result: Recommendation, verdict: Verdict) -> str:
    """Return whether what does the work is more than the work needs, by the first choice."""
    subject = f"{verdict.subject[0].upper()}{verdict.subject[1:]} {_is(verdict)}"
    best = result.best or next(iter(result.picks), None)
    if best is None or _is_the_same(verdict, best):
        return f"{subject} not too much: {verdict.reason}. Nothing cheaper meets every limit."
    named = f"{machines(best.instance.instance_type, best.instances)}, {price_of(best)}"
    ratio = _price_ratio(verdict, best)
    if ratio is None:
        return f"{subject} enough: {verdict.reason}. First choice would be {named}."
    if ratio < MORE_THAN_NEEDED:
        return f"{subject} not too much: {verdict.reason}. First choice would be {named}."
    return (
        f"{subject} more than this needs: it {verdict.reason}. {named} does it; {verdict.name} is "
        f"{times(ratio)} the price."
    )


def _is(verdict: Verdict) -> str:
    return "is" if verdict.count == 1 else "are"


def _is_the_same(verdict: Verdict, best: Pick) -> bool:
    return (verdict.name, verdict.count) == (best.instance.instance_type, best.instances)


def _price_ratio(verdict: Verdict, best: Pick) -> float | None:
    its = best.cost.usd_per_hour
    return None if not its or verdict.usd_per_hour is None else verdict.usd_per_hour / its


def beside_the_best(asked: Pick, result: Recommendation) -> str:
    """Return how a named type that does stands to the first choice."""
    best = result.best
    name = asked.instance.instance_type
    if best is None:
        return ""
    if best.instance.instance_type == name:
        return "It is also the first choice."
    compared = compared_words(asked, best)
    yours = f"; {name} is {compared}" if compared else ""
    named = machines(best.instance.instance_type, best.instances)
    return f"First choice would be {named}, {price_of(best)}{yours}."
