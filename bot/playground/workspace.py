"""A pretend workspace: one conversation with the app, and what the Web API would say about it."""

import threading
from dataclasses import dataclass, field, replace
from typing import Any

from bot.playground.modals import Modals
from bot.playground.uploads import Uploads

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
    uploads: Uploads = field(default_factory=Uploads)
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
            return next((post for post in reversed(self.posts) if post.ts == ts), None)

    def call(self, method: str, body: Json) -> Json:
        """Answer a Web API call of the app as Slack does."""
        elsewhere = {
            "views.open": self.modals.open,
            "views.update": self.modals.update,
            "files.getUploadURLExternal": self.uploads.opened,
        }
        if method in elsewhere:
            return elsewhere[method](body)
        if method not in {"chat.postMessage", "chat.update", "files.completeUploadExternal"}:
            return {"ok": False, "error": "unknown_method"}
        if not {CHANNEL, USER} & {body.get("channel"), body.get("channel_id")}:
            return {"ok": False, "error": "channel_not_found"}
        if method == "chat.update":
            return self._updated(body)
        if "files" in body:
            body = {**body, "blocks": self.uploads.blocks(body["files"])}
        post = self._keep("ec2-pick", body.get("thread_ts"), body.get("text", ""), body)
        return {"ok": True, "channel": CHANNEL, "ts": post.ts}

    def _updated(self, body: Json) -> Json:
        """Replace a message of the app: its new shape is told last, under the same timestamp."""
        before = self.post_at(str(body.get("ts")))
        if before is None or before.author == "you":
            return {"ok": False, "error": "message_not_found"}
        with self._changed:
            text, blocks = body.get("text", ""), body.get("blocks") or None
            self.posts.append(replace(before, text=text, blocks=blocks))
            self._changed.notify_all()
        return {"ok": True, "channel": CHANNEL, "ts": before.ts}

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
