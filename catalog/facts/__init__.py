"""Facts about the world: row types, strict reading, coefficients."""
