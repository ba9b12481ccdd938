"""What is kept of people: defaults, preferences, saved picks, recent threads."""
