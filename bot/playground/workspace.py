"""A pretend workspace: a channel, direct messages with the app, its Home tab, and its Web API."""

import json
import secrets
import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

Json = dict[str, Any]

FILES = "/files/"  # bytes are posted there and fetched from there


DIRECT = "DPLAY"  # everything said there is for the app
CHANNEL = "CPLAY"
PLACES = frozenset({DIRECT, CHANNEL})
USER = "UPLAY"  # a message to the person is one in the direct conversation
YOU, APP, COLLEAGUE = "you", "ec2-pick", "Ana"
FIRST_S = 1_800_000_000  # timestamps name messages, they tell no time


@dataclass(slots=True)
class Modals:
    """At most one modal is open: another one takes its place."""

    _view: Json | None = None
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def current(self) -> Json | None:
        """Return the open view, with its id and hash."""
        with self._changed:
            return self._view

    def wait_until(self, is_so: Callable[[Json | None], bool], timeout_s: float) -> bool:
        """Return whether something is so of the open view, once it is or the time is up."""
        with self._changed:
            return self._changed.wait_for(lambda: is_so(self._view), timeout_s)

    def open(self, body: Json) -> Json:
        """Answer views.open."""
        with self._changed:
            return self._shown(body, f"V{next(self._numbers)}")

    def update(self, body: Json) -> Json:
        """Answer views.update: only to who knows the view as it is now."""
        with self._changed:
            if self._view is None or self._view["id"] != body.get("view_id"):
                return {"ok": False, "error": "not_found"}
            if body.get("hash") not in (None, self._view["hash"]):
                return {"ok": False, "error": "hash_conflict"}
            return self._shown(body, str(self._view["id"]))

    def close(self) -> None:
        """Close whatever is open."""
        with self._changed:
            self._view = None

    def _shown(self, body: Json, view_id: str) -> Json:
        view = body.get("view")
        if not isinstance(view, dict):
            return {"ok": False, "error": "invalid_arguments"}
        self._changed.notify_all()
        self._view = {**view, "id": view_id, "hash": f"{next(self._numbers)}.play"}
        return {"ok": True, "view": self._view}


@dataclass(slots=True)
class Upload:
    """One file: what was said of it, and its bytes once they are there."""

    name: str
    alt_text: str
    content: bytes = b""

    @property
    def is_picture(self) -> bool:
        """Whether the page shows it as a picture; anything else it shows as text."""
        return self.name.endswith(".png")


@dataclass(slots=True)
class Uploads:
    """The files, by id. `origin` is where the page is served."""

    origin: str = ""
    known: dict[str, Upload] = field(default_factory=dict)

    def opened(self, body: Json) -> Json:
        """Answer files.getUploadURLExternal."""
        name = f"F{secrets.token_hex(8)}"  # who does not know it can put nothing there
        self.known[name] = Upload(body["filename"], body.get("alt_txt") or "")
        return {"ok": True, "file_id": name, "upload_url": f"{self.origin}{FILES}{name}"}

    def put(self, name: str, content: bytes) -> bool:
        """Keep the bytes of a file; return whether there is such a file."""
        if name in self.known:
            self.known[name].content = content
        return name in self.known

    def blocks(self, files: str) -> list[Json]:
        """Return the blocks that show the files of a files.completeUploadExternal."""
        return [self._block(str(one["id"])) for one in json.loads(files)]

    def _block(self, name: str) -> Json:
        file = self.known[name]
        if file.is_picture:
            return {"type": "image", "image_url": FILES + name, "alt_text": file.alt_text}
        text = [{"type": "text", "text": file.content.decode()}]
        title = [{"type": "text", "text": file.name, "style": {"bold": True}}]
        shown = [
            {"type": "rich_text_section", "elements": title},
            {"type": "rich_text_preformatted", "elements": text},
        ]
        return {"type": "rich_text", "elements": shown}


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message: `blocks` is None for what a person typed."""

    ts: str
    channel: str
    thread_ts: str | None
    author: str
    text: str
    blocks: list[Json] | None = None
    only_you: bool = False  # nobody else sees it
    broadcast: bool = False  # of a thread, and shown in its channel as well
    gone: bool = False  # deleted


@dataclass(slots=True)
class Workspace:
    """Everything said so far, oldest first; a changed message is told again, with its ts."""

    posts: list[Post] = field(default_factory=list)
    statuses: dict[str, str] = field(default_factory=dict)  # by thread
    home: Json | None = None
    uploads: Uploads = field(default_factory=Uploads)
    modals: Modals = field(default_factory=Modals)
    _changed: threading.Condition = field(default_factory=threading.Condition)

    def said(
        self, text: str, thread_ts: str | None, channel: str = DIRECT, *, author: str = YOU
    ) -> Post:
        """Keep what a person typed, and return it."""
        return self._keep(author, {"text": text, "thread_ts": thread_ts}, channel)

    def since(self, count: int) -> list[Post]:
        """Return the posts after the first `count`."""
        with self._changed:
            return self.posts[count:]

    def wait_for(self, count: int, timeout_s: float) -> bool:
        """Return whether there are `count` posts, once there are or the time is up."""
        return self.wait_until(lambda: len(self.posts) >= count, timeout_s)

    def wait_until(self, is_so: Callable[[], bool], timeout_s: float) -> bool:
        """Return whether something is so of the workspace, once it is or the time is up."""
        with self._changed:
            return self._changed.wait_for(is_so, timeout_s)

    def post_at(self, ts: str) -> Post | None:
        """Return the post with that timestamp, as it is now."""
        with self._changed:
            found = next((post for post in reversed(self.posts) if post.ts == ts), None)
        return None if found is None or found.gone else found

    def call(self, method: str, body: Json) -> Json:
        """Answer a Web API call of the app as Slack does."""
        answers: dict[str, Callable[[Json], Json]] = {
            "views.open": self.modals.open,
            "views.update": self.modals.update,
            "views.publish": self._published,
            "files.getUploadURLExternal": self.uploads.opened,
            "assistant.threads.setSuggestedPrompts": lambda _: {"ok": True},
        }
        in_a_place: dict[str, Callable[[Json, str], Json]] = {
            "chat.postMessage": self._posted,
            "chat.postEphemeral": self._posted_to_you,
            "chat.update": self._updated,
            "chat.delete": self._deleted,
            "files.completeUploadExternal": self._files_shown,
            "assistant.threads.setStatus": self._status_set,
        }
        if method in answers:
            return answers[method](body)
        if method not in in_a_place:
            return {"ok": False, "error": "unknown_method"}
        channel = str(body.get("channel") or body.get("channel_id"))
        channel = DIRECT if channel == USER else channel
        if channel not in PLACES:
            return {"ok": False, "error": "channel_not_found"}
        return in_a_place[method](body, channel)

    def respond(self, body: Json, channel: str = DIRECT) -> None:
        """Take what came through a response_url: only the one who asked sees it."""
        self._keep(APP, body, channel, only_you=True)

    def _posted(self, body: Json, channel: str) -> Json:
        post = self._keep(APP, body, channel)
        return {"ok": True, "channel": channel, "ts": post.ts}

    def _posted_to_you(self, body: Json, channel: str) -> Json:
        return {"ok": True, "message_ts": self._keep(APP, body, channel, only_you=True).ts}

    def _files_shown(self, body: Json, channel: str) -> Json:
        self._keep(APP, {**body, "blocks": self.uploads.blocks(body["files"])}, channel)
        return {"ok": True}

    def _updated(self, body: Json, channel: str) -> Json:
        """Replace a message of the app: its new shape is told last, under the same timestamp."""
        new = {"text": body.get("text", ""), "blocks": body.get("blocks") or None}
        return self._changed_to(str(body.get("ts")), channel, **new)

    def _deleted(self, body: Json, channel: str) -> Json:
        return self._changed_to(str(body.get("ts")), channel, gone=True)

    def _changed_to(self, ts: str, channel: str, **fields: Any) -> Json:  # noqa: ANN401 - a Post's
        before = self.post_at(ts)
        if before is None or before.author != APP or before.channel != channel:
            return {"ok": False, "error": "message_not_found"}
        with self._changed:
            self.posts.append(replace(before, **fields))
            self._changed.notify_all()
        return {"ok": True, "channel": channel, "ts": ts}

    def _published(self, body: Json) -> Json:
        """Show the Home tab to the one person there is."""
        view = body.get("view")
        if not isinstance(view, dict) or view.get("type") != "home":
            return {"ok": False, "error": "invalid_arguments"}
        with self._changed:
            number = 1 if self.home is None else int(self.home["hash"]) + 1
            self.home = {**view, "id": "VHOME", "hash": str(number)}
            self._changed.notify_all()
        return {"ok": True, "view": self.home}

    def _status_set(self, body: Json, _channel: str) -> Json:
        with self._changed:
            self.statuses[str(body.get("thread_ts"))] = str(body.get("status") or "")
            self._changed.notify_all()
        return {"ok": True}

    def _keep(self, author: str, body: Json, channel: str, *, only_you: bool = False) -> Post:
        with self._changed:
            post = Post(
                ts=f"{FIRST_S + len(self.posts)}.000000",
                channel=channel,
                thread_ts=body.get("thread_ts"),
                author=author,
                text=body.get("text", ""),
                blocks=body.get("blocks"),
                only_you=only_you,
                broadcast=bool(body.get("reply_broadcast")),
            )
            self.posts.append(post)
            if author == APP and post.thread_ts is not None:
                self.statuses.pop(post.thread_ts, None)  # a message ends a status
            self._changed.notify_all()
            return post
