"""What somebody's own terms make of a price: a discount agreed with AWS, another currency."""

from dataclasses import replace

from bot.core.figures import usd_estimated, usd_per_hour
from bot.core.views import PickView
from bot.store.people.preferences import Currency, Preferences
from engine.core.result import Pick


def with_terms(view: PickView, pick: Pick, preferences: Preferences) -> PickView:
    """Return the pick with its list price beside a discounted one, and with the other currency."""
    said = (_list_price(pick, preferences), _other_currency(pick, preferences))
    headline = " · ".join(part for part in (view.headline, *said) if part)
    dated = _rate_note(preferences.currency) if said[1] else ""
    return replace(
        view,
        headline=headline,
        price_note="; ".join(part for part in (view.price_note, dated) if part),
    )


def _list_price(pick: Pick, preferences: Preferences) -> str:
    """Return `list $1.861/h, your 12 % discount`; empty where nothing was taken off."""
    listed, discount = pick.quote.list_usd_per_hour, preferences.discount
    if listed is None or discount is None:
        return ""
    return f"list {usd_per_hour(listed * pick.instances)}, {discount.words}"


def _other_currency(pick: Pick, preferences: Preferences) -> str:
    """Return `EUR 1.71/h at your rate 0.92`; of a job its total. Empty where either is unknown."""
    currency, total = preferences.currency, pick.cost.usd_total
    amount = pick.cost.usd_per_hour if total is None else total
    if amount is None or currency is None:
        return ""
    inside = amount * currency.per_usd
    words = usd_per_hour(inside) if total is None else f"{usd_estimated(inside)} in total"
    return f"{currency.code} {words.replace('$', '')} {currency.words}"


def _rate_note(currency: Currency | None) -> str:
    """Return when the rate was typed, as rates move."""
    return "" if currency is None else f"{currency.code} rate set on {currency.on}"
