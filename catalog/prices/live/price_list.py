"""Asking the Price List API for the one Linux SKU of each type in a region."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from catalog.facts.schema import Region
from catalog.prices.live.aws import MOST_PAGES, Clients, error_code, pages
from catalog.prices.live.products import (
    CAPACITY_BLOCK,
    WANTED,
    WANTED_WHERE_KNOWN,
    Product,
    is_plain_linux,
    on_demand_rates,
    read_product,
)
from catalog.prices.live.source import UnusableAnswerError

SERVICE: Final = "AmazonEC2"
ACTION: Final = "pricing:GetProducts"
STALE_TOKENS: Final = frozenset({"ExpiredNextTokenException", "InvalidNextTokenException"})
LOCATION_TYPES: Final = {
    "region": "AWS Region",
    "local-zone": "AWS Local Zone",
    "wavelength-zone": "AWS Wavelength Zone",
}
# The list says EU where every other place says Europe, for some regions and not for others.
SPELLINGS: Final = (("Europe (", "EU ("), ("EU (", "Europe ("))

Filters = Mapping[str, str | Sequence[str]]


@dataclass(slots=True)
class PriceListing:
    """What the list has of each type in one region: the right SKUs, and what else was there."""

    right: dict[str, dict[str, Product]] = field(default_factory=dict)  # type -> sku -> product
    market_options: dict[str, set[str]] = field(default_factory=dict)  # of all its products
    unreadable: int = 0

    def take(self, product: Product | None, place: "PriceListLocation") -> None:
        """Sort one product in; one of another region or zone is nobody's."""
        if product is None:
            self.unreadable += 1
        elif place.holds(product):
            name = product.instance_type
            self.market_options.setdefault(name, set()).add(product.market_option)
            if is_plain_linux(product):
                self.right.setdefault(name, {})[product.sku] = product


@dataclass(frozen=True, slots=True)
class PriceListLocation:
    """A region or zone group, as the list may spell it."""

    code: str
    location_type: str
    locations: tuple[str, ...]

    @classmethod
    def of(cls, code: str, regions: Mapping[str, Region]) -> "PriceListLocation":
        """Return the place of a region code; one that the catalog does not know has no name."""
        region = regions.get(code)
        if region is None:
            return cls(code, LOCATION_TYPES["region"], ())
        other = [region.name.replace(a, b) for a, b in SPELLINGS if region.name.startswith(a)]
        return cls(code, LOCATION_TYPES[region.location_type], (region.name, *other))

    def holds(self, product: Product) -> bool:
        """Return whether a product is sold here; its name decides where it has no region code."""
        attributes = product.attributes
        if not product.instance_type:
            return False
        code = attributes.get("regionCode") or self._code_of(attributes.get("location", ""))
        return code == self.code and attributes.get("locationType") in {None, self.location_type}

    def _code_of(self, location: str) -> str:
        return self.code if location in self.locations else ""


def listed(clients: Clients, place: PriceListLocation, types: Sequence[str]) -> PriceListing:
    """Return what the price list has of the types in one place.

    Asked with the filters that leave one SKU a type. A type they leave nothing of is asked for
    again with fewer: that tells "sold otherwise" from "not sold", and survives a list without
    region codes.

    Raises:
        BotoCoreError, ClientError: as boto3 raises them.
        UnusableAnswerError: the list does not end.
    """
    found = PriceListing()
    client = clients.pricing(place.code)
    everything = {**WANTED, **WANTED_WHERE_KNOWN, "locationType": place.location_type}
    here = {"regionCode": place.code}
    _collect(client, {**everything, **here, "instanceType": types}, found, place)
    knows_codes = bool(found.right)
    for name in types:
        if name not in found.right:
            _collect(client, {**here, "instanceType": name}, found, place)
        if not knows_codes and name not in found.market_options:
            for location in place.locations:
                _collect(client, {"location": location, "instanceType": name}, found, place)
    return found


def _collect(client: Any, filters: Filters, found: PriceListing, place: PriceListLocation) -> None:  # noqa: ANN401
    for element in _elements(client, filters):
        found.take(read_product(element), place)


def _elements(client: Any, filters: Filters) -> Iterator[object]:  # noqa: ANN401 - boto3 is untyped
    """Yield the elements of all pages: a page may be empty and still not be the last."""
    asked = {"ServiceCode": SERVICE, "Filters": [_filter(*pair) for pair in filters.items()]}
    for start in ("first", "again"):
        try:
            yield from _pages(client, asked)
        except client.exceptions.ClientError as error:
            if start == "again" or error_code(error) not in STALE_TOKENS:
                raise
        else:
            return


def _pages(client: Any, asked: Mapping[str, Any]) -> Iterator[object]:  # noqa: ANN401
    """Yield the elements of pages of 100 products; a whole region's Linux list has 14 pages."""
    answer: Mapping[str, Any] = {}
    for answer in pages(client.get_products, asked):
        yield from answer.get("PriceList") or ()
    if answer.get("NextToken"):
        raise UnusableAnswerError(f"the price list did not end after {MOST_PAGES} pages")


def _filter(name: str, value: str | Sequence[str]) -> dict[str, str]:
    """Return one filter; all filters must hold, several values of one are alternatives."""
    if isinstance(value, str):
        return {"Type": "TERM_MATCH", "Field": name, "Value": value}
    if len(value) == 1:
        return {"Type": "TERM_MATCH", "Field": name, "Value": value[0]}
    return {"Type": "ANY_OF", "Field": name, "Value": ",".join(value)}


def the_product(found: PriceListing, instance_type: str) -> Product | None:
    """Return the one SKU of a type; None where the list sells none on demand here.

    Several SKUs are one price or no answer: the first, the last and the cheapest are all wrong.

    Raises:
        UnusableAnswerError: SKUs that disagree, or a price that is none.
    """
    products = found.right.get(instance_type, {})
    priced = {sku: on_demand_rates(product) for sku, product in products.items()}
    rates = set().union(*priced.values())
    if len(rates) > 1:
        amounts = ", ".join(
            sorted(f"{rate.amount.normalize():f} {rate.currency}" for rate in rates)
        )
        raise UnusableAnswerError(f"the price list is ambiguous: {amounts}")
    if products and not rates:
        raise UnusableAnswerError("the price list names no price above 0")
    if not products and found.unreadable:
        raise UnusableAnswerError(f"{found.unreadable} rows of the price list cannot be read")
    return next((products[sku] for sku in sorted(products) if priced[sku]), None)


def why_none(found: PriceListing, instance_type: str, region: str) -> str:
    """Return why the list has no on-demand price for a type."""
    options = found.market_options.get(instance_type, set())
    if CAPACITY_BLOCK in options:
        return f"sold only as capacity blocks in {region}: no on-demand price"
    if options:
        return f"no Linux on-demand price in {region}"
    return f"not sold on demand in {region}"
