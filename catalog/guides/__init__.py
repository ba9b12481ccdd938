"""The written decision guides as data."""
