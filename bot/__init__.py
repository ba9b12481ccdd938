"""Knows people: their words, Slack, the terminal. Decides nothing about hardware."""

from typing import Final

__version__: Final = "0.5.0"
