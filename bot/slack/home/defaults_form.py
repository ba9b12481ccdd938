"""The form in which defaults are edited: a modal, and what comes back of it.

What somebody typed is read, or refused field by field with what would be read.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeVar

from bot.core.examples import example
from bot.core.wording import MARKET_WORDS
from bot.language.values.form_values import percent_typed, rate_typed, words_listed
from bot.slack.door.payload import team
from bot.slack.form.view import menu, modal, plain
from bot.store.defaults import Defaults
from bot.store.owner import Owner
from bot.store.store import Payload
from catalog.facts.schema import Market

if TYPE_CHECKING:
    from collections.abc import Callable

    from catalog.catalog import Catalog

CALLBACK: Final = "defaults"
TYPED: Final = "typed"  # the action id of every field; the block id says which it is
NO_MARKET: Final = "none"
MAX_TYPED: Final = 200
TITLES: Final = {"own": "My defaults", "workspace": "Workspace defaults"}
INTROS: Final = {
    "own": "Taken where a request of yours does not say it. Empty: the workspace’s, if any.",
    "workspace": "Taken for everybody here who has none of their own. Anybody may change them; "
    "the Home tab shows who did and when.",
}

T = TypeVar("T")

MARKETS: Final[tuple[Market, ...]] = ("on_demand", "spot", "savings_plan", "reserved")
MOST_DISCOUNT_PERCENT: Final = 60.0  # beyond what AWS agrees to: a slip of the finger
MOST_FAMILIES: Final = 30
LEAST_RATE, MOST_RATE = 1e-4, 1e6
HOW_TO_RATE: Final = "Write a currency and what one US dollar costs in it, like EUR 0.92."


@dataclass(frozen=True, slots=True)
class DefaultsSubmission:
    """A form that came back: whose defaults, over which version, and what was typed by field."""

    owner: Owner
    by: str  # user id
    version: int
    typed: dict[str, str]


def defaults_form(scope: str, defaults: Defaults) -> Payload:
    """Return the modal for "own" or "workspace" defaults, filled in with what is laid down."""
    intro = {"type": "section", "text": plain(INTROS[scope])}
    kept = json.dumps({"scope": scope, "version": defaults.version})
    return modal(CALLBACK, TITLES[scope], "Save", kept, [intro, *_form_inputs(defaults)])


def _form_inputs(defaults: Defaults) -> list[Payload]:
    percent, rate = defaults.discount_percent, defaults.per_usd
    return [
        _text_input("region", "Region", defaults.region, example("defaults_form")),
        _market_input(defaults),
        _text_input(
            "allow",
            "Instance families allowed",
            ", ".join(defaults.allow or ()),
            example("defaults_form_2"),
        ),
        _text_input(
            "discount",
            "Discount on on-demand list prices, in %",
            "" if percent is None else f"{percent:g}",
            "What you have agreed with AWS (EDP), 0 to 60. Answers show the list price as well.",
        ),
        _text_input(
            "currency",
            "Another currency beside USD, and its rate",
            "" if rate is None else f"{defaults.currency} {rate:g}",
            "What one US dollar costs, like EUR 0.92. There is no live rate: it stays as typed.",
        ),
    ]


def _text_input(name: str, label: str, value: str | None, hint: str) -> Payload:
    element: Payload = {"type": "plain_text_input", "action_id": TYPED, "max_length": MAX_TYPED}
    if value:
        element["initial_value"] = value[:MAX_TYPED]
    return _default_input(name, label, element) | {"hint": plain(hint)}


def _market_input(defaults: Defaults) -> Payload:
    choices = ((NO_MARKET, "No default"), *((one, MARKET_WORDS[one]) for one in MARKETS))
    element = {"action_id": TYPED, **menu(choices, defaults.market or NO_MARKET)}
    return _default_input("market", "Purchase option", element)


def _default_input(name: str, label: str, element: Payload) -> Payload:
    return {
        "type": "input",
        "block_id": name,
        "optional": True,
        "label": plain(label),
        "element": element,
    }


def submitted(payload: Payload) -> DefaultsSubmission:
    """Return what a submitted form holds.

    Raises:
        ValueError, KeyError, TypeError: it is none that we made.
    """
    view = payload["view"]
    kept = json.loads(view["private_metadata"])
    if kept["scope"] not in TITLES:
        raise ValueError("the form is about nobody's defaults")
    user, workspace = str(payload["user"]["id"]), team(payload)
    fields = view["state"]["values"]
    return DefaultsSubmission(
        owner=Owner(workspace, user if kept["scope"] == "own" else ""),
        by=user,
        version=int(kept["version"]),
        typed={name: _typed_text(actions.get(TYPED) or {}) for name, actions in fields.items()},
    )


def _typed_text(element: dict[str, Any]) -> str:
    chosen = (element.get("selected_option") or {}).get("value")
    text = element.get("value") if chosen is None else chosen
    return "" if text in (None, NO_MARKET) else str(text)[:MAX_TYPED]


class TypedError(ValueError):
    """What was typed is no such default; the message says what would be."""


@dataclass(frozen=True, slots=True)
class DefaultsReading:
    """What was read of a form, or what is wrong with which field."""

    defaults: Defaults
    errors: Mapping[str, str]


def typed_defaults(typed: Mapping[str, str], catalog: "Catalog") -> DefaultsReading:
    """Return the defaults of the fields `region`, `market`, `allow`, `discount` and `currency`.

    A field left empty lays nothing down.
    """
    errors: dict[str, str] = {}

    def read(name: str, reading: "Callable[[str], T]") -> T | None:
        text = typed.get(name, "").strip()
        try:
            return reading(text) if text else None
        except TypedError as error:
            errors[name] = str(error)
            return None

    rate = read("currency", _typed_rate)
    defaults = Defaults(
        region=read("region", lambda text: _typed_region(text, catalog)),
        market=read("market", _market),
        allow=read("allow", lambda text: _typed_families(text, catalog)),
        discount_percent=read("discount", _typed_discount),
        currency=None if rate is None else rate[0],
        per_usd=None if rate is None else rate[1],
    )
    return DefaultsReading(defaults, errors)


def _typed_region(text: str, catalog: "Catalog") -> str:
    from bot.language.names.places import region_code
    from bot.language.text.vocabulary import nearest, vocabulary_of

    code = region_code(text, vocabulary_of(catalog))
    if code is None:
        close = " or ".join(nearest(text.lower(), catalog.regions)[:2])
        hint = f" Did you mean {close}?" if close else example("typed_defaults")
        raise TypedError(f"There is no AWS region “{text[:40]}”.{hint}")
    return code


def _market(text: str) -> Market:
    for market in MARKETS:
        if text == market:
            return market
    raise TypedError("Choose one of the purchase options in the list.")


def _typed_families(text: str, catalog: "Catalog") -> tuple[str, ...]:
    from bot.language.text.vocabulary import nearest

    families = {instance.family for instance in catalog.instances.values()}
    words = words_listed(text)
    if len(words) > MOST_FAMILIES:
        raise TypedError(f"At most {MOST_FAMILIES} families; leave it empty to allow all.")
    for word in words:
        if word not in families and word not in catalog.groups:
            close = " or ".join(nearest(word, families)[:2])
            hint = f" Did you mean {close}?" if close else example("typed_defaults_2")
            raise TypedError(f"EC2 has no family “{word[:40]}”.{hint}")
    return words


def _typed_discount(text: str) -> float:
    percent = percent_typed(text)
    if percent is None or percent > MOST_DISCOUNT_PERCENT:
        raise TypedError(f"Write a percentage from 0 to {MOST_DISCOUNT_PERCENT:g}, like 12.")
    return percent


def _typed_rate(text: str) -> tuple[str, float]:
    found = rate_typed(text)
    if found is None:
        raise TypedError(HOW_TO_RATE)
    code, rate = found
    if code == "USD":
        raise TypedError("Prices are in USD anyway: name another currency, or leave this empty.")
    if not LEAST_RATE <= rate <= MOST_RATE:
        raise TypedError(HOW_TO_RATE)
    return code, rate
