"""The YAML a reader applies to get what the answer recommends."""
