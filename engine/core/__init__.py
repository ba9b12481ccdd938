"""The values every room of the engine speaks of."""
