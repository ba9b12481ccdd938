"""What a pick costs, in words: an hour, a month, a million tokens. Unpriced is said, never 0.

On somebody's own terms it has a list price, and one in another currency; saved, a price of today.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from bot.core.figures import percent, usd, usd_estimated, usd_per_hour
from bot.core.wording import MARKET_WORDS, machines

if TYPE_CHECKING:
    from bot.core.views import PickView
    from bot.store.kept_of_people import Drift, SavedPick
    from bot.store.preferences import Currency, Preferences
    from catalog.facts.schema import Quote
    from engine.core.result import Pick


def price_words(pick: Pick) -> str:
    """Return the price an hour and a month, or that there is none and what caps it."""
    per_hour, per_month = pick.cost.usd_per_hour, pick.cost.usd_per_month
    if per_hour is None:
        return f"no {MARKET_WORDS[pick.quote.market]} price{_ceiling(pick)}"
    month = "" if per_month is None else f" · {usd(per_month)}/month"
    hours, as_run = pick.cost.hours_per_week, pick.cost.usd_per_month_as_run
    if hours is not None and as_run is not None:
        month = f" · {usd(as_run)}/month, {hours:.3g} h a week"
    total = pick.cost.usd_total
    if pick.quote.market == "capacity_block" and total is not None and per_hour > 0:
        month = f" · {usd(total)} for {total / per_hour / 24:.3g} days"
    each = pick.quote.usd_per_hour
    split = f" ({pick.instances} × {usd(each)})" if pick.instances > 1 and each else ""
    return f"{usd_per_hour(per_hour)}{split}{month}"


def runs_words(pick: Pick) -> str:
    """Return what the runs of a month come to; empty where a job is run once."""
    runs, month = pick.cost.runs_per_month, pick.cost.usd_per_month_as_run
    if runs is None or month is None:
        return ""
    return f" · {usd_estimated(month)}/month, {runs:.3g} run{'s'[: runs != 1.0]}"


def _ceiling(pick: Pick) -> str:
    if pick.ceiling is None or pick.ceiling.usd_per_hour is None:
        return ""
    at_most = pick.ceiling.usd_per_hour * pick.instances
    return f", at most the on-demand {usd_per_hour(at_most)}"


def asked_million_words(pick: Pick) -> str:
    """Return the price of a million tokens at the asked load; empty when unknown."""
    amount = pick.cost.usd_per_million_tokens
    return "" if amount is None else f"{usd_estimated(amount)} per {_counted(pick)}"


def _counted(pick: Pick) -> str:
    kind = {"output": "1M output tokens", "total": "1M tokens, in and out"}
    return kind.get(pick.cost.tokens_counted, "1M tokens")


def per_million_words(pick: Pick) -> str:
    """Return the price of a million tokens at full load, and which it counts; empty when unknown.

    Work without tokens (images) is priced by the thousand requests.
    """
    amount = pick.cost.usd_per_million_tokens_full_load
    if amount is None and pick.cost.usd_per_million_requests is not None:
        return f"{usd_estimated(pick.cost.usd_per_million_requests / 1000)} per 1,000 requests"
    if amount is None:
        return ""
    if pick.estimate.training is not None:
        return f"{usd_estimated(amount)} per 1M trained tokens"
    return f"{usd_estimated(amount)} per {_counted(pick)}"


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
    return f"{currency.code} {words.replace('$', '')} {currency.words}".rstrip()


def _rate_note(currency: Currency | None) -> str:
    """Return when the rate was typed or published, as rates move."""
    if currency is None:
        return ""
    if currency.source:
        return f"{currency.per_usd:.4g} {currency.code} to USD on {currency.on}, {currency.source}"
    return f"{currency.code} rate set on {currency.on}"


def bought_words(pick: SavedPick) -> str:
    """Return `2 × p5.48xlarge in us-east-1, Savings Plan (3 years)`."""
    term = f" ({pick.term_years} years)" if pick.term_years > 1 else ""
    what = machines(pick.instance_type, pick.instances)
    return f"{what} in {pick.region}, {MARKET_WORDS[pick.market]}{term}"


def saved_price_words(pick: SavedPick) -> str:
    """Return what it cost when it was saved: `$1.861/h when saved (2026-11-28)`."""
    if pick.usd_per_hour is None:
        return f"no price known when saved ({pick.saved_on})"
    return f"{usd_per_hour(pick.usd_per_hour * pick.instances)} when saved ({pick.saved_on})"


def today_words(pick: SavedPick, today: Quote | None) -> str:
    """Return what it costs today, or why that is not known."""
    if today is None:
        return "today’s price is not known: AWS did not give it just now"
    if today.usd_per_hour is None:
        return f"no price today: {today.why_unpriced or 'none is known'}"
    return f"{usd_per_hour(today.usd_per_hour * pick.instances)} today (price of {today.as_of})"


def drift_words(drift: Drift | None) -> str:
    """Return `up 12 %, $163 a month more`; empty where it is not known."""
    if drift is None:
        return ""
    if drift.is_none:
        return "unchanged"
    way, amount = ("up", "more") if drift.share > 0 else ("down", "less")
    month = usd(abs(drift.usd_per_month))
    return f"{way} {percent(round(abs(drift.share), 3))}, {month} a month {amount}"


def awaited_line(pick: SavedPick) -> str:
    """Return the price of then, where today's is not there yet."""
    return f"{saved_price_words(pick)} → today’s price is being looked up…"


def price_line(pick: SavedPick, today: Quote | None, moved: Drift | None) -> str:
    """Return both prices and what lies between them, in one line."""
    words = drift_words(moved)
    since = f": {words}" if words else ""
    return f"{saved_price_words(pick)} → {today_words(pick, today)}{since}"
