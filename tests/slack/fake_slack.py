"""A Web API and hooks server that behaves as Slack does towards an app, and keeps a log.

What it says by default is what Slack says to a well-formed call; `script` lines up other answers
for a method. Nothing here sleeps: a test waits for the log with `wait_for`.
"""

import json
import threading
from collections import defaultdict, deque
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from tests.slack.block_limits import modal_refusal, refusal

TOKEN = "xoxb-1-2-good"
WAIT_S = 10  # only ever waited out by a test that fails


@dataclass(frozen=True)
class Call:
    """One request that arrived: `name` is the method, or `response_url`."""

    name: str
    body: dict
    token: str | None = None


@dataclass(frozen=True)
class Canned:
    """An answer as scripted; `hold` is awaited before it is sent, `drop` sends none at all."""

    status: int = 200
    body: dict | str = field(default_factory=lambda: {"ok": True})
    headers: dict = field(default_factory=dict)
    drop: bool = False
    hold: threading.Event | None = None


def error(word):
    return Canned(body={"ok": False, "error": word})


def limited(retry_after):
    headers = {"Retry-After": str(retry_after)}
    return Canned(429, {"ok": False, "error": "ratelimited"}, headers)


UNAVAILABLE = Canned(503, "<html>try later</html>")
DROPPED = Canned(drop=True)


class FakeSlack:
    def __init__(self):
        self.log = []
        self._changed = threading.Condition()
        self._scripts = defaultdict(deque)
        self._uses_left = {}
        self.views = {}  # id -> the view as it is now, with its hash
        self.expired_triggers = set()
        self._used_triggers = set()
        self._posted = []  # (channel, thread_ts or None, message), oldest first
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def origin(self):
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def api_url(self):
        return f"{self.origin}/api/"

    def response_url(self, name="r1"):
        """Return a fresh response_url, good for five posts."""
        self._uses_left[name] = 5
        return f"{self.origin}/commands/T1/{name}/s3cret"

    def script(self, name, *answers):
        self._scripts[name].extend(answers)

    def calls(self, name):
        with self._changed:
            return [call for call in self.log if call.name == name]

    @property
    def posts(self):
        return [call.body for call in self.calls("chat.postMessage")]

    @property
    def responses(self):
        return [call.body for call in self.calls("response_url")]

    def wait_for(self, name, count=1):
        """Return the calls of that name once there are `count` of them."""

        def there():
            return sum(call.name == name for call in self.log) >= count

        with self._changed:
            assert self._changed.wait_for(there, WAIT_S), f"no {count} × {name} in {self.log}"
        return self.calls(name)

    def arrived(self, call):
        with self._changed:
            self.log.append(call)
            number = len(self.log)
            self._changed.notify_all()
        scripted = self._scripts[call.name]
        return scripted.popleft() if scripted else self._usual(call, number)

    def _usual(self, call, number):
        if call.name.startswith("response_url"):
            return self._hook(call)
        if call.token != TOKEN:
            return error("invalid_auth")
        methods = {
            "chat.postMessage": lambda body: self._post_message(body, number),
            "conversations.history": self._messages,
            "conversations.replies": self._messages,
            "views.open": self._open_view,
            "views.update": self._update_view,
        }
        return methods.get(call.name, lambda _: error("unknown_method"))(call.body)

    def _post_message(self, body, number):
        if not body.get("channel"):
            return error("channel_not_found")
        if not body.get("text") and not body.get("blocks"):
            return error("no_text")
        if refusal(body.get("blocks", [])):
            return error("invalid_blocks")
        ts = f"1800000000.{number:06d}"
        self.keep(body, ts)
        # A message to a user is one in the direct conversation with them.
        channel = f"D{body['channel']}" if body["channel"].startswith("U") else body["channel"]
        return Canned(body={"ok": True, "channel": channel, "ts": ts, "message": {}})

    def _open_view(self, body):
        trigger = body.get("trigger_id")
        if not trigger:
            return error("invalid_trigger_id")
        if trigger in self.expired_triggers:
            return error("expired_trigger_id")
        if trigger in self._used_triggers:
            return error("exchanged_trigger_id")
        self._used_triggers.add(trigger)
        return self._show_view(f"V{len(self.views) + 1}", body.get("view"), 1)

    def _update_view(self, body):
        now = self.views.get(body.get("view_id"))
        if now is None:
            return error("not_found")
        if "hash" in body and body["hash"] != now["hash"]:
            return error("hash_conflict")
        return self._show_view(now["id"], body.get("view"), int(now["hash"].partition(".")[0]) + 1)

    def _show_view(self, view_id, view, version):
        refused = modal_refusal(view)
        if refused:
            messages = {"messages": [f"[ERROR] {refused}"]}
            body = {"ok": False, "error": "invalid_arguments", "response_metadata": messages}
            return Canned(body=body)
        self.views[view_id] = {**view, "id": view_id, "hash": f"{version}.{view_id}"}
        return Canned(body={"ok": True, "view": self.views[view_id]})

    def keep(self, body, ts):
        """Let a message be in its channel."""
        kept = {"ts": ts, "text": body.get("text"), "metadata": body.get("metadata")}
        self._posted.append((body["channel"], body.get("thread_ts"), kept))

    def clear(self):
        """Forget every request and every message."""
        self.log.clear()
        self._posted.clear()
        self.views.clear()

    def _messages(self, wanted):
        """Answer what is in a thread, or in a channel outside threads: a page of it."""
        hidden = {} if wanted.get("include_all_metadata") == "1" else {"metadata": None}
        found = [
            {**message, **hidden}
            for channel, thread_ts, message in self._posted
            if (channel, thread_ts) == (wanted["channel"], wanted.get("ts"))
            and float(message["ts"]) >= float(wanted["oldest"])
        ]
        start, size = int(wanted.get("cursor") or 0), int(wanted["limit"])
        more = str(start + size) if start + size < len(found) else ""
        page = {"ok": True, "messages": found[start : start + size]}
        return Canned(body={**page, "response_metadata": {"next_cursor": more}})

    def _hook(self, call):
        name = call.body.pop("__name")
        if self._uses_left.get(name, 0) == 0:
            return Canned(404, "used_url" if name in self._uses_left else "expired_url")
        self._uses_left[name] -= 1
        if refusal(call.body.get("blocks", [])):
            return Canned(400, "invalid_blocks")
        return Canned(200, "ok")


def _form(raw):
    return {name: values[0] for name, values in parse_qs(raw.decode()).items()}


def _handler(slack):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["content-length"]))
            self._answer(slack.arrived(self._call(raw)))

        def do_GET(self):
            self._answer(slack.arrived(Call(f"GET {self.path}", {})))

        def _call(self, raw):
            is_json = "json" in self.headers.get("content-type", "")
            body = json.loads(raw) if is_json else _form(raw)
            kind, _, rest = self.path.lstrip("/").partition("/")
            if kind == "commands":
                return Call("response_url", {**body, "__name": rest.split("/")[1]})
            bearer = self.headers.get("authorization", "").removeprefix("Bearer ")
            return Call(rest, body, bearer or None)

        def _answer(self, canned):
            if canned.hold is not None:
                assert canned.hold.wait(WAIT_S)
            if canned.drop:
                self.close_connection = True
                return
            text = canned.body if isinstance(canned.body, str) else json.dumps(canned.body)
            self.send_response(canned.status)
            for name, value in canned.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_):
            pass

    return Handler
