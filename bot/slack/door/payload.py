"""What Slack posts, parsed: which kind of delivery it is, its claim key, whether it concerns us."""

import hashlib
import json
from collections.abc import Callable
from urllib.parse import parse_qsl

from bot.core.names import CALLBACK as FORM
from bot.core.names import CHANGE, COMMAND_WORD, DELIVERY, OPENED, SHORTCUT
from bot.store.store import Job, Payload, ThreadKey

MAX_FORM_FIELDS = 100  # a slash command has sixteen

# Slack shows the response to these to the user, so they cannot wait for the worker.
ANSWERED_AT_ONCE = frozenset({"block_suggestion", "dialog_suggestion", "view_submission"})
FORMS = frozenset({"defaults", FORM})  # the callback ids of forms with work behind their check
TAKEN = "ec2_pick_form_taken"  # in a job's body: the form's values were checked


class PayloadError(ValueError):
    """The body is not one of the shapes Slack posts."""


def parsed(body: bytes, content_type: str) -> Payload:
    """Return the payload of an event (JSON), an interaction or a command (forms).

    Raises:
        PayloadError: the body is malformed or not an object.
    """
    try:
        if content_type.partition(";")[0].strip().lower() == "application/json":
            payload = json.loads(body)
        else:
            pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=MAX_FORM_FIELDS)
            payload = dict(pairs)
            if "payload" in payload:
                payload = json.loads(payload["payload"])
    except (ValueError, RecursionError) as error:
        raise PayloadError("the body is neither JSON nor a form") from error
    if not isinstance(payload, dict):
        raise PayloadError("the body is not an object")
    payload.pop(TAKEN, None)  # ours to say
    for ours in (OPENED, DELIVERY):
        payload.pop(ours, None)
    payload.pop("token", None)  # the deprecated verification token: a secret nobody needs
    return payload


def part(payload: Payload, name: str) -> Payload:
    """Return the object that a payload holds by a name; {} where it holds none."""
    found = payload.get(name)
    return found if isinstance(found, dict) else {}


def team(payload: Payload) -> str:
    """Return the workspace (or, for an organisation-wide installation, the enterprise) id."""
    inner = part(payload, "team").get("id")
    return str(payload.get("team_id") or inner or payload.get("enterprise_id") or "")


def bot_user_ids(payload: Payload) -> frozenset[str]:
    """Return the user ids this app has in the workspaces that the event was sent for."""
    rows = payload.get("authorizations")
    entries = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return frozenset(str(row["user_id"]) for row in entries if row.get("user_id"))


def job(payload: Payload, knows_thread: Callable[[ThreadKey], bool]) -> Job | None:
    """Return the work a delivery asks for; None where it is noise or the double of another.

    The key is what makes two deliveries the same: Slack's trigger id where somebody typed or
    clicked, the message itself where something was said, the event id for the rest.
    """
    if isinstance(payload.get("event"), dict):
        return _event_job(payload, payload["event"], knows_thread)
    if "command" in payload:
        key = f"command|{payload.get('trigger_id') or _digest(payload)}"
        return Job(key=key, group=_asker_group(payload), body=payload)
    if payload.get("type") and payload.get("trigger_id"):  # a click or a shortcut
        key = f"interaction|{payload['trigger_id']}"
        return Job(key=key, group=_interaction_group(payload, key), body=payload)
    return None


def _asker_group(payload: Payload) -> str:
    """Return the group of a person's commands: one is worked on at a time, beside other people's.

    Who sends thirty at once waits for their own; nobody else does.
    """
    return f"commands|{team(payload)}|{payload.get('user_id') or ''}"


def taken_form(payload: Payload) -> Job | None:
    """Return the work behind a form whose values were found well; None for no form.

    Slack waits for the check alone. The body says that it was made, so that the listener does
    what the form asks for instead of checking it again.
    """
    view = part(payload, "view")
    if payload.get("type") != "view_submission" or view.get("callback_id") not in FORMS:
        return None
    # Taken once, a view is closed: whatever its hash was by then, it is the same submission.
    key = f"form|{team(payload)}|{view.get('id') or _digest(payload)}"
    return Job(key=key, group=_home_group(payload, key), body={**payload, TAKEN: True})


def click_key(payload: Payload) -> str | None:
    """Return what two clicks of a double click share; None for what is no click on a message.

    Slack gives each its own trigger id, so the person, the message and the button must do.
    """
    actions = payload.get("actions")
    if payload.get("type") != "block_actions" or not isinstance(payload.get("message"), dict):
        return None
    said = [
        {name: value for name, value in action.items() if name != "action_ts"}
        for action in (actions if isinstance(actions, list) else ())
        if isinstance(action, dict)
    ]
    person, place, ts = payload.get("user"), payload.get("channel"), payload["message"].get("ts")
    return f"click|{_digest([team(payload), place, ts, person, said])}"


def message_thread(payload: Payload) -> ThreadKey | None:
    """Return the thread of the message that a click was on."""
    channel, message = payload.get("channel"), part(payload, "message")
    ts = message.get("thread_ts") or message.get("ts")
    if not isinstance(channel, dict) or not ts:
        return None
    return ThreadKey(team(payload), str(channel.get("id")), str(ts))


def _event_job(
    payload: Payload, event: Payload, knows_thread: Callable[[ThreadKey], bool]
) -> Job | None:
    kind = event.get("type")
    if kind not in ("app_mention", "message"):
        key = f"event|{team(payload)}|{payload.get('event_id') or _digest(payload)}"
        return Job(key=key, group=_home_group(payload, key), body=payload)
    if not _is_a_persons_message(event, bot_user_ids(payload)):
        return None
    thread = ThreadKey(
        team(payload), str(event["channel"]), str(event.get("thread_ts") or event["ts"])
    )
    if kind == "message" and not _is_for_us(event, thread, bot_user_ids(payload), knows_thread):
        return None
    # A mention arrives as app_mention and as message, with two event ids; and one message has come
    # with eleven. The message itself is what must be answered once.
    key = f"message|{thread.team}|{thread.channel}|{event['ts']}"
    return Job(key=key, group=_thread_group(thread), body=payload)


def _home_group(payload: Payload, key: str) -> str:
    """Return the group in which a person's Home tab is shown: the last to show it is the latest."""
    event = part(payload, "event")
    opened_by = event.get("user") if event.get("type") == "app_home_opened" else None
    clicked_by = part(payload, "user").get("id") if payload.get("view") else None
    person = opened_by or clicked_by
    return f"home|{team(payload)}|{person}" if person else key


def _interaction_group(payload: Payload, key: str) -> str:
    """Return the group of what is clicked in one thread, changed in one form, or at home."""
    thread, view = message_thread(payload), part(payload, "view")
    if thread is not None:
        return _thread_group(thread)
    if view.get("callback_id") == FORM and "id" in view:
        return view_group(payload, str(view["id"]))
    return _home_group(payload, key)


def view_group(payload: Payload, view_id: str) -> str:
    """Return the group by which the changes of a view are shown one after the other."""
    return f"view|{team(payload)}|{view_id}"


def _thread_group(thread: ThreadKey) -> str:
    """Return the group by which the turns of a thread are answered one after the other."""
    return f"thread|{thread.team}|{thread.channel}|{thread.ts}"


def _is_a_persons_message(event: Payload, bots: frozenset[str]) -> bool:
    """Tell words somebody typed from edits, joins, deletions and what bots (we) said."""
    automatic = event.get("subtype") or event.get("hidden") or event.get("bot_id")
    complete = event.get("user") and event.get("ts") and event.get("channel")
    return bool(complete and not automatic and event["user"] not in bots)


def _is_for_us(
    event: Payload,
    thread: ThreadKey,
    bots: frozenset[str],
    knows_thread: Callable[[ThreadKey], bool],
) -> bool:
    """Tell a plain message to answer: direct, or in a thread of ours and not also a mention.

    Between the members of a group message, what names us may come as a message alone.
    """
    if is_overheard(event, bots):
        return bool(event.get("thread_ts")) and knows_thread(thread)
    return _is_direct(event) or event.get("channel_type") == "mpim"


def is_overheard(event: Payload, bots: frozenset[str]) -> bool:
    """Return whether something was said where we are, but not to us by name."""
    if _is_direct(event) or event.get("type") != "message":
        return False
    text = str(event.get("text") or "")
    return not any(f"<@{bot}>" in text or f"<@{bot}|" in text for bot in bots)


def _is_direct(event: Payload) -> bool:
    return event.get("channel_type") == "im" or str(event.get("channel")).startswith("D")


def _digest(payload: object) -> str:
    """Return a stand-in for an id that Slack left out: equal for an identical delivery."""
    return hashlib.sha256(json.dumps(payload, sort_keys=True).encode()).hexdigest()


def asks_for_form(payload: Payload) -> bool:
    """Return whether a payload asks for the form to be opened."""
    if "command" in payload:
        return str(payload.get("text") or "").strip().lower() == COMMAND_WORD
    if payload.get("type") == "shortcut":
        return payload.get("callback_id") == SHORTCUT
    return change_button(payload) is not None


def change_button(payload: Payload) -> Payload | None:
    """Return the clicked button, where it is a card's *Change*."""
    action = clicked_action(payload)
    changes = payload.get("type") == "block_actions" and action.get("action_id") == CHANGE
    return action if changes else None


def clicked_action(payload: Payload) -> Payload:
    """Return the button or field that an interaction is about; {} where it is about none."""
    actions = payload.get("actions")
    action = actions[0] if isinstance(actions, list) and actions else None
    return action if isinstance(action, dict) else {}
