"""Which blocks Slack would refuse, written apart from the product so that both can be wrong once.

Limits of https://docs.slack.dev/reference/block-kit/blocks (messages) and of
https://docs.slack.dev/reference/views/modal-views.
"""

KNOWN = {
    "actions", "card", "carousel", "container", "context", "context_actions", "data_table",
    "data_visualization", "divider", "file", "header", "image", "input", "markdown", "plan",
    "rich_text", "section", "table", "task_card", "video",
}  # fmt: skip


def refusal(blocks):
    """Return why Slack would refuse the blocks of a message, or None."""
    if len(blocks) > 50:
        return "more than 50 blocks"
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if len(ids) != len(set(ids)):
        return "a block_id twice"
    return next(filter(None, map(_block, blocks)), None)


def view_refusal(view, kind):
    """Return why Slack would refuse a view ("home" or "modal"), or None."""
    if view.get("type") != kind:
        return f"a view of type {view.get('type')}"
    blocks = view.get("blocks", [])
    ids = [block["block_id"] for block in blocks if "block_id" in block]
    if not 1 <= len(blocks) <= 100 or len(ids) != len(set(ids)):
        return f"{len(blocks)} blocks in a view, or a block_id twice"
    if len(view.get("private_metadata", "")) > 3000:
        return "private_metadata over 3000"
    return modal_refusal(view) if kind == "modal" else next(filter(None, map(_block, blocks)), None)


VIEW_KEYS = {
    "type", "title", "blocks", "close", "submit", "private_metadata", "callback_id",
    "clear_on_close", "notify_on_close", "external_id",
}  # fmt: skip


def modal_refusal(view):
    """Return why Slack would refuse a modal, or None."""
    if not isinstance(view, dict) or view.get("type") != "modal":
        return "no modal"
    if view.keys() - VIEW_KEYS:
        return f"unknown keys {view.keys() - VIEW_KEYS}"
    blocks = view["blocks"]
    if not 1 <= len(blocks) <= 100:
        return f"{len(blocks)} blocks"
    if len(view.get("private_metadata", "")) > 3000 or len(view.get("callback_id", "")) > 255:
        return "private_metadata or callback_id too long"
    if any(block["type"] == "input" for block in blocks) and "submit" not in view:
        return "inputs without submit"
    titles = [view["title"], *(view[key] for key in ("close", "submit") if key in view)]
    found = [_text(title, 24, ("plain_text",)) for title in titles]
    return next(filter(None, found), None) or refusal(blocks)


def _input(block):
    element = block["element"]
    if len(block.get("block_id", "")) > 255 or len(element.get("action_id", "")) > 255:
        return "an id over 255"
    texts = [_text(block["label"], 2000, ("plain_text",))]
    texts += [_text(block["hint"], 2000, ("plain_text",))] if "hint" in block else []
    if "placeholder" in element:
        texts.append(_text(element["placeholder"], 150, ("plain_text",)))
    return next(filter(None, texts), None) or ELEMENTS[element["type"]](element)


def _text_input(element):
    longest = element.get("max_length", 3000)
    if not 1 <= longest <= 3000 or len(element.get("initial_value", "")) > longest:
        return "a text over its length"
    on = element.get("dispatch_action_config", {}).get("trigger_actions_on", [])
    if set(on) - {"on_enter_pressed", "on_character_entered"}:
        return f"dispatch on {on}"
    return None


def _select(element):
    options = element.get("options", [])
    if element["type"] == "static_select" and not 1 <= len(options) <= 100:
        return f"{len(options)} options"
    chosen = [element["initial_option"]] if "initial_option" in element else []
    if options and any(one not in options for one in chosen):
        return "an initial option that is none"
    return option_refusal([*options, *chosen])


def option_refusal(options):
    """Return why Slack would refuse the options of a menu, or None."""
    if len(options) > 100:
        return f"{len(options)} options"
    texts = [_text(option["text"], 75, ("plain_text",)) for option in options]
    values = [None if len(option["value"]) <= 150 else "a long value" for option in options]
    return next(filter(None, texts + values), None)


ELEMENTS = {
    "plain_text_input": _text_input, "static_select": _select, "external_select": _select,
}  # fmt: skip


def _block(block):
    kind = block.get("type")
    if kind not in KNOWN:
        return f"unknown block {kind}"
    return CHECKS.get(kind, lambda _: None)(block)


def _text(text, limit, kinds=("plain_text", "mrkdwn")):
    if text.get("type") not in kinds:
        return f"text of type {text.get('type')}"
    return None if 1 <= len(text["text"]) <= limit else f"text of {len(text['text'])} characters"


def _section(block):
    if not block.keys() & {"text", "fields"}:
        return "a section without text"
    fields = block.get("fields", [])
    if len(fields) > 10:
        return "more than 10 fields"
    texts = [_text(block["text"], 3000)] if "text" in block else []
    return next(filter(None, texts + [_text(field, 2000) for field in fields]), None)


def _context(block):
    elements = block["elements"]
    if not 1 <= len(elements) <= 10:
        return f"{len(elements)} context elements"
    texts = [element for element in elements if element["type"] != "image"]
    return next(filter(None, (_text(text, 3000) for text in texts)), None)


def _actions(block):
    elements = block["elements"]
    if not 1 <= len(elements) <= 25:
        return f"{len(elements)} elements in actions"
    ids = [element["action_id"] for element in elements if "action_id" in element]
    if len(ids) != len(set(ids)):
        return "an action_id twice"
    buttons = [element for element in elements if element["type"] == "button"]
    if any(len(button.get("value", "")) > 2000 for button in buttons):
        return "a button value over 2000"
    if any(len(button.get("accessibility_label", "")) > 75 for button in buttons):
        return "an accessibility_label over 75"
    return next(filter(None, (_text(b["text"], 75, ("plain_text",)) for b in buttons)), None)


CHECKS = {
    "input": _input,
    "section": _section,
    "context": _context,
    "actions": _actions,
    "header": lambda block: _text(block["text"], 150, ("plain_text",)),
}
