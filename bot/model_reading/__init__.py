"""An optional language model that reads what the grammar did not; off unless it is set up."""
