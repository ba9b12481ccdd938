"""`ec2-pick chat`: the conversation of a Slack thread, in the terminal."""

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Final

from bot.answers.reply import Reply
from bot.answers.world import World, load_world
from bot.cards.notices import notice_view
from bot.cli.ask import print_reply, reply_json
from bot.cli.jsonl import Json, run_jsonl
from bot.cli.live import live_arguments, with_live
from bot.cli.place import terminal_world
from bot.conversation.conversation import answer
from bot.conversation.thread import Thread
from bot.core.subscription import Place
from bot.store.location import StateLocationError, dynamodb_table

if TYPE_CHECKING:
    from bot.store.store import Items


ENDS: Final = frozenset({"", "exit", "quit"})
HERE: Final = Place(team="terminal", channel="terminal", user="terminal")
SHARED: Final = (
    "Nothing was saved or changed: the state is shared, and in it a terminal is nobody. Say it in "
    "Slack."
)


def chat(argv: Sequence[str]) -> int:
    """Hold a conversation, or run recorded ones: `{"id", "turns": [text, …]}` a line."""
    parser = argparse.ArgumentParser(prog="ec2-pick chat", allow_abbrev=False)
    parser.add_argument("--jsonl", metavar="FILE", help="recorded conversations; - is stdin")
    live_arguments(parser)
    options = parser.parse_args(argv)
    if options.jsonl:
        return run_jsonl(options.jsonl, _recorded)
    return _spoken(with_live(terminal_world(), options))


def _recorded(row: Json) -> Json:
    replies, thread = [], Thread()
    for text in row.get("turns") or []:
        reply, thread = _turn(str(text), load_world(), thread)
        replies.append({**reply_json(reply), "text": reply.text})
    return {"replies": replies}


def _spoken(world: World) -> int:
    thread = Thread()
    _edit_lines()
    sys.stdout.write("What shall it run? (an empty line or `exit` ends, `help` says what to ask)\n")
    while (line := _typed_line()).lower() not in ENDS:
        reply, thread = _turn(line, world, thread)
        print_reply(with_saved(reply, world))
    return 0


def _turn(text: str, world: World, thread: Thread) -> tuple[Reply, Thread]:
    said_in = thread.before(text)
    reply = answer(text, world, None if said_in is None else said_in.context)
    return reply, (said_in or thread).after(reply)


def _edit_lines() -> None:
    """Let a person at a terminal move in the line and fetch earlier ones, where Python can."""
    if sys.stdin.isatty():
        with suppress(ImportError):
            import readline  # noqa: F401  # its import is what changes `input`


def _typed_line() -> str:
    try:
        return input("> ").strip()
    except EOFError:
        return ""


def with_saved(reply: Reply, world: World) -> Reply:
    """Carry out what a reply wishes of saved picks, and return it as it came out."""
    if reply.saving is None:
        return reply
    try:
        if dynamodb_table(os.environ) is not None:
            return replace(reply, view=notice_view("Saved picks", SHARED))
        items = _items()
    except StateLocationError as error:
        return replace(reply, view=notice_view("Saved picks", f"Nothing was saved: {error}"))
    from bot.slack.home.at_home import AtHome

    done, act = AtHome(world, items).prepared(reply, HERE)
    if act is not None:
        act(HERE)
    return done


@cache
def _items() -> "Items":
    """Return the state's documents, opened when they are first asked for."""
    from bot.aws.opened_state import opened_items

    return opened_items(os.environ)
