"""A file read back as YAML, before the rules see it."""

from typing import Any, Final

import yaml

from bot.core.figures import plain_line
from bot.core.manifest import ManifestError

# Safe both of them; the parser in C, which PyYAML's wheels hold, is ten times as fast.
LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def parsed(text: str, what: str) -> tuple[Any, ...]:
    """Return the documents of `what`, without the empty ones.

    Raises:
        ManifestError: it does not parse.
    """
    try:
        documents = tuple(yaml.load_all(text, LOADER))
    except yaml.YAMLError as error:
        raise ManifestError(f"{what} does not parse: {plain_line(str(error))}") from error
    return tuple(document for document in documents if document is not None)
