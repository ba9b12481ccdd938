"""The functions under Lambda's real runtime client: signed delivery in, card in Slack out."""

import json
import subprocess
import sys
import threading
import time

import pytest

from bot.slack.door.ingress import MAX_BODY_BYTES
from bot.store.defaults import Defaults, lay_down
from bot.store.owner import Owner
from bot.store.sqs_queue import sqs_message
from bot.store.store import Job
from tests.lambdas.deployment import (
    Deployment,
    command_event,
    http_event,
    interaction_event,
    slack_event,
)
from tests.lambdas.runtime_api import Sandbox
from tests.slack.fake_slack import TOKEN, UNAVAILABLE, Canned, error, limited
from tests.slack.form_person import initial
from tests.slack.sender import SECRET, mention

INGRESS = "bot.lambdas.ingress.handler"
WORKER = "bot.lambdas.worker.handler"
POST = "chat.postMessage"


@pytest.fixture(scope="module")
def deployment(aws_url, slack_server):
    return Deployment.made(aws_url, slack_server, f"functions-{time.time_ns()}")


@pytest.fixture(scope="module")
def ingress(deployment):
    with Sandbox(INGRESS, deployment.environ) as sandbox:
        sandbox.ready_ms()
        yield sandbox


@pytest.fixture(scope="module")
def worker(deployment):
    with Sandbox(WORKER, deployment.environ) as sandbox:
        sandbox.ready_ms()
        yield sandbox


@pytest.fixture(autouse=True)
def slack(slack_server, deployment):
    """The fake Slack with an empty log, and an empty queue before it."""
    slack_server.log.clear()
    deployment.purge()
    return slack_server


@pytest.mark.parametrize("version", [1, 2])
def test_a_command_is_acknowledged_and_its_card_posted(deployment, ingress, worker, slack, version):
    url = slack.response_url()
    outcome = ingress.invoke(command_event(version=version, response_url=url))
    assert outcome.answer["statusCode"] == 200
    assert json.loads(outcome.answer["body"])["response_type"] == "ephemeral"
    batch = deployment.batch()
    assert len(batch["Records"]) == 1
    answered = worker.invoke(batch)

    assert answered.answer == {"batchItemFailures": []}, worker.log
    (post,) = slack.posts
    assert post["channel"] == "C1"
    assert "g6" in json.dumps(post["blocks"])
    for log in (ingress.log, worker.log):
        for secret in (SECRET, TOKEN, url):
            assert secret not in log


def test_a_thread_goes_on_where_it_was(deployment, ingress, worker, slack):
    """The second turn has no mention: only the table knows that the thread is ours."""
    ts = f"{time.time():.6f}"
    for event in (
        mention("<@UBOT> inference 7B latency<100ms", ts),
        {**mention("in Frankfurt", f"{ts}9", thread_ts=ts), "type": "message"},
    ):
        assert ingress.invoke(slack_event(event)).answer["statusCode"] == 200
        deployment.work(worker)

    first, second = slack.posts
    assert (first["thread_ts"], second["thread_ts"]) == (ts, ts)
    assert "eu-central-1" in json.dumps(second)


def test_what_slack_sends_again_is_queued_once(deployment, ingress):
    event = slack_event(mention(ts=f"{time.time():.6f}"))
    assert [ingress.invoke(event).answer["statusCode"] for _ in range(3)] == [200] * 3
    assert len(deployment.batch()["Records"]) == 1


OLD = "at 301 seconds ago"


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"headers": {}}, 401),
        ({"at": OLD}, 401),
        ({"headers": {"X-Slack-Request-Timestamp": "soon", "X-Slack-Signature": "v0=0"}}, 401),
        ({"path": "/slack/eventsx"}, 404),
        ({"method": "GET"}, 405),
        ({"method": "GET", "path": "/healthz"}, 200),
    ],
)
def test_who_is_not_slack_is_not_let_in(ingress, deployment, change, status):
    if change.get("at") == OLD:
        change = {"at": time.time() - 301}
    body = json.dumps({"type": "url_verification", "challenge": "c"}).encode()
    answer = ingress.invoke(http_event(body, "application/json", **change)).answer

    assert answer["statusCode"] == status
    assert deployment.batch() == {"Records": []}


@pytest.mark.parametrize("version", [1, 2])
@pytest.mark.parametrize("encoded", [True, False])
def test_the_signature_is_over_the_bytes_that_were_sent(ingress, version, encoded):
    body = json.dumps({"type": "url_verification", "challenge": "ü✓"}, ensure_ascii=False).encode()
    event = http_event(body, "application/json", version=version, encoded=encoded)
    answer = ingress.invoke(event).answer
    assert (answer["statusCode"], json.loads(answer["body"])) == (200, {"challenge": "ü✓"})

    changed = http_event(body + b" ", "application/json", version=version, encoded=encoded)
    event["body"] = changed["body"]
    assert ingress.invoke(event).answer["statusCode"] == 401


def test_odd_bodies_are_refused(ingress):
    big = http_event(b"x" * (MAX_BODY_BYTES + 1), "application/json")
    assert ingress.invoke(big).answer["statusCode"] == 413
    broken = {**http_event(b"x", "application/json"), "body": "%%%", "isBase64Encoded": True}
    assert ingress.invoke(broken).answer["statusCode"] == 400
    without = {k: v for k, v in http_event().items() if k not in ("body", "isBase64Encoded")}
    assert ingress.invoke(without).answer["statusCode"] == 200  # an empty form: nothing to do


def test_what_is_no_request_is_an_error_of_the_function(ingress):
    outcome = ingress.invoke({"source": "aws.scheduler"})
    assert outcome.error["errorType"] == "ValueError"


def test_what_cannot_wait_is_answered_by_the_listeners(ingress, deployment):
    payload = {"type": "block_suggestion", "team": {"id": "T1"}, "user": {"id": "U1"},
               "action_id": "x", "block_id": "y", "value": "z", "api_app_id": "A1"}  # fmt: skip
    form = b"payload=" + json.dumps(payload).encode()
    answer = ingress.invoke(http_event(form, "application/x-www-form-urlencoded")).answer

    assert (answer["statusCode"], json.loads(answer["body"])) == (200, {"options": []})
    assert deployment.batch() == {"Records": []}


def test_a_form_is_opened_checked_and_answered(deployment, ingress, worker, slack):
    slack.views.clear()
    people = {"team": {"id": "T1"}, "user": {"id": "U1", "team_id": "T1"}}
    shortcut = {"type": "shortcut", "callback_id": "size_a_model", "trigger_id": f"{time.time()}"}
    assert ingress.invoke(interaction_event({**people, **shortcut})).answer["statusCode"] == 200
    assert slack.views["V1"]["callback_id"] == "ec2_pick_form"
    deployment.work(worker)
    assert "/h" in json.dumps(slack.views["V1"]["blocks"][-2])

    typing = {"type": "block_suggestion", "action_id": "form.model", "value": "llama 70"}
    answer = ingress.invoke(interaction_event({**people, **typing})).answer
    assert "llama-3.3-70b" in answer["body"]

    def submitted(region):
        fields = {"region": {"form.region": {"value": region}}}
        view = {**slack.views["V1"], "id": f"V{time.time()}", "state": {"values": fields}}
        payload = {**people, "type": "view_submission", "view": view}
        return ingress.invoke(interaction_event(payload)).answer

    assert json.loads(submitted("atlantis")["body"])["errors"].keys() == {"region"}
    assert deployment.batch() == {"Records": []}
    assert submitted("Frankfurt")["body"] == ""
    deployment.work(worker)
    (post,) = slack.posts
    assert post["channel"] == "U1"
    seen = slack.standing[-1]  # on a busy machine a sign stood there before
    assert "eu-central-1" in json.dumps(seen["blocks"])
    assert TOKEN not in ingress.log


def test_a_form_opens_with_the_defaults_in_the_table(deployment, ingress, slack):
    slack.views.clear()
    for owner, mine in ((Owner("T7", "U7"), {"region": "eu-west-1"}), (Owner("T7"), {})):
        lay_down(deployment.items, owner, Defaults(**{"market": "spot", **mine}))
    people = {"team": {"id": "T7"}, "user": {"id": "U7", "team_id": "T7"}}
    shortcut = {"type": "shortcut", "callback_id": "size_a_model", "trigger_id": f"{time.time()}"}
    assert ingress.invoke(interaction_event({**people, **shortcut})).answer["statusCode"] == 200
    assert initial(slack.views["V1"]) == {
        "task": "inference",
        "region": "eu-west-1",
        "market": "spot",
    }


def sent(deployment, key, group, text="inference 7B", **fields):
    form = {"command": "/ec2-pick", "channel_id": "C1", "team_id": "T1", "text": text, **fields}
    job = Job(key=key, group=group, body=form)
    deployment.sqs.call("SendMessage", {"QueueUrl": deployment.jobs, **sqs_message(job)})


def failures(outcome):
    return [one["itemIdentifier"] for one in outcome.answer["batchItemFailures"]]


def test_of_a_batch_only_what_failed_comes_again_and_its_group_keeps_its_order(
    deployment, worker, slack
):
    for n, group in enumerate(("a", "b", "a", "c")):
        sent(deployment, f"{time.time_ns()}-{n}", f"{group}-batch")
    slack.script(POST, UNAVAILABLE)
    records = deployment.batch()["Records"]
    order = [record["attributes"]["MessageGroupId"] for record in records]
    outcome = worker.invoke({"Records": records})
    expected = [
        r["messageId"] for r, group in zip(records, order, strict=True) if group == order[0]
    ]

    assert failures(outcome) == expected
    assert len(slack.posts) == 1 + len(records) - len(expected)


@pytest.mark.parametrize(
    ("scripted", "attempts", "failed", "buried"),
    [
        ([limited(7)], 1, True, False),
        ([UNAVAILABLE], 1, True, False),
        ([error("channel_not_found")], 1, False, True),
        ([UNAVAILABLE], 5, True, False),
        ([], 6, False, True),  # it took the process down with it, again and again
    ],
)
def test_each_failure_waits_or_is_buried_with_its_reason(
    deployment, worker, slack, scripted, attempts, failed, buried
):
    key = f"{time.time_ns()}"
    sent(deployment, key, key)
    slack.script(POST, *scripted)
    batch = deployment.batch()
    batch["Records"][0]["attributes"]["ApproximateReceiveCount"] = str(attempts)
    outcome = worker.invoke(batch)

    assert bool(failures(outcome)) is failed
    letters = [r for r in deployment.batch(deployment.dead_letters)["Records"] if key in r["body"]]
    assert len(letters) == (1 if buried else 0)
    for letter in letters:
        assert letter["messageAttributes"]["reason"]["StringValue"]


def test_a_message_that_holds_no_job_comes_back_and_says_so(worker, slack):
    attributes = {"ApproximateReceiveCount": "1", "SentTimestamp": "1", "MessageGroupId": "g"}
    record = {"messageId": "m", "receiptHandle": "r", "body": "[]", "attributes": attributes}
    assert failures(worker.invoke({"Records": [record]})) == ["m"]
    assert slack.posts == []


def test_each_workspace_is_spoken_to_with_its_own_token_or_not_at_all(aws_url, slack):
    """No token of the deployment's own: what each installation has left counts."""
    several = Deployment.made(aws_url, slack, f"several-{time.time_ns()}")
    several.forget_secret("slack-bot-token")
    items = several.items
    items.put_item("installations", "T1", {"bot_token": TOKEN})
    url = slack.response_url()
    with Sandbox(WORKER, several.environ) as worker:
        worker.ready_ms()
        sent(several, "one", "one")
        worker.invoke(several.batch())
        assert [call.token for call in slack.calls(POST)] == [TOKEN]
        sent(several, "two", "two", team_id="T2")
        worker.invoke(several.batch())
        assert len(slack.posts) == 1  # nothing with the token of another workspace
        assert len(several.batch(several.dead_letters)["Records"]) == 1
        sent(several, "three", "three", team_id="T2", response_url=url)
        worker.invoke(several.batch())
        assert (len(slack.posts), len(slack.responses)) == (1, 1)
        assert url not in worker.log
        removed = {"type": "event_callback", "team_id": "T1", "event": {"type": "app_uninstalled"}}
        job = Job(key="gone", group="gone", body=removed)
        several.sqs.call("SendMessage", {"QueueUrl": several.jobs, **sqs_message(job)})
        assert worker.invoke(several.batch()).answer == {"batchItemFailures": []}
    assert items.get_item("installations", "T1") is None


def test_nobody_is_let_in_without_the_signing_secret(aws_url, slack):
    bare = Deployment.made(aws_url, slack, f"bare-{time.time_ns()}")
    bare.forget_secret("slack-signing-secret")
    with Sandbox(INGRESS, bare.environ) as ingress:
        ingress.ready_ms()
        outcome = ingress.invoke(command_event())

    assert outcome.error["errorType"] == "MissingSecretError"
    assert "slack-signing-secret" in outcome.error["errorMessage"]


def test_a_secret_in_what_is_logged_is_taken_out(deployment, worker, slack):
    """The exception's own text holds the response_url, and the log still does not."""
    url = slack.response_url("leaky")
    sent(deployment, f"{time.time_ns()}", "leak", team_id=["T1"], response_url=url, text=url)
    worker.invoke(deployment.batch())

    for secret in (url, TOKEN, SECRET):
        assert secret not in worker.log


BEHIND_THE_DOOR = ["slack_bolt", "slack_sdk", "pydantic", "jinja2", "boto3", "botocore", "yaml",
                   "rich", "rapidfuzz", "engine", "catalog", "asyncio", "sqlite3"]  # fmt: skip


def test_the_door_loads_nothing_it_does_not_need(deployment):
    script = "import sys, bot.lambdas.ingress; print(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script], text=True, capture_output=True, check=True,
        env={**deployment.environ, "PYTHONPATH": "."},
    )  # fmt: skip
    assert [name for name in BEHIND_THE_DOOR if name in run.stdout.split()] == []


def test_a_crash_after_the_claim_loses_nothing(deployment, ingress):
    """The sandbox dies between claim and hand-over; Slack's next try after the lease succeeds."""
    event = mention(ts=f"{time.time():.6f}")
    stopped = {**deployment.environ, "AWS_ENDPOINT_URL_SQS": "http://127.0.0.1:9"}
    with Sandbox(INGRESS, stopped) as dying:
        dying.ready_ms()
        assert dying.invoke(slack_event(event)).answer["statusCode"] == 500
    assert ingress.invoke(slack_event(event)).answer["statusCode"] == 503  # the lease still runs
    key = json.dumps(["claim", f"message|T1|C1|{event['ts']}"], separators=(",", ":"))
    deployment.dynamodb.call(
        "UpdateItem",
        {"TableName": deployment.environ["EC2_PICK_STATE"].removeprefix("dynamodb://"),
         "Key": {"pk": {"S": key}, "sk": {"S": "-"}},
         "UpdateExpression": "SET lease_until = :past",
         "ConditionExpression": "attribute_exists(pk)",
         "ExpressionAttributeValues": {":past": {"N": "1"}}},
    )  # fmt: skip

    assert ingress.invoke(slack_event(event)).answer["statusCode"] == 200
    assert len(deployment.batch()["Records"]) == 1


def test_an_answer_under_way_in_a_sandbox_that_dies_is_given_by_another(deployment, worker, slack):
    key = f"{time.time_ns()}"
    sent(deployment, key, key)
    batch = deployment.batch()
    release = threading.Event()
    slack.script(POST, Canned(hold=release, drop=True))
    with Sandbox(WORKER, deployment.environ) as dying:
        dying.ready_ms()
        dying.start(batch)
        slack.wait_for(POST)
        dying.kill()
    release.set()
    receipt = batch["Records"][0]["receiptHandle"]  # the lease ends: the message shows again
    request = {"QueueUrl": deployment.jobs, "ReceiptHandle": receipt, "VisibilityTimeout": 0}
    deployment.sqs.call("ChangeMessageVisibility", request)
    outcome = deployment.work(worker)

    assert outcome.answer == {"batchItemFailures": []}
    assert len(slack.posts) == 2  # the first was never answered by Slack
    assert deployment.batch() == {"Records": []}
