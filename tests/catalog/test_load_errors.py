"""Every kind of mistake in a data file stops loading and says file, row, value and remedy."""

import pytest

from catalog.compiled import load_compiled
from catalog.facts.errors import CatalogError
from catalog.sources import read_catalog
from tests.catalog.small_data import read, write, write_small_data


@pytest.fixture
def folder(tmp_path):
    write_small_data(tmp_path)
    return tmp_path


def test_the_small_folder_loads(folder):
    catalog = read_catalog(folder)
    assert len(catalog.instances) == 5
    assert catalog.instances["g6f.large"].accelerator_id == "L4-1_8"


# file, row (counting the header as 1), (column, new value), parts of the message
CELLS = [
    ("accelerators.csv", 2, ("mem_bw_gb_s", "0"), ["greater than 0", "'0'"]),
    ("accelerators.csv", 2, ("mem_bw_gb_s", "-600"), ["greater than 0"]),
    ("accelerators.csv", 2, ("mem_bw_gb_s", ""), ["leave it blank only where"]),
    ("accelerators.csv", 2, ("mem_bw_gb_s", "fast"), ["valid number", "'fast'"]),
    ("accelerators.csv", 2, ("mem_bw_gb_s", "nan"), ["finite number"]),
    ("accelerators.csv", 2, ("mem_bw_gb_s", "inf"), ["finite number"]),
    ("accelerators.csv", 2, ("vendor", "nvidea"), ["'nvidea'"]),
    ("accelerators.csv", 2, ("native_bf16", "true"), ["write yes or no"]),
    ("accelerators.csv", 2, ("source", ""), ["source"]),
    ("cpus.csv", 2, ("vcpus_per_core", "3"), ["less than or equal to 2"]),
    ("models.csv", 2, ("layers", "12+12"), ["valid integer", "'12+12'"]),
    ("models.csv", 2, ("total_params_b", "0"), ["greater than 0"]),
    ("models.csv", 3, ("aliases", "llama-3-8b"), ["already means 'llama-3-8b'"]),
    ("regions.csv", 4, ("nicknames", "frankfurt"), ["already means"]),
    ("regions.csv", 2, ("location_type", "planet"), ["'planet'"]),
    ("grid.csv", 2, ("region", "us-moon-1"), ["'us-moon-1'", "regions.csv"]),
    ("grid.csv", 2, ("g_co2e_per_kwh", "0"), ["greater than 0"]),
    ("grid.csv", 2, ("basis", "guess"), ["'guess'"]),
    ("families.csv", 3, ("accelerator_id", "A11G"), ["'A11G'", "accelerators.csv"]),
    ("families.csv", 3, ("accelerator_id", ""), ["1 accelerators of none"]),
    ("accelerators.csv", 2, ("mig_profiles", "1g.5gb"), ["String should match"]),
    ("accelerators.csv", 2, ("mig_profiles", "1g.5gb x9"), ["String should match"]),
    ("accelerators.csv", 2, ("min_driver", "0"), ["greater than 0"]),
    ("accelerators.csv", 2, ("measured", "flying"), ["'flying'"]),
    ("accelerators.csv", 2, ("fitted_as", ""), ["fitted_as"]),
    ("architectures.csv", 2, ("defaults", "head_dim: 8"), ["String should match"]),
    ("architectures.csv", 2, ("full_every", "0"), ["greater than 0"]),
    ("endpoints.csv", 2, ("regions", "us-moon-1"), ["'us-moon-1'", "add the region"]),
    ("families.csv", 3, ("kind", ""), ["kind"]),
    ("families.csv", 3, ("capacity_tight", "often"), ["write yes or no"]),
    ("families.csv", 3, ("purpose_built", ""), ["write yes or no"]),
    ("families.csv", 3, ("ultra_server", "u-g5x9"), ["u-g5x9", "ultra_server_machines"]),
    ("groups.csv", 2, ("arch", "arm"), ["'arm'"]),
    ("groups.csv", 2, ("accelerated", "perhaps"), ["'perhaps'"]),
    ("groups.csv", 4, ("word", "graviton"), ["listed twice"]),
    ("model_families.csv", 2, ("neuron_inference", "x"), ["write yes or no"]),
    ("models.csv", 2, ("family", "Llama 9"), ["'Llama 9'", "model_families.csv"]),
    ("models.csv", 2, ("stands_for", "poet"), ["'poet'"]),
    ("evidence.csv", 2, ("hardware", "A11"), ["'A11'", "accelerators.csv"]),
    ("stacks.csv", 2, ("hardware", "moon"), ["'moon'", "groups, accelerators"]),
    ("stacks.csv", 2, ("status", "perhaps"), ["'perhaps'"]),
    ("use_cases.csv", 2, ("active_share", "20 %"), ["active_share"]),
    ("use_cases.csv", 2, ("peak_factor", "0"), ["greater than 0"]),
    ("use_cases.csv", 3, ("words", "chatbot"), ["'chatbot'", "keep it on one"]),
    ("use_cases.csv", 3, ("usual_for", "decoder"), ["'decoder'"]),
    ("use_cases.csv", 3, ("use_case", "chat"), ["listed twice"]),
    ("regions.csv", 2, ("partition", "aws-moon"), ["'aws-moon'"]),
    ("regions.csv", 2, ("usual_rank", "first"), ["valid integer"]),
    ("regions.csv", 2, ("low_priced", "cheap"), ["write yes or no"]),
    ("regions.csv", 2, ("zone_letters", "a"), ["String should match"]),
    ("families.csv", 3, ("rare_on_spot", "rarely"), ["write yes or no"]),
    ("families.csv", 3, ("torus", ""), ["write yes or no"]),
    ("families.csv", 3, ("karpenter_counts", "2"), ["write yes or no"]),
    ("instances.csv", 2, ("regions", "us-moon-1"), ["'us-moon-1'", "add the region"]),
    ("instances.csv", 2, ("vcpus", "0"), ["greater than 0"]),
    ("instances.csv", 2, ("instance_type", "q9.large"), ["families.csv"]),
    ("instances.csv", 3, ("instance_type", "c7i.large"), ["listed twice"]),
    ("unlisted_instances.csv", 2, ("instance_type", "g5.xlarge"), ["listed twice"]),
    ("eks.csv", 2, ("instance_type", "g5.huge"), ["'g5.huge'", "instances.csv"]),
    ("prices_ondemand.csv", 2, ("price_per_hour", "0"), ["greater than 0"]),
    ("prices_ondemand.csv", 2, ("region", "us-moon-1"), ["'us-moon-1'", "regions.csv"]),
    ("prices_ondemand.csv", 2, ("currency", "EUR"), ["'EUR'"]),
    ("prices_other.csv", 2, ("market", "barter"), ["'barter'"]),
    ("prices_other.csv", 2, ("instance_type", "g5.huge"), ["'g5.huge'"]),
    ("instance_overlays.csv", 2, ("instance_type", "g5.huge"), ["'g5.huge'", "unlisted_instances"]),
    ("instance_overlays.csv", 2, ("field", "colour"), ["'colour'", "the fields are"]),
    ("instance_overlays.csv", 4, ("value", "perhaps"), ["'perhaps'", "yes or no"]),
    ("instance_overlays.csv", 4, ("value", "yes"), ["already has", "delete the row"]),
]


@pytest.mark.parametrize(("file", "row", "cell", "parts"), CELLS)
def test_a_wrong_cell_is_named(folder, file, row, cell, parts):
    column, value = cell
    header, rows = read(folder / file)
    rows[row - 2][column] = value
    write(folder / file, header, rows)
    with pytest.raises(CatalogError) as caught:
        read_catalog(folder)
    message = str(caught.value)
    assert all(part in message for part in parts), message
    assert caught.value.remedy in message
    if caught.value.row is not None:
        assert message.startswith(f"{file} row {row}: ")


def _unknown_column(text):
    return text.replace("id,vendor", "id,wheels,vendor", 1)


def _missing_column(text):
    return "\n".join(line.rpartition(",")[0] for line in text.splitlines()) + "\n"


def _repeated_row(text):
    return text + text.splitlines()[-1] + "\n"


def _short_row(text):
    return text + "H900,nvidia\n"


def _nothing(_):
    return ""


FILES = [
    (_unknown_column, ["row 1", "unknown column 'wheels'", "the columns are id, vendor"]),
    (_missing_column, ["row 1", "column 'notes' is missing"]),
    (_repeated_row, ["row 6", "'V100-16' is listed twice", "keep one"]),
    (_short_row, ["row 6", "2 cells", "fill in"]),
    (_nothing, ["row 1", "column 'id' is missing"]),
]


@pytest.mark.parametrize(("spoil", "parts"), FILES)
def test_a_wrong_file_is_named(folder, spoil, parts):
    path = folder / "accelerators.csv"
    path.write_text(spoil(path.read_text()))
    with pytest.raises(CatalogError) as caught:
        read_catalog(folder)
    assert all(part in str(caught.value) for part in ["accelerators.csv", *parts]), caught.value


def test_a_missing_file_is_named(folder):
    (folder / "models.csv").unlink()
    with pytest.raises(CatalogError, match=r"models\.csv: the file is missing; restore it"):
        read_catalog(folder)


@pytest.mark.parametrize("content", ["", "[1", "{}", '{"shared": 3}'])
def test_a_spoiled_compiled_file_says_how_to_make_it_again(tmp_path, content):
    path = tmp_path / "compiled.json"
    path.write_text(content)
    with pytest.raises(CatalogError, match="run `make catalog`"):
        load_compiled(path)


def test_a_missing_compiled_file_says_how_to_make_it(tmp_path):
    with pytest.raises(CatalogError, match="run `make catalog`"):
        load_compiled(tmp_path / "compiled.json")
