"""`field=value`: every field of the workload by its name."""
