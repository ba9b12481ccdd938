"""`estimate --explain`: text for people, the same steps as JSON for programs."""

import json

import pytest

from bot.cli.main import main

PLAN = ["estimate", "--model", "llama-3.1-8b", "--instance", "g6e.xlarge"]


def test_text_names_formula_numbers_and_sources(capsys):
    assert main([*PLAN, "--explain"]) == 0
    text = capsys.readouterr().out
    for part in ("One decode step", "(P×b + H×t) / (R×B×k)", "gpu.accelerator.L40S.bandwidth_share",
                 "models.csv: llama-3.1-8b", "Sources of coefficients", "80 % ranges"):  # fmt: skip
        assert part in text
    assert "e+" not in text
    assert all(len(line) < 400 for line in text.splitlines())


def test_json_holds_the_same_steps(capsys):
    assert main([*PLAN, "--explain", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    names = [step["step"] for step in found["derivation"]]
    assert "one decode step" in names
    token = next(step for step in found["derivation"] if step["step"] == "time per token (TPOT)")
    assert 1e3 * token["result"] == pytest.approx(found["performance"]["tpot_ms"])
    assert token["values"][0]["source"] == "above"


def test_json_without_explain_has_no_derivation(capsys):
    assert main(PLAN) == 0
    assert "derivation" not in json.loads(capsys.readouterr().out)


def test_a_plan_that_does_not_fit_says_so(capsys):
    argv = ["estimate", "--model", "llama-3.3-70b", "--instance", "g6e.xlarge", "--explain"]
    assert main(argv) == 3
    assert "does not fit: needs" in capsys.readouterr().out


def test_degrees_that_are_not_valid_are_explained_as_such(capsys):
    argv = [*PLAN, "--tp", "7", "--explain"]
    assert main(argv) == 3
    assert "not valid" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("argv", "has"),
    [
        (["--model", "llama-3.1-8b", "--instance", "inf2.8xlarge"], "neuron.layer_us"),
        (["--model", "llama-3.1-8b", "--instance", "c8g.24xlarge", "--quant", "q4_k_m"],
         "memory bandwidth drawn"),
        (["--model", "llama-3.1-8b", "--instance", "p4de.24xlarge", "--task", "train",
          "--tokens-total", "2e9"], "model FLOPs utilisation (MFU)"),
        (["--model", "sdxl", "--instance", "g6e.xlarge"], "No steps are written"),
    ],
)  # fmt: skip
def test_every_kind_of_machine(argv, has, capsys):
    assert main(["estimate", *argv, "--explain"]) == 0
    assert has in capsys.readouterr().out
