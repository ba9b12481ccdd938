"""Makes one workload of what was read, and adds what follows from it by arithmetic alone."""

from dataclasses import fields, replace
from typing import Any

from bot.language.draft import Draft, StatedValue
from catalog.facts.units import HOURS_PER_MONTH, SECONDS_PER_DAY
from engine.core.workload import Workload

LISTS = {"allow", "exclude", "regions", "without"}
NAMES = frozenset(one.name for one in fields(Workload))


def in_order(all_said: list[StatedValue]) -> list[StatedValue]:
    """Return what was said of a field: `field=value` first, then as the text has it."""
    return sorted(all_said, key=lambda one: (not one.keyed, one.start))


def workload_of(said: dict[str, Any]) -> Workload:
    """Return the workload that holds these fields and no other."""
    return Workload(**said)


def values(draft: Draft) -> dict[str, Any]:
    """Return the fields said, each with its value; several regions or models become a list."""
    said: dict[str, Any] = {}
    for name, all_said in draft.said.items():
        if name in NAMES:
            listed = tuple(dict.fromkeys(one.value for one in in_order(all_said)))
            said[name] = listed if name in LISTS else listed[0]
    for one, many in (("region", "regions"), ("model", "models")):
        every = tuple(
            dict.fromkeys(said_one.value for said_one in in_order(draft.said.get(one, [])))
        )
        if len(every) > 1:
            said[many] = every
            del said[one]
    if "region" in said and "regions" in said:
        del said["regions"]  # "Frankfurt or elsewhere in Europe": the place named decides
    return said


def completed(workload: Workload) -> Workload:
    """Return `workload` with the values that follow from those said.

    A month has 730 hours, a day 86,400 seconds; QLoRA keeps its base weights in 4 bits; the
    sequence length of training is the context that was asked for.
    """
    changes: dict[str, Any] = {}
    if workload.budget_usd_per_month is not None and workload.budget_usd_per_hour is None:
        changes["budget_usd_per_hour"] = workload.budget_usd_per_month / HOURS_PER_MONTH
    if workload.tokens_per_day is not None and workload.avg_tokens_per_s is None:
        changes["avg_tokens_per_s"] = workload.tokens_per_day / SECONDS_PER_DAY
    if workload.method == "qlora" and workload.quant is None:
        changes["quant"] = "int4"
    trains = workload.task in {"train", "finetune"}
    if trains and workload.context is not None and workload.seq_len is None:
        changes["seq_len"] = workload.context
    return replace(workload, **changes) if changes else workload
