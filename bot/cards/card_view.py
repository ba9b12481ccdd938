"""From a Recommendation to what the card says. Words and order only: nothing is decided here.

It also says how the words were read, what another reading would pick, and what the guides say.
"""

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from bot.cards.pick_view import pick_view
from bot.cards.runner_ups import misses_words, price_of, runner_ups
from bot.cards.verdict_words import beside_the_best, verdict_words
from bot.core.figures import ms, plain_line, usd_estimated
from bot.core.understanding import Span
from bot.core.views import CardView, Choice, PickView
from bot.core.wording import LATENCY_WORDS, READ_FIELDS, assumed_view, machines, workload_words
from engine.core.result import GuideAdvice, Pick, Reading, Recommendation, Relaxation

if TYPE_CHECKING:
    from bot.core.asked import Whether
    from bot.store.preferences import Preferences

RELAXATIONS_SHOWN = 3
LINES_SHOWN = 6
# Warnings that have a line of their own: how a latency was read, what became of the asked type.
SAID = frozenset({"ambiguous_latency", "asked_rejected"})

READINGS_SHOWN = 3


def card_view(
    recommendation: Recommendation,
    *,
    request: str = "",
    explanation: str = "",
    since: str = "",
    notes: Sequence[str] = (),
    not_understood: Sequence[Span] = (),
    preferences: "Preferences | None" = None,
    whether: "Whether | None" = None,
) -> CardView:
    """Return the answer in words.

    `explanation` heads the card where something was asked to be explained, `since` says what
    changed since the answer before;
    `notes` are the readings of the text that must be stated, `not_understood` the words to echo;
    `preferences` say whose the discount is and what currency is shown beside USD; `whether` is how
    it was asked whether a machine does.
    """
    head = head_pick(recommendation)
    assumed = frozenset(assumption.field for assumption in recommendation.assumptions)
    head_view = None if head is None else pick_view(head, recommendation.workload, assumed)
    if head is not None and head_view is not None and preferences is not None:
        from bot.cards.price_lines import with_terms

        head_view = with_terms(head_view, head, preferences)
    return CardView(
        kind=_card_kind(recommendation),
        request=plain_line(request, 200),
        workload=workload_words(recommendation.model, recommendation.workload),
        verdict="" if recommendation.picks else _no_fit_verdict(recommendation, head),
        head=head_view,
        explanation=plain_line(explanation, 1500),
        since=plain_line(since, 300),
        asked=""
        if explanation and recommendation.verdict
        else _asked_words(recommendation, head, whether),
        runners=runner_ups(recommendation, head),
        changes=tuple(map(_relaxation_words, recommendation.relaxations[:RELAXATIONS_SHOWN])),
        readings=reading_lines(recommendation, head, notes),
        guides=guide_lines(recommendation.guides),
        assumed=tuple(
            assumed_view(a) for a in recommendation.assumptions if a.field not in READ_FIELDS
        ),
        warnings=_card_warnings(recommendation, head_view),
        not_understood=tuple(map(echo, not_understood[:LINES_SHOWN])),
        left_out=_left_out(not_understood),
        choices=tuple(_card_choices(recommendation)),
        considered=_considered_words(recommendation),
        said=json.dumps(recommendation.said.said(), separators=(",", ":")),
    )


def head_pick(recommendation: Recommendation) -> Pick | None:
    """Return what is shown first: the asked instance, the best pick, or what came closest."""
    for pick in (recommendation.asked, *recommendation.picks, *recommendation.closest):
        if pick is not None:
            return pick
    return None


def _card_kind(recommendation: Recommendation) -> Literal["serving", "training", "no_fit"]:
    if not recommendation.picks:
        return "no_fit"
    trains = recommendation.workload.task in {"train", "finetune"}
    return "training" if trains else "serving"


def _no_fit_verdict(recommendation: Recommendation, head: Pick | None) -> str:
    if head is None:
        nearest = recommendation.nearest_rejection
        detail = (
            "" if nearest is None else f" {nearest.instance_type}: {plain_line(nearest.detail)}."
        )
        return f"Nothing fits this workload.{detail}"
    name = machines(head.instance.instance_type, head.instances)
    how = misses_words(head) or _overload_words(head) or plain_line(head.label)
    how = how or "does not meet every limit"
    return f"Nothing meets every limit. Closest is {name}: {how}."


def _overload_words(pick: Pick) -> str:
    performance = pick.estimate.performance
    overloaded = performance is not None and performance.saturated
    return "does not carry the asked load" if overloaded else ""


def _asked_words(result: Recommendation, head: Pick | None, whether: "Whether | None") -> str:
    """Return what became of the hardware the user named; empty when none was named."""
    verdict, asked = result.verdict, result.asked
    judged = verdict_words(result, whether) if _is_asked_about(result, whether) else ""
    if verdict is not None and not verdict.holds:
        return judged
    if result.asked_rejection is not None:
        rejection = result.asked_rejection
        return f"You asked about {rejection.instance_type}: {plain_line(rejection.detail)}"
    if verdict is None and asked is not None:
        judged = f"You asked about {asked.instance.instance_type}."
    untold = asked is not None and head is not None and whether != "too_much"
    compared = beside_the_best(asked, result) if untold and asked is not None else ""
    return " ".join(filter(None, (judged, compared)))


def _is_asked_about(result: Recommendation, whether: "Whether | None") -> bool:
    """Return whether the text wants to know of what it names: a chip alone is a wish."""
    said, verdict = result.said, result.verdict
    owned = verdict is not None and verdict.named == "owned"
    return bool(said.instance or said.gpu_count or owned or whether)


def _relaxation_words(relaxation: Relaxation) -> str:
    """Return the change and what it would give: `fp8 weights: g6e.xlarge, $1.861/h`."""
    text = plain_line(relaxation.text)
    if relaxation.instance_type is None:
        return text
    named = machines(relaxation.instance_type, relaxation.instances)
    if relaxation.usd_per_hour is not None:
        from_price = price_of(relaxation.usd_per_hour)
        named = f"{named}, {from_price}"
    return text if relaxation.instance_type in text else f"{text}: {named}"


def _card_warnings(recommendation: Recommendation, head: PickView | None) -> tuple[str, ...]:
    """Return the warnings that no other line of the card says already."""
    said = set(head.caveats) if head else set()
    codes = recommendation.codes[: len(recommendation.warnings)]
    said |= {w for code, w in zip(codes, recommendation.warnings, strict=False) if code in SAID}
    lines = dict.fromkeys(plain_line(w) for w in recommendation.warnings)
    return tuple(line for line in lines if line and line not in said)[:LINES_SHOWN]


def echo(span: Span) -> str:
    """Return the words that were not understood, and what they may have meant."""
    guess = f" Did you mean “{plain_line(span.suggestion, 60)}”?" if span.suggestion else ""
    return f"Not understood: “{plain_line(span.text, 120)}”.{guess}"


def _left_out(spans: Sequence[Span]) -> str:
    """Return the figures that were not understood: a load or a limit may be missing."""
    figures = [span.text for span in spans if any(sign.isdigit() for sign in span.text)]
    if not figures:
        return ""
    quoted = ", ".join(f"“{plain_line(text, 60)}”" for text in figures[:LINES_SHOWN])
    return f"This answer leaves out {quoted}: not understood."


def _card_choices(recommendation: Recommendation) -> Iterator[Choice]:
    yield from reading_choices(recommendation.readings)
    if not recommendation.picks:
        for relaxation in recommendation.relaxations[:RELAXATIONS_SHOWN]:
            if relaxation.change:
                yield Choice(plain_line(relaxation.text, 75), tuple(relaxation.change.items()))


def _considered_words(recommendation: Recommendation) -> str:
    if not recommendation.considered:
        return ""
    unpriced = len(recommendation.unpriced)
    without = f", {unpriced:,} of them without a known price" if unpriced else ""
    return f"Compared {recommendation.considered:,} instance types{without}."


def reading_lines(
    recommendation: Recommendation, head: Pick | None, notes: Sequence[str]
) -> tuple[str, ...]:
    """Return the reading taken of a bare latency, its alternatives, and the parser's notes."""
    latency = [*_latency_reading(recommendation)]
    picked = head if recommendation.picks else None
    others = [_alternative(r, picked) for r in recommendation.readings[:READINGS_SHOWN]]
    told = [plain_line(note) for note in notes]
    lines = (*latency, *others, *told) if latency else (*told, *others)
    return tuple(dict.fromkeys(line for line in lines if line))


def _latency_reading(recommendation: Recommendation) -> Iterator[str]:
    """Yield one sentence when the user gave a latency without saying of what."""
    said, filled = recommendation.said, recommendation.workload
    if said.latency_ms is None or said.latency_kind is not None or filled.latency_kind is None:
        return
    limit = ms(said.latency_ms).replace(".0 ", " ")
    yield f"Read “latency {limit}” as {LATENCY_WORDS[filled.latency_kind]}."


def _alternative(reading: Reading, picked: Pick | None) -> str:
    phrase = plain_line(reading.phrase, 80)
    if reading.instance_type is None:
        return f"If you meant {phrase}: nothing would meet it."
    if picked is not None and _is_pick(reading, picked):
        return f"If you meant {phrase}: the same pick."
    name = machines(reading.instance_type, reading.instances)
    return f"If you meant {phrase}: {name}{_reading_price(reading)}."


def _reading_price(reading: Reading) -> str:
    if reading.usd_total is not None:
        return f", {usd_estimated(reading.usd_total)} in total"
    return "" if reading.usd_per_hour is None else f", {price_of(reading.usd_per_hour)}"


def _is_pick(reading: Reading, pick: Pick) -> bool:
    picked = pick.instance.instance_type, pick.instances, pick.cost.usd_per_hour
    return picked == (reading.instance_type, reading.instances, reading.usd_per_hour)


def reading_choices(readings: Sequence[Reading]) -> Iterator[Choice]:
    """Yield a button for each other reading that something meets."""
    for reading in (r for r in readings[:READINGS_SHOWN] if r.instance_type is not None):
        yield Choice(f"I meant {plain_line(reading.phrase, 60)}", tuple(reading.change.items()))


def guide_lines(guides: Sequence[GuideAdvice]) -> tuple[str, ...]:
    """Return the first guide in full and the others by what they suggest; JSON has them all."""
    if not guides:
        return ()
    by_families: dict[str, list[str]] = {}
    for guide in guides[1:]:
        by_families.setdefault(_guide_families(guide), []).append(guide.source)
    others = [_says(sorted(sources), families) for families, sources in by_families.items()]
    return (_guide_in_full(guides[0]), *([f"{'; '.join(others)}."] if others else ()))


def _guide_in_full(guide: GuideAdvice) -> str:
    path = f" ({' → '.join(guide.path)})" if guide.path else ""
    verdicts = {True: "agrees with the pick", False: "the figures differ", None: ""}
    note = guide.note or verdicts[guide.agrees]
    said = f"{_says([guide.source], _guide_families(guide))}{path}" + (f" – {note}" if note else "")
    return plain_line(said, 400)


def _says(sources: list[str], families: str) -> str:
    return f"{', '.join(sources)} {'says' if len(sources) == 1 else 'say'} {families}"


def _guide_families(guide: GuideAdvice) -> str:
    return ", ".join(guide.suggests) or "nothing for this"
