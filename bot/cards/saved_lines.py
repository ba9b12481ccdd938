"""A saved pick in words: what it is, what it cost, what it costs today."""

from bot.core.figures import percent, usd, usd_per_hour
from bot.core.wording import MARKET_WORDS, machines
from bot.store.people.saved_pick import Drift, SavedPick
from catalog.facts.schema import Quote


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
