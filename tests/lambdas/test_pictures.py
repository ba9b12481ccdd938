"""Charts on Lambda: a function of their own draws them; without it the worker posts text."""

import json
import struct
import time

import pytest

from bot.cards.pictures.drawing import FUNCTION
from bot.store.sqs_queue import sqs_message
from bot.store.store import Job
from tests.fakes.aws_endpoint import Fault
from tests.fakes.lambda_functions import VARIABLE, FakeLambda, serving_functions
from tests.lambdas.deployment import Deployment
from tests.lambdas.runtime_api import Outcome, Sandbox

NAME = "ec2-pick-test-pictures"


@pytest.fixture(scope="module")
def functions():
    with Sandbox("bot.lambdas.pictures.handler", {}) as sandbox:
        sandbox.ready_ms()
        with serving_functions(FakeLambda(sandbox.invoke)) as fake:
            yield fake


@pytest.fixture(scope="module")
def deployment(aws_url, slack_server):
    return Deployment.made(aws_url, slack_server, f"pictures-{time.time_ns()}")


@pytest.fixture(scope="module")
def worker(deployment, functions):
    environ = {**deployment.environ, FUNCTION: NAME, VARIABLE: functions.url}
    with Sandbox("bot.lambdas.worker.handler", environ) as sandbox:
        sandbox.ready_ms()
        yield sandbox


@pytest.fixture
def ask(deployment, functions, slack_server, worker):
    """Ask in a message of its own; returns what Slack was posted and which files it shows."""
    functions.calls.clear()
    slack_server.log.clear()
    slack_server.files.clear()

    def asked(text):
        key = f"{time.time_ns()}"
        form = {"command": "/ec2-pick", "channel_id": "C1", "team_id": "T1", "text": text}
        job = Job(key=key, group=key, body=form)
        deployment.sqs.call("SendMessage", {"QueueUrl": deployment.jobs, **sqs_message(job)})
        outcome = deployment.work(worker)
        assert outcome.answer == {"batchItemFailures": []}, worker.log
        (post,) = slack_server.posts
        return post, slack_server.shown

    return asked


def test_a_chart_is_drawn_by_the_function_in_one_call(ask, functions, worker):
    post, files = ask("show chart of inference 7B")

    assert [file["filename"] for file in files] == ["latency-versus-cost.png", "memory.png"], (
        worker.log
    )
    for file in files:
        assert struct.unpack(">II", file["content"][16:24]) == (1080, 600)
        assert len(file["alt_txt"]) > 20
    assert [name for name, _ in functions.calls] == [NAME]
    assert "█" in json.dumps(post["blocks"], ensure_ascii=False)


def test_an_answer_without_a_chart_asks_for_none(ask, functions):
    ask("inference 7B")
    assert functions.calls == []


BROKEN = {
    "refused": Fault("AccessDeniedException", 403, "not authorized to perform: InvokeFunction"),
    "throttled": Fault("TooManyRequestsException", 429, "Rate Exceeded."),
}
SAID = {
    "crashed": Outcome(None, {"errorMessage": "no", "errorType": "OSError"}, 1.0),
    "no-png": Outcome({"pngs": ["ü"]}, None, 1.0),
    "nothing": Outcome(None, None, 1.0),
}


@pytest.mark.parametrize("fault", BROKEN.values(), ids=BROKEN)
def test_where_the_function_cannot_be_asked_the_chart_is_text(ask, functions, fault):
    functions.faults.append(fault)
    post, files = ask("show chart of inference 7B")

    assert files == []
    assert "█" in json.dumps(post["blocks"], ensure_ascii=False)


@pytest.mark.parametrize("outcome", SAID.values(), ids=SAID)
def test_where_the_function_answers_nonsense_the_chart_is_text(
    ask, functions, monkeypatch, outcome
):
    monkeypatch.setattr(functions, "run", lambda _: outcome)
    post, files = ask("show chart of inference 7B")

    assert files == []
    assert "█" in json.dumps(post["blocks"], ensure_ascii=False)
