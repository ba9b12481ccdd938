"""What the written guides say."""
