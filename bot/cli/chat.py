"""`ec2-pick chat`: the conversation of a Slack thread, in the terminal."""

import argparse
import sys
from collections.abc import Sequence

from bot.answers.reply import Reply
from bot.answers.world import World, load_world
from bot.cli.ask import print_reply, reply_json
from bot.cli.jsonl import Json, run_jsonl
from bot.cli.live import live_arguments, with_live
from bot.cli.saved import with_saved
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread


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
    replies, thread = [], Thread()
    for text in row.get("turns") or []:
        reply, thread = _turn(str(text), load_world(), thread)
        replies.append({**reply_json(reply), "text": reply.text})
    return {"replies": replies}


def _spoken(world: World) -> int:
    thread = Thread()
    sys.stdout.write("What shall it run? (an empty line ends)\n")
    while line := _line():
        reply, thread = _turn(line, world, thread)
        print_reply(with_saved(reply, world))
    return 0


def _turn(text: str, world: World, thread: Thread) -> tuple[Reply, Thread]:
    said_in = thread.before(text)
    reply = answer(text, world, None if said_in is None else said_in.now)
    return reply, (said_in or thread).after(reply)


def _line() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return ""
