"""A thread's workload as the text that the store keeps."""

import json
from dataclasses import fields
from typing import Any

from bot.state.store import Store, ThreadKey
from engine.workload import Workload

NAMES = frozenset(field.name for field in fields(Workload))


def remember(store: Store, thread: ThreadKey, workload: Workload | None) -> None:
    """Keep what the thread is about; None makes it a known thread about nothing yet."""
    said = None if workload is None else workload.said()
    store.put_thread(thread, json.dumps({"workload": said}))


def recall(store: Store, thread: ThreadKey) -> Workload | None:
    """Return the workload that the next turn of the thread amends, or None.

    A field that an older or newer release wrote and this one does not have is left out.
    """
    text = store.get_thread(thread)
    said = None if text is None else json.loads(text).get("workload")
    if said is None:
        return None
    kept: dict[str, Any] = {n: _frozen(value) for n, value in said.items() if n in NAMES}
    return Workload(**kept)


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value
