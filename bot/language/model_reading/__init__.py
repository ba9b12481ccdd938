"""An optional language model reads what the grammar did not."""
