"""Rewriting the data files from AWS: offline, never imported while answering."""
