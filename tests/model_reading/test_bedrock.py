"""Faults of the endpoint, of the account and of the model's answer: the grammar's answer stands."""

import logging
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.cli.main import main
from bot.conversation.conversation import answer
from bot.language.model_reading.bedrock import LanguageModel, tool_input
from bot.language.model_reading.model_at_start import language_model_of
from bot.slack.serve import conversation
from catalog.prices.live.budget import FAILURES, PAUSE_S
from tests.fakes.aws_endpoint import Body, Fault
from tests.fakes.bedrock import answer_of, tool_use
from tests.model_reading.conftest import MODEL

TEXT = "inference granny 7B"
READ = {"mode": "batch"}
ARN = "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.some.model-v1:0"


@pytest.fixture
def model():
    """A model that has not failed yet."""
    return LanguageModel(MODEL, "us-east-1", budget_s=10)


@pytest.mark.parametrize(
    ("fault", "logged"),
    [
        (Fault("ThrottlingException", 429, "slow down"), "throttles"),
        (Fault("AccessDeniedException", 403, "not you"), "bedrock:InvokeModel"),
        (Fault("ValidationException", 400, "no such model"), "ValidationException"),
        (Fault("ModelTimeoutException", 408, "late"), "ModelTimeoutException"),
        (Fault("InternalServerException", 500, "oops"), "InternalServerException"),
        (Body("<html>", status=200), ""),
    ],
    ids=lambda one: getattr(one, "code", None) or None,
)
def test_a_fault_leaves_the_grammars_answer(asked, bedrock, by_grammar, caplog, fault, logged):
    bedrock.faults.append(fault)
    with caplog.at_level(logging.WARNING):
        reply = asked(TEXT, READ)
    assert reply.text == by_grammar(TEXT).text
    assert len(bedrock.calls) == 1  # no retry
    assert logged in caplog.text
    assert "granny" not in caplog.text


@pytest.mark.parametrize(
    "given",
    [
        answer_of([{"text": "mode=batch"}]),
        answer_of([], "max_tokens"),
        tool_use(READ, name="another_tool"),
        tool_use(["mode", "batch"]),
        tool_use("mode=batch"),
        {"output": {"message": {"role": "assistant"}}, "stopReason": "tool_use"},
        {"output": {}},
        {},
    ],
    ids=["text", "empty", "another", "list", "words", "no-content", "no-message", "nothing"],
)
def test_an_answer_without_the_tool_leaves_the_grammars(asked, bedrock, by_grammar, given):
    bedrock.answer = given
    assert asked(TEXT).text == by_grammar(TEXT).text
    assert len(bedrock.calls) == 1


@pytest.mark.parametrize(
    "said", [None, [], {"output": []}, {"output": {"message": {"content": [1]}}}]
)
def test_a_shape_that_is_none_says_nothing(said):
    assert tool_input(said) == {}


def test_nobody_waits_longer_than_the_budget(bedrock, by_grammar, caplog):
    released = threading.Event()
    bedrock.faults.append(Fault(held=released))
    bedrock.answer = tool_use(READ)
    world = replace(load_world(), language_model=LanguageModel(MODEL, "us-east-1", budget_s=0.05))
    try:
        assert answer(TEXT, world).text == by_grammar(TEXT).text
        assert "did not answer in time" in caplog.text
        assert bedrock.arrived.wait(10)  # late, in its own thread: not into the next test
    finally:
        released.set()


def test_after_three_failures_it_is_left_alone_for_a_minute(bedrock):
    now = [0.0]
    model = LanguageModel(MODEL, "us-east-1", clock=lambda: now[0], budget_s=10)
    bedrock.answer = tool_use(READ)
    bedrock.faults.extend([Fault("ThrottlingException", 429)] * FAILURES)
    assert [model.fields(TEXT) for _ in range(FAILURES + 2)] == [{}] * (FAILURES + 2)
    assert len(bedrock.calls) == FAILURES
    now[0] = PAUSE_S
    assert model.fields(TEXT) == READ


@pytest.mark.parametrize("value", ["", " "])
def test_it_is_off_unless_a_model_is_named(value):
    assert language_model_of({}) is None
    assert language_model_of({"EC2_PICK_BEDROCK_MODEL": value}) is None


def test_the_conversation_asks_the_model_that_the_environment_names(bedrock, monkeypatch):
    monkeypatch.setitem(LanguageModel.__init__.__kwdefaults__, "budget_s", 10)
    monkeypatch.setenv("EC2_PICK_BEDROCK_MODEL", ARN)
    monkeypatch.setenv("EC2_PICK_BEDROCK_REGION", "us-east-1")
    bedrock.answer = tool_use(READ)
    assert conversation(load_world(), None)(TEXT).workload.mode == "batch"
    assert [model for model, _ in bedrock.calls] == [ARN]
    monkeypatch.delenv("EC2_PICK_BEDROCK_MODEL")
    assert conversation(load_world(), None)(TEXT).workload.mode is None
    assert len(bedrock.calls) == 1


def test_without_a_model_nothing_of_it_is_imported():
    script = f"""
import sys
from bot.slack.serve import conversation
from bot.answers.world import load_world
conversation(load_world(), None)({TEXT!r})
loaded = {"boto3", "botocore", "bot.language.model_reading.bedrock"} & sys.modules.keys()
print(*loaded)
"""
    run = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True, env={}
    )
    assert run.stdout.split() == []


@pytest.mark.parametrize(("flags", "asked"), [([], 1), (["--offline"], 0)])
def test_the_terminal_asks_it_too_unless_it_is_to_ask_nobody(
    bedrock, monkeypatch, capsys, flags, asked
):
    monkeypatch.setitem(LanguageModel.__init__.__kwdefaults__, "budget_s", 10)
    monkeypatch.setattr("bot.answers.live.live_at_start.live_of", lambda *_args, **_named: None)
    monkeypatch.setenv("EC2_PICK_BEDROCK_MODEL", MODEL)
    monkeypatch.setenv("EC2_PICK_BEDROCK_REGION", "us-east-1")
    bedrock.answer = tool_use(READ)
    assert main([*flags, TEXT]) == 0
    assert ("Read with a language model: mode=batch." in capsys.readouterr().out) == bool(asked)
    assert len(bedrock.calls) == asked
