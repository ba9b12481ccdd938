"""The `estimate` command: one fixed plan from named fields, without ranking."""
