"""A manifest as it leaves: text that was parsed back and checked."""

from dataclasses import dataclass
from typing import Final, Literal, get_args

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
FILE_MARK: Final = "# FILE "  # before each file of several in one text
# What the commands in a file call it, where that is not its kind.
FILE_NAMES: Final[dict[ManifestKind, str]] = {"eksctl": "cluster.yaml", "terraform": "main.tf"}


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

    @property
    def files(self) -> tuple[tuple[str, str], ...]:
        """Every file by its name, the one to begin with first."""
        if self.kind == "everything":  # its own text is all of them, marked
            return self.extras
        name = FILE_NAMES.get(self.kind, f"{self.kind}.yaml")
        return ((name, self.yaml_text), *self.extras)


class ManifestError(ValueError):
    """No valid manifest can be written; the message says why and what to do instead."""


def split_command(name: str) -> str:
    """Return the command that cuts a text of several files at their marks."""
    return f"awk '/^{FILE_MARK}/{{f=$3; next}} f{{print > f}}' {name}"


def marked_files(files: tuple[tuple[str, str], ...]) -> str:
    """Return files as one text, each behind its mark; the marks are comments in all of them."""
    return "".join(f"{FILE_MARK}{name}\n{_apart(name)}{text.rstrip()}\n" for name, text in files)


def _apart(name: str) -> str:
    """Return what parts a document from the one before it, where the file is YAML."""
    return "---\n" if name.endswith(".yaml") else ""
