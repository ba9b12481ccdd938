"""Who opened a form, and where its answer goes: what the modal's private_metadata holds."""

import json
import re
from dataclasses import asdict, dataclass, field
from typing import Self

from bot.core.names import LAID_DOWN
from bot.slack.door.payload import part, team
from bot.slack.form.form_fields import BY_NAME
from bot.store.store import Payload

MAX_CHARS = 3000  # Slack's limit
TEAM = re.compile(r"[TE][A-Z0-9]{0,30}")
USER = re.compile(r"[UW][A-Z0-9]{0,30}")
PLACE = re.compile(r"[CDGUW][A-Z0-9]{0,30}")  # a user's id: the direct messages with the app
TIMESTAMP = re.compile(r"\d{1,12}\.\d{1,8}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Opener:
    """Who opened a form where. No response_url: that is a capability, and ends after minutes.

    `defaults` names the fields that were filled in with a default, and whose each is.
    """

    team: str
    user: str
    channel: str
    thread_ts: str | None = None
    defaults: dict[str, str] = field(default_factory=dict)

    def metadata(self) -> str:
        """Return the text that the modal keeps for us."""
        return json.dumps(asdict(self), separators=(",", ":"))

    @classmethod
    def read(cls, metadata: object) -> Self | None:
        """Return what `metadata` wrote; None for anything else."""
        if not isinstance(metadata, str) or len(metadata) > MAX_CHARS:
            return None
        try:
            opener = cls(**json.loads(metadata))
        except (TypeError, ValueError, RecursionError):
            return None
        return opener if opener._is_well_formed() else None

    def is_sender_of(self, payload: Payload) -> bool:
        """Return whether the payload comes from who opened the form."""
        return part(payload, "user").get("id") == self.user and team(payload) == self.team

    def _is_well_formed(self) -> bool:
        checks = ((TEAM, self.team), (USER, self.user), (PLACE, self.channel))
        named = all(isinstance(text, str) and kind.fullmatch(text) for kind, text in checks)
        ts = self.thread_ts
        there = ts is None or (isinstance(ts, str) and bool(TIMESTAMP.fullmatch(ts)))
        return named and there and self._names_owners()

    def _names_owners(self) -> bool:
        known = self.defaults
        return isinstance(known, dict) and all(
            name in BY_NAME and isinstance(whose, str) and whose in LAID_DOWN
            for name, whose in known.items()
        )
