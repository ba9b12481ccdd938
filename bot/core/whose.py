"""Whose a default is, as an assumption's reason and in words."""

from typing import Final

YOURS: Final = "your default"
WORKSPACES: Final = "workspace default"
LAID_DOWN: Final = frozenset({YOURS, WORKSPACES})
