"""How the words were read, what another reading would pick, and what the written guides say."""

from collections.abc import Iterator, Sequence

from bot.cards.runner_ups import price_of
from bot.core.figures import ms, plain_line, usd_estimated
from bot.core.views import Choice
from bot.core.wording import LATENCY_WORDS, machines
from engine.core.result import GuideAdvice, Pick, Reading, Recommendation

READINGS_SHOWN = 3


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
