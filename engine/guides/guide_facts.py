"""Fills the fact references in what the guides' rows say: `{price:p5.48xlarge}` → `$55.04/h`.

A reference is `{fact:machines}` or `{fact:machines;machines}`; machines are `[N*]type[@market]`.
Every figure comes from the catalog, so that a row never goes stale with a price.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from string import Formatter
from types import MappingProxyType

from catalog.catalog import Catalog
from catalog.facts.schema import Accelerator, Instance, Market, Quote
from engine.core.result import Number
from engine.guides.guide_stars import METRICS, stars


@dataclass(frozen=True, slots=True)
class FilledText:
    """A text with its facts filled in, the numbers among them and the prices they rest on."""

    text: str
    numbers: tuple[Number, ...] = ()
    quotes: tuple[Quote, ...] = ()

    @property
    def price_note(self) -> str:
        """Where the prices are from, or "" where there is none."""
        return price_note(self.quotes)


@dataclass(frozen=True, slots=True)
class QuotedMachines:
    """Some machines of one type, as a reference names them."""

    instance: Instance
    accelerator: Accelerator | None
    number: int
    quote: Quote

    @property
    def devices(self) -> int:
        """All accelerators together."""
        return self.number * self.instance.accelerators

    @property
    def usd_per_hour(self) -> float | None:
        """What all of them cost an hour."""
        price = self.quote.usd_per_hour
        return None if price is None else price * self.number

    @property
    def name(self) -> str:
        """How a figure of these machines is named."""
        times = f"{self.number} x " if self.number > 1 else ""
        return f"{times}{self.instance.instance_type}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact in words, and its number where it is one."""

    text: str
    number: Number | None = None


def filled(text: str, catalog: Catalog, region: str) -> FilledText:
    """Return `text` with every reference filled in; prices are those of `region`.

    A capacity block that is not sold there is quoted where it is cheapest. Raises LookupError for
    an unknown fact, type or family (checked when the rows are edited).
    """
    numbers: list[Number] = []
    quotes: list[Quote] = []

    def fill(fact: str, about: str) -> str:
        if fact == "status":
            return status_of(catalog, about)
        if fact in METRICS:
            rated = stars(fact, about, catalog, lambda i: best_quote(catalog, i, region))
            quotes.extend([rated.quote] if rated.quote else [])
            numbers.extend([rated.number] if rated.number else [])
            return rated.text
        machines = [machines_of(part, catalog, region) for part in about.split(";")]
        found = ABOUT_MACHINES[fact](*machines)
        if fact in PRICED:
            quotes.extend(m.quote for m in machines if m.quote.usd_per_hour is not None)
        if found.number is not None:
            numbers.append(found.number)
        return found.text

    parts = (
        before + (fill(fact, about or "") if fact is not None else "")
        for before, fact, about, _ in Formatter().parse(text)
    )
    return FilledText("".join(parts), tuple(numbers), tuple(quotes))


def machines_of(text: str, catalog: Catalog, region: str) -> QuotedMachines:
    """Return the machines that a reference names. LookupError where it names none."""
    named, at, market = text.partition("@")
    number, times, name = named.rpartition("*")
    counted = number.isdecimal() if times else True
    if name not in catalog.instances or not counted or bool(at) != bool(market):
        msg = f"no machines called {text!r}"
        raise LookupError(msg)
    instance = catalog.instances[name]
    accelerator = catalog.accelerators.get(instance.accelerator_id or "")
    quote = _quote_named(catalog, instance, region, market or "on_demand")
    return QuotedMachines(instance, accelerator, int(number or 1), quote)


def _quote_named(catalog: Catalog, instance: Instance, region: str, market: str) -> Quote:
    if market == "capacity_block":
        return cheapest_block(catalog, instance, region)
    if market != "on_demand":
        msg = f"no market called {market!r} in a reference"
        raise LookupError(msg)
    return catalog.prices.quote(instance, region, "on_demand")


def cheapest_block(catalog: Catalog, instance: Instance, region: str) -> Quote:
    """Return the capacity block's quote of `region`, else of the cheapest region that has one."""
    market: Market = "capacity_block"
    here = catalog.prices.quote(instance, region, market)
    if here.usd_per_hour is not None:
        return here
    elsewhere = (catalog.prices.quote(instance, other, market) for other in instance.regions)
    priced = [(q.usd_per_hour, q.region, q) for q in elsewhere if q.usd_per_hour is not None]
    return min(priced, key=lambda found: found[:2])[2] if priced else here


def best_quote(catalog: Catalog, instance: Instance, region: str) -> Quote:
    """Return the on-demand quote of `region`, else the cheapest capacity block's where sold."""
    quote = catalog.prices.quote(instance, region)
    if quote.usd_per_hour is not None or not instance.capacity_block:
        return quote
    return cheapest_block(catalog, instance, region)


def price_note(quotes: Iterable[Quote]) -> str:
    """Return region, market, date and source of the quotes in one line, "" for none."""
    kinds: dict[tuple[str, str], list[str]] = {}
    for quote in quotes:
        kinds.setdefault((quote.market, quote.region), []).append(quote.as_of)
    parts = [
        f"{market.replace('_', ' ')} in {region}, {_dates(dates)}"
        for (market, region), dates in kinds.items()
    ]
    return f"Prices: {'; '.join(parts)} (list prices, snapshot)." if parts else ""


def _dates(dates: list[str]) -> str:
    first, last = min(dates), max(dates)
    return f"as of {first}" if first == last else f"as of {first} to {last}"


def usd_per_hour(price: float) -> str:
    """Return an hourly price at the precision it is compared at: `$55.04/h`, `$0.0416/h`."""
    decimals = 2 if price >= 10 else 3 if price >= 0.1 else 4
    return f"${price:,.{decimals}f}/h"


def _price_fact(m: QuotedMachines) -> Fact:
    price = m.usd_per_hour
    if price is None:
        return Fact(f"no price ({m.quote.why_unpriced})")
    elsewhere = " as a capacity block" if m.quote.market == "capacity_block" else ""
    number = Number(f"price of {m.name}{elsewhere}", price, "USD/h")
    return Fact(usd_per_hour(price), number)


def _saving(first: QuotedMachines, second: QuotedMachines) -> Fact:
    before, after = first.usd_per_hour, second.usd_per_hour
    if before is None or after is None:
        missing = first if before is None else second
        return Fact(f"not comparable: {missing.name} has no price")
    percent = 100 * (1 - after / before)
    name = f"saving of {second.name} against {first.name}"
    words = f"{abs(percent):.0f} % {'less' if percent >= 0 else 'more'}"
    return Fact(words, Number(name, percent, "%"))


def _memory_fact(m: QuotedMachines) -> Fact:
    return _memory_of(m, m.devices)


def _memory_each(m: QuotedMachines) -> Fact:
    return _memory_of(m, 1)


def _memory_of(m: QuotedMachines, devices: int) -> Fact:
    each = m.accelerator.mem_gib_usable if m.accelerator else None
    if each is None:
        return Fact("memory not known")
    total = each * devices
    number = Number(f"accelerator memory of {m.name}", total, "GiB")
    return Fact(f"{_trimmed_number(total)} GiB", number)


def _ram(m: QuotedMachines) -> Fact:
    total = m.instance.host_mem_gib * m.number
    return Fact(f"{_trimmed_number(total)} GiB", Number(f"host memory of {m.name}", total, "GiB"))


def _device_fact(m: QuotedMachines) -> Fact:
    if m.accelerator is None:
        return Fact("no accelerator")
    return Fact(f"{m.devices} × {device_name(m.accelerator)}")


def device_name(accelerator: Accelerator) -> str:
    """Return what people call the chip: its marketed name without the form factor."""
    return accelerator.marketed_name.split(" (", maxsplit=1)[0]


def dense_16_bit_tflops(accelerator: Accelerator | None) -> float | None:
    """Return dense bf16 TFLOPS, fp16 where the chip has no bf16. None where unknown."""
    if accelerator is None:
        return None
    return accelerator.tflops_bf16 or accelerator.tflops_fp16


def _tflops_fact(m: QuotedMachines) -> Fact:
    return _tflops_of(m, m.devices)


def _tflops_each(m: QuotedMachines) -> Fact:
    return _tflops_of(m, 1)


def _tflops_of(m: QuotedMachines, devices: int) -> Fact:
    each = dense_16_bit_tflops(m.accelerator)
    if each is None or m.accelerator is None:
        return Fact("TFLOPS not known")
    kind = "bf16" if m.accelerator.tflops_bf16 else "fp16"
    number = Number(f"dense {kind} of {m.name}", each * devices, "TFLOPS")
    return Fact(f"{each * devices:,.0f} dense {kind} TFLOPS", number)


def _bandwidth_each(m: QuotedMachines) -> Fact:
    if m.accelerator is None:
        return Fact("bandwidth not known")
    value = m.accelerator.mem_bw_gb_s
    return Fact(f"{value:,.0f} GB/s", Number(f"memory bandwidth of {m.name}", value, "GB/s"))


def _ratio_tflops(first: QuotedMachines, second: QuotedMachines) -> Fact:
    return _ratio(_tflops_fact(first).number, _tflops_fact(second).number, "dense 16-bit FLOPS")


def _ratio_tflops_each(first: QuotedMachines, second: QuotedMachines) -> Fact:
    return _ratio(_tflops_each(first).number, _tflops_each(second).number, "FLOPS a chip")


def _ratio_bandwidth(first: QuotedMachines, second: QuotedMachines) -> Fact:
    return _ratio(_bandwidth_each(first).number, _bandwidth_each(second).number, "bandwidth")


def _ratio(first: Number | None, second: Number | None, name: str) -> Fact:
    if first is None or second is None:
        return Fact("not comparable")
    ratio = first.value / second.value
    return Fact(f"{ratio:.2f}x", Number(f"ratio of {name}", ratio, "x"))


def _per_usd(m: QuotedMachines) -> Fact:
    each, price = dense_16_bit_tflops(m.accelerator), m.usd_per_hour
    if each is None or price is None:
        return Fact("not known")
    value = each * m.devices / price
    number = Number(f"dense 16-bit of {m.name} for the money", value, "TFLOPS per USD/h")
    return Fact(f"{value:.0f} TFLOPS per $/h", number)


def _network_fact(m: QuotedMachines) -> Fact:
    gbps = m.instance.network_gbps
    if gbps is None:
        return Fact(m.instance.network_text or "network not known")
    return Fact(f"{gbps:,.0f} Gbps", Number(f"network of {m.name}", gbps, "Gbps"))


def _regions_fact(m: QuotedMachines) -> Fact:
    regions = m.instance.regions
    if not regions:
        return Fact("no region")
    if len(regions) <= 2:
        return Fact(" and ".join(regions))
    return Fact(f"{len(regions)} regions")


def status_of(catalog: Catalog, family: str) -> str:
    """Return where a family stands in its life: its row's words, else what the API flags.

    Raises:
        LookupError: where the catalog has no such family.
    """
    types = [i for i in catalog.instances.values() if i.family == family]
    known = catalog.families.get(family)
    if known is not None and known.lifecycle:
        return known.lifecycle
    if not types:
        msg = f"no family called {family!r}"
        raise LookupError(msg)
    if all(not i.regions for i in types):
        return "offered in no region"
    return "current" if any(i.current_generation for i in types) else "previous generation"


def _trimmed_number(value: float) -> str:
    return f"{value:,.2f}".rstrip("0").rstrip(".") if value < 100 else f"{value:,.0f}"


ABOUT_MACHINES: Mapping[str, Callable[..., Fact]] = MappingProxyType(
    {
        "price": _price_fact,
        "saving": _saving,
        "mem": _memory_fact,
        "mem1": _memory_each,
        "ram": _ram,
        "device": _device_fact,
        "tflops": _tflops_fact,
        "tflops1": _tflops_each,
        "bw1": _bandwidth_each,
        "ratio_tflops": _ratio_tflops,
        "ratio_tflops1": _ratio_tflops_each,
        "ratio_bw": _ratio_bandwidth,
        "per_usd": _per_usd,
        "network": _network_fact,
        "regions": _regions_fact,
    }
)
PRICED = frozenset({"price", "saving", "per_usd"})
