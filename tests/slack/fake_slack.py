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

from tests.slack.block_limits import refusal, view_refusal

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
        self.homes = {}  # user -> the view published last
        self.modals = []  # the views opened or updated, oldest first
        self.views = {}  # id -> the view as it is now, with its hash
        self.expired_triggers = set()
        self._used_triggers = set()
        self.files = {}  # by id: what was said of it, `content`, `shown_in`
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

    def wait_until(self, is_so):
        """Wait until something is so of the log."""
        with self._changed:
            assert self._changed.wait_for(is_so, WAIT_S), self.log

    def arrived(self, call):
        with self._changed:
            self.log.append(call)
            number = len(self.log)
            self._changed.notify_all()
        scripted = self._scripts[call.name]
        return scripted.popleft() if scripted else self._usual(call, number)

    def _usual(self, call, number):
        if call.name in ("response_url", "upload"):
            return self._hook(call) if call.name == "response_url" else self._upload(call.body)
        if call.token != TOKEN:
            return error("invalid_auth")
        if call.name == "chat.postMessage":
            return self._post_message(call.body, number)
        answers = {
            "chat.postEphemeral": self._post_ephemeral,
            "chat.update": self._update,
            "chat.delete": self._delete,
            "assistant.threads": self._assistant,
            "files": self._files,
            "conversations": self._messages,
            "views.publish": self._publish_view,
            "views.open": self._open_view,
            "views.update": self._update_view,
        }
        answer = answers.get(call.name) or answers.get(call.name.rpartition(".")[0])
        return answer(call) if answer else error("unknown_method")

    def _post_ephemeral(self, call):
        body = call.body
        if not (body.get("channel") and body.get("user")):
            return error("user_not_in_channel")
        refused = refusal(body.get("blocks", []))
        return error("invalid_blocks") if refused else Canned(body={"ok": True})

    def _post_message(self, body, number):
        if not body.get("channel"):
            return error("channel_not_found")
        if not body.get("text") and not body.get("blocks"):
            return error("no_text")
        if refusal(body.get("blocks", [])):
            return error("invalid_blocks")
        ts = f"1800000000.{number:06d}"
        # A message to a user is one in the direct conversation with them.
        channel = f"D{body['channel']}" if body["channel"].startswith("U") else body["channel"]
        self.keep({**body, "channel": channel}, ts)
        return Canned(body={"ok": True, "channel": channel, "ts": ts, "message": {}})

    def _open_view(self, call):
        """Show a modal over a click, whose trigger is good once and not for long."""
        trigger = call.body.get("trigger_id")
        if not trigger:
            return error("invalid_trigger_id")
        if trigger in self.expired_triggers:
            return error("expired_trigger_id")
        if trigger in self._used_triggers:
            return error("exchanged_trigger_id")
        self._used_triggers.add(trigger)
        return self._show_modal(f"V{len(self.views) + 1}", call.body, 1)

    def _update_view(self, call):
        body = call.body
        now = self.views.get(body.get("view_id"))
        if now is None:
            return error("not_found")
        if "hash" in body and body["hash"] != now["hash"]:
            return error("hash_conflict")
        return self._show_modal(now["id"], body, int(now["hash"].partition(".")[0]) + 1)

    def _show_modal(self, view_id, body, version):
        view, refused = self._judged(body, "modal")
        if refused:
            return refused
        self.views[view_id] = {**view, "id": view_id, "hash": f"{version}.{view_id}"}
        self.modals.append(self.views[view_id])
        return Canned(body={"ok": True, "view": self.views[view_id]})

    def _publish_view(self, call):
        view, refused = self._judged(call.body, "home")
        if refused:
            return refused
        self.homes[call.body["user_id"]] = view
        return Canned(body={"ok": True, "view": view})

    def _judged(self, body, kind):
        """Return the view of a call, and Slack's refusal of it, if any."""
        view = body["view"] if isinstance(body["view"], dict) else json.loads(body["view"])
        wrong = view_refusal(view, kind)
        if not wrong:
            return view, None
        messages = {"response_metadata": {"messages": [f"[ERROR] {wrong}"]}}
        return view, Canned(body={"ok": False, "error": "invalid_arguments", **messages})

    def _update(self, call):
        """Answer as chat.update: only a message that is there, and less text than a post takes."""
        body = call.body
        found = [m for channel, _, m in self._posted
                 if (channel, m["ts"]) == (body.get("channel"), body.get("ts"))]  # fmt: skip
        if not found:
            return error("message_not_found")
        if len(body.get("text", "").encode()) > 4000:
            return error("msg_too_long")
        if not body.get("text") and not body.get("blocks"):
            return error("no_text")
        if refusal(body.get("blocks", [])):
            return error("invalid_blocks")
        kept = {"metadata": body["metadata"]} if body.get("metadata") else {}
        found[0].update(text=body.get("text"), blocks=body.get("blocks"), **kept)
        named = {"channel": body["channel"], "ts": body["ts"], "text": body.get("text")}
        return Canned(body={"ok": True, **named})

    def _delete(self, call):
        place = (call.body.get("channel"), call.body.get("ts"))
        found = [one for one in self._posted if (one[0], one[2]["ts"]) == place]
        for one in found:
            self._posted.remove(one)
        return Canned() if found else error("message_not_found")

    @property
    def standing(self):
        """The messages that people see now, oldest first."""
        return [message for _, _, message in self._posted]

    def _files(self, call):
        """Answer as the two calls around an upload: what is shown must have arrived in full."""
        method, body = call.name, call.body
        if method == "files.getUploadURLExternal":
            if not body.get("filename") or int(body.get("length", 0)) <= 0:
                return error("missing_argument")
            if len(body.get("alt_txt", "")) > 1000:
                return error("alt_txt_too_large")
            name = f"F{len(self.files) + 1}"
            self.files[name] = {**body, "content": None}
            return Canned(
                body={"ok": True, "file_id": name, "upload_url": f"{self.origin}/upload/{name}"}
            )
        wanted = [self.files.get(one["id"]) for one in json.loads(body["files"])]
        if not all(file and file["content"] is not None for file in wanted):
            return error("file_not_found")
        for file in wanted:
            file["shown_in"] = (body.get("channel_id"), body.get("thread_ts"))
        return Canned(body={"ok": True, "files": [{"id": "F"}]})

    def _upload(self, body):
        file = self.files[body["id"]]
        if len(body["content"]) != int(file["length"]):
            return Canned(400, "length does not match")
        file["content"] = body["content"]
        return Canned(200, f"OK - {len(body['content'])}")

    @property
    def shown(self):
        """The files that people see."""
        return [file for file in self.files.values() if "shown_in" in file]

    def _assistant(self, call):
        """Answer as assistant.threads.*: prompts are for the whole conversation of an agent."""
        what, body = call.name.rpartition(".")[2], call.body
        if not body.get("channel_id"):
            return error("channel_not_found")
        if what == "setStatus":
            return (
                Canned()
                if body.get("thread_ts") and "status" in body
                else error("invalid_arguments")
            )
        prompts = body.get("prompts") or []
        named = all(prompt.keys() == {"title", "message"} for prompt in prompts)
        if what != "setSuggestedPrompts" or not (1 <= len(prompts) <= 4 and named):
            return error("invalid_arguments")
        return Canned()

    @property
    def statuses(self):
        return [call.body["status"] for call in self.calls("assistant.threads.setStatus")]

    @property
    def updates(self):
        return [call.body for call in self.calls("chat.update")]

    def keep(self, body, ts):
        """Let a message be in its channel."""
        names = ("text", "blocks", "metadata")
        kept = {"ts": ts, **{name: body.get(name) for name in names}}
        self._posted.append((body["channel"], body.get("thread_ts"), kept))

    def clear(self):
        """Forget every request and every message."""
        self.log.clear()
        self._posted.clear()
        self.views.clear()

    def _messages(self, call):
        """Answer what is in a thread, or in a channel outside threads: a page of it."""
        wanted = call.body
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


def _call(path, headers, raw):
    """Return what a request is: bytes of a file, a post to a hook, or a method of the Web API."""
    kind, _, rest = path.lstrip("/").partition("/")
    if kind == "upload":
        return Call("upload", {"id": rest, "content": raw})
    body = json.loads(raw) if "json" in headers.get("content-type", "") else _form(raw)
    if kind == "commands":
        return Call("response_url", {**body, "__name": rest.split("/")[1]})
    bearer = headers.get("authorization", "").removeprefix("Bearer ")
    return Call(rest, body, bearer or None)


def _handler(slack):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["content-length"]))
            self._answer(slack.arrived(_call(self.path, self.headers, raw)))

        def do_GET(self):
            self._answer(slack.arrived(Call(f"GET {self.path}", {})))

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
