"""`python -m benchmarks.evidence`: rewrite `catalog/data/evidence.csv` and `docs/stacks.md`.

A row says of which kinds of models somebody published measured runs on a chip. Runs on CPUs are
left out: they are of one stream at a time, which says nothing about a service. The page shows what
is known of every kind of model on every kind of hardware. On a machine without the measured rows
it writes the page alone, and says so.
"""

import csv
from collections import defaultdict
from collections.abc import Iterator

from benchmarks.calibration.rows import CHECKOUT, Record, records, shared_folder
from catalog.catalog import Catalog
from catalog.facts.schema import Instance
from catalog.load import DATA_DIR
from catalog.sources import read_catalog
from engine.core.assumptions import usual_engine
from engine.pick.standing import model_kind, standing_of

SERVED = (
    *("benchmarks_gpustack.csv", "benchmarks_inference.csv", "benchmarks_neuron_2.csv"),
    *("benchmarks_serving.csv", "benchmarks_serving_2.csv", "benchmarks_vllm_cloud.csv"),
)
TRAINED = ("benchmarks_training.csv", "benchmarks_training_2.csv")
SOURCE = "published runs of the shared benchmark tables, counted by benchmarks/evidence.py"
AS_OF = "2026-11-28"
PAGE = "docs/stacks.md"
KINDS = (
    *("decoder", "decoder_moe", "vision_language", "vision_language_moe", "enc_dec", "speech"),
    *("embedding", "reranker", "encoder", "vision", "diffusion"),
)
INTRODUCTION = """# What runs where

What is known of serving each kind of model with its usual engine: `documented` by the engine's or
chip's maker, `measured` in published runs, `pinned` to an older release or `experimental` (at most
a runner-up), `–` neither (never first while something known costs at most 1.5 times as much), `no
image` (not offered unless named). From `catalog/data/stacks.csv` (each row with its source) and
`catalog/data/evidence.csv`; written by `python -m benchmarks.evidence`, held by `tests/docs`."""


def main() -> None:
    """Count the rows by hardware and kind, and write those of hardware that the catalog knows."""
    if shared_folder() is None:
        print("No measured rows here: set EC2_PICK_SHARED to the folder of shared facts.")
    else:
        _write_evidence(read_catalog(DATA_DIR))
    (CHECKOUT / PAGE).write_text(page(read_catalog(DATA_DIR)), encoding="utf-8")


def _write_evidence(catalog: Catalog) -> None:
    served, trained = _kinds(catalog, SERVED), _kinds(catalog, TRAINED)
    with (DATA_DIR / "evidence.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["hardware", "served", "trained", "source", "as_of"])
        for name in catalog.accelerators:
            if name in served or name in trained:
                kinds = ("; ".join(sorted(found.get(name, ()))) for found in (served, trained))
                writer.writerow([name, *kinds, SOURCE, AS_OF])


def _kinds(catalog: Catalog, files: tuple[str, ...]) -> dict[str, set[str]]:
    """Return the kinds of models that the rows of some files were measured of, by hardware."""
    found: dict[str, set[str]] = defaultdict(set)
    for hardware, kind in _measured(catalog, files):
        found[hardware].add(kind)
    return found


def _measured(catalog: Catalog, files: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    for file in files:
        for record in records(file):
            yield record["accelerator"], _kind(record, catalog)


def _kind(record: Record, catalog: Catalog) -> str:
    """Return the kind of model of a row: as the catalog has it, else by its sizes and output."""
    name = (record.get("model") or record.get("model_path", "").rpartition("/")[2]).lower()
    model = catalog.models.get(catalog.model_names.get(name, name))
    if model is not None:
        return model_kind(model)
    if record.get("output_tokens") == "0":
        return "encoder"
    total, active = (float(record.get(c) or 0) for c in ("params_b", "active_params_b"))
    return "decoder_moe" if 0 < active < total else "decoder"


def page(catalog: Catalog) -> str:
    """Return the page of what is known of each kind of model on each kind of hardware."""
    lines = [
        INTRODUCTION,
        "",
        f"| hardware | {' | '.join(KINDS)} |",
        "|---" * (len(KINDS) + 1) + "|",
    ]
    for name, instance in _one_of_each(catalog).items():
        cells = (_cell(instance, catalog, kind) for kind in KINDS)
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _one_of_each(catalog: Catalog) -> dict[str, Instance]:
    """Return a type of each chip that is supported at all, and of each architecture of CPUs."""
    found: dict[str, Instance] = {}
    for instance in catalog.instances.values():
        chip = catalog.accelerators.get(instance.accelerator_id or "")
        if chip is None or chip.unsupported is None:
            found.setdefault(chip.id if chip else f"CPU, {instance.arch}", instance)
    return dict(sorted(found.items()))


def _cell(instance: Instance, catalog: Catalog, kind: str) -> str:
    known = standing_of(instance, catalog, usual_engine(kind.removesuffix("_moe")), "serve", kind)
    if not known.runs:
        return "no image"
    words = known.reserve.status if known.reserve else "documented" if known.documented else "–"
    return f"{words}, measured" if known.measured else words


if __name__ == "__main__":
    main()
