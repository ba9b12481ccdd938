"""The fan-out on Lambda: pages from SQS, whose subscriptions are compared with now and told."""

import logging
import time
from typing import Any, Final

from bot.alerts.fan_out import FanOut
from bot.alerts.look import WorldLook
from bot.alerts.page_queue import page_of
from bot.answers.world import as_of_today
from bot.aws.client import Patience
from bot.lambdas import sandbox
from bot.lambdas.log import emit, log_as_json
from bot.slack.posting.alert_poster import AlertPoster
from bot.slack.posting.post import web_client
from bot.store.dynamodb_items import DynamoDbItems

PATIENCE = Patience()
SECRETS = sandbox.secrets(PATIENCE)
log_as_json(SECRETS.values)
ITEMS = DynamoDbItems(sandbox.table(PATIENCE))
PAGES = sandbox.alert_pages(PATIENCE)
WORLD = sandbox.world(ITEMS)
POSTER = AlertPoster(web_client(sandbox.slack()), sandbox.DeploymentTokens(SECRETS, ITEMS))

# A subscription that is begun may look its prices up and wait ten seconds for Slack.
NEEDED_MS: Final = 20_000
COUNTED: Final = {"told": "Told", "paused": "Paused", "later": "Later"}

logger = logging.getLogger(__name__)


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:  # noqa: ANN401 - Lambda's own
    """Handle a batch of pages and return those that SQS shall hand out again.

    Each price and pick is looked up once a batch, however many of its subscriptions ask.
    """
    house = FanOut(
        items=ITEMS,
        look=WorldLook(as_of_today(WORLD)),
        poster=POSTER,
        send=PAGES.send,
        has_time=lambda: context.get_remaining_time_in_millis() > NEEDED_MS,
    )
    failed = [one["messageId"] for one in event["Records"] if not _page_handled(house, one)]
    return {"batchItemFailures": [{"itemIdentifier": message_id} for message_id in failed]}


def _page_handled(house: FanOut, record: dict[str, Any]) -> bool:
    """Return whether nobody on the page is left for later, so that SQS may delete it."""
    start = time.monotonic()
    try:
        counts = house.handle(page_of(record["body"]))
    except Exception:
        logger.exception("a page could not be handled")
        return False
    told = {COUNTED[name]: float(count) for name, count in counts.items() if name in COUNTED}
    emit("fan-out", told, {"PageMs": 1000 * (time.monotonic() - start)})
    return "later" not in counts
