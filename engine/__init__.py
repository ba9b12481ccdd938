"""Decides: memory, speed, cost and ranking. Pure: everything it needs is handed in."""
