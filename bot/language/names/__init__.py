"""Names in words: models, instance types, chips, places."""
