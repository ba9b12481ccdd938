"""What a thread of turns is about: its workload, and those before it, so that one can go back."""

import re
from dataclasses import dataclass, replace
from typing import Final, Self

from bot.answers.reply import Reply
from engine.core.workload import Workload

KEPT: Final = 10
UNDO: Final = re.compile(
    r"(?:please )?(?:undo|revert|go back|take (?:that|it) back|back to the (?:previous|last) one)"
    r"(?: (?:that|this|it|the last (?:one|step|change)))?(?: please)?[.!]?",
    re.IGNORECASE,
)


FIRST: Final = re.compile(
    r"(?:(?:ok(?:ay)?|no|please|let'?s)[, ]+)*"
    r"(?:(?:go )?back to (?:the )?(?:first|start|beginning|original)"
    r"|start (?:again |over )?from the (?:first|original)|zur[üu]ck zu[mr]? (?:ersten|anfang))"
    r"(?: (?:one|answer|question|pick|request|version|thing))?(?: please)?[.!]?",
    re.IGNORECASE,
)


def says_undo(text: str) -> bool:
    """Return whether a text takes the last change of its thread back."""
    return UNDO.fullmatch(text.strip()) is not None


def says_first(text: str) -> bool:
    """Return whether a text goes back to what its thread began with."""
    return FIRST.fullmatch(text.strip()) is not None


@dataclass(frozen=True, slots=True)
class Thread:
    """The workloads of a thread, the current one last, and who speaks in it.

    Two of the speakers are kept: more than one is all that matters.
    """

    workloads: tuple[Workload, ...] = ()
    speakers: tuple[str, ...] = ()

    @property
    def now(self) -> Workload | None:
        """The workload that the next turn amends."""
        return self.workloads[-1] if self.workloads else None

    def joined_by(self, user: str) -> Self:
        """Return the thread after somebody spoke in it."""
        if user in self.speakers or len(self.speakers) > 1:
            return self
        return replace(self, speakers=(*self.speakers, user))

    def before(self, text: str) -> Self | None:
        """Return the thread that `text` is said in: one step back to undo, None at its start.

        To go back to the first question all but the oldest that is kept are left.
        """
        if says_first(text):
            return replace(self, workloads=self.workloads[:1]) if self.workloads else None
        if not says_undo(text):
            return self
        return replace(self, workloads=self.workloads[:-1]) if len(self.workloads) > 1 else None

    def after(self, reply: Reply) -> Self:
        """Return the thread after a reply: "start over" forgets, a fault changes nothing.

        A new pick is a step; a question is about the step it was asked in.
        """
        if reply.intent == "reset":
            return replace(self, workloads=())
        if reply.workload is None or reply.workload == self.now:
            return self
        before = self.workloads if reply.intent == "pick" else self.workloads[:-1]
        return replace(self, workloads=(*before, reply.workload)[-KEPT:])
