"""What a thread of turns is about: its workload, and those before it, so that one can go back."""

from dataclasses import dataclass, replace
from typing import Final, Self

from bot.answers.reply import Reply
from bot.language.questions.going_back import says_first, says_undo
from engine.core.workload import Workload

KEPT: Final = 10


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
