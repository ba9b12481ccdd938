"""Memory and performance of one fixed plan."""
