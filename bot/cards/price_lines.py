"""What a pick costs, in words: an hour, a month, a million tokens. Unpriced is said, never 0."""

from bot.core.figures import usd, usd_estimated, usd_per_hour
from bot.core.wording import MARKET_WORDS
from engine.core.result import Pick


def price_words(pick: Pick) -> str:
    """Return the price an hour and a month, or that there is none and what caps it."""
    per_hour, per_month = pick.cost.usd_per_hour, pick.cost.usd_per_month
    if per_hour is None:
        return f"no {MARKET_WORDS[pick.quote.market]} price{_ceiling(pick)}"
    month = "" if per_month is None else f" · {usd(per_month)}/month"
    each = pick.quote.usd_per_hour
    split = f" ({pick.instances} × {usd(each)})" if pick.instances > 1 and each else ""
    return f"{usd_per_hour(per_hour)}{split}{month}"


def _ceiling(pick: Pick) -> str:
    if pick.ceiling is None or pick.ceiling.usd_per_hour is None:
        return ""
    at_most = pick.ceiling.usd_per_hour * pick.instances
    return f", at most the on-demand {usd_per_hour(at_most)}"


def per_million_words(pick: Pick) -> str:
    """Return the price of a million tokens and which tokens it counts; empty when unknown.

    Work without tokens (images) is priced by the thousand requests.
    """
    amount = pick.cost.usd_per_million_tokens
    if amount is None and pick.cost.usd_per_million_requests is not None:
        return f"{usd_estimated(pick.cost.usd_per_million_requests / 1000)} per 1,000 requests"
    if amount is None:
        return ""
    kind = {"output": "1M output tokens", "total": "1M tokens, in and out"}
    if pick.estimate.training is not None:
        return f"{usd_estimated(amount)} per 1M trained tokens"
    counted = kind.get(pick.cost.tokens_counted, "1M tokens")
    return f"{usd_estimated(amount)} per {counted}"
