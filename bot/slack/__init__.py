"""The Slack app: a small door in front, the conversation behind it."""
