"""`ec2-pick chat`: the conversation of a Slack thread, in the terminal."""

import argparse
import sys
from collections.abc import Sequence

from bot.cli.ask import print_reply, reply_json
from bot.cli.jsonl import Json, run_jsonl
from bot.cli.live import live_arguments, with_live
from bot.conversation import answer
from bot.reply import Reply
from bot.world import World, load_world
from engine.workload import Workload


def chat(argv: Sequence[str]) -> int:
    """Hold a conversation, or run recorded ones: `{"id", "turns": [text, …]}` a line."""
    parser = argparse.ArgumentParser(prog="ec2-pick chat")
    parser.add_argument("--jsonl", metavar="FILE", help="recorded conversations; - is stdin")
    live_arguments(parser)
    options = parser.parse_args(argv)
    if options.jsonl:
        return run_jsonl(options.jsonl, _recorded)
    return _spoken(with_live(load_world(), options))


def _recorded(row: Json) -> Json:
    replies, kept = [], None
    for text in row.get("turns") or []:
        reply = answer(str(text), load_world(), kept)
        kept = next_workload(reply, kept)
        replies.append({**reply_json(reply), "text": reply.text})
    return {"replies": replies}


def _spoken(world: World) -> int:
    kept: Workload | None = None
    sys.stdout.write("What shall it run? (an empty line ends)\n")
    while line := _line():
        reply = answer(line, world, kept)
        kept = next_workload(reply, kept)
        print_reply(reply)
    return 0


def _line() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def next_workload(reply: Reply, kept: Workload | None) -> Workload | None:
    """Return the workload the next turn amends: "start over" forgets, a fault changes nothing."""
    if reply.intent == "reset":
        return None
    return reply.workload or kept
