"""Live prices in an answer: when they are asked for, of what, and what is said about them."""
