"""From people who have access to requests a second, by what their use case is known for."""

from collections.abc import Iterable, Mapping
from typing import Final

from catalog.facts.schema import Model, UseCase
from engine.core.value import value
from engine.core.workload import Workload

UseCases = Mapping[str, UseCase]
SECONDS_PER_MINUTE: Final = 60.0
USUAL_TASK: Final = "decoder"
# Below it the cache is a margin on the first token, from it on it decides what prompts cost.
MOST_OF_A_PROMPT: Final = 0.5


@value
class Rates:
    """How many users are there, how often one of them asks, and how far a peak is above that."""

    active_share: float
    requests_per_user_min: float
    peak_factor: float

    def requests_per_s(self, users: float) -> float:
        """Return the requests a second of so many users in their busiest minutes."""
        asking = users * self.active_share * self.requests_per_user_min
        return asking / SECONDS_PER_MINUTE * self.peak_factor


def use_case_of(said: Workload, model: Model, use_cases: UseCases) -> UseCase | None:
    """Return the use case that was said, else the model's own or its kind's, else chat's."""
    named = use_cases.get(said.use_case or "") or made_for(said, model, use_cases)
    return named or _usual_case(model.task, use_cases) or _usual_case(USUAL_TASK, use_cases)


def made_for(said: Workload, model: Model, use_cases: UseCases) -> UseCase | None:
    """Return the use case that the name of a model that writes text tells: a coder's is code."""
    if model.task != USUAL_TASK:
        return None
    name = (said.model or model.id).lower()
    found = (case for case in use_cases.values() if any(part in name for part in case.names))
    return next(found, None)


def keeps_prompts(case: UseCase | None) -> bool:
    """Return whether most of a prompt is one's own earlier steps, kept in the cache meanwhile."""
    share = None if case is None else case.cached_share
    return share is not None and share >= MOST_OF_A_PROMPT


def _usual_case(task: str, use_cases: UseCases) -> UseCase | None:
    return next((case for case in use_cases.values() if task in case.usual_for), None)


def rates_of(said: Workload, case: UseCase, use_cases: UseCases) -> Rates:
    """Return the rates of a use case, what was said in place of what is known of it.

    Who says how often each user asks has counted those who ask, at their peak. What nobody
    measured of a use case is taken as of chat.
    """
    usual = _usual_case(USUAL_TASK, use_cases) or case
    counted = said.requests_per_user_min is not None
    share = (said.active_share, 1.0 if counted else case.active_share, usual.active_share)
    rate = (said.requests_per_user_min, case.requests_per_user_min, usual.requests_per_user_min)
    peak = (said.peak_factor, 1.0 if counted else case.peak_factor, usual.peak_factor)
    return Rates(_first(share), _first(rate), _first(peak))


def _first(known: Iterable[float | None]) -> float:
    return next((figure for figure in known if figure is not None), 1.0)


def in_flight(rps: float, case: UseCase, output_tokens: int) -> tuple[float, float] | None:
    """Return how many requests are in flight: at answers as fast as is good, and as is accepted.

    None where the use case's latencies are not known. By Little's law, for whole answers.
    """
    times = ((case.ttft_ms_good, case.tpot_ms_good), (case.ttft_ms_limit, case.tpot_ms_limit))
    (good, good_each), (limit, limit_each) = times
    if good is None or good_each is None or limit is None or limit_each is None:
        return None
    return (
        rps * (good + good_each * output_tokens) / 1000.0,
        rps * (limit + limit_each * output_tokens) / 1000.0,
    )


def people_words(
    users: int, rps: float, rates: Rates, case: UseCase, flying: tuple[float, float] | None
) -> str:
    """Return how requests a second follow from users, in one line."""
    asked = f"{users:,} user{'s'[: users != 1]} ≈ {rps:.2g} requests/s"
    words = (
        f"{asked}: {case.use_case.replace('_', ' ')}, {rates.active_share:.0%} active,"
        f" {rates.requests_per_user_min:g} requests a minute each, peak x{rates.peak_factor:g}"
    )
    if flying is None:
        return words
    low, high = (max(1, round(count)) for count in flying)
    return f"{words}; about {low if low == high else f'{low} to {high}'} in flight"


def session_words(users: int, share: float, case: UseCase) -> str:
    """Return how sessions in flight follow from users, in one line."""
    asked = f"{users:,} user{'s'[: users != 1]} ≈ {users * share:.3g} sessions in flight"
    return f"{asked}: {case.use_case.replace('_', ' ')}, {share:.0%} active, step upon step"
