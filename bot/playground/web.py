"""The pretend Slack as a WSGI application: the page, what it asks, and the Web API for the app."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING
from urllib.parse import parse_qs

from bot.playground.deliveries import Deliveries
from bot.playground.workspace import DIRECT, FILES, PLACES, Json, Workspace

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIEnvironment

API, HOOKS = "/api/", "/hooks/"
ASSETS = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/page.js": ("page.js", "text/javascript; charset=utf-8"),
    "/form.js": ("form.js", "text/javascript; charset=utf-8"),
    "/page.css": ("page.css", "text/css; charset=utf-8"),
}
MAX_BODY_BYTES = 1 << 20
JSON = "application/json"

Answer = tuple[HTTPStatus, str, bytes]
NOT_FOUND: Answer = (HTTPStatus.NOT_FOUND, "text/plain", b"not found")


@dataclass(frozen=True, slots=True)
class Web:
    """Serves the page and plays the Web API. `deliveries` is set once the app is listening."""

    workspace: Workspace
    deliveries: Callable[[], Deliveries]
    token: str

    def __call__(
        self, environ: "WSGIEnvironment", start_response: "StartResponse"
    ) -> Iterable[bytes]:
        """Answer one request."""
        status, content_type, body = self._answer(environ)
        headers = [("content-type", content_type), ("content-length", str(len(body)))]
        start_response(f"{status.value} {status.phrase}", headers)
        return [body]

    def _answer(self, environ: "WSGIEnvironment") -> Answer:
        path = environ["PATH_INFO"]
        if environ["REQUEST_METHOD"] == "GET":
            return self._shown(path, environ.get("QUERY_STRING", ""))
        content_type, body = environ.get("CONTENT_TYPE", ""), _request_body(environ)
        if path.startswith(API):
            if environ.get("HTTP_AUTHORIZATION") != f"Bearer {self.token}":
                return _json_answer({"ok": False, "error": "invalid_auth"})
            return _json_answer(
                self.workspace.call(path.removeprefix(API), _call_fields(body, content_type))
            )
        if path.startswith(FILES):
            known = self.workspace.uploads.put(path.removeprefix(FILES), body)
            return _json_answer({"ok": True}) if known else NOT_FOUND
        # Another site in the same browser cannot send JSON here unasked.
        if content_type.partition(";")[0] != JSON:
            return HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "text/plain", b"JSON only"
        return self._done(path, json.loads(body))

    def _shown(self, path: str, query: str) -> Answer:
        if path == "/posts":
            after = int(parse_qs(query).get("after", ["0"])[0])
            posts = [asdict(post) for post in self.workspace.since(after)]
            return _json_answer({"posts": posts, "statuses": self.workspace.statuses})
        if path == "/home":
            return _json_answer({"view": self.workspace.home})
        if path == "/view":
            return _json_answer({"view": self.workspace.modals.current()})
        file = self.workspace.uploads.known.get(path.removeprefix(FILES))
        if file is not None and file.is_picture:
            return HTTPStatus.OK, "image/png", file.content
        if path not in ASSETS:
            return NOT_FOUND
        name, content_type = ASSETS[path]
        return HTTPStatus.OK, content_type, (files(__package__) / "page" / name).read_bytes()

    def _done(self, path: str, wanted: Json) -> Answer:
        if path.startswith(HOOKS):
            self.workspace.respond(wanted, path.removeprefix(HOOKS).partition("/")[0])
        elif path == "/say":
            channel = wanted.get("channel", DIRECT)
            if channel not in PLACES:
                return NOT_FOUND
            said = self.workspace.said(wanted["text"], wanted.get("thread_ts"), channel)
            self.deliveries().said(said)
        elif path in ("/click", "/size"):
            return self._to_message(path, wanted)
        elif path == "/shortcut":
            self.deliveries().shortcut()
        elif path == "/open-home":
            self.deliveries().home_opened()
        elif path == "/home-click" and self.workspace.home is not None:
            self.deliveries().home_clicked(self.workspace.home, wanted["action"])
        else:
            return self._in_form(path, wanted)
        return _json_answer({"ok": True})

    def _to_message(self, path: str, wanted: Json) -> Answer:
        """Deliver what was done to a message: a click, or the shortcut of its menu."""
        post = self.workspace.post_at(wanted["ts"])
        if post is None:
            return NOT_FOUND
        if path == "/size":
            self.deliveries().sized(post)
        else:
            self.deliveries().clicked(post, wanted["action"])
        return _json_answer({"ok": True})

    def _in_form(self, path: str, wanted: Json) -> Answer:
        """Deliver what was done in the open form, and return the app's answer."""
        view = self.workspace.modals.current()
        if view is None:
            return NOT_FOUND
        filled = {**view, "state": wanted.get("state", {})}
        if path == "/suggest":
            return _json_answer(self.deliveries().suggestions(filled, wanted))
        if path == "/submit":
            answer = self.deliveries().submitted(filled)
            if not answer:
                self.workspace.modals.close()
            return _json_answer(answer)
        if path == "/changed":
            self.deliveries().changed(filled, wanted["action"])
        elif path == "/close":
            self.workspace.modals.close()
        else:
            return NOT_FOUND
        return _json_answer({})


def _request_body(environ: "WSGIEnvironment") -> bytes:
    read: bytes = environ["wsgi.input"].read(MAX_BODY_BYTES)
    return read


def _call_fields(body: bytes, content_type: str) -> Json:
    """Return the fields of a call, as JSON or as the form that Slack's SDK may send."""
    if JSON in content_type:
        found: Json = json.loads(body)
        return found
    form = {name: values[0] for name, values in parse_qs(body.decode()).items()}
    return {name: json.loads(v) if name in ("blocks", "view") else v for name, v in form.items()}


def _json_answer(value: Json) -> Answer:
    return HTTPStatus.OK, JSON, json.dumps(value).encode()
