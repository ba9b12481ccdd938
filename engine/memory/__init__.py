"""How much memory a model needs, and how much of it a device gives."""
