"""Pages on their way from the sweep to the fan-out: a standard SQS queue.

It may deliver a page twice and in any order; neither tells anybody twice.
"""

import json
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from bot.alerts.fan_out import PageRequest
    from bot.store.dynamodb import Client

BATCH: Final = 10  # the most that SQS takes in one call


class PagesNotSentError(Exception):
    """SQS did not take all pages; sending them all again is harmless."""


@dataclass(frozen=True, slots=True)
class PageQueue:
    """Sends pages."""

    client: "Client"
    url: str

    def send(self, asked: "PageRequest") -> None:
        """Queue one page."""
        self.client.call("SendMessage", {"QueueUrl": self.url, "MessageBody": body_of(asked)})

    def send_all(self, pages: "Iterable[PageRequest]") -> int:
        """Queue pages ten a call, and return how many there were.

        Raises:
            PagesNotSentError: some were not taken.
        """
        sent = 0
        for batch in _batches(pages):
            entries = [{"Id": str(n), "MessageBody": body_of(one)} for n, one in enumerate(batch)]
            answer = self.client.call(
                "SendMessageBatch", {"QueueUrl": self.url, "Entries": entries}
            )
            refused = answer.get("Failed") or []
            if refused:
                raise PagesNotSentError(f"{len(refused)} pages: {refused[0].get('Code')}")
            sent += len(batch)
        return sent


def body_of(asked: "PageRequest") -> str:
    """Return the message for a page."""
    return json.dumps(asked.body, separators=(",", ":"))


def page_of(body: str) -> "PageRequest":
    """Return the page in a message.

    Raises:
        ValueError: the message is none of ours.
    """
    from bot.alerts.fan_out import PageRequest

    try:
        written = json.loads(body)
        return PageRequest(
            sweep=written["sweep"], shard=written["shard"], after=written.get("after")
        )
    except (ValueError, TypeError, KeyError) as error:
        raise ValueError("the message holds no page") from error


def _batches(pages: "Iterable[PageRequest]") -> "Iterator[list[PageRequest]]":
    left = iter(pages)
    while batch := list(islice(left, BATCH)):
        yield batch
