"""Stars from figures: what the guides rate by feel, rated by the best machine of each kind.

Five stars go to the best kind on a figure, one less for each factor of four it is behind. The
figure is the best of any type that is sold today. Decoding reads the weights for every token, so
memory bandwidth stands for inference; dense 16-bit FLOPS stand for training.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from catalog.catalog import Catalog
from catalog.facts.schema import Instance, Quote
from engine.core.result import Number
from engine.pick.reasons import quantity

STEP: Final = 4.0
MOST: Final = 5
HOLDS_7B_GIB: Final = 14.5  # 7e9 parameters of 2 bytes are 13 GiB; a T4 with 14.56 GiB counts
Price = Callable[[Instance], Quote]
FigureOf = Callable[[Catalog, Instance], float | None]


@dataclass(frozen=True, slots=True)
class Metric:
    """A figure of a type; for the money where `per_usd`."""

    unit: str
    figure: FigureOf
    per_usd: bool = False


@dataclass(frozen=True, slots=True)
class Stars:
    """The stars of one kind of hardware in words, the figure and the price they rest on."""

    text: str
    number: Number | None = None
    quote: Quote | None = None


def stars(metric: str, kind: str, catalog: Catalog, price: Price) -> Stars:
    """Return the stars of one kind of hardware ("gpu", "trainium", …) with the best type's figure.

    `price` quotes a type. Raises LookupError for an unknown metric or kind.
    """
    kinds = {family.kind for family in catalog.families.values()} - {"other"}
    if kind not in kinds:
        msg = f"no hardware called {kind!r}"
        raise LookupError(msg)
    measured = METRICS[metric]
    best = {name: _best_of_kind(measured, name, catalog, price) for name in kinds}
    value, instance = best[kind]
    most = max(found for found, _ in best.values())
    if instance is None or not value:
        return Stars("no figure")
    given = max(1, MOST - round(math.log(most / value, STEP)))
    shown = f"{'★' * given}{'☆' * (MOST - given)} {quantity(value, measured.unit)}"
    name = instance.instance_type
    number = Number(f"{metric.replace('_', ' ')} of {name}", value, measured.unit)
    return Stars(f"{shown} ({name})", number, price(instance) if measured.per_usd else None)


def _best_of_kind(
    metric: Metric, kind: str, catalog: Catalog, price: Price
) -> tuple[float, Instance | None]:
    """Return the best figure of a kind of hardware and the type that has it."""
    best: tuple[float, Instance | None] = (0.0, None)
    for instance in _sold(catalog):
        if catalog.families[instance.family].kind == kind:
            value = _measured(metric, instance, catalog, price)
            if value is not None and value > best[0]:
                best = (value, instance)
    return best


def _measured(metric: Metric, instance: Instance, catalog: Catalog, price: Price) -> float | None:
    value = metric.figure(catalog, instance)
    if value is None or not metric.per_usd:
        return value
    usd = price(instance).usd_per_hour
    return None if usd is None else value / usd


def _sold(catalog: Catalog) -> Iterator[Instance]:
    """Yield the types sold today that hold a 7B in 16 bit; credits that run out do not count."""
    for instance in catalog.instances.values():
        chip = catalog.accelerators.get(instance.accelerator_id or "")
        each = instance.host_mem_gib if chip is None else (chip.mem_gib_usable or 0.0)
        holds = each * max(1, instance.accelerators) >= HOLDS_7B_GIB
        if instance.regions and not instance.eol and not instance.burstable and holds:
            yield instance


def _type_tflops(catalog: Catalog, instance: Instance) -> float | None:
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    if chip is not None:
        each = chip.tflops_bf16 or chip.tflops_fp16
        return each * instance.accelerators if each else None
    cpu = catalog.cpus.get(instance.family)
    if cpu is None:
        return None
    return (cpu.bf16_gflops_per_core or cpu.fp32_gflops_per_core) * instance.cores / 1000


def _type_bandwidth(catalog: Catalog, instance: Instance) -> float | None:
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    if chip is not None:
        return chip.mem_bw_gb_s * instance.accelerators
    cpu = catalog.cpus.get(instance.family)
    return None if cpu is None else cpu.socket_bw_gb_s * instance.cores / cpu.cores_per_socket


METRICS: Final = MappingProxyType(
    {
        "stars_training": Metric("TFLOPS", _type_tflops),
        "stars_inference": Metric("GB/s", _type_bandwidth),
        "stars_training_cost": Metric("TFLOPS per $/h", _type_tflops, per_usd=True),
        "stars_inference_cost": Metric("GB/s per $/h", _type_bandwidth, per_usd=True),
    }
)
