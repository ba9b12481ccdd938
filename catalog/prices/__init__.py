"""Prices: the embedded snapshot, its history."""
