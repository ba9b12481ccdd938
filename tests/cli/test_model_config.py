"""`--model-config`: any model from its config.json, in a pick, an estimate and a line of JSON."""

import json

import pytest

from bot.cli.main import main
from tests.catalog.hf_configs import dense

LLAMA = dense("llama", 4096, 14336, 32, 32, 8, 128256, max_position_embeddings=131072)


@pytest.fixture
def config(tmp_path):
    folder = tmp_path / "My LLM v2"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps(LLAMA))
    return folder / "config.json"


def test_estimates_as_the_catalog_does(config, capsys):
    assert main(["estimate", "--model-config", str(config), "--instance", "g6e.xlarge"]) == 0
    mine = json.loads(capsys.readouterr().out)
    assert main(["estimate", "--model", "llama-3.1-8b", "--instance", "g6e.xlarge"]) == 0
    known = json.loads(capsys.readouterr().out)
    assert mine["memory"]["weights"] == pytest.approx(known["memory"]["weights"], rel=0.01)
    assert mine["memory"]["kv_bytes_per_token"] == known["memory"]["kv_bytes_per_token"]
    assert mine["performance"]["tpot_ms"] == pytest.approx(
        known["performance"]["tpot_ms"], rel=0.01
    )


def test_picks_for_it(config, capsys):
    argv = ["latency<100ms in Frankfurt", "--model-config", str(config), "--json"]
    assert main(argv) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["workload"]["model"] == "my-llm-v2"
    assert {pick["region"] for pick in found["picks"]} == {"eu-central-1"}
    assert found["workload"]["latency_ms"] == 100


def test_picks_for_it_without_another_word(config, capsys):
    assert main(["--model-config", str(config.parent)]) == 0
    assert "my-llm-v2" in capsys.readouterr().out


def test_inline_and_by_path_on_a_line(config, tmp_path, capsys):
    rows = [
        {"id": 1, "model_config": LLAMA, "instance": "g6e.xlarge"},
        {"id": 2, "model_config": str(config), "instance": "g6e.xlarge"},
        {"id": 3, "model_config": {"model_type": "llama"}, "instance": "g6e.xlarge"},
        {"id": 4, "model_config": 7, "instance": "g6e.xlarge"},
    ]
    lines = tmp_path / "rows.jsonl"
    lines.write_text("\n".join(map(json.dumps, rows)))
    assert main(["estimate", "--jsonl", str(lines)]) == 0
    first, second, third, fourth = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["memory"] == second["memory"]
    assert "num_hidden_layers is missing" in third["error"]["message"]
    assert third["error"]["field"] == fourth["error"]["field"] == "model_config"


HOSTILE = [
    ("over 4 MiB", b'{"a": "' + b"x" * 10_000_000 + b'"}'),
    ("nested too deeply", b'{"a":' * 200_000 + b"1" + b"}" * 200_000),
    ("not JSON", b"\xff\xfe\x00"),
    ("not JSON", b"{"),
    ("not JSON", b'{"hidden_size": ' + b"9" * 5000 + b"}"),
    ("JSON object", b"[1, 2]"),
]


@pytest.mark.parametrize(("says", "content"), HOSTILE)
@pytest.mark.parametrize("command", [["estimate", "--instance", "g6e.xlarge"], ["7B"]])
def test_a_hostile_file_is_refused_in_one_line(says, content, command, tmp_path, capsys):
    path = tmp_path / "config.json"
    path.write_bytes(content)
    try:
        code = main([*command, "--model-config", str(path)])
    except SystemExit as exit_:
        code = exit_.code
    assert code == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


def test_a_missing_file_is_named(capsys):
    assert main(["estimate", "--model-config", "/nowhere/x.json", "--instance", "g5.xlarge"]) == 2
    assert "/nowhere/x.json cannot be read: No such file" in capsys.readouterr().err
