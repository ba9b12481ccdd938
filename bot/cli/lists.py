"""`ec2-pick instances` and `models`: what the catalog knows, a line each, filtered by words.

`ec2-pick show TYPE` is the sheet of one type.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from bot.answers.world import load_world
from bot.cli.jsonl import Json, print_json
from bot.cli.place import terminal_world
from bot.core.errors import RequestError
from bot.core.figures import usd_per_hour

if TYPE_CHECKING:
    from catalog.catalog import Catalog
    from catalog.facts.schema import Instance, Model

Listed = TypeVar("Listed")
INSTANCES_SHOWN: Final = ("instance_type", "accelerators", "gpu_memory_gb", "vcpus", "memory_gib")
MODELS_SHOWN: Final = ("model", "params_b", "active_params_b", "task", "context", "repository")


def show_command(argv: Sequence[str]) -> int:
    """Print the sheet of one instance type; exit 2 where there is none of that name."""
    from bot.cli.ask import ask_command

    return ask_command(["show", *argv])


def list_instances(argv: Sequence[str]) -> int:
    """Print the instance types whose name, chip or family holds every word said; 2 for none."""
    parser = _list_parser("ec2-pick instances", "words of a type, family or chip")
    parser.add_argument("--region", help="region they are offered and priced in")
    options = parser.parse_args(argv)
    world = terminal_world(options.region)
    region, catalog = world.default_region, world.catalog
    offered = [one for one in catalog.instances.values() if region in one.regions]
    found = _with_every_word(offered, options.words, _words_of_instance(catalog))
    rows = [_instance_row(one, catalog, region) for one in found]
    return _print_columns(rows, (*INSTANCES_SHOWN, "usd_per_hour"), as_json=options.json)


def list_models(argv: Sequence[str]) -> int:
    """Print the models whose name, family, task or repository holds every word said; 2 for none."""
    parser = _list_parser("ec2-pick models", "words of a name, family, task or repository")
    options = parser.parse_args(argv)
    catalog = load_world().catalog
    named = [one for one in catalog.models.values() if not one.typical]
    found = _with_every_word(named, options.words, _words_of_model)
    return _print_columns([_model_row(one) for one in found], MODELS_SHOWN, as_json=options.json)


def _list_parser(prog: str, words: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=prog, allow_abbrev=False)
    parser.add_argument("words", nargs="*", help=f"only those with these {words}")
    parser.add_argument("--json", action="store_true", help="print them as JSON")
    return parser


def _with_every_word(
    rows: Iterable[Listed], words: Sequence[str], said_of: Callable[[Listed], str]
) -> list[Listed]:
    """Return those of which every word is a part.

    Raises:
        RequestError: where none is.
    """
    wanted = [word.lower() for word in words]
    found = [row for row in rows if all(word in said_of(row) for word in wanted)]
    if not found:
        message = f"nothing here has {' '.join(words)!r} in its name or kind"
        raise RequestError("not_understood", message, words=" ".join(words))
    return found


def _words_of_instance(catalog: "Catalog") -> "Callable[[Instance], str]":
    def said_of(one: "Instance") -> str:
        chip = catalog.accelerators.get(one.accelerator_id or "")
        names = (
            one.instance_type,
            chip.id if chip else "cpu",
            chip.marketed_name if chip else one.arch,
        )
        return " ".join(names).lower()

    return said_of


def _words_of_model(one: "Model") -> str:
    return " ".join((one.id, *one.aliases, one.family, one.task, one.hf_repo)).lower()


def _instance_row(one: "Instance", catalog: "Catalog", region: str) -> Json:
    chip = catalog.accelerators.get(one.accelerator_id or "")
    price = catalog.prices.quote(one, region).usd_per_hour
    return {
        "instance_type": one.instance_type,
        "accelerators": f"{one.accelerators}x {chip.marketed_name}" if chip else None,
        "gpu_memory_gb": chip.mem_gb_marketed * one.accelerators if chip else None,
        "vcpus": one.vcpus,
        "memory_gib": one.host_mem_gib,
        "usd_per_hour": price,
        "region": region,
    }


def _model_row(one: "Model") -> Json:
    return {
        "model": one.id,
        "params_b": one.total_params_b,
        "active_params_b": one.active_params_b,
        "task": one.task,
        "context": one.max_context,
        "repository": one.hf_repo or None,
    }


def _print_columns(rows: Sequence[Json], shown: Sequence[str], *, as_json: bool) -> int:
    """Print the rows as JSON, or as columns with their names; return 0."""
    if as_json:
        print_json(rows)
        return 0
    cells = [[name.replace("_", " ") for name in shown]]
    cells += [[_listed_cell(name, row[name]) for name in shown] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        sys.stdout.write("  ".join(padded).rstrip() + "\n")
    return 0


def _listed_cell(name: str, figure: object) -> str:
    """Return a figure as a person reads it; what is not known is a dash, never 0."""
    if figure is None:
        return "-"
    if name == "usd_per_hour":
        return usd_per_hour(float(str(figure)))
    return f"{figure:,g}" if isinstance(figure, int | float) else str(figure)
