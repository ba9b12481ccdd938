"""Defaults as somebody typed them: read, or refused field by field with what would be read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from bot.store.defaults import Defaults
from catalog.facts.schema import Market

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.catalog import Catalog

T = TypeVar("T")

MARKETS: Final[tuple[Market, ...]] = ("on_demand", "spot", "savings_plan", "reserved")
MOST_DISCOUNT_PERCENT: Final = 60.0  # beyond what AWS agrees to: a slip of the finger
MOST_FAMILIES: Final = 30
LEAST_RATE, MOST_RATE = 1e-4, 1e6
PERCENT: Final = re.compile(r"(\d{1,3}(?:[.,]\d{1,2})?)\s*(?:%|percent)?", re.IGNORECASE)
RATE: Final = re.compile(
    r"(?:(?P<code>[A-Za-z]{3})(?:\s+at)?\s*(?P<rate>\d{1,7}(?:[.,]\d{1,6})?)"
    r"|(?P<rate_first>\d{1,7}(?:[.,]\d{1,6})?)\s*(?P<code_last>[A-Za-z]{3}))"
)
HOW_TO_RATE: Final = "Write a currency and what one US dollar costs in it, like EUR 0.92."


class TypedError(ValueError):
    """What was typed is no such default; the message says what would be."""


@dataclass(frozen=True, slots=True)
class DefaultsReading:
    """What was read of a form, or what is wrong with which field."""

    defaults: Defaults
    errors: Mapping[str, str]


def typed_defaults(typed: Mapping[str, str], catalog: "Catalog") -> DefaultsReading:
    """Return the defaults of the fields `region`, `market`, `allow`, `discount` and `currency`.

    A field left empty lays nothing down.
    """
    errors: dict[str, str] = {}

    def read(name: str, reading: "Callable[[str], T]") -> T | None:
        text = typed.get(name, "").strip()
        try:
            return reading(text) if text else None
        except TypedError as error:
            errors[name] = str(error)
            return None

    rate = read("currency", _typed_rate)
    defaults = Defaults(
        region=read("region", lambda text: _typed_region(text, catalog)),
        market=read("market", _market),
        allow=read("allow", lambda text: _typed_families(text, catalog)),
        discount_percent=read("discount", _typed_discount),
        currency=None if rate is None else rate[0],
        per_usd=None if rate is None else rate[1],
    )
    return DefaultsReading(defaults, errors)


def _typed_region(text: str, catalog: "Catalog") -> str:
    from bot.language.names.places import region_code
    from bot.language.text.vocabulary import nearest, vocabulary_of

    code = region_code(text, vocabulary_of(catalog))
    if code is None:
        close = " or ".join(nearest(text.lower(), catalog.regions)[:2])
        hint = f" Did you mean {close}?" if close else " For example: eu-central-1."
        raise TypedError(f"There is no AWS region “{text[:40]}”.{hint}")
    return code


def _market(text: str) -> Market:
    for market in MARKETS:
        if text == market:
            return market
    raise TypedError("Choose one of the purchase options in the list.")


def _typed_families(text: str, catalog: "Catalog") -> tuple[str, ...]:
    from bot.language.text.vocabulary import nearest

    families = {instance.family for instance in catalog.instances.values()}
    words = tuple(dict.fromkeys(re.split(r"[\s,;]+", text.lower().strip(" ,;"))))
    if len(words) > MOST_FAMILIES:
        raise TypedError(f"At most {MOST_FAMILIES} families; leave it empty to allow all.")
    for word in words:
        if word not in families and word not in catalog.groups:
            close = " or ".join(nearest(word, families)[:2])
            hint = f" Did you mean {close}?" if close else " For example: g6e, inf2."
            raise TypedError(f"EC2 has no family “{word[:40]}”.{hint}")
    return words


def _typed_discount(text: str) -> float:
    found = PERCENT.fullmatch(text)
    percent = None if found is None else float(found[1].replace(",", "."))
    if percent is None or percent > MOST_DISCOUNT_PERCENT:
        raise TypedError(f"Write a percentage from 0 to {MOST_DISCOUNT_PERCENT:g}, like 12.")
    return percent


def _typed_rate(text: str) -> tuple[str, float]:
    found = RATE.fullmatch(text)
    if found is None:
        raise TypedError(HOW_TO_RATE)
    code = (found["code"] or found["code_last"]).upper()
    rate = float((found["rate"] or found["rate_first"]).replace(",", "."))
    if code == "USD":
        raise TypedError("Prices are in USD anyway: name another currency, or leave this empty.")
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise TypedError(HOW_TO_RATE)
    return code, rate
