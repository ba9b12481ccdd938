"""What a platform engineer should get for a request: pick, runner-up, reason, and what never.

Each row was reviewed against arithmetic (weights and cache against memory, bytes over bandwidth
against the limit) and prices when it was written. A change of prices or coefficients moves rows on
purpose: read the card before changing one. A found bug becomes a row.
"""

from dataclasses import dataclass

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer
from engine.core.result import Pick


@dataclass(frozen=True)
class Case:
    text: str
    pick: str  # "2x g6e.xlarge"
    runner_up: str
    why: str  # a part of the pick's reasons or of the answer's warnings
    never: tuple[str, ...] = ()  # families that must not be picks


CASES = [
    Case(
        "inference 7B latency<100ms",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 14.4 GiB of 40.0 GiB usable per accelerator",
        never=("g4dn", "g5", "g6"),
    ),
    Case(
        "llama-3.1-8b",
        pick="1x g5.xlarge",
        runner_up="1x g6.xlarge",
        why="needs 16.3 GiB of 19.9 GiB usable per accelerator",
        never=("g4dn", "inf1", "p3"),
    ),
    Case(
        "inference llama-3-70b bf16 cheapest",
        pick="1x g7e.12xlarge",
        runner_up="1x inf2.48xlarge",
        why="needs 68.7 GiB of 85.5 GiB usable per accelerator",
        never=("g5", "g6", "g4dn"),
    ),
    Case(
        "inference llama-3.3-70b fp8",
        pick="1x g7e.2xlarge",
        runner_up="1x inf2.24xlarge",
        why="needs 71.2 GiB of 85.5 GiB usable per accelerator",
        never=("g5", "g4dn", "p4d"),
    ),
    Case(
        "inference mixtral-8x7b int4",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 24.3 GiB of 40.0 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "inference deepseek-r1",
        pick="1x p5en.48xlarge",
        runner_up="1x g7e.48xlarge",
        why="needs 84.6 GiB of 126 GiB usable per accelerator",
        never=("inf2", "trn1", "g5", "g6"),
    ),
    Case(
        "inference llama-3.1-405b fp8",
        pick="1x p4de.24xlarge",
        runner_up="1x p6-b200.48xlarge",
        why="needs 58.0 GiB of 71.2 GiB usable per accelerator",
        never=("g5", "g6", "g6e"),
    ),
    Case(
        "inference 8B 50 rps",
        pick="4x g7e.2xlarge",
        runner_up="1x p5en.48xlarge",
        why="needs 17.6 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "8B, about 2M tokens/day",
        pick="1x g5.xlarge",
        runner_up="1x g6.xlarge",
        why="needs 16.3 GiB of 19.9 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "7B in Frankfurt on spot",
        pick="1x gr6.4xlarge",
        runner_up="1x p4de.24xlarge",
        why="needs 14.4 GiB of 19.8 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "qwen2.5-32b awq under $2/h",
        pick="1x g6.xlarge",
        runner_up="1x g6e.xlarge",
        why="needs 19.9 GiB of 20.1 GiB usable per accelerator",
        never=("inf2", "g7e", "p5"),
    ),
    Case(
        "gpt-oss-20b",
        pick="1x g6.xlarge",
        runner_up="1x g7e.2xlarge",
        why="needs 14.0 GiB of 19.8 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "gpt-oss-120b",
        pick="1x g7e.2xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 64.2 GiB of 85.5 GiB usable per accelerator",
        never=("inf2", "trn1"),
    ),
    Case(
        "llama-3.1-8b graviton only",
        pick="1x c9g.8xlarge",
        runner_up="1x c8g.24xlarge",
        why="needs 15.8 GiB of 56.6 GiB usable per host",
        never=("g5g", "g6", "c7i"),
    ),
    Case(
        "llama-3.1-8b inferentia only",
        pick="1x inf2.8xlarge",
        runner_up="1x inf2.24xlarge",
        why="needs 9.51 GiB of 16.0 GiB usable per accelerator",
        never=("inf1", "trn1", "g6"),
    ),
    Case(
        "70B on trainium",
        pick="1x trn1.32xlarge",
        runner_up="1x trn1n.32xlarge",
        why="needs 10.2 GiB of 16.0 GiB usable per accelerator",
        never=("inf2", "p5", "trn2"),
    ),
    Case(
        "13B no neuron",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 25.7 GiB of 40.0 GiB usable per accelerator",
        never=("inf2", "trn1"),
    ),
    Case(
        "1B edge low resource",
        pick="1x c9g.xlarge",
        runner_up="1x c9g.2xlarge",
        why="needs 2.50 GiB of 6.20 GiB usable per host",
        never=(),
    ),
    Case(
        "inference 8B tpot<30ms",
        pick="1x g6e.xlarge",
        runner_up="1x g7e.2xlarge",
        why="needs 16.3 GiB of 40.0 GiB usable per accelerator",
        never=("g6", "g5", "c7i"),
    ),
    Case(
        "inference 8B e2e<2s",
        pick="1x g7e.2xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 17.6 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "p95 time to first token under 200 ms for 13B",
        pick="1x g7e.2xlarge",
        runner_up="1x p6-b200.48xlarge",
        why="needs 27.0 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "llama 3.1 8b with a 128k context",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 31.8 GiB of 40.0 GiB usable per accelerator",
        never=("g6", "g5", "inf2"),
    ),
    Case(
        "inference 8B objective=latency",
        pick="1x g5.xlarge",
        runner_up="1x p6-b200.48xlarge",
        why="needs 16.3 GiB of 19.9 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "inference 8B objective=value",
        pick="1x p5.4xlarge",
        runner_up="1x inf2.24xlarge",
        why="needs 17.6 GiB of 71.3 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "70B fp8 with 20 concurrent users",
        pick="1x g7e.2xlarge",
        runner_up="2x p5.4xlarge",
        why="needs 70.8 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "batch mixtral-8x7b",
        pick="1x g7e.12xlarge",
        runner_up="2x p5.4xlarge",
        why="needs 45.4 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "overnight batch scoring with an 8B",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 16.3 GiB of 40.0 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "batch embeddings with bge-large",
        pick="1x g6.xlarge",
        runner_up="1x inf2.xlarge",
        why="needs 1.64 GiB of 22.0 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "bert 1000 req/min latency<200ms",
        pick="1x c7i-flex.xlarge",
        runner_up="1x inf2.xlarge",
        why="needs 0.44 GiB of 6.20 GiB usable per host",
        never=("inf1", "p5"),
    ),
    Case(
        "embedding with bge-large",
        pick="1x c7i-flex.large",
        runner_up="1x g6f.large",
        why="needs 0.86 GiB of 2.60 GiB usable per host",
        never=(),
    ),
    Case(
        "whisper-large-v3",
        pick="1x g4dn.xlarge",
        runner_up="1x g6e.xlarge",
        why="needs 3.76 GiB of 13.1 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "sdxl",
        pick="1x g4dn.xlarge",
        runner_up="1x g6e.xlarge",
        why="needs 9.49 GiB of 14.6 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "resnet-50",
        pick="1x m7g.medium",
        runner_up="1x g6f.large",
        why="needs 1.08 GiB of 2.60 GiB usable per host",
        never=(),
    ),
    Case(
        "flux.1-dev",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 34.5 GiB of 44.4 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "train 7B",
        pick="3x p4d.24xlarge",
        runner_up="2x p5en.48xlarge",
        why="needs 19.7 GiB of 38.2 GiB usable per accelerator",
        never=("inf2", "g5", "p3"),
    ),
    Case(
        "train 70B objective=performance",
        pick="60x p6-b300.48xlarge",
        runner_up="45x p6-b200.48xlarge",
        why="needs 146 GiB of 260 GiB usable per accelerator",
        never=("g6e", "p4d", "inf2"),
    ),
    Case(
        "train 8B objective=max-savings",
        pick="3x p4d.24xlarge",
        runner_up="2x p5.48xlarge",
        why="needs 21.9 GiB of 38.2 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "train 1B on 20B tokens",
        pick="2x g7e.2xlarge",
        runner_up="1x trn1.32xlarge",
        why="needs 16.9 GiB of 92.1 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "finetune llama-3-8b lora",
        pick="1x g6e.xlarge",
        runner_up="1x g7e.12xlarge",
        why="needs 17.5 GiB of 43.1 GiB usable per accelerator",
        never=("inf2", "g4dn", "p3"),
    ),
    Case(
        "finetune llama-3-8b qlora",
        pick="1x g6e.xlarge",
        runner_up="1x g7e.12xlarge",
        why="needs 7.89 GiB of 43.1 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "finetune llama-3-70b qlora",
        pick="1x g7e.2xlarge",
        runner_up="1x g7e.24xlarge",
        why="needs 44.8 GiB of 92.1 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "finetune llama-3-70b full",
        pick="1x p6-b200.48xlarge",
        runner_up="4x trn1.32xlarge",
        why="needs 144 GiB of 173 GiB usable per accelerator",
        never=("g6e", "p4d", "inf2"),
    ),
    Case(
        "finetune mistral-7b qlora on spot",
        pick="1x g7e.2xlarge",
        runner_up="1x g7e.24xlarge",
        why="needs 6.34 GiB of 92.1 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "development",
        pick="1x t4g.xlarge",
        runner_up="1x t3a.xlarge",
        why="needs 8.00 GiB of 16.0 GiB usable per host",
        never=("p5", "g6e"),
    ),
    Case(
        "deepseek-r1 on g5 only",
        pick="5x g5.48xlarge",
        runner_up="",
        why="needs 18.3 GiB of 19.4 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "fit llama-3-70b bf16 g5.xlarge",
        pick="1x g7e.12xlarge",
        runner_up="1x inf2.48xlarge",
        why="needs 68.7 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "llama-3.1-8b on g5.12xlarge in us-west-1",
        pick="1x g4dn.12xlarge",
        runner_up="1x c8g.24xlarge",
        why="needs 8.67 GiB of 13.1 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "kimi-k2-thinking",
        pick="1x p4de.24xlarge",
        runner_up="1x p6-b200.48xlarge",
        why="needs 72.5 GiB of 75.2 GiB usable per accelerator",
        never=("p5", "inf2", "g6e"),
    ),
    Case(
        "qwen3-235b-a22b fp8",
        pick="1x g7e.24xlarge",
        runner_up="1x p5en.48xlarge",
        why="needs 58.5 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "gemma-3-27b",
        pick="1x g7e.2xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 57.5 GiB of 85.5 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "train 34B network=3.2Tbps",
        pick="11x p6-b200.48xlarge",
        runner_up="15x p6-b300.48xlarge",
        why="needs 75.1 GiB of 173 GiB usable per accelerator",
        never=("p4d", "trn1", "g6e"),
    ),
    Case(
        "inference 7M",
        pick="1x c6g.medium",
        runner_up="1x c8a.large",
        why="needs 0.14 GiB of 0.80 GiB usable per host",
        never=(),
    ),
    Case(
        "inference 0.5B latency<20ms",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 1.86 GiB of 40.0 GiB usable per accelerator",
        never=(),
    ),
    Case(
        "custom CUDA kernels 13B",
        pick="1x g6e.xlarge",
        runner_up="1x p5.4xlarge",
        why="needs 25.7 GiB of 40.0 GiB usable per accelerator",
        never=("inf2", "trn1", "c7i"),
    ),
]


def name_of(pick: Pick) -> str:
    return f"{pick.instances}x {pick.instance.instance_type}"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_request(case: Case):
    reply = answer(case.text, load_world())
    assert reply.recommendation is not None, reply.text
    picks = reply.recommendation.picks
    names = [name_of(pick) for pick in picks]
    assert names[0] == case.pick
    assert (names[1] if len(names) > 1 else "") == case.runner_up
    assert case.why in picks[0].why
    assert not {pick.instance.family for pick in picks} & set(case.never)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.text)
def test_reasons_carry_their_numbers(case: Case):
    """Every rejection is worded, and those that a figure decided carry it."""
    result = answer(case.text, load_world()).recommendation
    assert result is not None
    for rejection in result.rejected:
        assert rejection.detail
        if rejection.reason in {"too_slow", "over_budget"} and "unpriced" not in rejection.detail:
            assert rejection.numbers or "budget" in rejection.detail, rejection


@dataclass(frozen=True)
class NoFit:
    text: str
    closest: str
    detail: str  # what the nearest miss misses
    offered: tuple[str, ...]  # words of the changes offered


NO_FITS = [
    NoFit("70B bf16 under $1/hr", "g7e.12xlarge", "usd_per_hour", ("quantise", "instead of $1")),
    NoFit("405B bf16 under $20/hr", "p5en.48xlarge", "usd_per_hour", ("quantise",)),
    NoFit("inference 70B ttft<5ms", "p6-b200.48xlarge", "ttft_ms", ("instead of 5.00 ms",)),
]


@pytest.mark.parametrize("case", NO_FITS, ids=lambda case: case.text)
def test_nothing_fits(case: NoFit):
    reply = answer(case.text, load_world())
    result = reply.recommendation
    assert reply.exit_code == 3
    assert result is not None
    assert not result.picks
    assert result.closest[0].instance.instance_type == case.closest
    missed = [check.field for check in result.closest[0].limits if check.verdict == "misses"]
    assert case.detail in missed
    for words in case.offered:
        assert any(words in relaxation.text for relaxation in result.relaxations)


def test_the_same_question_has_the_same_answer():
    """Asked twice, and by a fresh process' worth of state, nothing changes but nothing is stale."""
    first, second = (answer(CASES[0].text, load_world()) for _ in range(2))
    assert first.recommendation == second.recommendation
    assert first.text == second.text
