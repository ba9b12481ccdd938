"""Adding the app to workspaces, on Lambda."""

from typing import Any

from bot.aws.client import Patience
from bot.lambdas import sandbox
from bot.lambdas.http import request_of, result_of
from bot.lambdas.log import log_as_json
from bot.lambdas.sandbox import CLIENT_ID, CLIENT_SECRET
from bot.slack.door.installing import INSTALL_PATH, REDIRECT_PATH, InstallFlow, answered, oauth_flow
from bot.store.dynamodb_items import DynamoDbItems

SECRETS = sandbox.secrets(Patience())
ITEMS = DynamoDbItems(sandbox.table(Patience()))
log_as_json(SECRETS.values)


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answer a visit to the install page, or Slack's callback from it.

    Raises:
        ValueError: the event is no HTTP request.
        MissingSecretError: the client id or secret was not made.
    """
    request = request_of(event)
    if request.method != "GET" or request.path not in (INSTALL_PATH, REDIRECT_PATH):
        return result_of(event, 404, {}, "")
    answer = answered(_flow(), request.path, request.query, request.headers)
    return result_of(event, answer.status, answer.headers, answer.body)


def _flow() -> InstallFlow:
    known = (SECRETS.needed(CLIENT_ID), SECRETS.needed(CLIENT_SECRET))
    return oauth_flow(sandbox.slack(), *known, ITEMS)
