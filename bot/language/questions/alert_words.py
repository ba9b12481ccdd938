"""Hears that a text is about alerts: to set one ("tell me if …"), or to see and change them."""

import re
from dataclasses import replace
from typing import Final

from bot.core.asked import AlertAction, AlertQuestion
from bot.core.errors import RequestError
from bot.core.examples import example
from bot.language.draft import Draft
from bot.language.text.plain import TAKEN

ALL: Final = "all"

DOING: Final[dict[str, AlertAction]] = {
    "pause": "pause",
    "mute": "pause",
    "snooze": "pause",
    "resume": "resume",
    "unpause": "resume",
    "unmute": "resume",
    "restart": "resume",
    "continue": "resume",
    "delete": "delete",
    "remove": "delete",
    "cancel": "delete",
    "stop": "delete",
    "end": "delete",
    "drop": "delete",
}
_POLITE = r"\A(?:please |can you |could you |now |/ec2-pick )*"
_ALERTS = r"(?:price )?(?:alerts?|watch(?:es)?|subscriptions?|notifications?)"
_FILLERS = r"(?:(?:the|my|our|all|this|for|on|about|of|prices?|number|no\.?|me|us) ?)*"
_WHICH = rf"(?: {_FILLERS}#?(?P<which>[^\s#?!;{TAKEN}]{{1,40}}?)?(?: prices?)?)?"
_DO = "|".join(DOING)
_END = r"[\s.!?]*\Z"
LIST = re.compile(
    rf"{_POLITE}(?:(?:list|show|see|display|what are|which are)(?: me)? (?:(?:all|of|my|our|the) )*"
    rf"{_ALERTS}|(?:my|our) {_ALERTS}|{_ALERTS} list|(?:price )?alerts"
    rf"|(?:what|which {_ALERTS}) (?:am i watching|are we watching|do (?:i|we) (?:have|watch)))"
    rf"(?: do (?:i|we) have| here| please)?{_END}"
)
CHANGE = re.compile(
    rf"{_POLITE}(?P<do>{_DO}) {_FILLERS}(?:{_ALERTS}|watching|alerting|notifying"
    rf"|telling(?= me| us)){_WHICH}{_END}"
)
CHANGE_AS_COMMAND = re.compile(rf"{_POLITE}{_ALERTS} (?P<do>{_DO}){_WHICH}{_END}")
CHANGE_OF_SOMETHING = re.compile(rf"{_POLITE}(?:{_DO}) {_FILLERS}(?:price )?alerts?\b")
EDIT = re.compile(
    rf"{_POLITE}(?:make|turn|change|set|switch|edit|update|move) {_FILLERS}(?:price )?alerts?"
    rf" #?\d"
)
THIS: Final = {"it", "this", "that", "thread", "pick", "one"}
# A wish to hear of a price or a better pick; "tell me if it fits" wants an answer now.
WISH = re.compile(
    rf"{_POLITE}(?:hey |and |ok(?:ay)?,? )*(?:(?P<command>alert|watch|notify|subscribe|price alert"
    r"|keep an eye on|send (?:me|us) (?:a |the )?(?:daily|weekly))|tell me"
    r"|let (?:me|us) know|ping (?:me|us)|warn (?:me|us)|sag mir)\b"
)
OF_PRICES = re.compile(
    r"\b(?:drops?|falls?|sinks?|cheap(?:er)?|changes?|moves?|rises?|below|beats?|better|billiger"
    r"|goes (?:up|down)|more expensive|dearer|teurer|lower|higher|above|exceeds?|climbs?"
    r"|increases?|decreases?|under|less than|more than)\b"
)
EVERY = re.compile(
    r"(?:\b(?:as|in|with) an? )?\b(?:(?:daily|weekly)(?: (?:digest|summary))?"
    r"|(?:once a|every) (?:day|week)|digest)\b"
)
TERMS = re.compile(rf"{EVERY.pattern}|{OF_PRICES.pattern}|\bthreads?\b")
WHEN = re.compile(r"\b(?:if|when|once|as soon as|wenn)\b")


def read_alert(draft: Draft) -> bool:
    """Note what a text wants of alerts; return whether it wants anything of them.

    Raises:
        RequestError: what is changed is named by something other than a number or a type, or an
            alert's terms shall be changed in place.
    """
    text = draft.reader.work
    if EDIT.match(text):
        raise RequestError(
            "invalid_value",
            "An alert is changed by saying it anew: it takes the place of the one that asked the "
            "same.",
            words=draft.reader.text[:120],
            example=example("alert_words"),
        )
    change = CHANGE.match(text) or CHANGE_AS_COMMAND.match(text)
    if change is not None:
        _note_change(draft, change)
    elif CHANGE_OF_SOMETHING.match(text):
        raise _no_number(draft.reader.text[:120])
    elif LIST.match(text):
        draft.asked = replace(draft.asked, alert=AlertQuestion("list"))
    else:
        return _note_alert_wish(draft, text)
    draft.mark("head", 0, len(text))
    return True


def _note_alert_wish(draft: Draft, text: str) -> bool:
    """Note the wish for an alert; its terms are left to the rules for types, places and money."""
    wish = WISH.match(text)
    if wish is None or not (wish["command"] or (WHEN.search(text) and OF_PRICES.search(text))):
        return False
    draft.asked = replace(draft.asked, alert=AlertQuestion("add"))
    draft.mark("head", wish.start(), wish.end())
    for term in draft.reader.matches(TERMS):
        draft.reader.take(*term.span())  # "cheaper" is no wish about the pick here
    return True


def _note_change(draft: Draft, change: re.Match[str]) -> None:
    meant = AlertQuestion(DOING[change["do"]])
    which = change["which"] or ""
    if which.isdecimal() and which.isascii():
        meant = replace(meant, number=int(which))
    elif which.lstrip("-+").replace(".", "", 1).isdigit():
        raise _no_number(which)
    elif re.search(r"\b(?:all|everything)\b", change[0]):
        meant = replace(meant, subject=ALL)
    elif which not in THIS:
        meant = replace(meant, subject=which)
    draft.asked = replace(draft.asked, alert=meant)


def _no_number(which: str) -> RequestError:
    return RequestError(
        "invalid_value",
        f"`{which}` names no alert: say its number in the list, from 1.",
        words=which,
        example="delete alert 1",
    )
