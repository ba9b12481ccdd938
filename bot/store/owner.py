"""Who a document belongs to, and how one is changed while others write as well.

All that is kept of a person lies in one collection, so that one look-up finds it and nobody else's
is ever in it. None of it expires: it is what people put there to find again, bounded by what one
person may keep.
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote

from bot.store.store import ABSENT, Items, Payload

# What a document becomes; None: it stays as it is.
Change = Callable[[Payload], Payload | None]


@dataclass(frozen=True, slots=True)
class Owner:
    """A person in a workspace; without a user the workspace itself."""

    team: str
    user: str = ""

    @property
    def collection(self) -> str:
        """The collection of what is kept of this person or workspace."""
        return f"owner/{quote(self.team, safe='')}/{quote(self.user, safe='')}"


def kept(items: Items, owner: Owner, key: str) -> Payload:
    """Return a document of the owner; an empty one where there is none."""
    item = items.get_item(owner.collection, key)
    return {} if item is None else item.body


def changed(
    items: Items, owner: Owner, key: str, change: Change, *, kept_s: float | None = None
) -> bool:
    """Change a document, on what another writer left where one was first.

    Returns whether anything was written. Ends, as of writers that race one always gets through.
    """
    while True:
        item = items.get_item(owner.collection, key)
        body = change({} if item is None else item.body)
        if body is None:
            return False
        version = ABSENT if item is None else item.version
        written = items.put_item(owner.collection, key, body, kept_s=kept_s, version=version)
        if written is not None:
            return True
