"""Calls to AWS without an SDK: signed as botocore signs, tried again only where that can help."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as BotocoreCredentials

from bot.aws import client as client_module
from bot.aws.client import AwsClient, Patience
from bot.aws.sigv4 import Credentials, signed
from bot.core.errors import AwsError
from bot.store.dynamodb import DynamoDbStore, Table
from bot.store.dynamodb_items import DynamoDbItems
from bot.store.store import DeliveryClaim

NOW = 1_767_225_599.0


@pytest.mark.parametrize("token", [None, "session//token=="])
@pytest.mark.parametrize("body", [b"{}", '{"é":"✓"}'.encode(), b"x" * 5000])
@pytest.mark.parametrize(
    "scope", [("us-east-1", "dynamodb"), ("cn-north-1", "sqs"), ("eu-west-1", "ssm")]
)
def test_the_signature_is_botocores(scope, body, token):
    headers = {"content-type": "application/x-amz-json-1.0", "host": "h.example:8000",
               "x-amz-target": "DynamoDB_20120810.GetItem"}  # fmt: skip
    ours = signed(headers, body, Credentials("AKID", "secret/+", token), scope=scope, now=NOW)
    request = AWSRequest("POST", "https://h.example:8000/", headers=headers, data=body)
    stamp = ours["x-amz-date"]
    signer = SigV4Auth(BotocoreCredentials("AKID", "secret/+", token), scope[1], scope[0])
    request.context["timestamp"] = stamp
    request.headers["X-Amz-Date"] = stamp
    if token:
        request.headers["X-Amz-Security-Token"] = token
    canonical = signer.canonical_request(request)
    expected = signer.signature(signer.string_to_sign(request, canonical), request)

    assert stamp == "20251231T235959Z"
    assert ours["authorization"].endswith(f"Signature={expected}")


@pytest.fixture
def aws():
    """A server that answers what `answers` holds, in turn: a status and a body, or nothing."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self):
            server.seen.append(self.rfile.read(int(self.headers["content-length"])))
            answer = server.answers.pop(0)
            if answer is None:
                self.close_connection = True
                return
            status, body = answer
            raw = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            self.send_header("content-length", str(len(raw)))
            self.end_headers()
            self.wfile.write(raw)

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.answers, server.seen, server.daemon_threads = [], [], True
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


def called(aws, answers, tries=3):
    aws.answers[:] = answers
    return client_of(aws, tries).call("GetItem", {"a": 1})


def client_of(aws, tries=3):
    environ = {
        "AWS_ENDPOINT_URL_DYNAMODB": f"http://127.0.0.1:{aws.server_address[1]}",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b",
    }
    return AwsClient("dynamodb", environ, Patience(timeout_s=5, tries=tries))


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch):
    monkeypatch.setattr(client_module, "FIRST_WAIT_S", 0.0)


OK = (200, {"ok": True})
THROTTLED = (400, {"__type": "com.amazonaws.dynamodb#ThrottlingException"})


@pytest.mark.parametrize(
    "answers",
    [
        [OK],
        [None, OK],
        [None, None, OK],
        [(500, b"<html>"), (503, {}), OK],
        [THROTTLED, OK],
        [(400, {"__type": "x#ProvisionedThroughputExceededException"}), OK],
    ],
)
def test_what_a_later_try_can_mend_is_tried_again(aws, answers):
    assert called(aws, answers) == {"ok": True}
    assert aws.seen == [b'{"a":1}'] * len(answers)


@pytest.mark.parametrize(
    ("answers", "code", "status"),
    [
        ([(400, {"__type": "x#ValidationException", "message": "m"})], "ValidationException", 400),
        ([(400, {"__type": "x#ConditionalCheckFailedException"})],
         "ConditionalCheckFailedException", 400),
        ([(403, b"")], "HTTP 403", 403),
        ([None] * 3, "RemoteDisconnected", 0),
        ([THROTTLED] * 3, "ThrottlingException", 400),
        ([(500, b"{")] * 3, "HTTP 500", 500),
    ],
)  # fmt: skip
def test_what_cannot_be_mended_is_an_error_with_awss_word(aws, answers, code, status):
    with pytest.raises(AwsError) as raised:
        called(aws, answers)
    assert (raised.value.code, raised.value.status) == (code, status)
    assert len(aws.seen) == len(answers)


@pytest.mark.parametrize(
    ("environ", "endpoint"),
    [
        ({}, "https://sqs.us-east-1.amazonaws.com"),
        ({"AWS_DEFAULT_REGION": "eu-west-1"}, "https://sqs.eu-west-1.amazonaws.com"),
        ({"AWS_REGION": "cn-north-1"}, "https://sqs.cn-north-1.amazonaws.com.cn"),
        ({"AWS_ENDPOINT_URL": "http://x:1", "AWS_ENDPOINT_URL_SQS": "http://y:2"}, "http://y:2"),
    ],
)
def test_the_endpoint_is_that_of_every_sdk(environ, endpoint):
    made = AwsClient("sqs", {"AWS_ACCESS_KEY_ID": "a", **environ})
    assert made._endpoint.geturl() == endpoint


def test_credentials_elsewhere_than_in_the_environment_are_boto3s(monkeypatch, tmp_path):
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    file = tmp_path / "credentials"
    file.write_text("[default]\naws_access_key_id = AK\naws_secret_access_key = SK\n")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(file))
    assert AwsClient("ssm", {})._credentials() == Credentials("AK", "SK")

    file.write_text("")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    with pytest.raises(AwsError, match="NoCredentialsFound"):
        AwsClient("ssm", {})


class LosesAnswers:
    """A client whose calls happen, but whose first answer to `action` never arrives."""

    def __init__(self, client, action):
        self._client, self._action = client, action

    def call(self, action, request):
        if action == self._action:
            self._action = None
            self._client.call(action, request)  # the call that happened
        return self._client.call(action, request)


def test_a_claim_whose_answer_got_lost_is_still_won(aws_url):
    table = lossy_table(aws_url, "lost-claim", "PutItem")
    store = DynamoDbStore(table)
    assert [store.claim("k", owner, 10) for owner in "ab"] == [
        DeliveryClaim.WON,
        DeliveryClaim.BUSY,
    ]


@pytest.mark.parametrize("version", [0, 1])
def test_a_write_whose_answer_got_lost_is_still_ours(aws_url, version):
    table = lossy_table(aws_url, f"lost-write-{version}", "UpdateItem" if version == 0 else "none")
    items = DynamoDbItems(table)
    assert items.put_item("c", "k", {"n": 1}, version=0) == 1
    if version:
        table._client._action = "UpdateItem"
        assert items.put_item("c", "k", {"n": 2}, version=1) == 2
    assert items.put_item("c", "k", {"n": 3}, version=version) is None


def lossy_table(aws_url, name, action):
    from tests.aws_server import make_table

    return Table(LosesAnswers(make_table(aws_url, name), action), name)
