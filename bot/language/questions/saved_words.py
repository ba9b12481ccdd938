"""Hears that a text is about saved picks: "save this pick", "my saved picks", "forget …"."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from bot.store.kept_of_people import SavedPick

_POLITE: Final = r"(?:please |can you |could you |/ec2-pick )*"
_END: Final = r"(?: please)?[\s.!?]*"
SAVE: Final = re.compile(
    rf"{_POLITE}(?:save|bookmark)(?: (?:this|that|it|the|my))?"
    rf"(?: (?:pick|one|answer|choice|recommendation))?(?: for later)?"
    rf"(?P<named>(?: (?:instance|region|market)=\S+)*){_END}",
    re.IGNORECASE,
)
LIST: Final = re.compile(
    rf"{_POLITE}(?:(?:list|show|see)(?: me)? )?(?:(?:all|of|my|the|our) )*saved(?: picks?)?{_END}"
    rf"|{_POLITE}what (?:have|did) i saved?{_END}",
    re.IGNORECASE,
)
FORGET: Final = re.compile(
    rf"{_POLITE}(?:(?:forget|delete|unsave) (?:my |the )?(?:saved (?:pick )?|pick )"
    rf"|(?:remove|drop) (?:my |the )?saved (?:pick )?)"
    rf"(?:number |no\.? )?#?(?P<number>\d{{1,30}}){_END}",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveWish:
    """What shall be done about saved picks; the turn fills in which pick it is."""

    action: Literal["save", "list", "forget"]
    named: str = ""  # fields of a pick that a button names, as typed
    number: int = 0  # of the list, from 1
    pick: "SavedPick | None" = None

    @property
    def is_private(self) -> bool:
        """Whether the answer may show picks of other threads, which are nobody else's business."""
        return self.action != "save"


def save_wish(text: str) -> SaveWish | None:
    """Return what a text wants of saved picks; None where it wants nothing of them."""
    text = text.strip()
    if found := SAVE.fullmatch(text):
        return SaveWish(action="save", named=found["named"].strip())
    if LIST.fullmatch(text):
        return SaveWish(action="list")
    if found := FORGET.fullmatch(text):
        return SaveWish(action="forget", number=int(found["number"]))
    return None
