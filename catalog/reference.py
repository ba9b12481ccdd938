"""Small tables that a few questions ask for: terms, AMIs, quotas, what a start takes, releases.

Read when somebody asks, without checks; the tests read every row strictly. A blank is unknown.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, cast

from catalog.facts.rows import LIST_SEPARATOR
from catalog.load import DATA_DIR

if TYPE_CHECKING:  # only the tests read the constraints, see catalog.facts.rows
    from collections.abc import Mapping

    from catalog.facts.constraints import Natural, Positive, Text
    from catalog.facts.schema import Arch

Row = TypeVar("Row")
ToolKind = Literal["ami", "chart", "cli", "image", "manifest", "package"]
StartStep = Literal["node", "image", "load", "engine", "engine_again", "gp3", "gp3_most"]


@dataclass(frozen=True, slots=True)
class GlossaryTerm:
    """A word of the field, as the answers use it."""

    term: Text
    aliases: tuple[str, ...]
    figure: bool  # "what is the TTFT?" asks for the figure, "what is TTFT?" for the meaning
    definition: Text  # without its last full stop
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class MachineImage:
    """An image that AWS publishes, as EKS names it, and what it brings."""

    ami_type: Text
    name: Text
    accelerator_class: str | None
    arch: Arch
    families: tuple[str, ...]  # that it is for, where it is not made for EKS
    driver: str | None
    cuda: str | None  # the newest that its driver runs
    carries: tuple[str, ...]
    lacks: tuple[str, ...]
    parameter: str | None  # of Systems Manager, with a place for the version of Kubernetes
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class ServiceQuota:
    """What EC2 calls a quota, and how many vCPUs of it a new account has."""

    code: Text
    name: Text
    new_account_vcpus: Natural | None
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class StartFigure:
    """A size, a rate or a time behind "how long until it serves"."""

    step: StartStep
    value: Positive
    low: Positive
    high: Positive
    unit: Literal["s", "GB", "GB/s"]
    what: Text
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class ToolVersion:
    """A release that the files name: an image, a chart, a command, a package."""

    tool: Text
    kind: ToolKind
    reference: Text  # the repository, chart or address it is had from
    version: str | None  # None: what no release has
    released: str | None
    end_of_patch: str | None
    knows: tuple[str, ...]  # families, models or features that it is the first to have
    what: Text
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class UltraServer:
    """Machines that are bought together, as one Capacity Block, in one zone."""

    ultraserver: Text
    instance_type: Text
    machines: Natural
    zone: Text
    usd_per_hour: Positive  # of the whole, its list price as a block
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class RetiredFamily:
    """A family of instances that AWS took off its lists, since when, and what to take instead."""

    family: Text
    what: Text
    since: Text  # a day, or the year where nobody wrote down the day
    instead: tuple[str, ...]  # families, the nearest first
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class CheckpointRow:
    """What one name means on Hugging Face: which repository is served, and which is trained."""

    name: Text  # an id or alias of models.csv or model_variants.csv
    same_as: str | None  # another way to write that name
    serves: str | None  # blank: no repository can be named, `notes` says why
    trains: str | None  # blank: the served one
    kind: str | None  # chat, base, embedding, reranker, speech, diffusion …
    formats: tuple[str, ...]  # other number formats ready to serve: "fp8=owner/repository"
    vllm_from: str | None  # the first version of vLLM that loads it, where that matters
    vllm_until: str | None  # the last one
    server_args: tuple[str, ...]
    source: Text
    as_of: Text
    notes: str


@dataclass(frozen=True, slots=True)
class ServerFacts:
    """What files and alerts must know of a server: its series, flags, user and where it caches.

    Bounds are those of a histogram's buckets, in seconds: between two of them nothing is known.
    """

    engine: Text
    port: Text
    metrics_path: Text
    running: str | None
    waiting: str | None
    cache_full: str | None  # the used share of the KV cache, of 1
    preempted: str | None
    first_token: str | None
    first_token_bounds: tuple[str, ...]
    per_token: str | None
    per_token_bounds: tuple[str, ...]
    whole: str | None
    whole_bounds: tuple[str, ...]
    drain_flag: str | None  # seconds for the answers under way when it is stopped
    drain_from: str | None  # the first release that knows it
    key_variable: str | None  # of the key that clients must send; health and metrics need none
    key_flag: str | None  # None: the server reads the variable by itself
    cache_variable: Text
    user: str | None  # None: root
    why_root: str | None
    source: Text
    as_of: Text


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """What one US dollar costs in another currency, as published on a day."""

    code: Text  # ISO 4217
    per_usd: Positive
    source: Text
    as_of: Text


FILES: Final[Mapping[str, type[Any]]] = {
    "glossary.csv": GlossaryTerm,
    "amis.csv": MachineImage,
    "exchange_rates.csv": ExchangeRate,
    "quotas.csv": ServiceQuota,
    "servers.csv": ServerFacts,
    "startup.csv": StartFigure,
    "tools.csv": ToolVersion,
    "checkpoints.csv": CheckpointRow,
    "retired.csv": RetiredFamily,
    "ultraservers.csv": UltraServer,
}


def glossary() -> tuple[GlossaryTerm, ...]:
    """Return the terms, by name."""
    return _reference_rows("glossary.csv", GlossaryTerm)


def machine_images() -> Mapping[str, MachineImage]:
    """Return the images by the name that EKS gives them."""
    return {row.ami_type: row for row in _reference_rows("amis.csv", MachineImage)}


def service_quotas() -> Mapping[str, ServiceQuota]:
    """Return the quotas by their code."""
    return {row.code: row for row in _reference_rows("quotas.csv", ServiceQuota)}


def exchange_rates() -> Mapping[str, ExchangeRate]:
    """Return the published rates by the code of the currency."""
    return {row.code: row for row in _reference_rows("exchange_rates.csv", ExchangeRate)}


def start_figures() -> Mapping[str, StartFigure]:
    """Return what the time of a start is worked out from, by step."""
    return {row.step: row for row in _reference_rows("startup.csv", StartFigure)}


def server_facts() -> Mapping[str, ServerFacts]:
    """Return the servers by the name of their engine."""
    return {row.engine: row for row in _reference_rows("servers.csv", ServerFacts)}


def tool_versions() -> Mapping[str, ToolVersion]:
    """Return the releases that the files name, by what the rows call them."""
    return {row.tool: row for row in _reference_rows("tools.csv", ToolVersion)}


def ultra_servers() -> Mapping[str, UltraServer]:
    """Return the UltraServers by name."""
    return {row.ultraserver: row for row in _reference_rows("ultraservers.csv", UltraServer)}


def retired_families() -> Mapping[str, RetiredFamily]:
    """Return the families that AWS no longer offers, by their name."""
    return {row.family: row for row in _reference_rows("retired.csv", RetiredFamily)}


def checkpoint_rows() -> Mapping[str, CheckpointRow]:
    """Return what names mean on Hugging Face, by name."""
    return {row.name: row for row in _reference_rows("checkpoints.csv", CheckpointRow)}


@cache
def _reference_rows(file: str, row_type: type[Row]) -> tuple[Row, ...]:
    kinds = {field.name: str(field.type) for field in fields(cast("Any", row_type))}
    with (DATA_DIR / file).open(encoding="utf-8", newline="") as lines:
        read = csv.DictReader(lines)
        return tuple(
            row_type(**{name: _table_value(kinds[name], text) for name, text in row.items()})
            for row in read
        )


def _table_value(kind: str, text: str) -> Any:  # noqa: ANN401 - what the column's type says
    if kind.startswith("tuple"):
        return tuple(text.split(LIST_SEPARATOR)) if text else ()
    if not text and kind.endswith("None"):
        return None
    if kind == "bool":
        return text == "yes"
    if kind.startswith("Natural"):
        return int(text)
    return float(text) if kind == "Positive" else text
