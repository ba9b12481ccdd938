"""What would make a type the best: one module for each thing that can be moved."""
