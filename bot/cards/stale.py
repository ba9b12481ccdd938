"""What has become of a card's price since the card was made."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from bot.core.figures import usd_per_hour
from catalog.facts.schema import Quote

SAME: Final = 0.0005  # prices are shown to a tenth of a cent


def repriced_words(card: Mapping[str, Any], quotes: Iterable[Quote]) -> str:
    """Return how the price a card shows differs from the one known now; "" where it stands.

    `card` is what its buttons carry. A price that is known from an earlier day than the card's is
    no news: AWS answered then and does not now.
    """
    then, day = card.get("usd_per_hour"), card.get("as_of")
    quote = next((quote for quote in quotes if _is_of(card, quote)), None)
    if quote is None or not isinstance(then, int | float) or not isinstance(day, str):
        return ""
    if quote.as_of < day or (quote.as_of == day and _alike(then, quote.usd_per_hour)):
        return ""
    was = f"{quote.instance_type} {usd_per_hour(then)}"
    return f"The card's prices were of {day} ({was}), now of {quote.as_of}: {_now(then, quote)}."


def _is_of(card: Mapping[str, Any], quote: Quote) -> bool:
    return (quote.instance_type, quote.region, quote.market) == (
        card.get("instance_type"),
        card.get("region"),
        card.get("market"),
    )


def _alike(then: float, now: float | None) -> bool:
    return now is not None and abs(now - then) < SAME


def _now(then: float, quote: Quote) -> str:
    now = quote.usd_per_hour
    if now is None:
        return f"no price ({quote.why_unpriced or 'none is known'})"
    if _alike(then, now) or then <= 0:
        return f"unchanged at {usd_per_hour(now)}" if _alike(then, now) else usd_per_hour(now)
    ratio = now / then - 1
    return f"{usd_per_hour(now)} ({'+' if ratio > 0 else '−'}{abs(100 * ratio):.1f} %)"
