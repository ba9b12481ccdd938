"""Answers drawn: card, notice, table, terminal."""
