"""Writes a workload as a request in the parser's grammar: the inverse of `parse`."""

from engine.core.workload import Workload

# Said first and bare; a workload always has a task.
FIRST = "task"


def format_request(workload: Workload) -> str:
    """Return `field=value` words that parse back to the same workload.

    Values that follow from others (`budget_usd_per_hour` from a month) are written as well, so
    the text shows everything; parsing does not change them.
    """
    said = workload.said()
    words = [str(said.pop(FIRST))]
    words += [f"{name}={written(value)}" for name, value in said.items()]
    return " ".join(words)


def written(value: object) -> str:
    """Return one value as the parser reads it behind `field=`."""
    if isinstance(value, tuple):
        return ",".join(str(one) for one in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(value)
    return _quoted_if_spaced(str(value))


def _quoted_if_spaced(text: str) -> str:
    """Return `text`, in quotes where a space would end it."""
    if text and not any(sign in text for sign in " ,\"'`"):
        return text
    quote = "'" if '"' in text else '"'
    return f"{quote}{text}{quote}"
