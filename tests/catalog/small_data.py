"""A folder of data files with a few rows of each real one: quick to read, easy to spoil."""

import csv
from pathlib import Path

from catalog.load import DATA_DIR

TYPES = {"c7i.large", "g5.xlarge", "g6f.large", "p3.2xlarge", "p5e.48xlarge"}
REGIONS = {"cn-north-1", "eu-central-1", "us-east-1", "us-east-2", "us-west-2-lax-1"}
KEPT = {
    "accelerators.csv": {"id": {"A10G", "H200-141", "L4-1_8", "V100-16"}},
    "architectures.csv": {"model_type": {"gemma3", "llama"}},
    "cpu_power.csv": {"microarchitecture": set()},
    "cpus.csv": {"family": {"c7i"}},
    "eks.csv": {"instance_type": TYPES},
    "endpoints.csv": {"service": {"savingsplans"}},
    "evidence.csv": {"hardware": {"A10G"}},
    "families.csv": {"family": {"c7i", "g5", "g6f", "p3", "p5e"}},
    "groups.csv": {"word": {"cpu", "nvidia", "graviton"}},
    "grid.csv": {"region": REGIONS},
    "instance_overlays.csv": {"instance_type": TYPES},
    "instances.csv": {"instance_type": TYPES},
    "model_families.csv": {"family": {"Llama 3", "Mixtral"}},
    "model_variants.csv": {"id": set()},
    "models.csv": {"id": {"llama-3-8b", "mixtral-8x7b"}},
    "prices_ondemand.csv": {"instance_type": TYPES, "region": REGIONS},
    "prices_other.csv": {"instance_type": TYPES, "region": REGIONS},
    "regions.csv": {"code": REGIONS},
    "stacks.csv": {"stack": {"train-nvidia", "vllm-cpu-x86"}},
    "unlisted_instances.csv": {"instance_type": TYPES},
    "use_cases.csv": {"use_case": {"chat", "rag"}},
}


def write_small_data(folder: Path) -> None:
    for file, kept in KEPT.items():
        header, rows = read(DATA_DIR / file)
        chosen = [
            row for row in rows if all(row[column] in wanted for column, wanted in kept.items())
        ]
        for row in chosen:
            if file in {"instances.csv", "unlisted_instances.csv"}:
                codes = [code for code in row["regions"].split("; ") if code in REGIONS]
                row["regions"] = "; ".join(codes)
        write(folder / file, header, chosen)


def read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    with path.open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        rows = list(reader)
        return list(reader.fieldnames or ()), rows


def write(path: Path, header: list[str], rows: list[dict[str, str]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, header, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
