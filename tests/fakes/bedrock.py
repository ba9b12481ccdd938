"""Amazon Bedrock's Converse as one local HTTP server: REST JSON, the model's name in the path."""

import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from urllib.parse import unquote

from tests.fakes.aws_endpoint import Body, Fault, send_json, serving_at

VARIABLE = "AWS_ENDPOINT_URL_BEDROCK_RUNTIME"


def tool_use(given, name="describe_workload"):
    """Return an answer in which the model uses a tool."""
    use = {"toolUse": {"toolUseId": "tooluse_1", "name": name, "input": given}}
    return answer_of([{"text": "Sure, here it is."}, use], "tool_use")


def answer_of(content, stop_reason="end_turn"):
    """Return Converse's answer with this content."""
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": stop_reason,
        "usage": {"inputTokens": 900, "outputTokens": 40, "totalTokens": 940},
        "metrics": {"latencyMs": 700},
    }


@dataclass
class FakeBedrock:
    """What the server answers with, and what it was asked."""

    answer: dict = field(default_factory=lambda: answer_of([]))
    faults: list = field(default_factory=list)  # faults or bodies to come, in order
    calls: list = field(default_factory=list)  # (model id, request)
    arrived: threading.Event = field(default_factory=threading.Event)
    url: str = ""

    def reset(self):
        """Forget what was asked, and what was to come."""
        self.__init__(url=self.url)


class Handler(BaseHTTPRequestHandler):
    """One request of Converse: read, noted, answered."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        fake = self.server.fake
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        root, verb, model, operation = self.path.split("/")
        assert (root, verb, operation) == ("", "model", "converse")
        assert "/bedrock/aws4_request" in self.headers["Authorization"]
        fake.calls.append((unquote(model), asked))
        fake.arrived.set()
        fault = fake.faults.pop(0) if fake.faults else None
        if isinstance(fault, Body):
            return send_json(self, fault.status, fault.text)
        if isinstance(fault, Fault) and fault.held is None:
            text = json.dumps({"message": fault.message})
            return send_json(
                self, fault.status, text, {"x-amzn-ErrorType": f"{fault.code}:http://x/"}
            )
        if fault is not None:
            fault.held.wait(10)
        return send_json(self, 200, json.dumps(fake.answer))


@contextmanager
def serving_bedrock(fake):
    """Serve while the block runs."""
    with serving_at(Handler, fake) as fake.url:
        yield fake
