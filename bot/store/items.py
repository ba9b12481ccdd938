"""Small documents that outlive a request: saved picks, subscriptions, prices seen, installations.

A document is found by collection and key, or with others of the same topic. Every write is one
conditional write that a version guards, so the same promises hold on SQLite and on DynamoDB.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from bot.store.store import Payload

MAX_BODY_BYTES = 350_000  # as JSON; DynamoDB holds items of 400 KB, keys included
ANY_VERSION = None
ABSENT = 0  # the version to expect where the document must not exist yet


class TooLargeError(ValueError):
    """The document is larger than a store can hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """A document as it was read. `version` counts its writes and guards the next one."""

    collection: str
    key: str
    body: Payload
    version: int
    topic: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Some documents, and where the next page starts (None: there is none)."""

    items: tuple[Item, ...]
    after: str | None


class Items(Protocol):
    """Documents. Collection, key and topic are not empty; a body is what JSON can hold."""

    def put_item(
        self,
        collection: str,
        key: str,
        body: Payload,
        *,
        topic: str | None = None,
        kept_s: float | None = None,
        version: int | None = ANY_VERSION,
    ) -> int | None:
        """Write the document and return its new version; None where another was there first.

        `version` is what must be there: ABSENT, the version that was read, or ANY_VERSION.
        After `kept_s` seconds the document counts as absent. `topic` and `kept_s` are replaced
        with each write.

        Raises:
            TooLargeError: the body exceeds MAX_BODY_BYTES.
        """

    def get_item(self, collection: str, key: str) -> Item | None:
        """Return the document; None when absent or expired."""

    def get_items(self, places: Sequence[tuple[str, str]]) -> tuple[Item | None, ...]:
        """Return the documents at up to 100 (collection, key), in their order, by one read."""

    def delete_item(self, collection: str, key: str, *, version: int | None = ANY_VERSION) -> bool:
        """Remove the document; return whether it was there (in that version)."""

    def list_items(
        self, collection: str, *, prefix: str = "", after: str | None = None, limit: int = 100
    ) -> Page:
        """Return documents whose key starts with `prefix`, by key in the order of its bytes."""

    def list_topic(self, topic: str, *, after: str | None = None, limit: int = 100) -> Page:
        """Return documents of any collection with this topic; a late write may still be missing."""


def encoded(body: Payload) -> str:
    """Return the body as the text both stores keep: JSON, so that a float stays what it was.

    Raises:
        TooLargeError: the text exceeds MAX_BODY_BYTES.
        ValueError: a number is not finite.
    """
    text = json.dumps(body, separators=(",", ":"), allow_nan=False)  # ASCII: a character a byte
    if len(text) > MAX_BODY_BYTES:
        raise TooLargeError(f"a document of {len(text)} bytes exceeds {MAX_BODY_BYTES}")
    return text


def collection_page(found: tuple[Item, ...], limit: int) -> Page:
    """Return the first `limit` of the documents found (one more means that there is more)."""
    return Page(found[:limit], found[limit - 1].key if len(found) > limit else None)


def topic_page(found: tuple[Item, ...], limit: int) -> Page:
    """Return the first `limit` of a topic's documents; its keys are told apart by collection."""
    if len(found) <= limit:
        return Page(found, None)
    last = found[limit - 1]
    return Page(found[:limit], json.dumps([last.key, last.collection]))
