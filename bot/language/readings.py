"""A workload in words again: as a request, and as what its words may mean besides."""

from collections.abc import Mapping
from itertools import chain, zip_longest
from typing import Any

from bot.language.draft import Draft, Offer, completed
from bot.language.followups import voided_by
from engine.core.workload import OtherReading, Workload


def other_readings(
    draft: Draft, workload: Workload, alternatives: dict[str, tuple[Any, ...]]
) -> tuple[OtherReading, ...]:
    """Return the readings that were not taken, of each ambiguous word the first before the second.

    Words that were overruled, or that stand beside others of the same field, offer nothing.
    """
    offers = [
        [OtherReading(phrase, _fields_changed(workload, fields)) for phrase, fields in offer.others]
        for offer in draft.offers.values()
        if _offer_holds(offer, draft, workload, alternatives)
    ]
    in_turn = chain.from_iterable(zip_longest(*offers))
    return tuple(reading for reading in in_turn if reading is not None and reading.change)


def _offer_holds(
    offer: Offer, draft: Draft, workload: Workload, alternatives: dict[str, tuple[Any, ...]]
) -> bool:
    name = offer.field
    if name is None:
        return True
    read = name in draft.said and getattr(workload, name) is not None
    return read and name not in alternatives


def _fields_changed(
    workload: Workload, fields: Mapping[str, object]
) -> tuple[tuple[str, object], ...]:
    """Return every field that differs once these are said: also what they replace or entail."""
    before = workload.said()
    kept = {name: value for name, value in before.items() if name not in _void_fields(fields)}
    after = completed(Workload(**{**kept, **fields})).said()  # type: ignore[arg-type]
    names = dict.fromkeys((*fields, *before, *after))
    return tuple((name, after.get(name)) for name in names if before.get(name) != after.get(name))


def _void_fields(fields: Mapping[str, object]) -> set[str]:
    return {void for name in fields for void in voided_by(name)}


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
