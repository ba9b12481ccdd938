"""Knows people: their words, Slack, the terminal. Decides nothing about hardware."""
