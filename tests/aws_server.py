"""moto's server over real HTTP, with the table and queues that `serverless.yml` describes."""

import subprocess
import sys
from contextlib import contextmanager
from functools import cache
from itertools import count
from pathlib import Path

import yaml

from bot.aws.client import AwsClient

ROOT = Path(__file__).parents[1]
REGION = "us-east-1"
ACCOUNT = "123456789012"  # moto's
_NUMBERS = count(1)


def fresh_name(what):
    """Return a name that no other test of this process has used on the server."""
    return f"{what}-{next(_NUMBERS)}"


class CloudFormationLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Reads `!Sub x` as the text `x`: what a test compares needs no more."""


def _plain(loader, _, node):
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node)
    return loader.construct_scalar(node)


CloudFormationLoader.add_multi_constructor("!", _plain)


def environment(url):
    """Return what an AWS client needs to reach the server at `url`, and nothing but it.

    Prices are refused at once, as moto has none: answers rest on the snapshot.
    """
    return {
        "AWS_ENDPOINT_URL": "http://127.0.0.1:9",
        **{f"AWS_ENDPOINT_URL_{service}": url for service in ("DYNAMODB", "SQS", "SSM")},
        "AWS_REGION": REGION,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_SESSION_TOKEN": "token",
    }


@cache
def table_properties():
    """Return the table as `serverless.yml` deploys it."""
    document = yaml.load((ROOT / "serverless.yml").read_text(), CloudFormationLoader)  # noqa: S506
    return document["resources"]["Resources"]["Table"]["Properties"]


def make_table(url, name):
    """Create the table; return the client that reaches it."""
    client = AwsClient("dynamodb", environment(url))
    kept = ("AttributeDefinitions", "KeySchema", "BillingMode", "GlobalSecondaryIndexes")
    wanted = table_properties()
    client.call("CreateTable", {"TableName": name, **{k: wanted[k] for k in kept}})
    return client


def make_queue(url, name):
    """Create a FIFO queue and its dead letters; return the client and both URLs."""
    client = AwsClient("sqs", environment(url))
    fifo = {"Attributes": {"FifoQueue": "true"}}
    urls = [
        client.call("CreateQueue", {"QueueName": f"{name}{suffix}.fifo", **fifo})["QueueUrl"]
        for suffix in ("", "-dead")
    ]
    return client, *urls


def make_standard_queue(url, name):
    """Create a queue that promises neither order nor once; return its URL."""
    client = AwsClient("sqs", environment(url))
    return client.call("CreateQueue", {"QueueName": name})["QueueUrl"]


# One request at a time: AWS checks a condition and writes in one step, moto in two that threads can
# come between. And in one packet: the second would wait 40 ms for the receipt of the first. A queue
# may be emptied as often as there are tests.
MOTO = """
import logging, os, sys, threading
os.environ["MOTO_SQS_ENFORCE_STRICT_QUEUE_PURGE_BEHAVIOUR"] = "false"
from moto.moto_server.werkzeug_app import DomainDispatcherApplication
from moto.server import ThreadedMotoServer
from werkzeug.serving import WSGIRequestHandler
logging.getLogger("werkzeug").setLevel(logging.ERROR)
WSGIRequestHandler.disable_nagle_algorithm = True
answer, one_at_a_time = DomainDispatcherApplication.__call__, threading.Lock()
def answer_alone(self, environ, start_response):
    with one_at_a_time:
        return answer(self, environ, start_response)
DomainDispatcherApplication.__call__ = answer_alone
server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print("http://%s:%d" % server.get_host_and_port(), flush=True)
sys.stdin.read()
server.stop()
"""


@contextmanager
def moto_process():
    """Run the server in a process of its own, where its time is nobody else's; give its URL."""
    process = subprocess.Popen(
        [sys.executable, "-c", MOTO], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process.stdout.readline().strip()
    finally:
        process.communicate()
