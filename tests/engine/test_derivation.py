"""Each step of a derivation, worked out from its printed numbers, gives the engine's result."""

import math
import re

import pytest

from bot.answers.estimate.answer import derivation, estimated
from bot.answers.estimate.request import estimate_request
from bot.answers.world import load_world
from catalog.facts.provenance import coefficient_provenance
from engine.derivation.step import ABOVE, FUNCTIONS
from tests.estimate_plans import PLANS

# Six printed digits of each number; sums of large terms may lose one or two.
PRINTED = 2e-4
FUNCTION = {name: getattr(math, name) for name in FUNCTIONS - {"min", "max"}}
HEADLINES = {
    "first token (TTFT)": ("ttft_ms", 1e3),
    "time per token (TPOT)": ("tpot_ms", 1e3),
    "whole request": ("e2e_ms", 1e3),
    "requests a second": ("requests_per_s", 1),
    "output tokens a second": ("output_tokens_per_s", 1),
    "useful tokens a second and accelerator": ("tokens_per_s_per_accelerator", 1),
    "model FLOPs utilisation (MFU)": ("mfu", 1),
    "time of the run, hours": ("time_h", 1),
}


def by_hand(text: str) -> float:
    """What a calculator says to the printed formula."""
    words = set(re.findall(r"[A-Za-z]\w*", re.sub(r"\de-?\d", "", text)))
    assert words <= FUNCTIONS, f"no number for {words - FUNCTIONS} in {text}"
    python = text.replace("×", "*").replace("^", "**")
    return eval(python, {"__builtins__": {}, **FUNCTION, "min": min, "max": max})  # noqa: S307


def found(name):
    world = load_world()
    answer = estimated(estimate_request(PLANS[name]), world)
    return answer, derivation(answer, world)


@pytest.mark.parametrize("name", PLANS)
class TestEveryPlan:
    def test_steps_give_what_the_engine_gives(self, name):
        _, steps = found(name)
        assert steps
        for step in steps:
            assert by_hand(step.filled) == pytest.approx(step.result, rel=PRINTED, abs=1e-12), step

    def test_headlines_are_those_of_the_estimate(self, name):
        answer, steps = found(name)
        performance = answer.estimate.performance or answer.estimate.training
        said = [step for step in steps if step.name in HEADLINES]
        assert said
        for step in said:
            figure, scale = HEADLINES[step.name]
            assert scale * step.result == pytest.approx(getattr(performance, figure).value)

    def test_coefficients_are_those_of_the_file(self, name):
        rows = coefficient_provenance()
        for step in found(name)[1]:
            for value in step.values:
                if value.source in rows:
                    assert value.number == rows[value.source].value, value
                    assert rows[value.source].text
                else:
                    kind = value.source.split(".")[0]
                    assert "," in value.source or kind not in {
                        "gpu",
                        "neuron",
                        "cpu",
                        "training",
                    }, value

    def test_values_from_above_are_above(self, name):
        results = {}
        for step in found(name)[1]:
            for value in step.values:
                if value.source == ABOVE:
                    assert results[value.meaning] == value.number, value
            results[step.name] = step.result


def test_what_does_not_fit_is_explained_by_its_memory():
    asked = estimate_request({"model": "llama-3.3-70b", "instance": "g6e.xlarge"})
    world = load_world()
    steps = derivation(estimated(asked, world), world)
    assert {step.section for step in steps} == {"Memory of one GPU"}


def test_images_are_not_derived():
    asked = estimate_request({"model": "sdxl", "instance": "g6e.xlarge"})
    world = load_world()
    assert derivation(estimated(asked, world), world) == ()
