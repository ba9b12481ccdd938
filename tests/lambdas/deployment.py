"""A deployment on moto: what the functions find around them, and what moves between them."""

import base64
import json
import time
from dataclasses import dataclass
from urllib.parse import urlencode

from bot.aws.client import AwsClient
from bot.store.dynamodb import Table
from bot.store.dynamodb_items import DynamoDbItems
from tests.aws_server import environment, make_queue, make_standard_queue, make_table
from tests.slack.fake_slack import TOKEN
from tests.slack.sender import SECRET, Sender

PATH = "/ec2-pick/test/"


@dataclass
class Deployment:
    """The parts of one deployment."""

    environ: dict
    dynamodb: AwsClient
    sqs: AwsClient
    jobs: str
    dead_letters: str
    pages: str
    ssm: AwsClient

    @classmethod
    def made(cls, aws_url, slack, name):
        dynamodb = make_table(aws_url, name)
        sqs, jobs, dead_letters = make_queue(aws_url, name)
        pages = make_standard_queue(aws_url, f"{name}-pages")
        deployment = cls(
            environ={
                **environment(aws_url),
                "EC2_PICK_STATE": f"dynamodb://{name}",
                "EC2_PICK_QUEUE_URL": jobs,
                "EC2_PICK_DEAD_LETTER_URL": dead_letters,
                "EC2_PICK_ALERT_PAGES_URL": pages,
                "EC2_PICK_SECRETS": f"{PATH}{name}/",
                "SLACK_API_URL": slack.api_url,
            },
            dynamodb=dynamodb,
            sqs=sqs,
            jobs=jobs,
            dead_letters=dead_letters,
            pages=pages,
            ssm=AwsClient("ssm", environment(aws_url)),
        )
        deployment.keep_secret("slack-signing-secret", SECRET)
        deployment.keep_secret("slack-bot-token", TOKEN)
        return deployment

    def keep_secret(self, name, value):
        path = self.environ["EC2_PICK_SECRETS"]
        request = {"Name": f"{path}{name}", "Value": value, "Type": "SecureString"}
        self.ssm.call("PutParameter", {**request, "Overwrite": True})

    def forget_secret(self, name):
        path = self.environ["EC2_PICK_SECRETS"]
        self.ssm.call("DeleteParameter", {"Name": f"{path}{name}"})

    def purge(self):
        """Leave no job and no page, not even in hand: its lease would end in another test."""
        for url in (self.jobs, self.dead_letters, self.pages):
            self.sqs.call("PurgeQueue", {"QueueUrl": url})

    @property
    def items(self):
        """The documents of the table."""
        table = self.environ["EC2_PICK_STATE"].removeprefix("dynamodb://")
        return DynamoDbItems(Table(self.dynamodb, table))

    def work(self, worker):
        """Do as the event source does: deliver a batch, delete what did not fail."""
        batch = self.batch()
        outcome = worker.invoke(batch)
        failed = [one["itemIdentifier"] for one in outcome.answer["batchItemFailures"]]
        for record in batch["Records"]:
            if record["messageId"] not in failed:
                receipt = record["receiptHandle"]
                request = {"QueueUrl": self.jobs, "ReceiptHandle": receipt}
                self.sqs.call("DeleteMessage", request)
        return outcome

    def batch(self, url=None):
        """Return what waits in the queue as the event source would deliver it."""
        wanted = ["All"]
        answer = self.sqs.call(
            "ReceiveMessage",
            {"QueueUrl": url or self.jobs, "MaxNumberOfMessages": 10,
             "AttributeNames": wanted, "MessageSystemAttributeNames": wanted,
             "MessageAttributeNames": wanted},
        )  # fmt: skip
        return {"Records": [
            {"messageId": message["MessageId"], "receiptHandle": message["ReceiptHandle"],
             "body": message["Body"], "attributes": message["Attributes"],
             "messageAttributes": message.get("MessageAttributes", {}),
             "eventSource": "aws:sqs", "eventSourceARN": "arn:aws:sqs:us-east-1:1:jobs.fifo"}
            for message in answer.get("Messages", [])
        ]}  # fmt: skip


SENDER = Sender(port=0, clock=time.time)


def http_event(body=b"", content_type="", *, headers=None, version=2, encoded=None, **more):
    """Return the event API Gateway makes of a signed POST; forms are encoded, JSON is not."""
    method, path = more.pop("method", "POST"), more.pop("path", "/slack/events")
    signed = SENDER.signed(body, more.pop("at", None)) if headers is None else headers
    sent = {"content-type": content_type, **{n.lower(): v for n, v in signed.items()}}
    is_encoded = "json" not in content_type if encoded is None else encoded
    text = base64.b64encode(body).decode() if is_encoded else body.decode()
    common = {"headers": sent, "body": text, "isBase64Encoded": is_encoded}
    if version == 1:
        return {"httpMethod": method, "path": path, "requestContext": {"stage": "prod"},
                "multiValueQueryStringParameters": None, **common, **more}  # fmt: skip
    http = {"method": method, "path": path, "protocol": "HTTP/1.1", "sourceIp": "3.4.5.6"}
    return {"version": "2.0", "routeKey": f"{method} {path}", "rawPath": path,
            "rawQueryString": "", "requestContext": {"http": http, "stage": "$default"},
            **common, **more}  # fmt: skip


def command_event(text="inference 7B latency<100ms", *, version=2, **fields):
    return http_event(*SENDER.command_request(text, **fields), version=version)


def slack_event(event, *, version=2, **envelope):
    return http_event(*SENDER.event_request(event, **envelope), version=version)


def interaction_event(payload):
    """Return what API Gateway hands on of a click, a view or a type-ahead."""
    form = urlencode({"payload": json.dumps({"api_app_id": "A1", **payload})}).encode()
    return http_event(form, "application/x-www-form-urlencoded")
