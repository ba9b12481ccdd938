"""What else the words of a text may mean: each reading as the fields it would change."""

from collections.abc import Mapping
from itertools import chain, zip_longest
from typing import Any

from bot.language.assemble import completed
from bot.language.draft import Draft, Offer
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
