"""The small tables that a few questions ask for: every row sound, and what answers rely on."""

import warnings
from datetime import UTC, date, datetime

import pytest

from catalog.facts.rows import keyed, read_rows
from catalog.load import DATA_DIR
from catalog.reference import (
    FILES,
    checkpoint_rows,
    exchange_rates,
    glossary,
    machine_images,
    retired_families,
    server_facts,
    service_quotas,
    start_figures,
    tool_versions,
    ultra_servers,
)

LOADED = {
    "glossary.csv": glossary,
    "amis.csv": lambda: tuple(machine_images().values()),
    "exchange_rates.csv": lambda: tuple(exchange_rates().values()),
    "quotas.csv": lambda: tuple(service_quotas().values()),
    "servers.csv": lambda: tuple(server_facts().values()),
    "startup.csv": lambda: tuple(start_figures().values()),
    "tools.csv": lambda: tuple(tool_versions().values()),
    "ultraservers.csv": lambda: tuple(ultra_servers().values()),
    "retired.csv": lambda: tuple(retired_families().values()),
    "checkpoints.csv": lambda: tuple(checkpoint_rows().values()),
}
LOOKED_UP_EVERY_DAYS = 120


@pytest.mark.parametrize("file", FILES)
def test_every_row_is_sound_and_loaded_as_it_is(file):
    rows = read_rows(DATA_DIR / file, FILES[file])
    first = next(iter(FILES[file].__dataclass_fields__))
    keys = list(keyed(file, rows, lambda row: getattr(row, first)))
    assert keys == sorted(keys)
    assert tuple(row for _, row in rows) == LOADED[file]()
    assert all("2026-01-01" <= row.as_of <= "2026-11-29" for _, row in rows)


def test_a_name_means_one_term_and_a_definition_is_short():
    names = [name.lower() for row in glossary() for name in (row.term, *row.aliases)]
    assert len(names) == len(set(names))
    assert len(glossary()) >= 45
    assert all(20 < len(row.definition) <= 300 for row in glossary())
    assert not any(row.definition.endswith(".") for row in glossary())


def test_every_image_that_a_type_starts_from_is_known(catalog):
    named = {name for eks in catalog.eks.values() for name in eks.managed_ami_types}
    assert named - {"CUSTOM"} <= machine_images().keys()
    families = {name for image in machine_images().values() for name in image.families}
    assert families <= catalog.families.keys()


def test_every_quota_has_its_name(catalog):
    codes = {i.quota_code_on_demand for i in catalog.instances.values()}
    codes |= {i.quota_code_spot for i in catalog.instances.values()}
    assert codes - {None} <= service_quotas().keys()


def test_a_figure_of_a_start_lies_within_its_bounds():
    assert all(row.low <= row.value <= row.high for row in start_figures().values())


def test_releases_are_looked_up_again_every_few_months():
    """Warns, and never fails: docs/manifests.md says where each is looked up."""
    today = datetime.now(tz=UTC).date()
    for row in tool_versions().values():
        days = (today - date.fromisoformat(row.as_of)).days
        if days > LOOKED_UP_EVERY_DAYS:
            warnings.warn(f"{row.tool} was looked up {days} days ago", stacklevel=1)
        if row.end_of_patch and row.end_of_patch < today.isoformat():
            warnings.warn(f"{row.tool} got its last patch on {row.end_of_patch}", stacklevel=1)


def test_a_family_is_new_in_one_release_of_eksctl(catalog):
    known = [
        family
        for row in tool_versions().values()
        if row.reference == "eksctl"
        for family in row.knows
        if family not in {"any", "accelerated"}
    ]
    assert len(known) == len(set(known))
    assert set(known) <= catalog.families.keys()


def test_the_models_that_an_image_serves_are_models(catalog):
    assert set(tool_versions()["image-vllm-omni"].knows) <= catalog.models.keys()


def test_the_bounds_of_a_histogram_rise():
    for row in server_facts().values():
        for bounds in (row.first_token_bounds, row.per_token_bounds, row.whole_bounds):
            numbers = [float(bound) for bound in bounds]
            assert numbers == sorted(set(numbers)), row.engine


def test_an_ultraserver_is_made_of_a_known_type(catalog):
    for row in ultra_servers().values():
        assert row.instance_type in catalog.instances
        assert row.machines > 1
