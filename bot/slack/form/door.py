"""The form's part of what Slack waits for: opening it, its type-ahead, its errors. Without Bolt."""

import http.client
import json
import logging
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin

from bot.core.names import CALLBACK, MODEL_ACTION
from bot.slack.door.ingress import OpenForm, Response, json_response
from bot.slack.door.payload import change_button, message_thread, part, team
from bot.slack.door.response_url import opener_for
from bot.slack.form.form_fields import UNTOUCHED
from bot.slack.form.form_words import filled_in, typed_in, typed_of
from bot.slack.form.place import Opener
from bot.slack.form.view import form_view
from bot.store.owner import Owner
from bot.store.store import Payload, Store

if TYPE_CHECKING:
    from bot.store.store import Items
    from catalog.catalog import Catalog

logger = logging.getLogger(__name__)

# A trigger id lives for three seconds, and a cold start has had its part of them.
OPEN_TIMEOUT_S = 2.0
MAX_ANSWER_BYTES = 1 << 20
FOREIGN = "This form cannot be taken. Please close it and open a new one with /ec2-pick form."


class NotOpenedError(Exception):
    """Slack did not open a view; the message is its word for why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormDoor:
    """Opens forms and answers what they ask. `token_of` and `catalog` are called when needed.

    `items` keeps people's defaults; None: nobody has any.
    """

    api_url: str
    token_of: Callable[[str], str | None]
    store: Store
    catalog: Callable[[], "Catalog"]
    items: "Items | None" = None

    def open(self, payload: Payload) -> OpenForm | None:
        """Open the form that a payload asks for, filled; None where Slack does not open it."""
        said, opener = self._said(payload), opener_of(payload)
        typed, whose = filled_in(UNTOUCHED | typed_of(said), said, self._defaults(opener))
        opener = replace(opener, defaults=whose)
        try:
            view = self._view(payload, opener, typed)
        except NotOpenedError as error:
            logger.warning("Slack did not open the form: %s", error)
            return None
        return OpenForm(view_id=str(view["id"]), hash=str(view["hash"]), typed=typed, place=opener)

    def _defaults(self, opener: Opener) -> list[tuple[str, object, str]]:
        """Return the defaults for the form: a convenience, without which it is opened as well."""
        if self.items is None or not opener.user:
            return []
        from bot.store.defaults import own_and_workspaces, taken

        try:
            return list(taken(*own_and_workspaces(self.items, Owner(opener.team, opener.user))))
        except Exception:
            logger.exception("the form is opened without defaults")
            return []

    def at_once(self, payload: Payload) -> Response | None:
        """Return the answer to a form's type-ahead or submission; None for what is not a form's.

        An empty answer closes the form: it can be answered.
        """
        if payload.get("type") == "block_suggestion":
            return self._options(payload) if payload.get("action_id") == MODEL_ACTION else None
        view = part(payload, "view")
        ours = view.get("callback_id") == CALLBACK and payload["type"] == "view_submission"
        return self._submitted(payload, view) if ours else None

    def _view(self, payload: Payload, opener: Opener, typed: dict[str, str]) -> Payload:
        token = self.token_of(opener.team)
        if token is None:
            raise NotOpenedError("not_installed")
        trigger = str(payload.get("trigger_id") or "")
        return opened_view(self.api_url, token, trigger, form_view(typed, opener))

    def _options(self, payload: Payload) -> Response:
        from bot.slack.form.check import model_options

        options = model_options(str(payload.get("value") or ""), self.catalog())
        return json_response(200, {"options": options})

    def _submitted(self, payload: Payload, view: Payload) -> Response:
        from bot.slack.form.check import problems

        opener = Opener.read(view.get("private_metadata"))
        if opener is None or not opener.is_sender_of(payload):
            return _errors({"task": FOREIGN})
        found = problems(typed_in(view), self.catalog())
        return _errors(found) if found else Response(200)

    def _said(self, payload: Payload) -> Payload:
        """Return the workload, as said, to fill the form with: that of the card, or its thread."""
        button = change_button(payload)
        thread = message_thread(payload)
        if button is None:
            return {}
        said = _json_object(button.get("value")).get("said")
        if isinstance(said, dict):
            return said
        kept = None if thread is None else self.store.get_thread(thread)
        now = _json_object(kept).get("workload")
        return now if isinstance(now, dict) else {}


def opened_view(api_url: str, token: str, trigger_id: str, view: Payload) -> Payload:
    """Return the view that Slack opened for a trigger, with its id and hash.

    By the standard library: Slack's SDK takes longer to import than Slack to answer.

    Raises:
        NotOpenedError: Slack refused or did not answer in time.
    """
    url = urljoin(api_url, "views.open")
    request = urllib.request.Request(  # noqa: S310 - the operator's own setting
        url,
        data=json.dumps({"trigger_id": trigger_id, "view": view}).encode(),
        headers={
            "authorization": f"Bearer {token}",
            "content-type": "application/json; charset=utf-8",
        },
        method="POST",
    )
    try:
        with opener_for(url).open(request, timeout=OPEN_TIMEOUT_S) as answer:
            found = _json_object(answer.read(MAX_ANSWER_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            raise NotOpenedError(f"http_{error.code}") from None
    except (OSError, http.client.HTTPException) as error:
        raise NotOpenedError(type(error).__name__) from None
    if not found.get("ok"):
        raise NotOpenedError(str(found.get("error"))[:100])
    opened: Payload = found["view"]
    return opened


def opener_of(payload: Payload) -> Opener:
    """Return who asked where; a shortcut comes from nowhere and is answered in direct messages."""
    user = str(part(payload, "user").get("id") or payload.get("user_id") or "")
    thread = message_thread(payload)
    if thread is not None:
        return Opener(team=thread.team, user=user, channel=thread.channel, thread_ts=thread.ts)
    return Opener(team=team(payload), user=user, channel=str(payload.get("channel_id") or user))


def _json_object(text: object) -> dict[str, Any]:
    try:
        value = json.loads(text) if isinstance(text, str | bytes) else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _errors(errors: dict[str, str]) -> Response:
    return json_response(200, {"response_action": "errors", "errors": errors})
