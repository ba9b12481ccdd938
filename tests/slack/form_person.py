"""Somebody at the form: what Slack sends of what they see, choose, type and click."""

from bot.core.names import CHANGE
from tests.slack.sender import BOT, TEAM, USER, mention

ROOT = "1700000000.000100"


FILLED = {
    "task": "inference",
    "model": "llama-3-8b",
    "latency": "100ms",
    "latency_kind": "ttft",
    "region": "Frankfurt",
}


def shortcut(trigger="8.1"):
    return {
        "type": "shortcut",
        "callback_id": "size_a_model",
        "trigger_id": trigger,
        "team": {"id": TEAM},
        "user": {"id": USER, "team_id": TEAM},
    }


def change_click(button, post, trigger="9.1", **fields):
    return {
        "type": "block_actions",
        "trigger_id": trigger,
        "team": {"id": TEAM},
        "user": {"id": USER, "team_id": TEAM},
        "channel": {"id": post["channel"]},
        "message": {"ts": "1800000000.000001", "thread_ts": post["thread_ts"], "user": BOT},
        "actions": [{**button, "block_id": "b"}],
        **fields,
    }


def initial(view):
    """Return what each field of a view holds before anybody touches it."""
    held = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            element = block["element"]
            chosen = element.get("initial_option", {}).get("value")
            held[block["block_id"]] = chosen or element.get("initial_value")
    return {name: value for name, value in held.items() if value}


def filled(view, typed):
    """Return the view as Slack sends it along, its fields holding `typed`."""
    values = {}
    for block in view["blocks"]:
        if block["type"] == "input":
            name, element = block["block_id"], block["element"]
            held = {"type": element["type"]}
            value = typed.get(name)
            if element["type"] == "plain_text_input":
                held["value"] = value
            else:
                text = {"type": "plain_text", "text": str(value)}
                held["selected_option"] = value and {"text": text, "value": value}
            values[name] = {element["action_id"]: held}
    return {**view, "state": {"values": values}}


def about(view, kind, typed, user=USER, team=TEAM, **fields):
    return {
        "type": kind,
        "trigger_id": fields.pop("trigger", "7.1"),
        "team": {"id": team},
        "user": {"id": user, "team_id": team},
        "view": filled(view, typed),
        **fields,
    }


def submission(view, typed, **fields):
    return about(view, "view_submission", typed, **fields)


def changed(view, typed, trigger="7.1", **fields):
    element = {"action_id": "form.model", "block_id": "model", "type": "external_select"}
    action = {**element, "action_ts": f"170000000{trigger}"}
    return about(view, "block_actions", typed, trigger=trigger, actions=[action], **fields)


def view_of(slack, number=1):
    return slack.views[f"V{number}"]


def preview(slack, number=1):
    return preview_in(view_of(slack, number))


def preview_in(view):
    (shown,) = [block for block in view["blocks"] if block.get("block_id") == "preview"]
    return shown["text"]["text"]


def opened(sender, work, slack):
    assert sender.command("form").status == 200
    work()
    return view_of(slack)


def ask_and_click_change(sender, work, slack, question):
    sender.event(mention(f"<@{BOT}> {question}"))
    work()
    (post,) = slack.posts
    rows = [block["elements"] for block in post["blocks"] if block["type"] == "actions"]
    (button,) = [one for row in rows for one in row if one["action_id"] == CHANGE]
    assert button["text"]["text"] == "Change"
    assert sender.interaction(change_click(button, post)).status == 200
    work()
    return view_of(slack)


def dead_letters(database):
    with database.read() as rows:
        return rows.execute("SELECT * FROM dead_letters").fetchall()
