"""Live, else cached: several questions at once, within one budget, whatever fails."""

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import datetime
from typing import Any, Final

from catalog.facts.schema import Quote
from catalog.prices.live.budget import PAUSE_S, Circuit, finished_within
from catalog.prices.live.cache import CachedAnswer, PriceCache, body_of, found_of
from catalog.prices.live.source import Findings, Source

BUDGET_S: Final = 1.5
# A stale answer is served at once, and looked up for the next one, up to this many times its TTL.
STALE_TTLS: Final = 4.0

AnySource = Source[Any, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """What one thread asks of a source, all of one region."""

    source: AnySource
    asked: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class LookupResult:
    """What came of one question: what is known, live or cached, and why the rest is not live."""

    found: Mapping[Any, Any]
    failed: Mapping[Any, str]  # also of what an older answer stands in for


@dataclass(frozen=True, slots=True)
class _CachedValue:
    value: Any
    age_s: float


class Lookup:
    """Asks sources in parallel and remembers what they said."""

    def __init__(
        self,
        cache: PriceCache,
        now: Callable[[], datetime],
        *,
        monotonic: Callable[[], float] = time.monotonic,
        revalidates: bool = False,
    ) -> None:
        """Take where answers are kept and two clocks: of the day, and one that never goes back.

        `revalidates`: this process lives on after the answer, so a stale figure may be served at
        once and looked up behind it.
        """
        self._cache = cache
        self._now = now
        self._monotonic = monotonic
        self._revalidates = revalidates
        self._circuits: dict[tuple[str, str], Circuit] = {}
        self._lock = threading.Lock()

    def look_up(
        self,
        questions: Sequence[tuple[AnySource, Sequence[Any]]],
        *,
        fresh: bool = False,
        budget_s: float = BUDGET_S,
    ) -> list[LookupResult]:
        """Return what came of each question, within the budget.

        `fresh` asks AWS even where a current answer is in the cache.
        """
        ends_at = self._monotonic() + budget_s
        remembered = [self._remembered(source, asked) for source, asked in questions]
        open_calls: list[list[Call]] = []
        for (source, asked), known in zip(questions, remembered, strict=True):
            current, stale = self._usable(source, known, fresh=fresh)
            self._revalidate(source, [ask for ask in asked if ask in stale])
            wanted = [ask for ask in asked if ask not in current and ask not in stale]
            open_calls.append(list(_calls(source, wanted)))
        jobs = {call: self._job(call) for calls in open_calls for call in calls}
        finished = finished_within(jobs, ends_at - self._monotonic())
        return [
            _looked(calls, finished, known)
            for calls, known in zip(open_calls, remembered, strict=True)
        ]

    def _remembered(self, source: AnySource, asked: Sequence[Any]) -> dict[Any, _CachedValue]:
        found: dict[Any, _CachedValue] = {}
        for ask in asked:
            kept = self._cache.get(cache_key(source, ask))
            value = None if kept is None else found_of(kept.body, source.found_type)
            if kept is not None and value is not None:
                age_s = max(0.0, self._now().timestamp() - kept.seen_at)
                found[ask] = _CachedValue(_as_cached(value), age_s)
        return found

    def _usable(
        self, source: AnySource, known: Mapping[Any, _CachedValue], *, fresh: bool
    ) -> tuple[set[Any], set[Any]]:
        """Return what is current, and what is stale but good enough to be served at once."""
        if fresh:
            return set(), set()
        current = {ask for ask, one in known.items() if one.age_s < source.ttl_s}
        if not self._revalidates:
            return current, set()
        oldest_s = STALE_TTLS * source.ttl_s
        stale = {ask for ask, one in known.items() if one.age_s < oldest_s} - current
        return current, stale

    def _revalidate(self, source: AnySource, stale: Sequence[Any]) -> None:
        for call in _calls(source, stale):
            threading.Thread(target=self._job(call), daemon=True).start()

    def _job(self, call: Call) -> Callable[[], Findings[Any, Any]]:
        return lambda: self._answered(call)

    def _answered(self, call: Call) -> Findings[Any, Any]:
        """Ask, and keep what was found: also when it comes too late for this answer."""
        source, asked = call.source, call.asked
        circuit = self._circuit(source.name, source.place(asked[0]))
        if not circuit.allows():
            why = f"{source.name} failed repeatedly; tried again within {PAUSE_S:.0f} s"
            return Findings(failed=dict.fromkeys(asked, why))
        try:
            findings = source.find(asked)
        except Exception as error:  # noqa: BLE001  # our fault must not take the answer with it
            circuit.record(answered=False)
            why = f"{source.name} could not be read ({type(error).__name__})"
            return Findings(failed=dict.fromkeys(asked, why))
        circuit.record(answered=bool(findings.found) or not findings.failed)
        seen_at = self._now().timestamp()
        for ask, value in findings.found.items():
            self._cache.put(cache_key(source, ask), CachedAnswer(body_of(value), seen_at))
        return findings

    def _circuit(self, name: str, place: str) -> Circuit:
        with self._lock:
            return self._circuits.setdefault((name, place), Circuit(self._monotonic))


def _looked(
    calls: Sequence[Call],
    finished: Mapping[Call, Findings[Any, Any] | Exception],
    known: Mapping[Any, _CachedValue],
) -> LookupResult:
    found = {ask: one.value for ask, one in known.items()}
    failed: dict[Any, str] = {}
    for call in calls:
        findings = finished.get(call)
        if isinstance(findings, Findings):
            found.update(findings.found)
            failed.update(findings.failed)
        else:
            why = f"{call.source.name} did not answer in time"
            failed.update(dict.fromkeys(call.asked, why))
    return LookupResult(found, failed)


def cache_key(source: AnySource, ask: Any) -> str:  # noqa: ANN401 - whatever the source is asked
    """Return what an answer is kept under: the source, then everything asked."""
    return "|".join([source.name, *(str(value) for value in astuple(ask))])


def _as_cached(value: Any) -> Any:  # noqa: ANN401 - whatever the source found
    return replace(value, cached=True) if isinstance(value, Quote) else value


def _calls(source: AnySource, asked: Sequence[Any]) -> Iterator[Call]:
    """Yield the things asked as calls: by region, and no more in one than it takes well."""
    places: dict[str, list[Any]] = {}
    for ask in asked:
        places.setdefault(source.place(ask), []).append(ask)
    for asks in places.values():
        for start in range(0, len(asks), source.batch):
            yield Call(source, tuple(asks[start : start + source.batch]))
