"""Questions beside the pick: capacity, growth, crossover, what would change it."""
