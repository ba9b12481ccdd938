"""Knows people: their words, Slack, the terminal. Decides nothing about hardware."""

__version__ = "0.5.0"
