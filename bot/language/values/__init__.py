"""Values in words: quantities, times, money, loads, sizes."""
