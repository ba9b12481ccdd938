"""What would make a type the best: one lever a file."""
