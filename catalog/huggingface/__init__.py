"""A model's shape from its Hugging Face config."""
