"""The way out: messages, files, alerts."""
