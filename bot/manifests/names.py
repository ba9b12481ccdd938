"""Names that people typed, made legal for AWS and Kubernetes or replaced by a default."""

import re

_NOT_NAME = re.compile(r"[^-a-zA-Z0-9]+")
_NOT_LABEL = re.compile(r"[^-a-zA-Z0-9_.]+")
NAME_CHARS = 100
LABEL_CHARS = 63


def legal_name(typed: str | None, default: str) -> tuple[str, str]:
    """Return a name matching `[a-zA-Z][-a-zA-Z0-9]{0,99}` and a note when it is not as typed."""
    if not typed:
        return default, ""
    name = _NOT_NAME.sub("-", typed).strip("-")[:NAME_CHARS].rstrip("-")
    if not name or not name[0].isalpha() or not name.isascii():
        return default, f"The name asked for is not a legal cluster name: called {default} instead."
    return name, "" if name == typed else f"The name asked for was made legal: {name}."


def label_value(text: str) -> str:
    """Return `text` as a legal Kubernetes label value; may be empty."""
    return _NOT_LABEL.sub("-", text)[:LABEL_CHARS].strip("-_.")
