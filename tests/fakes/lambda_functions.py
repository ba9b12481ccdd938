"""Lambda's Invoke as one local HTTP server: a name in the path, the function's answer as it is."""

import json
from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

from tests.fakes.aws_endpoint import Fault, send_json, serving_at

VARIABLE = "AWS_ENDPOINT_URL_LAMBDA"


@dataclass
class FakeLambda:
    """What runs behind the server: `run` takes an event and returns an Outcome, as a sandbox."""

    run: Callable
    faults: list = field(default_factory=list)  # of the service, to come, in order
    calls: list = field(default_factory=list)  # (function, event)
    url: str = ""


class Handler(BaseHTTPRequestHandler):
    """One invocation: read, noted, run, answered."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        fake = self.server.fake
        event = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        root, version, kind, function, operation = self.path.split("/")
        assert (root, version, kind, operation) == ("", "2015-03-31", "functions", "invocations")
        assert "/lambda/aws4_request" in self.headers["Authorization"]
        fake.calls.append((unquote(function), event))
        fault = fake.faults.pop(0) if fake.faults else None
        if isinstance(fault, Fault):
            said = json.dumps({"Message": fault.message})
            send_json(self, fault.status, said, {"x-amzn-ErrorType": fault.code})
            return
        outcome = fake.run(event)
        failed = {"X-Amz-Function-Error": "Unhandled"} if outcome.error else {}
        send_json(self, 200, json.dumps(outcome.error or outcome.answer), failed)


@contextmanager
def serving_functions(fake):
    """Serve while the block runs."""
    with serving_at(Handler, fake) as fake.url:
        yield fake
