"""Questions about the picks and what they rest on."""
