"""What every room speaks of: errors, what was understood, view models, figures, rendering."""
