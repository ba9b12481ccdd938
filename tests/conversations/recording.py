"""Holds recorded conversations over Slack's wire and writes down what was posted, readably."""

import json
import re
from dataclasses import dataclass
from itertools import count, groupby
from pathlib import Path

from bot.cards import blocks
from tests.slack.sender import BOT, direct, mention, message

THREADS = Path(__file__).with_name("threads.txt")
BUTTONS = {
    "why": blocks.WHY,
    "compare": blocks.COMPARE,
    "deploy": blocks.DEPLOY,
    "watch": blocks.WATCH,
    "choice": f"{blocks.CHOICE}.",
}
CHANNELS = {"mention": "C1", "dm": "D1", "group": "G1", "slash": "C1"}
LINES_SHOWN = 6
LINE_CHARS = 160
MONEY = re.compile(r"\$\d[\d,]*(?:\.\d+)?")
DATE = re.compile(r"\b20\d\d-\d\d-\d\d\b")


@dataclass(frozen=True)
class Recorded:
    """One thread: where it is held, and what is said ("> …", by another "< …") or clicked."""

    name: str
    where: str
    turns: tuple[str, ...]


def recorded_threads():
    """Return the threads of the script, in its order."""
    found = []
    for line in THREADS.read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            _, name, where = line.split()
            found.append((name, where, []))
        elif line.startswith(("> ", "< ", "! ")):
            found[-1][2].append(line)
    return [Recorded(name, where, tuple(turns)) for name, where, turns in found]


class Recorder:
    """Says turns to the app and reads what came of them."""

    def __init__(self, sender, work, slack):
        self._sender, self._work, self._slack = sender, work, slack
        self._numbers = count(100)

    def hold(self, thread):
        """Return the golden text of a thread."""
        root, told = None, [f"{thread.name} ({thread.where})"]
        for turn in thread.turns:
            known = len(self._slack.posts)
            root = self._take(turn, thread.where, root) or root
            self._work()
            posted = self._slack.posts[known:]
            root = root or f"1800000000.{len(self._slack.log):06d}"
            told += ["", turn, *(line for post in posted for line in summary(post, root))]
            told += [] if posted or turn.startswith("!") else ["  (left to them)"]
        return "\n".join(told) + "\n"

    def _take(self, turn, where, root):
        """Send one turn; return the thread it opened, None where only the answer will."""
        kind, words = turn[0], turn[2:]
        ts = f"1700000{next(self._numbers)}.000100"
        place = {"channel": CHANNELS[where]} | ({"thread_ts": root} if root else {})
        place |= {"user": "U2"} if kind == "<" else {}
        if kind == "!":
            answered = self._sender.interaction(self._click(words, ts, root, CHANNELS[where]))
        elif where == "slash" and root is None:
            answered = self._sender.command(words, response_url=self._slack.response_url(ts))
        elif where == "dm":
            answered = self._sender.event(direct(words, ts, **place))
        elif root is None:
            answered = self._sender.event(mention(f"<@{BOT}> {words}", ts, **place))
        else:
            answered = self._sender.event(message(words, ts, **place))
        assert answered.status == 200
        return None if kind == "!" or (where == "slash" and root is None) else root or ts

    def _click(self, button, trigger, root, channel):
        wanted = BUTTONS[button]
        elements = (e for post in reversed(self._slack.posts) for e in buttons_of(post))
        pressed = next(e for e in elements if e["action_id"].startswith(wanted))
        return {
            "type": "block_actions",
            "trigger_id": trigger,
            "team": {"id": "T1"},
            "user": {"id": "U1", "team_id": "T1"},
            "channel": {"id": channel},
            "message": {"ts": "1800000000.000001", "thread_ts": root, "user": BOT},
            "actions": [{"type": "button", "block_id": "b", **pressed}],
        }


def buttons_of(post):
    """Return the buttons of a posted message."""
    rows = [block for block in post.get("blocks", ()) if block["type"] == "actions"]
    return [element for row in rows for element in row["elements"] if "value" in element]


def summary(post, root):
    """Return a post as a few lines: the start of its text, its blocks counted, its buttons.

    Money and dates are left out, so that new prices change the picks at most.
    """
    where = "in the thread" if post.get("thread_ts") == root else "in the channel"
    lines = DATE.sub("<date>", MONEY.sub("$#", post["text"])).splitlines()
    kinds = [f"{k}×{len(list(g))}" for k, g in groupby(b["type"] for b in post.get("blocks", ()))]
    labels = [json.dumps(e["text"]["text"], ensure_ascii=False) for e in buttons_of(post)]
    yield f"  {where}: {' '.join(kinds)}"
    yield from (f"  | {line[:LINE_CHARS]}".rstrip() for line in lines[:LINES_SHOWN])
    if labels:
        yield f"  buttons: {MONEY.sub('$#', ', '.join(labels))}"
