"""Questions about money, load and energy."""
