"""The Home tab."""
