"""A person's and a workspace's defaults in the form: they fill what a workload leaves open."""

from collections.abc import Iterable, Mapping
from typing import Final

from bot.slack.form.fields import MORE

# The fields of a workload that say what a default would fill (`engine.core.assumptions.is_open`; a
# test holds that they agree, as the engine is not loaded while Slack waits for the form).
SAID_BY: Final = {
    "region": ("region", "regions"),
    "market": ("market",),
    "allow": ("allow", "instance", "gpu", "compare_family"),
}


def is_left_open(said: Mapping[str, object], name: str) -> bool:
    """Return whether a workload as said leaves a field to the defaults."""
    return all(not said.get(one) for one in SAID_BY[name])


def filled_in(
    typed: Mapping[str, str],
    said: Mapping[str, object],
    taken: Iterable[tuple[str, object, str]],
) -> tuple[dict[str, str], dict[str, str]]:
    """Return what the form holds with the defaults that `said` leaves room for, and whose each is.

    `taken` are the defaults: field of the workload, value, whose. The second part goes by the
    form's fields.
    """
    filled, whose = dict(typed), {}
    for name, value, owner in taken:
        if is_left_open(said, name):
            place, text = _in_form(name, value)
            filled[place] = " ".join(part for part in (filled.get(place), text) if part)
            whose[place] = owner
    return filled, whose


def _in_form(name: str, value: object) -> tuple[str, str]:
    """Return the form's field for a default, and what to type there."""
    if name == "allow" and isinstance(value, tuple):
        return MORE, f"allow={','.join(value)}"
    return name, str(value)
