"""The queue over SQS, on moto's server: order, leases, tries, dead letters."""

import pytest

from bot.aws.opened_state import opened_items, opened_state
from bot.store.dynamodb_items import DynamoDbItems
from bot.store.location import StateLocationError
from bot.store.sqlite import SqliteItems
from bot.store.sqs_queue import SqsQueue, job_of
from bot.store.store import Job
from tests.aws_server import environment
from tests.state.racing import race


@pytest.fixture
def queue(queues, table):
    return SqsQueue(*queues, DynamoDbItems(table))


def job(key, group=None, **body):
    return Job(key=key, group=group or key, body=body)


def test_jobs_come_in_order_and_once(queue):
    sent = []
    queue.on_send = lambda: sent.append(1)
    for one in (job("a", "g", text="naïve ✓ \x00"), job("b", "g"), job("c"), job("a", "g", n=2)):
        queue.send(one)
    assert (len(sent), queue.idle_s()) == (4, 0.0)
    first, other = queue.receive(60), queue.receive(60)

    assert (first.job, first.attempts) == (job("a", "g", text="naïve ✓ \x00"), 1)
    assert (other.job, queue.receive(60)) == (job("c"), None)  # b waits for a
    queue.finish(first)
    assert queue.receive(60).job == job("b", "g")
    assert queue.idle_s() is None


def test_racing_workers_double_no_job(queue):
    for n in range(12):
        queue.send(job(f"k{n}"))
    leases = race([lambda: queue.receive(60) for _ in range(16)])
    assert sorted(x.job.key for x in leases if x) == sorted(f"k{n}" for n in range(12))


@pytest.mark.parametrize(("counted", "attempts"), [(True, [1, 2, 3]), (False, [1, 1, 1])])
def test_a_try_counts_or_does_not(queue, counted, attempts):
    queue.send(job("a"))
    seen = []
    for _ in attempts:
        lease = queue.receive(60)
        seen.append(lease.attempts)
        queue.retry(lease, 0, counted=counted)
    assert seen == attempts


def test_a_buried_job_is_gone_and_kept_with_its_reason(queue, queues):
    client, _, dead = queues
    queue.send(job("a", n=1))
    queue.bury(queue.receive(60), "why " * 1000)
    assert (queue.receive(60), queue.idle_s()) == (None, None)
    wanted = {"QueueUrl": dead, "MessageAttributeNames": ["All"]}
    (letter,) = client.call("ReceiveMessage", wanted)["Messages"]

    assert job_of(letter["Body"]) == job("a", n=1)
    assert letter["MessageAttributes"]["reason"]["StringValue"].startswith("why why")


def test_a_late_worker_changes_nothing(queue):
    queue.send(job("a"))
    late = queue.receive(60)
    queue.finish(late)
    for act in (queue.finish, lambda lease: queue.retry(lease, 5)):
        act(late)
    assert queue.receive(60) is None


@pytest.mark.parametrize("body", ["", "[]", "{}", '{"key": "k"}', "null"])
def test_what_is_no_job_is_refused(body):
    with pytest.raises(ValueError, match="holds no job"):
        job_of(body)


def test_the_variables_open_state_on_aws(aws_url, table, queues):
    environ = {**environment(aws_url), "EC2_PICK_STATE": f"dynamodb://{table._name}",
               "EC2_PICK_QUEUE_URL": queues[1], "EC2_PICK_DEAD_LETTER_URL": queues[2]}  # fmt: skip
    state = opened_state(environ)
    state.items.put_item("c", "k", {"n": 1})
    state.queue.send(job("a"))

    assert opened_items(environ).get_item("c", "k").body == {"n": 1}
    assert state.queue.receive(60).job == job("a")
    state.close()


def test_the_variables_open_state_on_this_machine(tmp_path):
    environ = {"EC2_PICK_STATE": f"sqlite:///{tmp_path}/s.db"}
    state = opened_state(environ)
    state.items.put_item("c", "k", {"n": 1})
    items = opened_items(environ)

    assert isinstance(items, SqliteItems)
    assert items.get_item("c", "k").body == {"n": 1}
    state.close()
    items._database.close()


@pytest.mark.parametrize(
    ("environ", "said"),
    [
        ({"EC2_PICK_STATE": "dynamodb://table"}, "set EC2_PICK_QUEUE_URL and EC2_PICK_DEAD_LETTER"),
        ({"EC2_PICK_STATE": "dynamodb://table", "EC2_PICK_QUEUE_URL": "u"},
         "set EC2_PICK_DEAD_LETTER_URL to"),
        ({"EC2_PICK_STATE": "dynamodb://x"}, "or dynamodb://table-name"),
        ({"EC2_PICK_STATE": "dynamodb://a/b c"}, "or dynamodb://table-name"),
        ({"EC2_PICK_STATE": "sqlite:////proc/no/x.db"}, "the state cannot be opened"),
    ],
)  # fmt: skip
def test_a_place_that_cannot_be_opened_is_refused_with_what_to_set(environ, said):
    with pytest.raises(StateLocationError, match=said):
        opened_state(environ)
