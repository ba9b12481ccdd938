"""How an estimate comes about: every step with its formula, its numbers and their sources.

Results come from the functions that make the estimate; the formulas beside them are what a reader
works out by hand, and tests hold the two together.
"""
