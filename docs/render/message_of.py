# ruff: noqa: INP001 - a script, not part of a package
"""Prints the Slack message that answers a request: `python docs/render/message_of.py "…"`."""

import json
import sys

from bot.answers.world import load_world
from bot.conversation.conversation import answer


def main() -> int:
    """Answer the request given as arguments and print {"text", "blocks"}; return the exit code."""
    reply = answer(" ".join(sys.argv[1:]), load_world())
    json.dump({"text": reply.text, "blocks": reply.blocks}, sys.stdout, ensure_ascii=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
