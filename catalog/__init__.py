"""Facts: instance types, accelerators, models, prices; each figure with its source and date."""
