"""Text as written: normalised, spelled, split into words and numbers."""
