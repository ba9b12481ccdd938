"""The limits of a service that names none: usual for its use, or what people put up with."""

from dataclasses import replace
from typing import Final

from catalog.facts.schema import Model
from engine.core.people import UseCases, use_case_of
from engine.core.value import value
from engine.core.workload import Workload

# Text faster than people read (about five words a second, with some to spare), a first token within
# 2 s (MLPerf's server limit for a 70B), one more second a thousand tokens of a long prompt, and
# never half a minute.
READING_SPEED_MS_PER_TOKEN: Final = 100.0
FIRST_TOKEN_MS: Final = 2000.0
FIRST_TOKEN_MS_PER_PROMPT_TOKEN: Final = 1.0
LONGEST_FIRST_TOKEN_MS: Final = 30_000.0
# A stricter limit that nobody spoke is worth less than this many times the price without it.
MOST_TIMES_THE_PRICE: Final = 2.0
# How far beyond a limit that nobody spoke a machine may be that costs less than half as much.
NEARLY: Final = 1.15
USUAL_FOR: Final = "usual for"  # how the reason for a published limit begins


@value
class UsualLimits:
    """The longest waits that are accepted, and why those."""

    first_token_ms: float
    per_token_ms: float
    first_why: str = "none was named: the longest wait people accept"
    each_why: str = "no time per token was named: at least 10 tokens/s, faster than people read"
    use: str = ""  # for which they are usual


def general_limits(said: Workload) -> UsualLimits:
    """Return what people put up with, whatever the service is for."""
    prompt_ms = FIRST_TOKEN_MS_PER_PROMPT_TOKEN * (said.input_tokens or 0)
    wait_ms = min(LONGEST_FIRST_TOKEN_MS, max(FIRST_TOKEN_MS, prompt_ms))
    return UsualLimits(wait_ms, READING_SPEED_MS_PER_TOKEN)


def nearly(limits: UsualLimits) -> UsualLimits:
    """Return limits a little beyond those, which nobody spoke and few would pay double for."""
    why = f"{NEARLY - 1:.0%} beyond the usual limit, which costs more than twice as much"
    return replace(
        limits,
        first_token_ms=limits.first_token_ms * NEARLY,
        per_token_ms=limits.per_token_ms * NEARLY,
        first_why=why,
        each_why=why,
    )


def limits_of_use(said: Workload, model: Model, use_cases: UseCases) -> UsualLimits | None:
    """Return the limits published for what the service is for, None where there are none.

    They are published for the 95th percentile and held, as every limit without one, by the mean:
    `docs/decisions.md`. People without a use case mean the usual one of the model's kind.
    """
    if said.use_case is None and said.users is None:
        return None
    case = use_case_of(said, model, use_cases)
    if case is None or case.ttft_ms_limit is None or case.tpot_ms_limit is None:
        return None
    use = case.use_case.replace("_", " ")
    why = f"{USUAL_FOR} {use} (published as p95)"
    return UsualLimits(case.ttft_ms_limit, case.tpot_ms_limit, why, why, use)
