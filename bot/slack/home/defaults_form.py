"""The form in which defaults are edited: a modal, and what comes back of it."""

import json
from dataclasses import dataclass
from typing import Any, Final

from bot.core.wording import MARKET_WORDS
from bot.slack.door.payload import team
from bot.slack.form.view import menu, modal, plain
from bot.slack.home.typed_defaults import MARKETS
from bot.store.defaults import Defaults
from bot.store.owner import Owner
from bot.store.store import Payload

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
        _text_input(
            "region", "Region", defaults.region, "A code or a city: eu-central-1, Frankfurt"
        ),
        _market_input(defaults),
        _text_input(
            "allow",
            "Instance families allowed",
            ", ".join(defaults.allow or ()),
            "For example: g6e, g6, inf2. A family named in a request goes before.",
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
