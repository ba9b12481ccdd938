"""Money of another currency: worked out in US dollars by the published rate of a day."""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.text.late import LatePattern
from bot.language.text.units import any_word, unit_key, words_of
from catalog.reference import ExchangeRate, exchange_rates

CURRENCY: Final = any_word("other money")
SEEN: Final = "|".join(map(re.escape, words_of("other money")))
# Prices are wanted in it: "prices in EUR", "en euros".
SHOWN_IN: Final = LatePattern(
    rf"(?<!\d )(?<!\w)(?:{any_word('shown in')}) ?(?P<currency>{CURRENCY})", seen=SEEN
)


def rate_said(match: re.Match[str]) -> ExchangeRate | None:
    """Return the rate of the currency that a match names; None for dollars, or where none is known.

    A pattern names a currency by a group that begins with `currency`.
    """
    found = (text for name, text in match.groupdict().items() if name.startswith("currency"))
    word = next((text for text in found if text), None)
    return None if word is None else exchange_rates().get(unit_key(word, "other money"))


def note_rate(draft: Draft, words: str, usd: float, rate: ExchangeRate) -> None:
    """Say what a sum is in dollars, by which rate of which day; prices are shown in both."""
    draft.details["currency"] = rate.code
    cents = 2 if usd < 100 else 0
    draft.note(
        f"currency_{usd:g}",
        f"`{words}` is read as ${usd:,.{cents}f}: {rate.per_usd:.4g} {rate.code} to the US dollar "
        f"on {rate.as_of}.",
    )


def read_currency_wanted(draft: Draft) -> None:
    """Keep the currency that prices are to be shown in; say so where no rate of it is known."""
    for match in draft.reader.matches(SHOWN_IN):
        rate, words = rate_said(match), draft.reader.words(*match.span()).strip()
        if rate is not None:
            draft.details["currency"] = rate.code
        else:
            draft.note(
                "currency_unknown",
                f"`{words}`: no rate of exchange is known for it; prices are in US dollars.",
            )
        draft.mark("detail:currency", *match.span())
