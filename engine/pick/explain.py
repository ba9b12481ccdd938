"""Answers "why not X?" with the two numbers that decided."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from engine.core.estimate import Memory
from engine.core.question import Question
from engine.core.result import LimitCheck, Number, Pick, Recommendation, Rejection, Verdict
from engine.pick.groups import in_group
from engine.pick.reasons import against_words, held_words, limit_number, quantity


@dataclass(frozen=True, slots=True)
class Explanation:
    """A verdict about one subject, and the numbers it rests on."""

    subject: str
    verdict: str
    numbers: tuple[Number, ...]
    text: str


def why_not(result: Recommendation, word: str, question: Question) -> Explanation:
    """Return why a type, family or group (`inf2`, `p5.48xlarge`, `graviton`) is not the pick.

    The type that came nearest speaks for its group: a pick, one that would do, a near miss. The
    numbers that decided come with it; where a fact decided instead of a number (no software, not
    offered), the prices stand beside it.
    """
    instances = question.catalog.instances.values()
    names = {i.instance_type for i in instances if in_group(i, word, question.catalog)}
    rejections = [r for r in result.rejected if r.instance_type in names]
    would_do = any(rejection.reason == "dominated" for rejection in rejections)
    nearer = result.picks if would_do else (*result.picks, *result.closest)
    picks = [pick for pick in nearer if pick.instance.instance_type in names]
    if picks and (result.picks or _limits_missed(picks[0]) or not rejections):
        return _about_pick(result, picks[0], word)
    if not rejections:
        return Explanation(word, "unknown", (), f"No EC2 type or family is called {word}.")
    nearest_one = min(rejections, key=lambda r: (*_nearness(r)[:2], _cheapest_first(r, question)))
    return _about_rejection(result, nearest_one, word, question)


ORDER = (
    "dominated",
    "over_budget",
    "too_slow",
    "does_not_fit",
    "not_offered",
    "unsupported",
    "excluded",
)


def nearest(rejections: Iterable[Rejection]) -> Rejection | None:
    """Return the rejection that came nearest to a pick; types nobody wanted do not count."""
    wanted = [rejection for rejection in rejections if rejection.reason != "excluded"]
    return min(wanted, key=_nearness, default=None)


def _nearness(rejection: Rejection) -> tuple[int, float, str]:
    """How near a rejected type came: good but beaten first, then by how much it missed."""
    excess = [n.value / n.limit for n in rejection.numbers if n.limit]
    worst = max(excess, default=float("inf"))
    return (
        ORDER.index(rejection.reason),
        max(worst, 1 / worst if worst else 0.0),
        rejection.instance_type,
    )


def _about_pick(result: Recommendation, pick: Pick, word: str) -> Explanation:
    name = pick.instance.instance_type
    if result.picks and pick is result.picks[0]:
        numbers = (*_limit_numbers(pick.limits), *_beside_next(result))
        return Explanation(word, "picked", numbers, f"{name} is the pick: {pick.label}.")
    missed = _limits_missed(pick)
    if missed:
        text = f"{name} misses: {against_words(missed[0])}."
        return Explanation(word, "misses a limit", _limit_numbers(pick.limits), text)
    if not result.picks:
        return Explanation(word, "closest", (), f"{name}: {pick.label}; nothing meets every limit.")
    return _runner_up(result, pick, word)


def _limits_missed(pick: Pick) -> list[LimitCheck]:
    return [check for check in pick.limits if check.verdict == "misses"]


def _beside_next(result: Recommendation) -> tuple[Number, ...]:
    """Return the pick's price beside the next pick's."""
    prices = [pick.cost.usd_per_hour for pick in result.picks[:2]]
    if len(prices) < 2 or prices[0] is None or prices[1] is None:
        return ()
    return (Number("price", prices[0], "USD/h", prices[1]),)


def _runner_up(result: Recommendation, pick: Pick, word: str) -> Explanation:
    best = result.picks[0]
    mine, its = pick.cost.usd_per_hour, best.cost.usd_per_hour
    numbers = _limit_numbers(pick.limits)
    if mine is None or its is None:
        text = f"{pick.instance.instance_type} would do, but has no price on this market."
        return Explanation(word, "unpriced", numbers, text)
    if pick.may_miss and not best.may_miss:
        tight = [check for check in pick.limits if check.verdict == "tight"]
        text = (
            f"{pick.instance.instance_type} may miss, at {quantity(mine, 'USD/h')}: "
            f"{held_words(tight[0])}; {best.instance.instance_type} does not, at "
            f"{quantity(its, 'USD/h')}."
        )
        return Explanation(word, "may miss", (*numbers, Number("price", mine, "USD/h", its)), text)
    text = (
        f"{pick.instance.instance_type} would do ({pick.label}) at {quantity(mine, 'USD/h')}; "
        f"{best.instance.instance_type} does at {quantity(its, 'USD/h')}{_per_token(result, pick)}."
    )
    return Explanation(word, "runner-up", (*numbers, Number("price", mine, "USD/h", its)), text)


def _per_token(result: Recommendation, pick: Pick) -> str:
    """Return both prices of a million tokens where those decide, not the hour's."""
    pair = [one.cost.usd_per_million_tokens_full_load for one in (pick, result.picks[0])]
    if result.workload.objective != "value" or pair[0] is None or pair[1] is None:
        return ""
    mine, its = (quantity(usd, "USD") for usd in pair if usd is not None)
    return f", but 1M tokens cost {mine} against {its}"


def _about_rejection(
    result: Recommendation, rejection: Rejection, word: str, question: Question
) -> Explanation:
    text = f"{rejection.instance_type}: {rejection.detail}."
    numbers = rejection.numbers
    if result.picks:
        best = result.picks[0]
        text += f" The pick is {best.instances}x {best.instance.instance_type}"
        if best.cost.usd_per_hour is not None:
            text += f" at {quantity(best.cost.usd_per_hour, 'USD/h')}"
        text += "."
        if not any(number.limit is not None for number in numbers):
            numbers = (*numbers, *_rejected_price(rejection, best, question))
    if numbers and not rejection.numbers:
        text += f" One {rejection.instance_type} is {quantity(numbers[0].value, 'USD/h')}."
    return Explanation(word, rejection.reason.replace("_", " "), numbers, text)


def _cheapest_first(rejection: Rejection, question: Question) -> tuple[float, str]:
    """Return an order among equals: the cheaper type speaks for the rest."""
    usd = question.quote(question.catalog.instances[rejection.instance_type]).usd_per_hour
    return (float("inf") if usd is None else usd, rejection.instance_type)


def _rejected_price(rejection: Rejection, best: Pick, question: Question) -> tuple[Number, ...]:
    """Return the price of one rejected instance beside the pick's, where both are known."""
    instance = question.catalog.instances[rejection.instance_type]
    its = question.quote(instance).usd_per_hour
    if its is None or best.cost.usd_per_hour is None:
        return ()
    return (Number("price", its, "USD/h", best.cost.usd_per_hour),)


def _limit_numbers(limits: tuple[LimitCheck, ...]) -> tuple[Number, ...]:
    return tuple(map(limit_number, limits))


def sizing(result: Recommendation) -> Explanation:
    """Return what a plan holds and how fast it is: that on what was named, else the pick's."""
    if result.verdict is not None:
        return _sizing_of_named(result.verdict, result.said.context)
    if result.asked_rejection is not None:
        rejection = result.asked_rejection
        text = f"No: {rejection.instance_type} {rejection.detail}."
        return Explanation(rejection.instance_type, "does not fit", rejection.numbers, text)
    pick = next(iter((*result.picks, *result.closest)), None)
    if pick is None:
        return Explanation("this workload", "nothing fits", (), "Nothing in the catalog fits.")
    name = pick.instance.instance_type
    limits = _limit_numbers(pick.limits)
    return _fits_words(name, "", pick.estimate.memory, limits, result.said.context)


def _sizing_of_named(verdict: Verdict, context: int | None) -> Explanation:
    """Return whether as much as was named holds it, however many more would."""
    if verdict.estimate is None:
        return Explanation(verdict.subject, "does not fit", verdict.numbers, verdict.text)
    where, memory = f" on {verdict.subject}", verdict.estimate.memory
    told = _fits_words(verdict.subject, where, memory, verdict.numbers, context)
    text = f"{told.text} {verdict.leaner}".strip()
    return replace(told, text=text if verdict.holds else f"{verdict.text} {text}")


def _fits_words(
    subject: str,
    where: str,
    memory: Memory,
    limits: tuple[Number, ...],
    context: int | None,
) -> Explanation:
    verdict = _how_it_fits(memory)
    fits, *weaker = verdict.capitalize().split(", ")
    numbers = (*_memory_numbers(memory, context), *limits)
    words = "; ".join(f"{n.name} {quantity(n.value, n.unit)}".rstrip() for n in numbers)
    return Explanation(subject, verdict, numbers, f"{', '.join((fits + where, *weaker))}: {words}.")


def _how_it_fits(memory: Memory) -> str:
    if memory.unsure:
        return "may not fit"
    if memory.approximate:
        return "should fit, not checked"
    return "fits, tight" if memory.tight else "fits"


def _memory_numbers(memory: Memory, context: int | None) -> tuple[Number, ...]:
    """Return the figures of a plan's memory; `context` is the length that was asked for."""
    whole = None if context is None else memory.full_sequences
    figures = (
        (f"sequences of {context or 0:,} tokens", whole, "", None),
        ("weights per accelerator", memory.weights, "GiB", memory.available),
        ("optimiser states per accelerator", memory.optimizer or None, "GiB", None),
        ("memory needed", memory.needed_gib, "GiB", memory.limit_gib),
        ("at worst", memory.at_worst_gib, "GiB", memory.limit_gib),
        ("KV cache per token", memory.kv_bytes_per_token, "bytes", None),
        ("KV cache tokens per replica", memory.kv_tokens_max, "tokens", None),
        ("sequences at once per replica", memory.sequences_max, "", None),
    )
    return tuple(Number(name, v, unit, limit) for name, v, unit, limit in figures if v is not None)
