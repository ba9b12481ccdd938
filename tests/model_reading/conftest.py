"""A model that the fake endpoint plays, asked by the real boto3 client."""

from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from bot.language.model_reading.bedrock import LanguageModel
from tests.fakes.aws_endpoint import environment
from tests.fakes.bedrock import VARIABLE, FakeBedrock, serving_bedrock, tool_use

MODEL = "us.anthropic.claude-haiku-4-5-20251001-v1:0"


@pytest.fixture(scope="session")
def endpoint():
    """The fake endpoint of all tests."""
    with serving_bedrock(FakeBedrock()) as fake:
        yield fake


@pytest.fixture
def bedrock(endpoint, monkeypatch):
    """The fake endpoint as new, with boto3's environment pointing at it."""
    endpoint.reset()
    for name, value in {**environment(endpoint.url), VARIABLE: endpoint.url}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("AWS_PROFILE", raising=False)
    return endpoint


@pytest.fixture(scope="session")
def model():
    """One model for all tests in which nothing fails: making a client takes a while."""
    return LanguageModel(MODEL, "us-east-1", budget_s=10)


@pytest.fixture
def asked(bedrock, model):
    """Asks with a model: `asked(text, what it puts into the tool, previous)` gives the reply."""
    world = replace(load_world(), language_model=model)

    def reply(text, given=None, previous=None):
        if given is not None:
            bedrock.answer = tool_use(given)
        return answer(text, world, previous)

    return reply


@pytest.fixture
def by_grammar():
    """Asks without a model."""

    def reply(text, previous=None):
        return answer(text, load_world(), previous)

    return reply
