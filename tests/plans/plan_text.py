"""The text of plans, and with figures masked: calibration moves figures, not words."""

import re

from bot.answers.reply import Reply

# A date, or a number that stands alone, with its currency: not digits of names (g6.xlarge).
FIGURE = re.compile(
    r"(?<![\w./:-])(?:\d{4}-\d\d-\d\d|\$?\d+(?:,\d{3})*(?:\.\d+)?)(?![\w-]|\.\w|,\d)"
)


def masked(text: str) -> str:
    return FIGURE.sub("#", text)


def commands_of(reply: Reply) -> list[str]:
    """Each run of command lines of a plan, as one text."""
    assert reply.plan is not None
    blocks: list[list[str]] = []
    for section in reply.plan["sections"]:
        previous = ""
        for line in section["lines"]:
            if line["kind"] == "command":
                if previous != "command":
                    blocks.append([])
                blocks[-1].append(line["text"])
            previous = line["kind"]
    return ["\n".join(block) for block in blocks]
