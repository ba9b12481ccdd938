"""A thread as the text that the store keeps."""

import json
from dataclasses import fields
from typing import Any

from bot.conversation.thread import Thread
from bot.store.store import Store, ThreadKey
from engine.core.workload import Workload

NAMES = frozenset(field.name for field in fields(Workload))


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
