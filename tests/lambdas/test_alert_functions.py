"""The sweep and the fan-out under Lambda's real runtime client: a price changes, Slack hears it.

Prices are those of the fake AWS endpoint, asked by the real boto3 client.
"""

import json
import threading
import time
from dataclasses import replace

import pytest

from bot.alerts.fan_out import PageRequest
from bot.alerts.page_queue import PageQueue, PagesNotSentError, body_of, page_of
from bot.alerts.sweep import SHARDS, first_pages
from bot.store.alert_record import COLLECTION, key_of, shard_of, topic_of
from bot.store.price_cache import CHANGES, PRICES
from bot.store.subscriptions import add, owned
from tests.alerts.channel import PLACE, subscribed
from tests.fakes.aws_endpoint import FakeAws, environment, serving
from tests.lambdas.deployment import Deployment
from tests.lambdas.runtime_api import Sandbox
from tests.slack.fake_slack import TOKEN, Canned, error, limited
from tests.slack.sender import SECRET

SWEEP = "bot.lambdas.sweep.handler"
FAN_OUT = "bot.lambdas.fan_out.handler"
POST = "chat.postMessage"
P5 = {"instance_type": "p5.48xlarge", "region": "us-east-1"}
HALF_A_DAY_S = 13 * 3600  # a list price is asked again after twelve hours
MOST_TRIES = 20  # a busy machine may look the price up too late for the first


@pytest.fixture(scope="module")
def aws():
    with serving(FakeAws()) as server:
        yield server


@pytest.fixture(scope="module")
def deployment(aws_url, slack_server, aws):
    made = Deployment.made(aws_url, slack_server, f"alerts-{time.time_ns()}")
    made.environ.update({**environment(aws.url), "AWS_SESSION_TOKEN": "token"})
    return made


@pytest.fixture(scope="module")
def fan_out(deployment):
    with Sandbox(FAN_OUT, deployment.environ) as sandbox:
        sandbox.ready_ms()
        yield sandbox


@pytest.fixture(scope="module")
def sweep(deployment):
    with Sandbox(SWEEP, deployment.environ) as sandbox:
        sandbox.ready_ms()
        yield sandbox


@pytest.fixture(autouse=True)
def slack(slack_server, deployment):
    """The fake Slack with an empty log, no subscription, no price seen, no page before it."""
    slack_server.clear()
    deployment.purge()
    for collection in (COLLECTION, PRICES, CHANGES):
        for item in deployment.items.list_items(collection, limit=100).items:
            deployment.items.delete_item(collection, item.key)
    return slack_server


@pytest.fixture
def watch(deployment):
    """Keep an alert on the p5's price; `n` makes it another user's."""

    def watch(n=1, **fields):
        place = replace(PLACE, user=f"U{n}")
        one = subscribed(**{**P5, "place": place, "seen_usd_per_hour": 100.0, **fields})
        assert add(deployment.items, one)
        return one

    return watch


@pytest.fixture
def page(fan_out):
    """Deliver the page a subscription is on, until it is worked off."""

    def page(one, sweep="s"):
        body = body_of(PageRequest(sweep=sweep, shard=shard_of(one.id)))
        record = {"messageId": "m", "receiptHandle": "r", "body": body, "attributes": {}}
        return fan_out.invoke({"Records": [record]}).answer["batchItemFailures"]

    return page


@pytest.fixture
def told(page, slack):
    """Deliver the page until Slack has heard something new of it."""

    def told(one):
        before = len(slack.posts)
        for n in range(MOST_TRIES):
            page(one, sweep=f"s{n}")
            if len(slack.posts) > before:
                return slack.posts[-1]
        raise AssertionError("nothing was told")

    return told


def test_a_change_between_two_sweeps_is_told_once_in_its_thread(
    deployment, told, page, watch, slack, aws, fan_out
):
    one = watch(threshold_percent=10)
    first = told(one)
    assert (first["channel"], first["thread_ts"]) == (PLACE.channel, PLACE.thread_ts)
    assert "$100.00/h → $55.04/h (−45.0 %)" in first["text"]
    assert [page(one, sweep=f"again{n}") for n in range(3)] == [[]] * 3

    aws.price(P5["instance_type"], "49.5360000000")
    for item in deployment.items.list_items(PRICES).items:
        aged = {**item.body, "seen_at": time.time() - HALF_A_DAY_S}
        deployment.items.put_item(PRICES, item.key, aged)
    second = told(one)
    aws.price(P5["instance_type"], "55.0400000000")
    assert "$55.04/h → $49.54/h (−10.0 %)" in second["text"]
    assert len(slack.posts) == 2
    (change,) = deployment.items.list_items(CHANGES).items  # "has p5 got cheaper?" draws it
    assert (change.body["old_usd_per_hour"], change.body["new_usd_per_hour"]) == (55.04, 49.536)
    for secret in (SECRET, TOKEN):
        assert secret not in fan_out.log


@pytest.mark.slow
def test_a_sweep_names_every_shard_and_its_pages_reach_everybody(
    deployment, sweep, fan_out, watch, told, slack
):
    told(watch(n=0, threshold_percent=10))  # the price is known from here on
    for n in range(1, 6):
        watch(n)
    outcome = sweep.invoke({"sweep": "2026-11-28T04:00:00Z"})
    assert outcome.answer == {"pages": len(SHARDS)}
    while (batch := deployment.batch(deployment.pages))["Records"]:
        done = fan_out.invoke(batch)
        assert done.answer == {"batchItemFailures": []}, fan_out.log
    owners = [post["blocks"][-1]["elements"][0]["text"] for post in slack.posts]
    assert sorted(owners) == [f"Alert for <@U{n}>" for n in range(6)]


def test_of_a_batch_only_the_pages_with_somebody_left_come_again(fan_out, watch, told, slack):
    told(watch(n=0))
    one, other = watch(n=1), watch(n=2)
    records = [
        {"messageId": f"m{n}", "receiptHandle": "r", "attributes": {},
         "body": body_of(PageRequest(sweep="s", shard=shard_of(one.id)))}
        for n, one in enumerate((one, other))
    ]  # fmt: skip
    assert shard_of(one.id) != shard_of(other.id)
    slack.script(POST, limited(30))
    bad = {**records[0], "messageId": "bad", "body": "[]"}
    outcome = fan_out.invoke({"Records": [*records, bad]})
    failed = [failure["itemIdentifier"] for failure in outcome.answer["batchItemFailures"]]
    assert failed == ["m0", "bad"]
    assert fan_out.invoke({"Records": records}).answer == {"batchItemFailures": []}
    assert len(slack.posts) == 4  # one was turned away


def test_a_page_delivered_twice_tells_once(page, watch, told, slack):
    one = watch()
    told(one)
    page(one)
    page(one)
    assert len(slack.posts) == 1


def test_who_cannot_be_reached_is_paused_with_the_reason(deployment, page, watch, told, slack):
    told(watch(n=0))
    one = watch(n=1)
    slack.script(POST, error("is_archived"))
    assert page(one) == []
    (kept,) = owned(deployment.items, one.place)
    assert (kept.state, "archived" in kept.why_paused) == ("paused", True)


@pytest.mark.parametrize("arrived", [True, False])
def test_a_sandbox_that_dies_in_the_post_is_followed_by_one_that_looks_first(
    deployment, page, watch, told, slack, arrived
):
    told(watch(n=0))  # the price is known from here on
    slack.clear()
    one, release = watch(n=1), threading.Event()
    slack.script(POST, Canned(hold=release, drop=True))
    with Sandbox(FAN_OUT, deployment.environ) as dying:
        dying.ready_ms()
        body = body_of(PageRequest(sweep="s", shard=shard_of(one.id)))
        dying.start({"Records": [{"messageId": "m", "body": body}]})
        slack.wait_for(POST)
        dying.kill()
    release.set()
    if arrived:
        slack.keep(slack.posts[0], f"{time.time():.6f}")
    assert page(one) == [{"itemIdentifier": "m"}]  # its lease still runs
    end_lease(deployment.items, one)

    assert page(one) == []
    assert len(slack.calls("conversations.replies")) == 1
    assert len(slack.posts) == (1 if arrived else 2)
    assert page(one) == []
    assert len(slack.posts) == (1 if arrived else 2)


def end_lease(items, one):
    """Let the lease of an alert under way be over."""
    item = items.get_item(COLLECTION, key_of(one.id))
    pending = {**item.body["pending"], "lease_until": 1.0}
    topic = topic_of(one.place)
    items.put_item(COLLECTION, item.key, {**item.body, "pending": pending}, topic=topic)


def test_what_is_no_call_of_the_scheduler_is_an_error(sweep, deployment):
    assert sweep.invoke({"source": "aws.events"}).error["errorType"] == "KeyError"
    assert deployment.batch(deployment.pages) == {"Records": []}


@pytest.mark.parametrize("body", ["", "x", "[]", "{}", '{"sweep": "s"}', "null"])
def test_a_message_that_holds_no_page_is_said_to_be_none(body):
    with pytest.raises(ValueError, match="holds no page"):
        page_of(body)


def test_pages_that_sqs_does_not_take_are_no_success():
    class Sqs:
        def call(self, _action, request):
            return {"Failed": [{"Id": request["Entries"][0]["Id"], "Code": "Throttled"}]}

    with pytest.raises(PagesNotSentError, match="Throttled"):
        PageQueue(Sqs(), "u").send_all(first_pages("s"))


def test_a_page_comes_back_as_it_was_sent():
    asked = PageRequest(sweep="s", shard="0f", after="0fabc")
    assert page_of(body_of(asked)) == asked
    assert json.loads(body_of(asked))["after"] == "0fabc"
