"""Is X the cheapest GPU? The truth today: the catalog's types in that order, one a family."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from engine.core.result import Number
from engine.guides.asked import ScaleName, SuperlativeQuestion
from engine.guides.definitions import members
from engine.guides.guide_facts import dense_16_bit_tflops, device_name, price_note, usd_per_hour

Measure = Callable[[Instance, Catalog, str], float | None]
Placed = tuple[float, Instance]  # the figure, and whose it is
SHOWN: Final = 4
USD: Final = "USD/h"
CAVEAT: Final = "A list says nothing of the work done: name a model and a load for that."


@dataclass(frozen=True, slots=True)
class Scale:
    """What a superlative orders types by."""

    name: str
    unit: str
    measure: Measure
    highest: bool = True


@dataclass(frozen=True, slots=True)
class Order:
    """The families of a kind, the leader first, each by its first type; where the subject is."""

    asked: SuperlativeQuestion
    placed: tuple[Placed, ...]
    place: int | None

    @property
    def scale(self) -> Scale:
        """What the families are ordered by."""
        return SCALES[self.asked.scale]

    @property
    def leads(self) -> bool:
        """Whether the subject is the first."""
        return self.place == 0

    @property
    def shown(self) -> list[Placed]:
        """The leaders, and the subject wherever it is."""
        own = [self.placed[self.place]] if self.place is not None and self.place >= SHOWN else []
        return [*self.placed[:SHOWN], *own]

    @property
    def numbers(self) -> tuple[Number, ...]:
        """The figures shown."""
        return tuple(Number(i.instance_type, value, self.scale.unit) for value, i in self.shown)


def _type_price(instance: Instance, catalog: Catalog, region: str) -> float | None:
    return catalog.prices.quote(instance, region).usd_per_hour


def _device_tflops(instance: Instance, catalog: Catalog, _: str) -> float | None:
    return dense_16_bit_tflops(catalog.accelerators.get(instance.accelerator_id or ""))


def _type_memory(instance: Instance, catalog: Catalog, _: str) -> float | None:
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    each = chip.mem_gib_usable if chip else None
    return None if each is None else each * instance.accelerators


SCALES: Mapping[ScaleName, Scale] = MappingProxyType(
    {
        "cheapest": Scale("price", USD, _type_price, highest=False),
        "dearest": Scale("price", USD, _type_price),
        "fastest": Scale("dense 16-bit speed a chip", "TFLOPS", _device_tflops),
        "largest": Scale("accelerator memory", "GiB", _type_memory),
    }
)


def order_today(asked: SuperlativeQuestion, catalog: Catalog, region: str) -> Order:
    """Return the families of the kind in the order asked about; prices are those of `region`."""
    placed = _families_placed(asked, catalog, region)
    mine = {i.instance_type for i in types_called(asked.subject, catalog)}
    place = next((at for at, (_, i) in enumerate(placed) if i.instance_type in mine), None)
    return Order(asked, tuple(placed), place)


def order_in_words(order: Order, catalog: Catalog, region: str) -> str:
    """Return whether the subject leads, what does, and what such a list is worth."""
    scale, priced = order.scale, order.scale.unit == USD
    leaders = ", ".join(_leader_text(value, i, scale, catalog) for value, i in order.shown)
    quotes = [catalog.prices.quote(i, region) for _, i in order.shown] if priced else []
    where = f" in {region}" if priced else ""
    parts = (
        "Yes." if order.leads else "No.",
        f"By {scale.name}{where}, a family each: {leaders}.",
        _place_sentence(order),
        CAVEAT,
        price_note(quotes),
    )
    return " ".join(part for part in parts if part)


def _place_sentence(order: Order) -> str:
    if order.place is None:
        return f"{order.asked.subject} is not among the {len(order.placed)} that have a figure."
    name = order.placed[order.place][1].instance_type
    return f"{name} is number {order.place + 1} of {len(order.placed)}."


def _families_placed(asked: SuperlativeQuestion, catalog: Catalog, region: str) -> list[Placed]:
    """Return each family's first type with its figure, the leader first."""
    scale = SCALES[asked.scale]
    sign = -1 if scale.highest else 1
    values = ((scale.measure(i, catalog, region), i) for i in members(catalog, asked.kind))
    found = [(value, instance) for value, instance in values if value is not None]
    found.sort(key=lambda one: (sign * one[0], one[1].instance_type))
    first: dict[str, Placed] = {}
    for value, instance in found:
        first.setdefault(instance.family, (value, instance))
    return list(first.values())


def types_called(word: str, catalog: Catalog) -> list[Instance]:
    """Return the types of a family, of a chip, or the one type called so."""
    return [
        i
        for i in catalog.instances.values()
        if word in {i.family, i.instance_type, (i.accelerator_id or "").lower().partition("-")[0]}
    ]


def _leader_text(value: float, instance: Instance, scale: Scale, catalog: Catalog) -> str:
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    of = f" ({device_name(chip)})" if chip else ""
    figure = usd_per_hour(value) if scale.unit == USD else f"{value:,.0f} {scale.unit}"
    return f"{instance.instance_type}{of} {figure}"
