"""A manifest as it leaves: text that was parsed back and checked."""

from dataclasses import dataclass
from typing import Literal, get_args

ManifestKind = Literal[
    "eksctl",
    "karpenter",
    "terraform",
    "kubernetes",
    "jobset",
    "pytorchjob",
    "autoscaling",
    "hpa",
    "monitoring",
    "sharing",
    "quota",
    "migration",
    "everything",
]
KINDS: tuple[ManifestKind, ...] = get_args(ManifestKind)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """YAML to apply (HCL where the kind is terraform).

    `notes` is what a person must do or know; `extras` are (file name, text); `more` are kinds that
    can be asked for next.
    """

    kind: ManifestKind
    yaml_text: str
    notes: tuple[str, ...] = ()
    extras: tuple[tuple[str, str], ...] = ()
    more: tuple[ManifestKind, ...] = ()


class ManifestError(ValueError):
    """No valid manifest can be written; the message says why and what to do instead."""
