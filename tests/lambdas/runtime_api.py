"""Lambda's runtime API on loopback, and the real runtime client run against it.

https://docs.aws.amazon.com/lambda/latest/dg/runtimes-api.html
"""

import json
import os
import queue
import subprocess
import sys
import sysconfig
import threading
import time
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from pathlib import Path

import pytest

pytest.importorskip("awslambdaric", reason="Lambda's runtime client exists for Linux only")

ROOT = Path(__file__).parents[2]
PREFIX = "/2018-06-01/runtime/"
WAIT_S = 30  # only ever waited out by a test that fails
ACCOUNT_ARN = "arn:aws:lambda:us-east-1:123456789012:function:"


@dataclass(frozen=True)
class Outcome:
    """What one invocation came to: its answer, or the error the runtime reported; and how long."""

    answer: object
    error: dict | None
    ms: float


class Server(ThreadingHTTPServer):
    """A server that does not mind a client being killed."""

    daemon_threads = True

    def handle_error(self, *_):
        pass


class RuntimeApi:
    """Hands out events and takes answers, one at a time, as the service does."""

    def __init__(self):
        self._events = queue.Queue()
        self._outcomes = queue.Queue()
        self._numbers = count(1)
        self.polled = threading.Event()
        self.init_error = None
        self._server = Server(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._events.put(None)
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def address(self):
        return f"127.0.0.1:{self._server.server_address[1]}"

    def start(self, event):
        """Hand out an event and do not wait for what comes of it."""
        self._events.put((f"request-{next(self._numbers)}", event))

    def invoke(self, event):
        start = time.perf_counter()
        self.start(event)
        answer, error = self._outcomes.get(timeout=WAIT_S)
        return Outcome(answer, error, 1000 * (time.perf_counter() - start))

    def next_event(self):
        self.polled.set()
        return self._events.get()

    def ended(self, kind, body):
        if kind == "init/error":
            self.init_error = body
            self.polled.set()
        elif kind.endswith("/response"):
            self._outcomes.put((body, None))
        else:
            self._outcomes.put((None, body))


def _handler(api):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = 1 << 16  # one packet an answer: halves would wait for each other's receipt

        def do_GET(self):
            item = api.next_event()
            if item is None:
                self.close_connection = True
                return
            request_id, event = item
            headers = {
                "Lambda-Runtime-Aws-Request-Id": request_id,
                "Lambda-Runtime-Deadline-Ms": str(int(time.time() * 1000) + 60_000),
                "Lambda-Runtime-Invoked-Function-Arn": f"{ACCOUNT_ARN}ec2-pick",
                "Content-Type": "application/json",
            }
            self._send(200, json.dumps(event).encode(), headers)

        def do_POST(self):
            raw = self.rfile.read(int(self.headers["content-length"]))
            api.ended(self.path.removeprefix(PREFIX), json.loads(raw or b"null"))
            self._send(202, b"{}", {"Content-Type": "application/json"})

        def _send(self, status, body, headers):
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(body))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    return Handler


CLIENT_PARTS = ("awslambdaric", "simplejson", "snapshot_restore_py", "runtime_client*.so")


def client_alone(folder):
    """Return the folder, filled with links to the runtime client and nothing else of ours.

    A function's code has to bring everything it imports, as on Lambda.
    """
    installed = Path(sysconfig.get_path("platlib"))
    for part in CLIENT_PARTS:
        for path in installed.glob(part):
            (folder / path.name).symlink_to(path)
    return folder


class Sandbox:
    """One sandbox: a process with the runtime client and a function's code.

    `code` is the folder the function's code is in; `libraries` are further folders to import from.
    Without libraries the process sees this environment's own.
    """

    def __init__(self, handler, environ, code=ROOT, libraries=(), wrapper=(), interpreter=None):
        self.api = RuntimeApi()
        self._command = [
            *wrapper, interpreter or sys.executable, *(["-S"] if libraries else []),
            "-m", "awslambdaric", handler,
        ]  # fmt: skip
        self._environ = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": os.pathsep.join(map(str, [code, *libraries])),
            "LAMBDA_TASK_ROOT": str(code),
            "AWS_LAMBDA_FUNCTION_NAME": "ec2-pick",
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "512",
            **environ,
        }
        self._code = code

    def __enter__(self):
        self.api.__enter__()
        environ = {**self._environ, "AWS_LAMBDA_RUNTIME_API": self.api.address}
        self.started = time.perf_counter()
        self._process = subprocess.Popen(
            self._command, env=environ, cwd=self._code, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self._lines = []
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def _read(self):
        self._lines.extend(iter(self._process.stdout.readline, ""))

    def __exit__(self, *_):
        self.kill()
        self._reader.join()
        self._process.stdout.close()
        self.api.__exit__()

    def kill(self):
        """End the process at once, as running out of memory does."""
        self._process.kill()
        self._process.wait()

    def ready_ms(self):
        """Wait until the function is loaded; return how long that took."""
        assert self.api.polled.wait(WAIT_S), self.log
        assert self.api.init_error is None, self.log
        return 1000 * (time.perf_counter() - self.started)

    def start(self, event):
        self.api.start(event)

    def invoke(self, event):
        return self.api.invoke(event)

    @property
    def log(self):
        return "".join(self._lines)
