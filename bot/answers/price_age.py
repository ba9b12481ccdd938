"""A price that nobody has checked for a month is said to be old."""

from dataclasses import replace
from datetime import date
from typing import Final

from engine.core.result import Recommendation

CODE: Final = "stale_prices"
OLD_DAYS: Final = 30


def with_age_warning(result: Recommendation, today: date) -> Recommendation:
    """Return the recommendation, with a warning where a pick's price is more than 30 days old."""
    days = {pick.quote.as_of for pick in result.picks if pick.quote.usd_per_hour is not None}
    ages = [(today - date.fromisoformat(day)).days for day in days if day]
    if max(ages, default=0) <= OLD_DAYS:
        return result
    words = f"The oldest price here is {max(ages)} days old: with AWS credentials prices are live."
    warned = len(result.warnings)
    return replace(
        result,
        warnings=(*result.warnings, words),
        codes=tuple(dict.fromkeys((*result.codes[:warned], CODE, *result.codes[warned:]))),
    )
