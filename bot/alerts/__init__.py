"""Standing questions: what a thread wants to hear when a price, or the best pick, changes."""
