"""Threads and cards outlive releases: what they name may be gone from the catalog."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from engine.core.workload import Workload

WORLD = load_world()
MODEL = Workload(model="gone-model")
MODELS = Workload(models=("gone-model", "llama-3-8b"))
REGION = Workload(params_b=7.0, region="gone-1")
REGIONS = Workload(params_b=7.0, regions=("gone-1", "us-east-1"))


@pytest.mark.parametrize(
    ("previous", "said", "words"),
    [
        (MODEL, "why instance=g6.xlarge region=us-east-1", "about `gone-model`, which is not in"),
        (MODEL, "in Frankfurt", "about `gone-model`"),
        (MODEL, "compare with g5", "about `gone-model`"),
        (MODEL, "tell me if the price drops 10 %", "about `gone-model`"),
        (MODELS, "in Frankfurt", "about `gone-model`"),
        (REGION, "on spot", "about `gone-1`"),
        (REGIONS, "on spot", "about `gone-1`"),
        # a name that is not the catalog's own is no less known
        (Workload(model="bge-large"), "in Frankfurt", "bge-large, fp16"),
        # what names something else in its place goes on
        (MODEL, "what about llama-3.1-8b", "llama-3.1-8b, bf16"),
        (REGION, "in Frankfurt", "eu-central-1"),
        # what is answered whatever the thread is about
        (MODEL, "help", "Which EC2 instances"),
        (MODEL, "what is burstable?", "earns credits while idle"),
        (MODEL, "my saved picks", "picks are kept by the Slack app"),
        (MODEL, "undo", "Nothing of this conversation is left"),
        (MODEL, "save this pick", "no pick here to save yet"),
        (MODEL, "show chart", "no model `gone-model`"),
    ],
)
def test_a_thread_about_what_is_gone_says_so_and_goes_on(previous, said, words):
    assert words in answer(said, WORLD, previous).text
