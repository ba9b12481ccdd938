"""From candidates to ranked picks with their reasons."""
