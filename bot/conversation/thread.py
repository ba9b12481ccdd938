"""What a thread of turns is about: its workload, and those before it, so that one can go back.

`remember` and `recall` keep it as text in the store.
"""

import json
from dataclasses import dataclass, fields, replace
from typing import Any, Final, Self

from bot.answers.reply import Reply
from bot.language.turns import Earlier, going_back
from bot.store.store import Store, ThreadKey
from engine.core.workload import Workload

KEPT: Final = 10
MOST_COMPARED: Final = 8

NAMES = frozenset(field.name for field in fields(Workload))


@dataclass(frozen=True, slots=True)
class Thread:
    """The workloads of a thread, the current one last, and who speaks in it.

    Two of the speakers are kept: more than one is all that matters.
    """

    workloads: tuple[Workload, ...] = ()
    speakers: tuple[str, ...] = ()
    topics: tuple[int, ...] = ()  # by workload: the number of the question it belongs to
    filled: tuple[tuple[str, str], ...] = ()  # figures said: the field and the words of each
    compared: tuple[tuple[str, float, float], ...] = ()  # name, $/h and ms a token

    @property
    def now(self) -> Workload | None:
        """The workload that the next turn amends."""
        return self.workloads[-1] if self.workloads else None

    @property
    def context(self) -> "Thread | Workload | None":
        """What the next turn is said after: the workload by itself where nothing else is kept."""
        more = len(self.workloads) > 1 or self.filled or self.compared
        return self if more else self.now

    @property
    def earlier(self) -> Earlier:
        """What the thread had before, as the reading of a turn looks at it."""
        topics = (*((0,) * (len(self.workloads) - len(self.topics))), *self.topics)
        steps = tuple(zip(topics, self.workloads, strict=False))
        return Earlier(steps, self.filled, self.compared)

    def joined_by(self, user: str) -> Self:
        """Return the thread after somebody spoke in it."""
        if user in self.speakers or len(self.speakers) > 1:
            return self
        return replace(self, speakers=(*self.speakers, user))

    def before(self, text: str) -> Self | None:
        """Return the thread that `text` is said in: one step back to undo, None at its start.

        To go back to the first question all but the oldest that is kept are left.
        """
        to, _ = going_back(text)
        left = {"": len(self.workloads), "first": 1, "undo": len(self.workloads) - 1}[to]
        if to and (left < 1 or not self.workloads):
            return None
        return replace(self, workloads=self.workloads[:left], topics=self.topics[:left])

    def after(self, reply: Reply) -> Self:
        """Return the thread after a reply: "start over" forgets, a fault changes nothing.

        A new pick is a step; a question is about the step it was asked in.
        """
        if reply.intent == "reset":
            return replace(self, workloads=(), topics=(), filled=(), compared=())
        if reply.error is not None:
            return self
        filled = self.filled if reply.filled is None else reply.filled
        told = replace(self, filled=filled, compared=_set_side_by_side(reply) or self.compared)
        if reply.workload is None or (reply.workload == self.now and not reply.is_step):
            return told
        topics = tuple(topic for topic, _ in self.earlier.steps)
        topic = max(topics, default=0) + 1 if reply.begins else (topics or (0,))[-1]
        is_step = reply.is_step or reply.intent == "pick"
        kept = len(topics) if is_step else max(len(topics) - 1, 0)
        return replace(
            told,
            workloads=(*self.workloads[:kept], reply.workload)[-KEPT:],
            topics=(*topics[:kept], topic)[-KEPT:],
            compared=_set_side_by_side(reply),
        )


def _set_side_by_side(reply: Reply) -> tuple[tuple[str, float, float], ...]:
    """Return what a reply sets side by side, where it has a price and a speed for each."""
    columns = list((reply.comparison or {}).get("columns", ()))
    if not {"usd_per_hour", "tpot_ms"} <= set(columns):
        return ()
    usd, tpot = columns.index("usd_per_hour"), columns.index("tpot_ms")
    rows = (reply.comparison or {}).get("rows", ())
    return tuple(
        (str(row["name"]), *(_or_most(row["values"][at]) for at in (usd, tpot)))  # type: ignore[misc]
        for row in rows[:MOST_COMPARED]
    )


def _or_most(figure: object) -> float:
    return float(figure) if isinstance(figure, int | float) else 1e12


def remember(store: Store, key: ThreadKey, thread: Thread) -> None:
    """Keep what the thread is about; an empty one makes it a known thread about nothing yet."""
    said = [workload.said() for workload in thread.workloads]
    now = said.pop() if said else None
    kept = {"workload": now, "earlier": said, "speakers": thread.speakers}
    more = {name: getattr(thread, name) for name in ("topics", "filled", "compared")}
    store.put_thread(key, json.dumps(kept | {name: one for name, one in more.items() if one}))


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
        tuple(kept.get("topics", ())),
        tuple(map(tuple, kept.get("filled", ()))),
        tuple(map(tuple, kept.get("compared", ()))),
    )


def workload_of(said: dict[str, Any]) -> Workload:
    """Return the workload that was written as what was said of it."""
    kept: dict[str, Any] = {n: _frozen(value) for n, value in said.items() if n in NAMES}
    return Workload(**kept)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
