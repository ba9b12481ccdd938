"""The sweep on Lambda: EventBridge Scheduler calls it, it names every shard, and is done."""

from typing import Any

from bot.alerts.sweep import first_pages
from bot.aws.client import Patience
from bot.lambdas import sandbox
from bot.lambdas.log import log_as_json

PAGES = sandbox.alert_pages(Patience())
log_as_json(tuple)


def handler(event: dict[str, Any], _context: object) -> dict[str, int]:
    """Queue the first page of every shard; return how many there are.

    The time that the sweep was due is its name: a second call for the same one sends the same
    pages, and tells nobody twice.

    Raises:
        KeyError: the event is no call of the scheduler.
        PagesNotSentError: SQS did not take all; the scheduler calls again.
    """
    return {"pages": PAGES.send_all(first_pages(str(event["sweep"])))}
