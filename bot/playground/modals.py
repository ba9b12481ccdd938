"""The modal that the app has open in the pretend workspace, and what Slack would say about it."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import count

Json = dict[str, object]


@dataclass(slots=True)
class Modals:
    """At most one modal is open: another one takes its place."""

    _view: Json | None = None
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def current(self) -> Json | None:
        """Return the open view, with its id and hash."""
        with self._changed:
            return self._view

    def wait_until(self, is_so: Callable[[Json | None], bool], timeout_s: float) -> bool:
        """Return whether something is so of the open view, once it is or the time is up."""
        with self._changed:
            return self._changed.wait_for(lambda: is_so(self._view), timeout_s)

    def open(self, body: Json) -> Json:
        """Answer views.open."""
        with self._changed:
            return self._shown(body, f"V{next(self._numbers)}")

    def update(self, body: Json) -> Json:
        """Answer views.update: only to who knows the view as it is now."""
        with self._changed:
            if self._view is None or self._view["id"] != body.get("view_id"):
                return {"ok": False, "error": "not_found"}
            if body.get("hash") not in (None, self._view["hash"]):
                return {"ok": False, "error": "hash_conflict"}
            return self._shown(body, str(self._view["id"]))

    def close(self) -> None:
        """Close whatever is open."""
        with self._changed:
            self._view = None

    def _shown(self, body: Json, view_id: str) -> Json:
        view = body.get("view")
        if not isinstance(view, dict):
            return {"ok": False, "error": "invalid_arguments"}
        self._changed.notify_all()
        self._view = {**view, "id": view_id, "hash": f"{next(self._numbers)}.play"}
        return {"ok": True, "view": self._view}
