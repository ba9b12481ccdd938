"""One product of the Price List API: read, checked, priced.

A filter that the service ignored, or one that did not exist when a product was recorded, must not
let a wrong product through: everything the filters ask for is checked again here.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from catalog.facts.units import HOURS_PER_YEAR

# What makes a product the plain Linux instance on shared tenancy, by attribute.
WANTED: Final[Mapping[str, str]] = {
    "operatingSystem": "Linux",
    "tenancy": "Shared",
    "capacitystatus": "Used",
    "preInstalledSw": "NA",
    "licenseModel": "No License required",
}
# The same, for attributes that older records lack: absent is unknown, another value is not ours.
WANTED_WHERE_KNOWN: Final[Mapping[str, str]] = {
    "marketoption": "OnDemand",
    "operation": "RunInstances",
}
CAPACITY_BLOCK: Final = "CapacityBlock"


@dataclass(frozen=True, slots=True)
class Product:
    """One SKU of the list: what it is, and its terms as published."""

    sku: str
    attributes: Mapping[str, str]
    terms: Mapping[str, Any]
    published: str  # ISO date of the list

    @property
    def instance_type(self) -> str:
        """The type, or nothing for a product that is no instance."""
        return self.attributes.get("instanceType", "")

    @property
    def market_option(self) -> str:
        """How the list sells it: OnDemand, CapacityBlock; nothing in older records."""
        return self.attributes.get("marketoption", "")


@dataclass(frozen=True, slots=True)
class Rate:
    """A price an hour in a currency."""

    amount: Decimal
    currency: str


def read_product(text: object) -> Product | None:
    """Return one element of `PriceList` (a string holding JSON); None where it is not one."""
    try:
        content: Any = json.loads(text) if isinstance(text, str | bytes) else text
        product = content["product"]
        attributes = {str(k): str(v) for k, v in product["attributes"].items()}
        terms = content.get("terms") or {}
        published = str(content.get("publicationDate") or "")[:10]
        if not isinstance(terms, Mapping):
            return None
        return Product(str(product["sku"]), attributes, terms, published)
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return None


def is_plain_linux(product: Product) -> bool:
    """Return whether this is the Linux instance on shared tenancy, nothing beside it."""
    attributes = product.attributes
    return all(
        attributes.get(name, "").lower() == value.lower() for name, value in WANTED.items()
    ) and all(
        attributes.get(name, value).lower() == value.lower()
        for name, value in WANTED_WHERE_KNOWN.items()
    )


def on_demand_rates(product: Product) -> set[Rate]:
    """Return the positive hourly rates on demand: one, unless the list contradicts itself.

    Zero stands for capacity blocks, reservations and the free tier, never for a price.
    """
    terms = product.terms.get("OnDemand")
    return {
        rate
        for term in _mapping_values(terms)
        for dimension in _mapping_values(term.get("priceDimensions"))
        if dimension.get("unit") == "Hrs" and str(dimension.get("endRange", "Inf")) == "Inf"
        for rate in rates(dimension)
        if rate.amount > 0
    }


def rates(dimension: Mapping[str, Any]) -> Iterator[Rate]:
    """Yield the amounts of a price dimension, each in its currency; unreadable ones are none."""
    per_unit = dimension.get("pricePerUnit")
    for currency, text in (per_unit if isinstance(per_unit, Mapping) else {}).items():
        try:
            amount = Decimal(str(text))
        except InvalidOperation:
            continue
        if amount.is_finite():
            yield Rate(amount, str(currency))


def _mapping_values(content: object) -> list[Mapping[str, Any]]:
    values = content.values() if isinstance(content, Mapping) else ()
    return [value for value in values if isinstance(value, Mapping)]


LEASES: Final = {"1yr": 1, "3yr": 3}


@dataclass(frozen=True, slots=True)
class Reservation:
    """A reserved offer: what an hour costs with the upfront part spread over the term."""

    years: int
    offering: str  # standard | convertible
    payment: str  # "No Upfront"
    effective: Rate


def reservations(product: Product) -> list[Reservation]:
    """Return the reserved offers of a product: hourly rate + upfront / hours of the term."""
    found = (_reservation(term) for term in _mapping_values(product.terms.get("Reserved")))
    return [offer for offer in found if offer is not None]


def _reservation(term: Mapping[str, Any]) -> Reservation | None:
    attributes = term.get("termAttributes")
    if not isinstance(attributes, Mapping):
        return None
    years = LEASES.get(str(attributes.get("LeaseContractLength")))
    if years is None:
        return None
    total: dict[str, Decimal] = {}
    for dimension in _mapping_values(term.get("priceDimensions")):
        share = (
            Decimal(1) if dimension.get("unit") == "Hrs" else Decimal(round(HOURS_PER_YEAR) * years)
        )
        for rate in rates(dimension):
            total[rate.currency] = total.get(rate.currency, Decimal(0)) + rate.amount / share
    positive = [Rate(amount, currency) for currency, amount in total.items() if amount > 0]
    if len(positive) != 1:
        return None
    offering = str(attributes.get("OfferingClass", "")).lower()
    return Reservation(years, offering, str(attributes.get("PurchaseOption", "")), positive[0])
