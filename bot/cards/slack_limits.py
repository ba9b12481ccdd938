"""Block Kit's limits: one table, one clamp, one check.

Source: Slack's Block Kit reference (blocks, composition objects, elements) as of 2026-11.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

Block = dict[str, Any]

BLOCKS_PER_MESSAGE: Final = 50
BLOCKS_PER_VIEW: Final = 100  # the Home tab, a modal
MESSAGE_TEXT_BYTES: Final = 4000  # above this an update of the message is refused
LIMITS: Final[Mapping[str, int]] = {
    "header.text": 150,
    "section.text": 3000,
    "section.fields": 10,
    "section.field": 2000,
    "context.elements": 10,
    "context.text": 3000,
    "actions.elements": 25,
    "button.text": 75,
    "button.value": 2000,
    "button.action_id": 255,
    "button.accessibility_label": 75,
    "block_id": 255,
}
_TYPES: Final = frozenset({"header", "section", "context", "actions", "divider"})
ELLIPSIS: Final = "…"
SPOKEN: Final = "accessibility_label"  # what a button is called where it is read aloud


def clamped(text: str, limit: int) -> str:
    """Return `text` cut to `limit` characters, never inside an entity such as `&lt;`."""
    if len(text) <= limit:
        return text
    cut = text[: limit - len(ELLIPSIS)]
    entity = cut.rfind("&")
    if entity >= 0 and ";" not in cut[entity:]:
        cut = cut[:entity]
    cut = cut.rstrip()
    return cut + ("`" if cut.count("`") % 2 else "") + ELLIPSIS


def clamped_message_text(text: str) -> str:
    """Return `text` cut to what a message's top-level text may hold, counted in UTF-8 bytes."""
    room = MESSAGE_TEXT_BYTES - len(ELLIPSIS.encode())
    whole = text.encode()
    if len(whole) <= MESSAGE_TEXT_BYTES:
        return text
    return clamped(text, len(whole[:room].decode(errors="ignore")))


def clamp_blocks(blocks: list[Block], most: int = BLOCKS_PER_MESSAGE) -> list[Block]:
    """Return the blocks with every text and list cut to its limit, and without empty ones."""
    spoken = [block for block in blocks if _says_something(block)]
    return [_clamped_block(block) for block in spoken[:most]]


def _says_something(block: Block) -> bool:
    texts = [block.get("text"), *(e for e in block.get("elements", ()) if "text" in e)]
    known = [text["text"] for text in texts if text is not None]
    return not known or any(known)


def _clamped_block(block: Block) -> Block:
    kind = block["type"]
    fixed = dict(block)
    if "text" in fixed:
        fixed["text"] = _clamped_text(fixed["text"], LIMITS[f"{kind}.text"])
    if "fields" in fixed:
        fields = fixed["fields"][: LIMITS["section.fields"]]
        fixed["fields"] = [_clamped_text(f, LIMITS["section.field"]) for f in fields]
    if "elements" in fixed:
        elements = fixed["elements"][: LIMITS[f"{kind}.elements"]]
        fixed["elements"] = [_clamped_element(e) for e in elements]
    return fixed


def _clamped_element(element: Block) -> Block:
    if element["type"] == "button":
        fixed = element | {"text": _clamped_text(element["text"], LIMITS["button.text"])}
        if spoken := element.get(SPOKEN):
            fixed[SPOKEN] = clamped(spoken, LIMITS[f"button.{SPOKEN}"])
        return fixed
    return _clamped_text(element, LIMITS["context.text"])


def _clamped_text(text: Block, limit: int) -> Block:
    return text | {"text": clamped(text["text"], limit)}


def check_blocks(blocks: list[Block], most: int = BLOCKS_PER_MESSAGE) -> list[str]:
    """Return what Slack would refuse, one sentence a problem; empty when all is well."""
    problems = [] if 1 <= len(blocks) <= most else [f"{len(blocks)} blocks"]
    for i, block in enumerate(blocks):
        problems += [f"block {i} ({block.get('type')}): {what}" for what in _block_problems(block)]
    return problems


def _block_problems(block: Block) -> Iterator[str]:
    kind = block.get("type")
    if kind not in _TYPES:
        yield "unknown type"
        return
    if len(block.get("block_id", "")) > LIMITS["block_id"]:
        yield "block_id too long"
    if kind == "section" and not ("text" in block or block.get("fields")):
        yield "neither text nor fields"
    if "text" in block:
        wanted = "plain_text" if kind == "header" else None
        yield from _text_problems(block["text"], LIMITS[f"{kind}.text"], wanted)
    yield from _list_problems(block, kind)


def _list_problems(block: Block, kind: str) -> Iterator[str]:
    fields, elements = block.get("fields"), block.get("elements")
    if fields is not None:
        yield from _count_problems("fields", len(fields), LIMITS["section.fields"])
        for field in fields:
            yield from _text_problems(field, LIMITS["section.field"])
    if elements is not None:
        yield from _count_problems("elements", len(elements), LIMITS[f"{kind}.elements"])
        for element in elements:
            yield from _element_problems(element, kind)
    if kind == "actions" and elements:
        ids = [element.get("action_id") for element in elements]
        if len(set(ids)) != len(ids):
            yield "an action_id occurs twice"


def _element_problems(element: Block, kind: str) -> Iterator[str]:
    if kind == "context":
        yield from _text_problems(element, LIMITS["context.text"])
        return
    if element.get("type") != "button":
        yield f"element of type {element.get('type')}"
        return
    yield from _text_problems(element["text"], LIMITS["button.text"], "plain_text")
    for key in ("value", "action_id", SPOKEN):
        if len(element.get(key, "")) > LIMITS[f"button.{key}"]:
            yield f"button {key} too long"


def _count_problems(name: str, count: int, most: int) -> Iterator[str]:
    if not 1 <= count <= most:
        yield f"{count} {name}, allowed are 1 to {most}"


def _text_problems(text: Block, limit: int, wanted: str | None = None) -> Iterator[str]:
    kind, value = text.get("type"), text.get("text", "")
    if kind not in {"plain_text", "mrkdwn"} or (wanted and kind != wanted):
        yield f"text of type {kind}"
    if not 1 <= len(value) <= limit:
        yield f"text of {len(value)} characters, allowed are 1 to {limit}"
