"""Remarks on a figure that was said without its unit: "I meant per second", "per user"."""

import re
from typing import Any, Final

from bot.language.draft import Draft
from bot.language.values.quantities import period_seconds
from catalog.facts.units import HOURS_PER_MONTH

_LEAD: Final = r"\A(?:(?:no|sorry|oh|wait)[, ]+){0,3}"
MEANT_PERIOD: Final = re.compile(
    rf"{_LEAD}i mean[t]? (?:it )?(?:per|an?|each|every) "
    r"(?P<period>second|minute|hour|day|week|month|year)\s*[.!]*\Z"
)
MEANT_EACH: Final = re.compile(
    rf"{_LEAD}(?:(?:i mean[t]?|that'?s) )?(?:it )?(?:per|for each|for every|for one) "
    r"(?:user|stream|person|request|session)\s*[.!]*\Z"
)
REMARKS: Final = (MEANT_PERIOD, MEANT_EACH)
BUDGETS: Final = ("budget_usd_per_month", "budget_usd_per_hour", "budget_usd_total")
BUDGET_HOURS: Final = {
    "hour": 1.0,
    "day": 24.0,
    "week": 168.0,
    "month": HOURS_PER_MONTH,
    "year": 12 * HOURS_PER_MONTH,
}


def read_meant(draft: Draft, said: dict[str, Any], base: dict[str, Any]) -> None:
    """Say the earlier figure over again, in the unit that the remark names."""
    if match := MEANT_PERIOD.search(draft.reader.whole):
        _of_period(draft, match, said, base)
    elif match := MEANT_EACH.search(draft.reader.whole):
        rate = base.pop("avg_tokens_per_s", None)
        if rate:
            draft.reader.take(*match.span())
            said["latency_ms"], said["latency_kind"] = 1000.0 / rate, "per_token"


def _of_period(
    draft: Draft, match: re.Match[str], said: dict[str, Any], base: dict[str, Any]
) -> None:
    period, load = match["period"], base.get("concurrency")
    usd = next((base[name] for name in BUDGETS if name in base), None)
    if load is not None and (usd is None or period in {"second", "minute"}):
        name, value = "rps", load / period_seconds(period)
    elif usd is None or period not in BUDGET_HOURS:
        return
    elif period in {"month", "year"}:
        name, value = "budget_usd_per_month", usd * HOURS_PER_MONTH / BUDGET_HOURS[period]
    else:
        name, value = "budget_usd_per_hour", usd / BUDGET_HOURS[period]
    draft.say(name, value, *match.span(), sign="=" if name == "rps" else "<")
    said[name] = value
