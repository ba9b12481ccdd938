"""From ranked options to the few picks a person sees, each different in a way that matters."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from operator import itemgetter

from engine.core.job import items_of_job
from engine.core.limits import gave_limits_up
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Pick
from engine.pick.caveats import caveats
from engine.pick.cost import cost_as_run
from engine.pick.jobs import job_reasons
from engine.pick.rank import (
    INFINITY,
    PRICE_OBJECTIVES,
    WISHES,
    dollars_compared,
    hourly,
    how_unproven,
    in_reserve,
    job_usd,
    rank_key,
    ranked_value,
    request_ms,
    usd_per_million,
)
from engine.pick.reasons import describe_miss, held_words, quantity

# A person notices these: 1.3 times faster, and half as much room again.
NOTICEABLY_FASTER = 1.3
NOTICEABLY_ROOMIER = 1.5
WITHIN = "within twice the cheapest price"
MEETS = " that meets every limit"
SURELY = " that holds every limit at the far end of its range"
NEAR_MISSES_SHOWN = 3
DEAREST_RUNNER_UP = 5.0  # nobody pays more than five times the pick for speed that was not asked
SHORT = "capacity_not_guaranteed"
DEAREST_FALLBACK = 3.0  # times the pick's price, that another type may cost where there is none
FARTHEST_MISS = 2.0  # beyond twice the limit it is no near miss
WORTH_A_MISS = 0.9  # a type that misses a limit earns a line only if it is 10 % cheaper


def distinct(meeting: list[Option], question: Question, *, top: int) -> list[tuple[Option, str]]:
    """Return up to `top` options with the word that sets each apart, the best first.

    After the best: the fastest, other silicon, more headroom; then the next of other families.
    """
    if not meeting:
        return []
    chosen: list[tuple[Option, str]] = [(meeting[0], _label_among(meeting, question))]
    for option, label in _contrasts(meeting, question):
        if len(chosen) >= top:
            break
        if option.instance not in [o.instance for o, _ in chosen]:
            chosen.append((option, label + _in_reserve_words(option, question)))
    return chosen


def _among(meeting: list[Option], question: Question) -> str:
    """Return among which the first is cheapest, where something cheaper stands behind it."""
    best, usd = meeting[0], dollars_compared(question)
    cheaper = [o for o in meeting if usd(o) < usd(best) and o.spans_hosts <= best.spans_hosts]
    current = [option for option in cheaper if not in_reserve(option, question)]
    if not cheaper:
        return ""
    if not current:
        return " of what current software serves"
    if all(option.estimate.memory.tight for option in current):
        return " with room in memory"
    return " of what somebody measured or documents"


def _in_reserve_words(option: Option, question: Question) -> str:
    return ", runs on older software only" if in_reserve(option, question) else ""


def _contrasts(meeting: list[Option], question: Question) -> Iterator[tuple[Option, str]]:
    """Yield options that differ from the best in a way a person would pay for."""
    best = meeting[0]
    priced = [option for option in meeting if option.usd_per_hour is not None] or meeting
    yield from _cheaper_ceiling(meeting, best, question)
    yield from _at_risk_before(meeting, question)
    yield from _best_at_any_price(meeting, question)
    yield from _safest(priced, best)
    if ranked_value(question) is usd_per_million and question.workload.mode == "batch":
        yield min(priced, key=usd_per_million), "least for each token"
    yield from _fastest(priced, best)
    yield from _other_silicon(meeting, best, question)
    if question.model is not None:
        roomy = (o for o in meeting if o.headroom > NOTICEABLY_ROOMIER * best.headroom)
        yield from ((option, "more headroom") for option in islice(roomy, 1))
    yield from _other_families(meeting)
    yield from ((option, "next best") for option in meeting)


def _cheaper_ceiling(
    meeting: list[Option], best: Option, question: Question
) -> Iterator[tuple[Option, str]]:
    """Yield a type without a figure on this market that even on demand costs less than the best."""
    if best.usd_per_hour is None or best.cost.usd_total is not None:
        return  # a job's bill hangs on its hours as well
    ceilings = [
        (option.most_usd_per_hour, option)
        for option in meeting
        if option.most_usd_per_hour is not None
    ]
    usd, option = min(
        ceilings, key=lambda pair: (pair[0], pair[1].instance.instance_type), default=(0.0, best)
    )
    if option is not best and usd < best.usd_per_hour:
        market = question.market.replace("_", " ")
        yield option, f"no {market} figure known, yet cheaper at {quantity(usd, 'USD/h')} on demand"


def _at_risk_before(meeting: list[Option], question: Question) -> Iterator[tuple[Option, str]]:
    """Yield what the objective ranks before the best, which is safer: it may miss a limit."""
    best, key = meeting[0], rank_key(question)
    if best.may_miss or question.trains or items_of_job(question.workload) is not None:
        return
    level = how_unproven(best, question)
    at_risk = (
        one
        for one in meeting[1:]
        if one.may_miss and not in_reserve(one, question) and how_unproven(one, question) <= level
    )
    first = next(at_risk, best)
    if key(first) < key(best):
        word = "cheaper" if hourly(first) < hourly(best) else "ranks before it"
        tight = next(check for check in first.limits if check.verdict == "tight")
        yield first, f"{word}: may miss, {held_words(tight)}"


def _safest(priced: list[Option], best: Option) -> Iterator[tuple[Option, str]]:
    if best.may_miss:
        safe = (option for option in priced if not option.may_miss)
        label = "safest: its whole range is within the limits"
        yield from ((option, label) for option in islice(safe, 1))


def _best_at_any_price(meeting: list[Option], question: Question) -> Iterator[tuple[Option, str]]:
    """Yield what a wish for speed would take, were there no price to it."""
    if question.workload.objective in WISHES and not question.trains:
        value = ranked_value(question)
        absolute = min(meeting, key=value)
        if value(absolute) < value(meeting[0]):
            words = best_label(absolute, question).partition(" ")[0]
            yield absolute, f"{words} of all, at any price"


def _fastest(priced: list[Option], best: Option) -> Iterator[tuple[Option, str]]:
    payable = [o for o in priced if hourly(o) <= DEAREST_RUNNER_UP * hourly(best)] or priced
    fastest = min(payable, key=lambda option: (_slowness(option), _price_order(option)))
    if _slowness(best) > NOTICEABLY_FASTER * _slowness(fastest):
        yield fastest, f"fastest: {_slowness(best) / _slowness(fastest):.1f}×"


def _other_silicon(
    meeting: list[Option], best: Option, question: Question
) -> Iterator[tuple[Option, str]]:
    mine = silicon_of(best, question)
    for option in meeting:
        silicon = silicon_of(option, question)
        if silicon != mine:
            yield option, f"other silicon: {silicon}"
            return


def _other_families(meeting: list[Option]) -> Iterator[tuple[Option, str]]:
    seen = {meeting[0].instance.family}
    for option in meeting:
        if option.instance.family not in seen:
            seen.add(option.instance.family)
            yield option, "next best family"


def _price_order(option: Option) -> tuple[float, str]:
    return hourly(option), option.instance.instance_type


def _label_among(meeting: list[Option], question: Question) -> str:
    """Return what the first one's place means; among which it is cheapest where others are."""
    label = best_label(meeting[0], question)
    if next(_at_risk_before(meeting, question), None) is not None:
        return label.replace(MEETS, SURELY) if MEETS in label else f"{label}{SURELY}"
    return label.replace("cheapest that", f"cheapest{_among(meeting, question)} that")


def best_label(best: Option, question: Question) -> str:
    """Return what being first means under this objective; what may miss meets no limit surely."""
    label = _first_of_objective(best, question)
    if gave_limits_up(question.workload, question.said):
        return label.replace(MEETS, " that runs it, slower than people put up with")
    if not best.may_miss:
        return label
    at_risk = ", but may miss a limit"
    return label.replace(MEETS, at_risk) if MEETS in label else f"{label}{at_risk}"


def _first_of_objective(best: Option, question: Question) -> str:
    if best.usd_per_hour is None and question.workload.objective in PRICE_OBJECTIVES:
        if best.most_usd_per_hour is not None:
            market = question.market.replace("_", " ")
            return f"cheapest on demand that meets every limit; no {market} price is known"
        return "smallest that meets every limit; no price is known to compare"
    words = {
        "performance": "fastest per instance that meets every limit"
        if question.trains
        else f"fastest {WITHIN} that meets every limit",
        "latency": f"lowest latency {WITHIN} that meets every limit",
        "throughput": f"highest throughput {WITHIN} that meets every limit",
        "value": "most tokens per dollar that meets every limit",
        "balanced": "best balance of price and speed",
        "energy": "least energy that meets every limit",
    }
    if question.workload.objective == "cost" and ranked_value(question) is usd_per_million:
        return "smallest bill an hour of those that cost little more a token"
    return words.get(question.workload.objective or "cost", "cheapest that meets every limit")


def silicon_of(option: Option, question: Question) -> str:
    """Return the kind of silicon in a word a person uses."""
    accelerator_id = option.instance.accelerator_id
    if accelerator_id is None:
        return "Graviton CPU" if option.instance.arch == "arm64" else "x86 CPU"
    if question.catalog.accelerators[accelerator_id].vendor == "aws":
        return "AWS Neuron"
    return "NVIDIA GPU"


def near_misses(
    missing: list[Option], question: Question, best: Option | None, *, asked: Option | None
) -> list[tuple[Option, str]]:
    """Return types that miss a limit but deserve a line.

    Beside picks: the cheapest noticeably cheaper one. Without picks: the nearest misses. The type
    the user named always comes first.
    """
    named = [(asked, "the type you asked about")] if asked is not None and asked in missing else []
    if best is None:
        others = [option for option in missing if option is not asked and option.worst_miss]
        others.sort(key=lambda o: (_misses_count(o), _miss(o), hourly(o), o.instance.instance_type))
        return (named + _one_a_family(others, "nearest miss"))[:NEAR_MISSES_SHOWN]
    value = ranked_value(question) if not question.trains else job_usd
    worth = WORTH_A_MISS * value(best)
    cheaper = [
        (miss, value(option), option.instance.instance_type, option)
        for option in missing
        if value(option) < worth and (miss := _miss(option)) <= FARTHEST_MISS
    ]
    nearest = sorted((found for found in cheaper if found[3] is not asked), key=itemgetter(0, 1, 2))
    return named + [(found[3], "cheaper, misses a limit") for found in nearest[:1]]


def _one_a_family(options: list[Option], label: str) -> list[tuple[Option, str]]:
    first: dict[str, Option] = {}
    for option in options:
        first.setdefault(option.instance.family, option)
    return [(option, label) for option in first.values()]


def _misses_count(option: Option) -> int:
    return sum(check.verdict == "misses" for check in option.limits)


def _miss(option: Option) -> float:
    worst = option.worst_miss
    return worst.used if worst else float("inf")


def _slowness(option: Option) -> float:
    timed = option.estimate.training or option.estimate.job
    if timed is not None and timed.time_h is not None:
        return timed.time_h.value
    return request_ms(option)


def as_pick(
    option: Option, question: Question, *, rank: int, label: str, best: Option | None
) -> Pick:
    """Return an option as a pick, with its reasons and caveats."""
    codes, sentences = caveats(option, question)
    if option.estimate.memory.unsure:
        label = f"{label}, may not fit in memory"
    return Pick(
        rank=rank,
        label=label,
        instance=option.instance,
        instances=option.instances,
        region=question.region,
        estimate=replace(
            option.estimate,
            plan=replace(option.estimate.plan, instance_type=option.instance.instance_type),
        ),
        quote=option.quote,
        ceiling=option.ceiling,
        cost=cost_as_run(option.cost, option.quote, question.workload),
        limits=option.limits,
        why=(
            *_pick_reasons(option, label, best),
            *(job_reasons(option, question) if rank == 1 else ()),
        ),
        caveats=sentences,
        codes=codes,
    )


def with_fallbacks(pick: Pick, meeting: list[Option]) -> Pick:
    """Return a pick that is hard to get with what to try instead, in order: other chips that do.

    Experts give a list, not one type: the first that can be had wins.
    """
    if SHORT not in pick.codes:
        return pick
    chips = {pick.instance.accelerator_id}
    names: list[str] = []
    for option in meeting:
        dear = hourly(option) > DEAREST_FALLBACK * (pick.cost.usd_per_hour or INFINITY)
        if not dear and option.instance.accelerator_id not in chips:
            chips.add(option.instance.accelerator_id)
            names.append(option.instance.instance_type)
    if not names:
        return pick
    text = f"on-demand capacity is often short: try {', then '.join(names[:3])}, or another zone"
    sentences = dict(zip(pick.codes, pick.caveats, strict=True)) | {SHORT: text}
    return replace(pick, caveats=tuple(sentences.values()))


def _pick_reasons(option: Option, label: str, best: Option | None) -> tuple[str, ...]:
    """Return the arithmetic behind the pick, most decisive first."""
    reasons = [label]
    missed = option.worst_miss
    if missed is not None:
        reasons.append("misses: " + describe_miss(missed))
    memory = option.estimate.memory
    if memory.limit_gib > 0:
        reasons.append(
            f"needs {quantity(memory.needed_gib, 'GiB')} of "
            f"{quantity(memory.limit_gib, 'GiB')} usable per {_device_word(option)}"
        )
    if best is not None and best.instance != option.instance:
        reasons.append(_against_best(option, best))
    performance = option.estimate.performance
    if performance is not None:
        reasons.append(f"bound by {performance.bound_by.replace('_', ' ')}")
    elif option.estimate.training is not None:
        reasons.append(f"bound by {option.estimate.training.bound_by.replace('_', ' ')}")
    return tuple(reason for reason in reasons if reason)


def cheaper_that_miss(missing: list[Option], best: Option, question: Question) -> str:
    """Return in one line what stands between the pick and less money; empty where nothing does."""
    value = ranked_value(question)
    most = value(best)
    cheaper = [
        (miss.used, option.instance.instance_type, miss)
        for option in missing
        if value(option) < most and (miss := option.worst_miss)
    ]
    if not cheaper:
        return ""
    _, nearest, miss = min(cheaper, key=itemgetter(0, 1))
    count = len({name for _, name, _ in cheaper})
    types = "1 cheaper type misses" if count == 1 else f"{count} cheaper types miss"
    if miss.used > FARTHEST_MISS:
        return f"{types} a limit by more than {FARTHEST_MISS:g}×"
    return f"{types} a limit; nearest is {nearest}: {describe_miss(miss)}"


def _device_word(option: Option) -> str:
    return "accelerator" if option.instance.accelerators else "host"


def _against_best(option: Option, best: Option) -> str:
    mine, its = option.usd_per_hour, best.usd_per_hour
    if mine is None or its is None:
        return ""
    name = best.instance.instance_type
    if mine >= its:
        return f"{quantity(mine - its, 'USD/h')} more than {name}"
    return f"{quantity(its - mine, 'USD/h')} less than {name}"
