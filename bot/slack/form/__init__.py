"""The guided form."""
