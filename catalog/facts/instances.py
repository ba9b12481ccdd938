"""Instance types as they are: the API's list, the family's common facts, then the corrections."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

from catalog.facts.errors import CatalogError
from catalog.facts.rows import cell_check, column_types
from catalog.facts.schema import Family, Instance
from catalog.facts.source_rows import ListedInstance, Overlay

OVERLAYS = "instance_overlays.csv"
NOT_CORRECTABLE = {"instance_type", "family", "source"}


def family_name(instance_type: str) -> str:
    """Return the family of an instance type: `g6e` of `g6e.xlarge`."""
    return instance_type.partition(".")[0]


def series_name(family: str) -> str:
    """Return the series of a family, its letters and generation: `p4` of `p4de`, `p6` of `p6-b200`.

    https://docs.aws.amazon.com/ec2/latest/instancetypes/instance-type-names.html
    """
    letters = family.rstrip("-").partition("-")[0]
    end = next((i for i, sign in enumerate(letters) if sign.isdigit()), len(letters))
    while end < len(letters) and letters[end].isdigit():
        end += 1
    return letters[:end]


def as_instance(row: ListedInstance, family: Family) -> Instance:
    """Return the instance as the API lists it, with its family's facts."""
    return Instance(
        instance_type=row.instance_type,
        family=family.family,
        arch=row.arch,
        vcpus=row.vcpus,
        cores=row.cores,
        host_mem_gib=row.host_mem_gib,
        network_gbps=row.network_gbps,
        network_text=row.network_text,
        efa=row.efa_interfaces > 0,
        efa_interfaces=row.efa_interfaces,
        local_nvme_gb=row.local_nvme_gb,
        accelerator_id=family.accelerator_id,
        accelerators=row.accelerators,
        current_generation=row.current_generation,
        bare_metal=row.bare_metal,
        burstable=row.burstable,
        hypervisor=row.hypervisor,
        lifecycle=family.lifecycle,
        eol=family.eol,
        quota_code_on_demand=family.quota_code_on_demand,
        quota_code_spot=family.quota_code_spot,
        capacity_block="capacity-block" in row.usage_classes,
        on_demand_sold="on-demand" in row.usage_classes,
        spot_sold="spot" in row.usage_classes,
        regions=row.regions,
        source=row.source,
        rare_on_spot=family.rare_on_spot,
        ultra_server=family.ultra_server,
    )


def corrected(
    instances: Mapping[str, Instance], overlays: Sequence[tuple[int, Overlay]]
) -> dict[str, Instance]:
    """Return the instances with every overlay row applied, in file order.

    Raises:
        CatalogError: for a row that names an unknown type or field, or that changes nothing.
    """
    found = dict(instances)
    for number, overlay in overlays:
        instance = found.get(overlay.instance_type)
        if instance is None:
            raise CatalogError(
                OVERLAYS,
                number,
                f"instance type {overlay.instance_type!r} is in no list",
                "correct the name, or add the type to unlisted_instances.csv",
            )
        value = _overlay_value(number, overlay)
        if getattr(instance, overlay.field) == value:
            raise CatalogError(
                OVERLAYS,
                number,
                f"{overlay.instance_type} already has {overlay.field} {overlay.value!r}",
                "delete the row: the list has caught up",
            )
        found[overlay.instance_type] = replace(instance, **{overlay.field: value})
    return found


def _overlay_value(number: int, overlay: Overlay) -> Any:  # noqa: ANN401 - the type of any field
    hints = column_types(Instance)
    names = {field.name for field in fields(Instance)} - NOT_CORRECTABLE
    if overlay.field not in names:
        raise CatalogError(
            OVERLAYS,
            number,
            f"field {overlay.field!r} cannot be corrected",
            f"the fields are {', '.join(sorted(names))}",
        )
    try:
        return cell_check(hints[overlay.field])(overlay.value)
    except ValueError:
        raise CatalogError(
            OVERLAYS,
            number,
            f"value {overlay.value!r} is none for {overlay.field}",
            "write it as the instance field's type wants it (yes or no for a truth value)",
        ) from None
