"""The threads a person spoke in lately: where each is and what it came to."""

from dataclasses import asdict, dataclass
from typing import Final

from bot.store.owner import Owner, changed, kept
from bot.store.store import THREAD_KEPT_S, Items, Payload

KEY: Final = "threads"
MOST_THREADS: Final = 5  # each turn writes them all: two units of DynamoDB


@dataclass(frozen=True, slots=True, kw_only=True)
class RecentThread:
    """A thread as it was left."""

    channel: str
    ts: str
    asked: str  # the words said last
    answered: str  # the first line of the answer to them
    spoken_on: str  # ISO date


def threads_of(items: Items, person: Owner) -> tuple[RecentThread, ...]:
    """Return the threads a person spoke in, the latest first."""
    return tuple(RecentThread(**one) for one in kept(items, person, KEY).get("threads", ()))


def spoke_in(items: Items, person: Owner, thread: RecentThread) -> None:
    """Note a thread as the latest. Forgotten with the threads themselves, when nobody speaks."""

    def with_thread(body: Payload) -> Payload:
        place = (thread.channel, thread.ts)
        others = [one for one in body.get("threads", ()) if (one["channel"], one["ts"]) != place]
        return {"threads": [asdict(thread), *others][:MOST_THREADS]}

    changed(items, person, KEY, with_thread, kept_s=THREAD_KEPT_S)
