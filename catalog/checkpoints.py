"""Which repository a name means: the model that is served or trained, not one of the same shape.

Many checkpoints share a shape, and a shape's row has one repository. What a name means is a row of
checkpoints.csv, else its model's repository where every part of the name belongs to that. Where
neither says, no repository is named: a relative of the same shape answers like another model.
"""

import re
from dataclasses import dataclass

from catalog.facts.schema import Model
from catalog.reference import CheckpointRow, checkpoint_rows

PART = re.compile(r"[a-z]+|\d+(?:\.\d+)?")
BASE = "base"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkpoint:
    """What a name means on Hugging Face; `repo` is empty where nobody knows, `why_not` says so."""

    repo: str
    trains: str = ""
    base: bool = False  # without a chat template
    formats: tuple[tuple[str, str], ...] = ()
    vllm_from: str | None = None
    vllm_until: str | None = None
    server_args: tuple[str, ...] = ()
    why_not: str = ""

    def ready(self, dtype: str) -> str:
        """Return the repository that holds the weights in a number format; empty where none is."""
        return dict(self.formats).get(dtype, "")


def checkpoint_of(name: str | None, model: Model) -> Checkpoint:
    """Return what a name of a model means; without a name its own id is taken."""
    rows = checkpoint_rows()
    said = (name or model.id).lower()
    row = rows.get(said)
    if row is not None and row.same_as:
        said, row = row.same_as, rows.get(row.same_as)
    own = rows.get(model.id)
    if row is None and belongs(said, model, own):
        row = own
        if row is None:
            return Checkpoint(repo=model.hf_repo, trains=model.hf_repo)
    if row is None:
        why = f"the repository of {said}: only its shape is known here, that of {model.id}"
        return Checkpoint(repo="", why_not=why)
    return _row_checkpoint(row)


def belongs(name: str, model: Model, own: CheckpointRow | None) -> bool:
    """Return whether every part of a name is in its model's id or repositories."""
    written = (model.id, model.hf_repo, *((own.serves or "",) if own else ()))
    known = {part for one in written for part in _parts(one.rpartition("/")[2])}
    return set(_parts(name)) <= known


def _row_checkpoint(row: CheckpointRow) -> Checkpoint:
    served = row.serves or ""
    return Checkpoint(
        repo=served,
        trains=row.trains or served,
        base=row.kind == BASE,
        formats=tuple(_format_of(one) for one in row.formats),
        vllm_from=row.vllm_from,
        vllm_until=row.vllm_until,
        server_args=row.server_args,
        why_not="" if served else f"a checkpoint of {row.name}: {row.notes}",
    )


def _format_of(written: str) -> tuple[str, str]:
    dtype, _, repo = written.partition("=")
    return dtype, repo


def _parts(name: str) -> list[str]:
    return PART.findall(name.lower())
