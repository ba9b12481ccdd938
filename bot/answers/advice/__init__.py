"""What the written guides say, and plans of several steps."""
