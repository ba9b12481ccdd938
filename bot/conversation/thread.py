"""What a thread of turns is about: its workload, and those before it, so that one can go back.

`remember` and `recall` keep it as text in the store.
"""

import json
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

from bot.answers.reply import Reply
from bot.language.questions.going_back import says_first, says_undo
from bot.store.store import Store, ThreadKey
from engine.core.workload import Workload

KEPT: Final = 10

NAMES = frozenset(field.name for field in fields(Workload))


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


def remember(store: Store, key: ThreadKey, thread: Thread) -> None:
    """Keep what the thread is about; an empty one makes it a known thread about nothing yet."""
    said = [workload.said() for workload in thread.workloads]
    now = said.pop() if said else None
    kept = {"workload": now, "earlier": said, "speakers": thread.speakers}
    store.put_thread(key, json.dumps(kept))


def recall(store: Store, key: ThreadKey) -> Thread:
    """Return the thread as it was left; an unknown one is about nothing.

    A field that an older or newer release wrote and this one does not have is left out.
    """
    text = store.get_thread(key)
    kept: dict[str, Any] = {} if text is None else json.loads(text)
    said = [*kept.get("earlier", ()), kept.get("workload")]
    return Thread(
        tuple(workload_of(one) for one in said if one is not None),
        tuple(kept.get("speakers", ())),
    )


def workload_of(said: dict[str, Any]) -> Workload:
    """Return the workload that was written as what was said of it."""
    kept: dict[str, Any] = {n: _frozen(value) for n, value in said.items() if n in NAMES}
    return Workload(**kept)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
