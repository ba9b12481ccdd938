"""The command line keeps its contract: fields, exit codes, streams, and lines that never stop."""

import json

import pytest

from bot.cli.main import main

ANSWER_FIELDS = {
    "request", "intent", "workload", "assumptions", "guides", "picks", "rejected", "frontier",
    "explanation", "comparison", "warnings",
}  # fmt: skip
PICK_FIELDS = {
    "rank", "instance_type", "instances", "region", "purchase", "plan", "memory", "performance",
    "price", "cost", "why", "caveats",
}  # fmt: skip
PRICE_FIELDS = {"usd_per_hour", "source", "as_of", "region"}
COST_FIELDS = {"usd_per_hour", "usd_per_month", "usd_per_million_tokens", "usd_total"}
MEMORY_FIELDS = {
    "weights", "kv_cache", "activations", "optimizer", "gradients", "overhead", "total",
    "available", "kv_tokens_max",
}  # fmt: skip
SERVING_FIELDS = {
    "ttft_ms", "tpot_ms", "e2e_ms", "output_tokens_per_s", "total_tokens_per_s", "requests_per_s",
}  # fmt: skip


def answered(capsys: pytest.CaptureFixture[str], *argv: str) -> dict:
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


class TestAnswer:
    def test_json_has_the_fields_of_the_contract(self, capsys):
        found = answered(capsys, "inference 7B latency<100ms")
        assert found.keys() >= ANSWER_FIELDS
        assert found["workload"]["latency_kind"] == "ttft"
        for pick in found["picks"]:
            assert pick.keys() >= PICK_FIELDS
            assert pick["price"].keys() >= PRICE_FIELDS
            assert pick["cost"].keys() >= COST_FIELDS
            assert pick["memory"].keys() >= MEMORY_FIELDS
            assert pick["performance"].keys() >= SERVING_FIELDS
            assert pick["performance"]["ttft_ms_range"][0] <= pick["performance"]["ttft_ms"]

    def test_every_type_is_picked_or_rejected(self, capsys):
        found = answered(capsys, "llama-3.1-8b")
        named = [row["instance_type"] for row in (*found["picks"], *found["rejected"])]
        assert len(named) == len(set(named)) == found["considered"]

    def test_card_on_stdout(self, capsys):
        assert main(["inference", "7B", "latency<100ms"]) == 0
        captured = capsys.readouterr()
        assert "g6e.xlarge" in captured.out
        assert "$1.861/h" in captured.out
        assert captured.err == ""

    def test_top_and_region(self, capsys):
        assert main(["--top", "5", "--region", "eu-central-1", "--json", "llama-3.1-8b"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert len(found["picks"]) == 5
        assert {pick["region"] for pick in found["picks"]} == {"eu-central-1"}

    def test_the_text_beats_the_flag(self, capsys):
        assert main(["--region", "eu-central-1", "--json", "llama-3.1-8b in Ohio"]) == 0
        assert json.loads(capsys.readouterr().out)["picks"][0]["region"] == "us-east-2"


FAULTS = [
    ("", "empty"),
    ("asdf qwer zxcv", "not_understood"),
    ("inference 0B", "invalid_value"),
    ("inference 1e15B", "out_of_range"),
    ("fit 7B g7.900xlarge", "unknown_instance"),
    ("7B in us-moon-1", "unknown_region"),
    ("and on spot?", "no_context"),
    ("train 7B inf2.48xlarge", "conflict"),
]


class TestFaults:
    @pytest.mark.parametrize("text", [text for text, _ in FAULTS])
    def test_exit_2_and_one_clear_reply_on_stderr(self, capsys, text: str):
        assert main([text]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.strip()
        assert "Traceback" not in captured.err

    @pytest.mark.parametrize(("text", "code"), FAULTS)
    def test_json_carries_the_code(self, capsys, text: str, code: str):
        assert main(["--json", text]) == 2
        assert json.loads(capsys.readouterr().out)["error"]["code"] == code

    def test_nothing_fits_is_3(self, capsys):
        assert main(["70B bf16 under $1/hr"]) == 3
        assert "Nothing meets every limit" in capsys.readouterr().out

    def test_unknown_region_flag(self, capsys):
        with pytest.raises(SystemExit) as stopped:
            main(["--region", "mars-1", "7B"])
        assert stopped.value.code == 2
        assert "mars-1" in capsys.readouterr().err


class TestManifest:
    def test_only_yaml_on_stdout(self, capsys):
        import yaml

        assert main(["--manifest", "eksctl", "llama-3.1-8b in Frankfurt"]) == 0
        document = yaml.safe_load(capsys.readouterr().out)
        assert document["kind"] == "ClusterConfig"
        assert document["metadata"]["region"] == "eu-central-1"

    def test_nothing_to_deploy_says_so_on_stderr(self, capsys):
        assert main(["--manifest", "eksctl", "70B bf16 under $1/hr"]) == 3
        captured = capsys.readouterr()
        assert captured.out == ""
        assert "nothing to deploy" in captured.err


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict]:
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


class TestJsonl:
    def test_parse_goes_on_after_a_bad_line(self, capsys, tmp_path):
        rows = [{"id": 1, "text": "inference 8B 1k req/min"}, {"id": 2, "text": "inference 0B"}]
        path = tmp_path / "texts.jsonl"
        path.write_text("\n".join([*map(json.dumps, rows), "not json", '"a string"']))
        assert main(["parse", "--jsonl", str(path)]) == 0
        found = lines(capsys)
        assert round(found[0]["workload"]["rps"], 2) == 16.67
        assert found[1]["id"] == 2
        assert found[1]["error"]["field"] == "params_b"
        assert found[2]["error"]["code"] == found[3]["error"]["code"] == "not_understood"

    def test_chat_keeps_the_workload_from_turn_to_turn(self, capsys, tmp_path):
        path = tmp_path / "chats.jsonl"
        turns = [
            "inference llama-3-70b bf16 ctx=8k",
            "what about fp8?",
            "start over",
            "and on spot?",
        ]
        path.write_text(json.dumps({"id": "a", "turns": turns}))
        assert main(["chat", "--jsonl", str(path)]) == 0
        replies = lines(capsys)[0]["replies"]
        second = replies[1]["workload"]
        assert (second["model"], second["quant"], second["context"]) == ("llama-3-70b", "fp8", 8192)
        assert replies[1]["text"]
        assert replies[3]["error"]["code"] == "no_context"

    def test_estimate_lines(self, capsys, tmp_path):
        path = tmp_path / "plans.jsonl"
        rows = [
            {"id": "fits", "model": "llama-3.1-8b", "instance": "g6e.xlarge", "concurrency": 8},
            {"id": "not", "model": "llama-3.1-70b", "instance": "g5.xlarge"},
            {"id": "who", "model": "no-such-model", "instance": "g5.xlarge"},
            {"id": "bad", "model": "llama-3.1-8b", "instance": "g5.xlarge", "concurrency": -1},
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        assert main(["estimate", "--jsonl", str(path)]) == 0
        fits, does_not, unknown, bad = lines(capsys)
        assert fits["fits"] is True
        assert fits["performance"].keys() >= SERVING_FIELDS
        assert does_not["fits"] is False
        assert does_not["performance"] is None
        assert "GiB" in does_not["why_not"]
        assert unknown["error"]["code"] == "unknown_model"
        assert bad["error"] == {**bad["error"], "code": "out_of_range", "field": "concurrency"}


class TestEstimate:
    def test_the_pick_and_the_estimate_agree(self, capsys):
        """The same plan gives the same figure whichever door it came through."""
        pick = answered(capsys, "llama-3.1-8b instance=g6e.xlarge ctx=4096 in=512 out=128")[
            "picks"
        ][0]
        argv = ["estimate", "--model", "llama-3.1-8b", "--instance", "g6e.xlarge"]
        assert main([*argv, "--input-tokens", "512", "--output-tokens", "128"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert pick["instance_type"] == "g6e.xlarge"
        for name in ("ttft_ms", "tpot_ms", "e2e_ms"):
            assert found["performance"][name] == pytest.approx(pick["performance"][name])

    def test_training_by_accelerator(self, capsys):
        argv = [
            "estimate",
            "--model",
            "llama-3.1-8b",
            "--gpu",
            "A100-80GB",
            "--gpu-count",
            "8",
            "--task",
            "train",
        ]
        assert main([*argv, "--tokens-total", "1e9"]) == 0
        found = json.loads(capsys.readouterr().out)
        assert 0 < found["performance"]["mfu"] < 1
        assert found["performance"]["time_h"] > 0
        assert found["plan"]["accelerators"] == 8

    def test_does_not_fit_is_3(self, capsys):
        assert (
            main(["estimate", "--model", "llama-3.1-405b", "--gpu", "H100", "--gpu-count", "1"])
            == 3
        )
        assert json.loads(capsys.readouterr().out)["fits"] is False


class TestPrices:
    def test_json(self, capsys):
        argv = ["prices", "p5.48xlarge", "trn2.48xlarge", "--region", "us-east-2", "--json"]
        assert main(argv) == 0
        priced, unpriced = json.loads(capsys.readouterr().out)
        assert priced["usd_per_hour"] == pytest.approx(55.04, rel=0.02)
        assert priced["source"] == "snapshot"
        assert priced["as_of"] >= "2025-06-01"
        assert unpriced["usd_per_hour"] is None
        assert "apacity block" in unpriced["why_unpriced"]

    def test_unknown_type(self, capsys):
        assert main(["prices", "p5.47xlarge"]) == 2
        assert "p5.48xlarge" in capsys.readouterr().err


@pytest.mark.parametrize("command", [["--help"], ["parse", "--help"], ["serve", "--help"]])
def test_help(capsys, command: list[str]):
    with pytest.raises(SystemExit) as stopped:
        main(command)
    assert stopped.value.code == 0
    assert "usage" in capsys.readouterr().out
