"""Adding the app to workspaces, on Lambda."""

from typing import TYPE_CHECKING, Any

from slack_bolt import BoltRequest, BoltResponse

from bot.aws.client import Patience
from bot.lambdas import sandbox
from bot.lambdas.http import request_of, result_of
from bot.lambdas.log import log_as_json
from bot.lambdas.secrets import CLIENT_ID, CLIENT_SECRET
from bot.slack.installing import INSTALL_PATH, REDIRECT_PATH, oauth_flow
from bot.state.dynamodb_items import DynamoDbItems

if TYPE_CHECKING:
    from slack_bolt.oauth import OAuthFlow

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
    answer = _answered(
        request.path, BoltRequest(body="", query=request.query, headers=dict(request.headers))
    )
    return result_of(event, answer.status, answer.headers, answer.body)


def _answered(path: str, request: BoltRequest) -> BoltResponse:
    flow = _flow()
    if path == INSTALL_PATH:
        return flow.handle_installation(request)
    return flow.handle_callback(request)


def _flow() -> "OAuthFlow":
    known = (SECRETS.needed(CLIENT_ID), SECRETS.needed(CLIENT_SECRET))
    return oauth_flow(sandbox.slack(), *known, ITEMS)
