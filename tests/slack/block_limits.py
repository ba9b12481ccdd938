"""Which blocks Slack would refuse, written apart from the product so that both can be wrong once.

Limits of https://docs.slack.dev/reference/block-kit/blocks (messages).
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
    frame = _modal(view, blocks) if kind == "modal" else None
    return frame or next(filter(None, map(_block, blocks)), None)


def _modal(view, blocks):
    if "title" not in view:
        return "a modal without a title"
    if "submit" not in view and any(block["type"] == "input" for block in blocks):
        return "input blocks without submit"
    frame = [view[name] for name in ("title", "submit", "close") if name in view]
    return next(filter(None, (_text(text, 24, ("plain_text",)) for text in frame)), None)


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
    return next(filter(None, (_text(b["text"], 75, ("plain_text",)) for b in buttons)), None)


def _input(block):
    element = block["element"]
    if element["type"] == "static_select":
        options = element["options"]
        if not 1 <= len(options) <= 100:
            return f"{len(options)} options"
        texts = [_text(option["text"], 75, ("plain_text",)) for option in options]
        if "initial_option" in element and element["initial_option"] not in options:
            return "an initial_option that is no option"
        if any(not 1 <= len(option["value"]) <= 150 for option in options):
            return "an option value over 150"
    else:
        most = element.get("max_length", 3000)
        texts = (
            ["an initial_value too long"] if len(element.get("initial_value", "")) > most else []
        )
    hint = [_text(block["hint"], 2000, ("plain_text",))] if "hint" in block else []
    label = _text(block["label"], 2000, ("plain_text",))
    return next(filter(None, [label, *hint, *texts]), None)


CHECKS = {
    "input": _input,
    "section": _section,
    "context": _context,
    "actions": _actions,
    "header": lambda block: _text(block["text"], 150, ("plain_text",)),
}
