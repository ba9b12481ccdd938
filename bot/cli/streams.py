"""What the terminal's streams can show: UTF-8 on any of them, colour where it is wanted."""

import io
import sys
from collections.abc import Mapping
from typing import Final, TextIO

COLOURLESS: Final = "dumb"  # a TERM that shows no escapes


def speak_utf8() -> None:
    """Let stdout and stderr take every sign of a card, whatever code page the system has.

    A pipe on Windows, or one under LANG=C, is opened in a code page that has no box lines; what
    cannot be written at all becomes a question mark and never ends an answer.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")


def wants_colour(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Return whether escapes may be written there.

    NO_COLOR forbids them, FORCE_COLOR asks for them (https://no-color.org, https://force-color.org:
    set and not empty), a dumb terminal has none; else whoever reads must be a terminal.
    """
    if environ.get("NO_COLOR"):
        return False
    if environ.get("FORCE_COLOR"):
        return True
    return environ.get("TERM") != COLOURLESS and stream.isatty()
