"""Charts: what is drawn, as PNG or as text."""
