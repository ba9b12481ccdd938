"""The catalog built from its data files, with every check; at run time `catalog.load` is faster."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from catalog.catalog import Catalog
from catalog.facts.errors import CatalogError
from catalog.facts.instances import OVERLAYS, as_instance, corrected, family_name
from catalog.facts.rows import keyed, read_rows
from catalog.facts.schema import (
    Accelerator,
    Cpu,
    CpuPower,
    EksType,
    Endpoint,
    Evidence,
    Family,
    Grid,
    Instance,
    InstanceGroup,
    Model,
    ModelFamily,
    ModelVariant,
    Quote,
    Region,
    Stack,
    UseCase,
)
from catalog.facts.source_rows import ListedInstance, OtherPriceRow, Overlay, PriceRow
from catalog.huggingface.traits import Traits
from catalog.names import name_index
from catalog.prices.prices import PriceKey, Prices, published_quote

VARIANTS = "model_variants.csv"
VARIANT_COLUMNS = [one.name for one in fields(ModelVariant) if one.name not in {"source", "as_of"}]
NumberedRows = Sequence[tuple[int, Any]]
EKS_COLUMNS = (
    *("torus", "pods_by_core", "eksctl_refusal", "eksctl_efa_layout"),
    *("karpenter_refusal", "karpenter_counts"),
)
FAMILY_COLUMNS = (
    "neuron_inference",
    "neuron_archived",
    "neuron_training",
    "neuron_trains_experts",
    "recipe_lora_rank",
    "vision_profile_gib",
    "fp16_overflows",
)


def read_catalog(data_dir: Path) -> Catalog:
    """Return the catalog that the CSV files of a folder describe.

    Raises:
        CatalogError: for the first row that is wrong, with file, row, value and remedy.
    """
    regions = _by_name(data_dir, "regions.csv", Region, "code")
    accelerators = _by_name(data_dir, "accelerators.csv", Accelerator, "id")
    cpus = _by_name(data_dir, "cpus.csv", Cpu, "family")
    families = _family_rows(data_dir, accelerators, cpus)
    listed = _listed_instances(data_dir, families, regions)
    price_rows = read_rows(data_dir / "prices_ondemand.csv", PriceRow)
    _check_references("prices_ondemand.csv", price_rows, "region", regions, "regions.csv")
    instances = _instances(data_dir, listed, families, price_rows, regions)
    _check_instances(instances, accelerators)
    instances = _with_software(instances, accelerators)
    eks_rows = _eks_types(data_dir, instances, families)
    models = _models(data_dir)
    return Catalog(
        accelerators=accelerators,
        cpus=cpus,
        instances=instances,
        models=keyed("models.csv", models, lambda row: row.id),
        regions=regions,
        prices=_snapshot_prices(data_dir, price_rows, listed, regions),
        as_of=max(row.as_of for row in listed.values()),
        model_names=_model_names(models),
        families=families,
        eks=keyed("eks.csv", eks_rows, lambda row: row.instance_type),
        region_names=_region_names(data_dir),
        grids=_grids(data_dir, regions),
        cpu_powers=_cpu_powers(data_dir, cpus),
        groups=_by_name(data_dir, "groups.csv", InstanceGroup, "word"),
        endpoints=_endpoints(data_dir, regions),
        architectures=_by_name(data_dir, "architectures.csv", Traits, "model_type"),
        use_cases=_use_cases(data_dir),
        stacks=_stacks(data_dir, accelerators, families),
        evidence=_evidence(data_dir, accelerators),
    )


def _eks_types(
    data_dir: Path, instances: Mapping[str, Instance], families: Mapping[str, Family]
) -> list[tuple[int, EksType]]:
    """Return what Kubernetes must know of each type, with what its family's row says of all."""
    rows = read_rows(data_dir / "eks.csv", EksType, constant=dict.fromkeys(EKS_COLUMNS))
    _check_references("eks.csv", rows, "instance_type", instances, "instances.csv")
    said = {
        name: {column: getattr(family, column) for column in EKS_COLUMNS}
        for name, family in families.items()
    }
    return [(n, replace(row, **said[family_name(row.instance_type)])) for n, row in rows]


def _models(data_dir: Path) -> list[tuple[int, Model]]:
    """Return the models, each with what its family's row says of all its models."""
    families = _by_name(data_dir, "model_families.csv", ModelFamily, "family")
    constant = dict.fromkeys(FAMILY_COLUMNS) | {"typical": False, "shape_of": None}
    rows = read_rows(data_dir / "models.csv", Model, constant=constant)
    _check_references("models.csv", rows, "family", families, "model_families.csv")
    said = {
        name: {column: getattr(family, column) for column in FAMILY_COLUMNS}
        for name, family in families.items()
    }
    models = [(number, replace(row, **said[row.family])) for number, row in rows]
    return [*models, *_variants(data_dir, keyed("models.csv", models, lambda row: row.id))]


def _variants(data_dir: Path, models: Mapping[str, Model]) -> list[tuple[int, Model]]:
    """Return the further checkpoints of the models' shapes."""
    rows = read_rows(data_dir / VARIANTS, ModelVariant)
    _check_references(VARIANTS, rows, "shape_of", models, "models.csv")
    return [(number, _variant(row, models[row.shape_of])) for number, row in rows]


def _variant(row: ModelVariant, shape: Model) -> Model:
    """Return a checkpoint: its shape's model, but for what its own row says."""
    own = {name: getattr(row, name) for name in VARIANT_COLUMNS}
    said = {name: value for name, value in own.items() if value is not None}
    if row.total_params_b is not None:  # what differs in size is computed with as well
        active_b = shape.active_params_b + row.total_params_b - shape.total_params_b
        said["active_params_b"] = active_b
    return replace(shape, stands_for=None, source=f"{row.source} ({row.as_of})", **said)


def _endpoints(data_dir: Path, regions: Mapping[str, Region]) -> dict[str, Endpoint]:
    rows = read_rows(data_dir / "endpoints.csv", Endpoint)
    for number, row in rows:
        _check_regions("endpoints.csv", number, row.regions, regions)
    return keyed("endpoints.csv", rows, lambda row: row.service)


def _grids(data_dir: Path, regions: Mapping[str, Region]) -> dict[str, Grid]:
    rows = read_rows(data_dir / "grid.csv", Grid)
    _check_references("grid.csv", rows, "region", regions, "regions.csv")
    return keyed("grid.csv", rows, lambda row: row.region)


def _cpu_powers(data_dir: Path, cpus: Mapping[str, Cpu]) -> dict[str, CpuPower]:
    rows = read_rows(data_dir / "cpu_power.csv", CpuPower)
    designs = {cpu.microarchitecture: cpu for cpu in cpus.values()}
    _check_references("cpu_power.csv", rows, "microarchitecture", designs, "cpus.csv")
    return keyed("cpu_power.csv", rows, lambda row: row.microarchitecture)


def _use_cases(data_dir: Path) -> dict[str, UseCase]:
    """Return the use cases; a word names one of them, a kind of model is usual for one."""
    rows = read_rows(data_dir / "use_cases.csv", UseCase)
    for column in ("words", "usual_for"):
        _names("use_cases.csv", ((n, row.use_case, getattr(row, column)) for n, row in rows))
    return keyed("use_cases.csv", rows, lambda row: row.use_case)


def _stacks(
    data_dir: Path, accelerators: Mapping[str, Accelerator], families: Mapping[str, Family]
) -> dict[str, Stack]:
    """Return what software there is, each for hardware that some table knows."""
    rows = read_rows(data_dir / "stacks.csv", Stack)
    groups = _by_name(data_dir, "groups.csv", InstanceGroup, "word")
    known = {**groups, **accelerators, **families}
    _check_references("stacks.csv", rows, "hardware", known, "groups, accelerators or families.csv")
    return keyed("stacks.csv", rows, lambda row: row.stack)


def _evidence(data_dir: Path, accelerators: Mapping[str, Accelerator]) -> dict[str, Evidence]:
    rows = read_rows(data_dir / "evidence.csv", Evidence)
    _check_references("evidence.csv", rows, "hardware", accelerators, "accelerators.csv")
    return keyed("evidence.csv", rows, lambda row: row.hardware)


def _by_name(data_dir: Path, file: str, row_type: type[Any], key: str) -> dict[str, Any]:
    return keyed(file, read_rows(data_dir / file, row_type), lambda row: getattr(row, key))


def _family_rows(
    data_dir: Path, accelerators: Mapping[str, Accelerator], cpus: Mapping[str, Cpu]
) -> dict[str, Family]:
    rows = read_rows(data_dir / "families.csv", Family)
    with_chip = [(number, row) for number, row in rows if row.accelerator_id is not None]
    _check_references("families.csv", with_chip, "accelerator_id", accelerators, "accelerators.csv")
    with_cpu = [(number, row) for number, row in rows if row.cpu_family is not None]
    _check_references("families.csv", with_cpu, "cpu_family", cpus, "cpus.csv")
    for number, row in rows:
        if (row.ultra_server is None) != (row.ultra_server_machines is None):
            raise CatalogError(
                "families.csv",
                number,
                f"ultra_server {row.ultra_server!r} of {row.ultra_server_machines} machines",
                "fill in ultra_server and ultra_server_machines, or neither",
            )
    return keyed("families.csv", rows, lambda row: row.family)


def _listed_instances(
    data_dir: Path, families: Mapping[str, Family], regions: Mapping[str, Region]
) -> dict[str, ListedInstance]:
    found: dict[str, ListedInstance] = {}
    for file in ("instances.csv", "unlisted_instances.csv"):
        rows = read_rows(data_dir / file, ListedInstance)
        for number, row in rows:
            _check_listed(file, number, row, families, regions)
            if row.instance_type in found:
                raise CatalogError(
                    file, number, f"{row.instance_type!r} is listed twice", "keep one of the rows"
                )
            found[row.instance_type] = row
    return found


def _check_listed(
    file: str,
    number: int,
    row: ListedInstance,
    families: Mapping[str, Family],
    regions: Mapping[str, Region],
) -> None:
    if family_name(row.instance_type) not in families:
        raise CatalogError(
            file,
            number,
            f"family of {row.instance_type!r} is not in families.csv",
            "add the family there, with its accelerator and quota codes",
        )
    _check_regions(file, number, row.regions, regions)


def _check_regions(
    file: str, number: int, codes: Iterable[str], regions: Mapping[str, Region]
) -> None:
    for region in codes:
        if region not in regions:
            raise CatalogError(
                file, number, f"region {region!r} is not in regions.csv", "add the region there"
            )


def _instances(
    data_dir: Path,
    listed: Mapping[str, ListedInstance],
    families: Mapping[str, Family],
    price_rows: NumberedRows,
    regions: Mapping[str, Region],
) -> dict[str, Instance]:
    rows = read_rows(data_dir / OVERLAYS, Overlay)
    keyed(OVERLAYS, rows, lambda row: (row.instance_type, row.field))
    api = {name: as_instance(row, families[family_name(name)]) for name, row in listed.items()}
    offered = _offered_by_price(price_rows, _listed_regions(listed), regions)
    return {
        name: _offered_also(instance, offered.get(name, ()))
        for name, instance in sorted(corrected(api, rows).items())
    }


def _with_software(
    instances: Mapping[str, Instance], accelerators: Mapping[str, Accelerator]
) -> dict[str, Instance]:
    own = {chip.id for chip in accelerators.values() if chip.vendor == "aws"}
    return {
        name: replace(instance, neuron=instance.accelerator_id in own)
        for name, instance in instances.items()
    }


def _listed_regions(listed: Mapping[str, ListedInstance]) -> frozenset[str]:
    return frozenset(region for row in listed.values() for region in row.regions)


def _offered_by_price(
    price_rows: NumberedRows, listed_regions: frozenset[str], regions: Mapping[str, Region]
) -> dict[str, list[str]]:
    """Return, by type, the regions whose offerings nobody listed but whose price list has it."""
    found: dict[str, list[str]] = {}
    for _, row in price_rows:
        unlisted = row.region not in listed_regions
        if unlisted and regions[row.region].location_type == "region":
            found.setdefault(row.instance_type, []).append(row.region)
    return found


def _offered_also(instance: Instance, more: Iterable[str]) -> Instance:
    regions = tuple(sorted({*instance.regions, *more})) if not instance.eol else instance.regions
    return replace(instance, regions=regions)


def _check_instances(
    instances: Mapping[str, Instance], accelerators: Mapping[str, Accelerator]
) -> None:
    for instance in instances.values():
        problem = None
        if instance.accelerator_id is not None and instance.accelerator_id not in accelerators:
            problem = f"accelerator {instance.accelerator_id!r} is not in accelerators.csv"
        elif (instance.accelerator_id is None) != (instance.accelerators == 0):
            problem = f"{instance.accelerators} accelerators of {instance.accelerator_id or 'none'}"
        if problem:
            raise CatalogError(
                "instances.csv",
                None,
                f"{instance.instance_type}: {problem}",
                "correct its family in families.csv or add a row to instance_overlays.csv",
            )


def _check_references(
    file: str, rows: NumberedRows, column: str, targets: Mapping[str, object], target_file: str
) -> None:
    for number, row in rows:
        value = getattr(row, column)
        if value not in targets:
            raise CatalogError(
                file,
                number,
                f"{column} {value!r} is not in {target_file}",
                f"correct it, or add it to {target_file}",
            )


def _names(file: str, named: Iterable[tuple[int, str, Iterable[str]]]) -> dict[str, str]:
    """Return every name, lower case, with the id it means; a name may mean one thing only."""
    found: dict[str, str] = {}
    for number, identity, names in named:
        for name in names:
            other = found.setdefault(name.lower(), identity)
            if other != identity:
                raise CatalogError(
                    file,
                    number,
                    f"the name {name!r} already means {other!r}",
                    "keep it on one of the two rows",
                )
    return found


def _model_names(models: Sequence[tuple[int, Model]]) -> dict[str, str]:
    """Return every id and alias, then every name that resolves to one once it is normalised."""
    told = _names("models.csv", ((n, m.id, (m.id, *m.aliases)) for n, m in models))
    published = [(m.hf_repo, m.id) for _, m in models if m.hf_repo]
    return name_index([*told.items(), *published]) | told


def _region_names(data_dir: Path) -> dict[str, str]:
    rows = read_rows(data_dir / "regions.csv", Region)
    return _names("regions.csv", ((n, row.code, (row.code, *row.nicknames)) for n, row in rows))


def _snapshot_prices(
    data_dir: Path,
    price_rows: NumberedRows,
    listed: Mapping[str, ListedInstance],
    regions: Mapping[str, Region],
) -> Prices:
    other_rows = read_rows(data_dir / "prices_other.csv", OtherPriceRow)
    _check_references("prices_other.csv", other_rows, "region", regions, "regions.csv")
    _check_references("prices_other.csv", other_rows, "instance_type", listed, "instances.csv")
    on_demand = keyed(
        "prices_ondemand.csv", price_rows, lambda row: (row.region, row.instance_type)
    )
    other = keyed(
        "prices_other.csv",
        other_rows,
        lambda row: (row.market, row.region, row.instance_type, row.term_years),
    )
    return Prices(
        on_demand={key: _published(("on_demand", *key), row) for key, row in on_demand.items()},
        other={key[:3]: _published(key[:3], row) for key, row in other.items() if key[3] != "3"},
        three_year={
            key[:3]: _published(key[:3], row) for key, row in other.items() if key[3] == "3"
        },
        listed_regions=_listed_regions(listed),
    )


def _published(key: PriceKey, row: PriceRow | OtherPriceRow) -> Quote:
    return published_quote(
        key,
        row.price_per_hour,
        row.currency,
        as_of=row.as_of,
        source=row.source,
        note=row.note if isinstance(row, OtherPriceRow) else "",
    )
