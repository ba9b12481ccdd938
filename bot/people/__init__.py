"""What is kept of one person or one workspace: saved picks, defaults, recent threads."""
