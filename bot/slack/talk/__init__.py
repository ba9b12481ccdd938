"""A turn of a conversation in Slack."""
