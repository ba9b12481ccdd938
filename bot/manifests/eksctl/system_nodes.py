"""Nodes without a taint, for what tolerates none: DNS, controllers, Prometheus, charts."""

from math import inf

from catalog.catalog import Catalog
from catalog.facts.schema import Instance

SYSTEM_VCPUS, SYSTEM_GIB = 2, 8.0


def system_type(region: str, catalog: Catalog) -> str | None:
    """Return the cheapest steady x86 type of 2 vCPUs and 8 GiB that a region offers; None: none.

    Where no price in USD is known of any (China), the first by name.
    """
    named = [
        (catalog.prices.quote(instance, region).usd_per_hour or inf, instance.instance_type)
        for instance in catalog.instances.values()
        if _is_plain(instance) and region in instance.regions
    ]
    return min(named)[1] if named else None


def _is_plain(instance: Instance) -> bool:
    return (
        instance.vcpus == SYSTEM_VCPUS
        and SYSTEM_GIB <= instance.host_mem_gib < 2 * SYSTEM_GIB
        and instance.arch == "x86_64"
        and not (instance.accelerators or instance.burstable or instance.bare_metal or instance.eol)
        and instance.current_generation
        and instance.local_nvme_gb == 0
    )
