"""The door on Lambda. What is imported here, Slack waits for on a cold start: see the test."""

from functools import cache
from typing import TYPE_CHECKING, Any

from bot.aws.client import BEFORE_THE_ACKNOWLEDGEMENT
from bot.lambdas import sandbox
from bot.lambdas.http import request_of, result_of
from bot.lambdas.log import log_as_json
from bot.lambdas.sandbox import SIGNING_SECRET
from bot.slack.door.ingress import Ingress, Response, json_response
from bot.store.dynamodb import DynamoDbStore
from bot.store.sqs_queue import SqsSender

if TYPE_CHECKING:
    from bot.slack.form.door import FormDoor
    from bot.slack.service import House
    from bot.store.store import Payload

SECRETS = sandbox.secrets(BEFORE_THE_ACKNOWLEDGEMENT)
TABLE = sandbox.table(BEFORE_THE_ACKNOWLEDGEMENT)
STORE = DynamoDbStore(TABLE)
QUEUE = SqsSender(*sandbox.queue_client(BEFORE_THE_ACKNOWLEDGEMENT))
log_as_json(SECRETS.values)


def handler(event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Answer one request of API Gateway.

    Raises:
        ValueError: the event is no HTTP request.
        MissingSecretError: the signing secret was not made; nobody is let in without it.
    """
    request = request_of(event)
    if request.body is None:
        answer = json_response(400, {"error": "the body is not the base64 it is said to be"})
    else:
        answer = _ingress().handle(request.method, request.path, request.headers, request.body)
    headers = {name: [value] for name, value in answer.headers.items()}
    return result_of(event, answer.status, headers, answer.body.decode())


def _ingress() -> Ingress:
    return Ingress(
        signing_secret=SECRETS.needed(SIGNING_SECRET),
        store=STORE,
        queue=QUEUE,
        answer_at_once=_answer_at_once,
        open_form=lambda payload: _form_door().open(payload),
    )


def _answer_at_once(payload: "Payload") -> Response:
    """Answer what cannot wait for the worker; only then are the listeners loaded here."""
    return _form_door().at_once(payload) or _house().at_once(payload)


@cache
def _form_door() -> "FormDoor":
    """Return the form's part of the door: it loads neither Bolt nor the engine's answers."""
    return sandbox.form_door(SECRETS, TABLE, STORE)


@cache
def _house() -> "House":
    return sandbox.house(SECRETS, TABLE)
