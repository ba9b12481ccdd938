"""What a word of the guides means today: the types it covers, and families side by side."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from statistics import median
from types import MappingProxyType

from catalog.catalog import Catalog
from catalog.facts.schema import Instance, Quote
from catalog.guides.guide_rows import Definition
from catalog.guides.guides import family_letters
from engine.guides.guide_facts import (
    cheapest_block,
    dense_16_bit_tflops,
    device_name,
    price_note,
    status_of,
    usd_per_hour,
)

Select = Callable[[Catalog, Instance, tuple[str, ...]], bool]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Families side by side: one row a figure, one cell a family."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str  # where the prices are from


def members(catalog: Catalog, select: str) -> list[Instance]:
    """Return the types a definition covers that are sold today, by name; empty for a mere word.

    `select` is a rule of `RULES` with its arguments: `letters c`, `vendor nvidia`.
    """
    rule, *arguments = select.split() or [""]
    if not rule:
        return []
    covers = RULES[rule]
    return sorted(
        (
            i
            for i in catalog.instances.values()
            if i.regions and not i.eol and covers(catalog, i, tuple(arguments))
        ),
        key=lambda i: i.instance_type,
    )


def _has_letters(_: Catalog, instance: Instance, letters: tuple[str, ...]) -> bool:
    return family_letters(instance.family) in letters


def _is_of_vendor(catalog: Catalog, instance: Instance, vendors: tuple[str, ...]) -> bool:
    chip = catalog.accelerators.get(instance.accelerator_id or "")
    return chip is not None and chip.vendor in vendors


def _chip(_: Catalog, instance: Instance, names: tuple[str, ...]) -> bool:
    return (instance.accelerator_id or "").startswith(names)


RULES: Mapping[str, Select] = MappingProxyType(
    {
        "any": lambda _, __, ___: True,
        "letters": _has_letters,
        "vendor": _is_of_vendor,
        "chip": _chip,
        "accelerated": lambda _, i, __: i.accelerator_id is not None,
        "cpu": lambda _, i, __: i.accelerator_id is None,
        "arm64": lambda _, i, __: i.arch == "arm64" and i.accelerator_id is None,
    }
)


def defined(definition: Definition, catalog: Catalog, region: str) -> str:
    """Return the definition, a guide's cited, and what it covers in today's catalog with prices."""
    term = definition.term
    name = term if not term.islower() or any(map(str.isdigit, term)) else term.capitalize()
    parts = [
        f"{name}: {definition.definition}.",
        f"Guide {definition.document}, line {definition.line}." if definition.document else "",
        covered(members(catalog, definition.select), catalog, region),
    ]
    return " ".join(part for part in parts if part)


def covered(types: Iterable[Instance], catalog: Catalog, region: str) -> str:
    """Return how many types and families these are, the families and the cheapest with its price.

    Empty text for no types.
    """
    known = list(types)
    if not known:
        return ""
    current = [i for i in known if i.current_generation] or known
    families = sorted({i.family for i in current}, key=_newest_first)
    shown = ", ".join(families[:8]) + (" …" if len(families) > 8 else "")
    counted = f"Today {len(known)} types, current families {shown}."
    ratio = median(i.host_mem_gib / i.vcpus for i in known)
    host = f" Host memory {ratio:.0f} GiB a vCPU at the median."
    priced = _cheapest(current, catalog, region)
    if priced is None:
        return f"{counted}{host}"
    instance, quote = priced
    price = usd_per_hour(quote.usd_per_hour or 0.0)
    return f"{counted}{host} Cheapest: {instance.instance_type} {price}. {price_note([quote])}"


def _newest_first(family: str) -> tuple[int, str]:
    numbers = "".join(c if c.isdigit() else " " for c in family).split()
    return (-int(numbers[0]) if numbers else 0, family)


def _cheapest(
    types: Iterable[Instance], catalog: Catalog, region: str
) -> tuple[Instance, Quote] | None:
    """Return the cheapest type on demand, else as a capacity block; None where none is priced."""
    quotes = [(i, catalog.prices.quote(i, region)) for i in types]
    if all(q.usd_per_hour is None for _, q in quotes):
        quotes = [(i, cheapest_block(catalog, i, region)) for i, _ in quotes]
    priced = [(q.usd_per_hour, i.instance_type, i, q) for i, q in quotes if q.usd_per_hour]
    return min(priced, key=lambda found: found[:2])[2:] if priced else None


def compared(families: tuple[str, ...], catalog: Catalog, region: str) -> Comparison:
    """Return the families side by side: hardware, memory, bandwidth, FLOPS, price, status."""
    types = {
        family: sorted(
            (i for i in catalog.instances.values() if i.family == family),
            key=lambda i: (i.accelerators, i.vcpus, i.instance_type),
        )
        for family in families
    }
    priced = {family: _cheapest(types[family], catalog, region) for family in families}
    rows = [(name, *(cell(catalog, f, types[f]) for f in families)) for name, cell in CELLS]
    rows.insert(1, ("cheapest size", *(_price_cell(priced[family]) for family in families)))
    quotes = [found[1] for found in priced.values() if found is not None]
    return Comparison(("", *families), tuple(rows), price_note(quotes))


def _price_cell(priced: tuple[Instance, Quote] | None) -> str:
    if priced is None:
        return "no price"
    instance, quote = priced
    market = "" if quote.market == "on_demand" else f", {quote.market.replace('_', ' ')}"
    price = usd_per_hour(quote.usd_per_hour or 0.0)
    return f"{instance.instance_type} {price}{market}"


def _hardware(catalog: Catalog, family: str, types: list[Instance]) -> str:
    chip = catalog.accelerators.get(types[0].accelerator_id or "")
    if chip is not None:
        return f"{device_name(chip)} ({chip.year})"
    cpu = catalog.cpus.get(family)
    return f"{cpu.model}, {cpu.arch}" if cpu is not None else types[0].arch


def _device_counts(_: Catalog, __: str, types: list[Instance]) -> str:
    if types[0].accelerator_id is None:
        return f"{types[0].vcpus} to {types[-1].vcpus} vCPU"
    counts = sorted({i.accelerators for i in types})
    return ", ".join(map(str, counts))


def _family_memory(catalog: Catalog, _: str, types: list[Instance]) -> str:
    chip = catalog.accelerators.get(types[0].accelerator_id or "")
    if chip is None:
        return f"{types[0].host_mem_gib:,.0f} to {types[-1].host_mem_gib:,.0f} GiB of host"
    if chip.mem_gib_usable is None:
        return f"{chip.mem_gb_marketed:g} GB marketed"
    most = chip.mem_gib_usable * max(i.accelerators for i in types)
    return f"{chip.mem_gib_usable:g} GiB each, up to {most:,.0f} GiB"


def _family_bandwidth(catalog: Catalog, family: str, types: list[Instance]) -> str:
    chip = catalog.accelerators.get(types[0].accelerator_id or "")
    if chip is not None:
        return f"{chip.mem_bw_gb_s:,.0f} GB/s each"
    cpu = catalog.cpus.get(family)
    return f"{cpu.socket_bw_gb_s:,.0f} GB/s a socket" if cpu is not None else "not known"


def _flops(catalog: Catalog, family: str, types: list[Instance]) -> str:
    chip = catalog.accelerators.get(types[0].accelerator_id or "")
    if chip is not None:
        each = dense_16_bit_tflops(chip)
        fp8 = f", fp8 {chip.tflops_fp8:,.0f}" if chip.tflops_fp8 else ""
        return f"{each:,.0f} TFLOPS each{fp8}" if each else "not known"
    cpu = catalog.cpus.get(family)
    if cpu is None:
        return "not known"
    kind, each = (
        ("bf16", cpu.bf16_gflops_per_core)
        if cpu.bf16_gflops_per_core
        else ("fp32", cpu.fp32_gflops_per_core)
    )
    return f"{each:,.0f} {kind} GFLOPS a core"


def _link(catalog: Catalog, _: str, types: list[Instance]) -> str:
    chip = catalog.accelerators.get(types[0].accelerator_id or "")
    return "-" if chip is None else chip.link.replace("_", " ")


def _family_network(_: Catalog, __: str, types: list[Instance]) -> str:
    known = [i.network_gbps for i in types if i.network_gbps is not None]
    efa = " with EFA" if any(i.efa for i in types) else ""
    return f"up to {max(known):,.0f} Gbps{efa}" if known else "not known"


def _region_count(_: Catalog, __: str, types: list[Instance]) -> str:
    return str(len({region for i in types for region in i.regions}))


def _status(catalog: Catalog, family: str, _: list[Instance]) -> str:
    return status_of(catalog, family)


def _software(catalog: Catalog, family: str, types: list[Instance]) -> str:
    chip = catalog.accelerators.get(types[0].accelerator_id or "")
    if catalog.families[family].kind == "cpu" or chip is None:
        return SOFTWARE["cpu"]
    return SOFTWARE.get(chip.vendor, SOFTWARE["cpu"])


SOFTWARE: Mapping[str, str] = {
    "aws": "Neuron, compiled ahead of time",
    "nvidia": "CUDA",
    "amd": "ROCm",
    "cpu": "any CPU runtime",
}
CELLS: tuple[tuple[str, Callable[[Catalog, str, list[Instance]], str]], ...] = (
    ("hardware", _hardware),
    ("devices", _device_counts),
    ("memory", _family_memory),
    ("bandwidth", _family_bandwidth),
    ("dense 16-bit", _flops),
    ("link", _link),
    ("network", _family_network),
    ("software", _software),
    ("regions", _region_count),
    ("status", _status),
)
