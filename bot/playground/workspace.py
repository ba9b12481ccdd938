"""A pretend workspace: one conversation with the app, and what the Web API would say about it."""

import threading
from dataclasses import dataclass, field
from typing import Any

from bot.playground.modals import Modals

Json = dict[str, Any]

CHANNEL = "DPLAY"  # a direct conversation: everything said in it is for the app
USER = "UPLAY"  # a message to the person is one in that conversation
FIRST_S = 1_800_000_000  # timestamps name messages, they tell no time


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message: `blocks` is None for what a person typed."""

    ts: str
    thread_ts: str | None
    author: str  # "you" or "ec2-pick"
    text: str
    blocks: list[Json] | None = None
    only_you: bool = False  # posted through a response_url


@dataclass(slots=True)
class Workspace:
    """Everything said so far, oldest first."""

    posts: list[Post] = field(default_factory=list)
    modals: Modals = field(default_factory=Modals)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def said(self, text: str, thread_ts: str | None) -> Post:
        """Keep what the person typed, and return it."""
        return self._keep("you", thread_ts, text)

    def since(self, count: int) -> list[Post]:
        """Return the posts after the first `count`."""
        with self._changed:
            return self.posts[count:]

    def wait_for(self, count: int, timeout_s: float) -> bool:
        """Return whether there are `count` posts, once there are or the time is up."""
        with self._changed:
            return self._changed.wait_for(lambda: len(self.posts) >= count, timeout_s)

    def post_at(self, ts: str) -> Post | None:
        """Return the post with that timestamp."""
        with self._changed:
            return next((post for post in self.posts if post.ts == ts), None)

    def call(self, method: str, body: Json) -> Json:
        """Answer a Web API call of the app as Slack does."""
        if method == "views.open":
            return self.modals.open(body)
        if method == "views.update":
            return self.modals.update(body)
        if method != "chat.postMessage":
            return {"ok": False, "error": "unknown_method"}
        if body.get("channel") not in (CHANNEL, USER):
            return {"ok": False, "error": "channel_not_found"}
        post = self._keep("ec2-pick", body.get("thread_ts"), body.get("text", ""), body)
        return {"ok": True, "channel": CHANNEL, "ts": post.ts}

    def respond(self, body: Json) -> None:
        """Take what came through a response_url: only the one who asked sees it."""
        self._keep("ec2-pick", None, body.get("text", ""), body, only_you=True)

    def _keep(
        self,
        author: str,
        thread_ts: str | None,
        text: str,
        body: Json | None = None,
        *,
        only_you: bool = False,
    ) -> Post:
        with self._changed:
            post = Post(
                ts=f"{FIRST_S + len(self.posts)}.000000",
                thread_ts=thread_ts,
                author=author,
                text=text,
                blocks=(body or {}).get("blocks"),
                only_you=only_you,
            )
            self.posts.append(post)
            self._changed.notify_all()
            return post
