"""Draws charts on Lambda, apart from the worker: the plotting library is four times its package."""

import os
from base64 import b64encode
from typing import Any

# Where matplotlib may write its list of fonts; of Lambda's disk nothing else can be written.
os.environ.setdefault("MPLCONFIGDIR", "/tmp/matplotlib")  # noqa: S108 - the sandbox's own

from bot.cards.pictures.draw import drawn
from bot.cards.pictures.picture import from_wire


def handler(event: dict[str, Any], context: object) -> dict[str, list[str]]:  # noqa: ARG001
    """Return the pictures as PNG in base64, in their order."""
    return {"pngs": [b64encode(drawn(one)).decode() for one in from_wire(event["pictures"])]}
