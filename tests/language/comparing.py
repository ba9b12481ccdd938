"""When a parsed value counts as the expected one."""

import math
import re


def same_value(value, expected, names):
    """Compare numbers closely, models by what they name, everything else exactly."""
    if isinstance(expected, int | float) and isinstance(value, int | float):
        return math.isclose(value, expected, rel_tol=1e-6)
    if isinstance(expected, str) and isinstance(value, str) and value != expected:
        return names.get(value, value) == names.get(expected, expected) and expected in names
    return value == expected


def plain_model(name):
    """Lower-case a model's name and drop what only says how it was tuned."""
    return re.sub(r"-(?:instruct|chat|hf)$", "", str(name).lower())


def meets(field, value, expected, case):
    """Return whether a value meets a shared case's `parse` entry, by the rules of its README."""
    tolerance = case.get("tolerance", 1e-3)
    if field == "models":
        return value is not None and set(map(plain_model, value)) == set(map(plain_model, expected))
    if isinstance(expected, list):
        return any(meets(field, value, one, case) for one in expected)
    if field == "model":
        return value is not None and plain_model(value) == plain_model(expected)
    if isinstance(expected, int | float) and isinstance(value, int | float):
        close = math.isclose(value, expected, rel_tol=tolerance)
    else:
        close = value == expected
    return close or value in case.get("accept", {}).get(field, [])
