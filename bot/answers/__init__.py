"""A file a question."""
