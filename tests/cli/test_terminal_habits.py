"""What a person expects of any command: its version, completion, colour, code pages, slips."""

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bot import __version__
from bot.cli.main import COMMANDS, main
from bot.cli.streams import wants_colour
from bot.store.sqlite import Database, SqliteQueue
from bot.store.store import Job

ROOT = Path(__file__).parents[2]


def run(*words: str, **environ: str) -> subprocess.CompletedProcess[bytes]:
    kept = {name: os.environ[name] for name in ("PATH", "HOME", "SYSTEMROOT") if name in os.environ}
    return subprocess.run(
        (sys.executable, "-m", "bot", *words),
        cwd=ROOT,
        env={**kept, **environ},
        capture_output=True,
        check=False,
    )


def test_version(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    assert stopped.value.code == 0
    assert capsys.readouterr().out == f"ec2-pick {__version__}\n"


def test_help_names_every_command_and_exit_code(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in told] == []
    assert [code for code in ("0 answered", "2 the request", "3 nothing", "4 no live", "130") if
            code not in told] == []  # fmt: skip


@pytest.mark.parametrize("code_page", ["cp1252", "ascii"])
def test_a_narrow_code_page_gets_the_card_in_utf8(code_page: str):
    done = run("--offline", "llama-3.1-8b", PYTHONIOENCODING=code_page)
    assert done.returncode == 0
    assert "┌" in done.stdout.decode("utf-8")


COLOURS = [
    ({}, True, True),
    ({}, False, False),
    ({"NO_COLOR": "1"}, True, False),
    ({"NO_COLOR": ""}, True, True),
    ({"TERM": "dumb"}, True, False),
    ({"FORCE_COLOR": "1"}, False, True),
    ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False),
]


class Screen(io.StringIO):
    """A stream that says whether it is a terminal."""

    def __init__(self, *, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.mark.parametrize(("environ", "terminal", "colour"), COLOURS)
def test_colour(environ: dict[str, str], *, terminal: bool, colour: bool):
    assert wants_colour(Screen(terminal=terminal), environ) is colour


SLIPS = [
    ("estiamte", "estimate"),
    ("price", "prices"),
    ("chatt", "chat"),
    ("instance", "instances"),
]


@pytest.mark.parametrize(("typed", "meant"), SLIPS)
def test_a_lone_word_near_a_command_is_no_request(capsys, typed: str, meant: str):
    assert main([typed]) == 2
    assert f"did you mean `ec2-pick {meant}`" in capsys.readouterr().err


@pytest.mark.parametrize("words", [["mixtral"], ["whisper"], ["price", "g6e.xlarge"]])
def test_what_only_looks_like_one_is_answered(words: list[str]):
    assert main([*words, "--offline"]) == 0


@pytest.mark.parametrize(
    "words", [["--manif", "eksctl", "7B"], ["prices", "--reg", "x", "g6.xlarge"]]
)
def test_flags_are_written_out(words: list[str]):
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2


REGIONS = [
    ({"AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"),
    ({"AWS_DEFAULT_REGION": "eu-west-1", "AWS_REGION": "eu-central-1"}, "eu-central-1"),
    ({"AWS_REGION": "eu-central-1", "EC2_PICK_REGION": "us-west-2"}, "us-west-2"),
    ({"AWS_REGION": "mars-1"}, "us-east-1"),
]


@pytest.mark.parametrize(("variables", "region"), REGIONS)
def test_the_region_of_the_environment(capsys, monkeypatch, variables: dict, region: str):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert main(["--offline", "--json", "llama-3.1-8b"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["picks"][0]["region"] == region
    assert ("mars-1" in captured.err) is ("mars-1" in variables.values())


def test_instances_are_listed_by_words(capsys):
    assert main(["instances", "l40s", "xlarge", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    found = {row["instance_type"]: row for row in rows}
    assert found["g6e.xlarge"]["usd_per_hour"] == pytest.approx(1.861, rel=0.01)
    assert all("L40S" in row["accelerators"] for row in rows)


def test_models_are_listed_by_words(capsys):
    assert main(["models", "mixtral"]) == 0
    head, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("model ")
    assert [row.split()[0] for row in rows][:2] == ["mixtral-8x22b", "mixtral-8x7b"]


@pytest.mark.parametrize("command", ["instances", "models"])
def test_nothing_listed_is_a_fault_of_the_words(capsys, command: str):
    assert main([command, "no-such-thing"]) == 2
    assert "no-such-thing" in capsys.readouterr().err


def test_show_is_the_sheet(capsys):
    assert main(["show", "g6e.xlarge", "--offline"]) == 0
    assert "as AWS sells it" in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_names_every_command(capsys, shell: str):
    assert main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert [name for name in COMMANDS if name not in script] == []
    assert "require-live" in script
    assert "karpenter" in script


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_completes(capsys):
    assert main(["completion", "bash"]) == 0
    script = capsys.readouterr().out
    asks = 'COMP_WORDS=(ec2-pick est); COMP_CWORD=1; _ec2_pick; echo "${COMPREPLY[@]}"'
    done = subprocess.run(
        ["bash", "-c", f"{script}\n{asks}"], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["estimate"]


def test_a_refresh_without_credentials_says_so(capsys, monkeypatch, tmp_path):
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "none"))
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "none"))
    assert main(["catalog", "refresh"]) == 2
    assert "credentials" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["exit", "quit", "EXIT", ""])
def test_a_chat_ends_when_told(capsys, monkeypatch, word: str):
    monkeypatch.setattr("builtins.input", lambda _: word)
    assert main(["chat", "--offline"]) == 0
    assert "exit" in capsys.readouterr().out


def test_dead_letters_are_listed_and_taken_up_again(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("EC2_PICK_STATE", f"sqlite:///{tmp_path / 's.db'}")
    assert main(["dead-letters"]) == 0
    assert "No question" in capsys.readouterr().out

    queue = SqliteQueue(Database(tmp_path / "s.db"))
    queue.send(Job(key="k", group="g", body={"text": "inference\x1b[31m 7B"}))
    queue.bury(queue.receive(60), "still away")
    reference = Job(key="k", group="g", body={}).reference
    assert main(["dead-letters"]) == 0
    told = capsys.readouterr().out
    assert reference in told
    assert "still away" in told
    assert "\x1b" not in told

    assert main(["dead-letters", "--retry", "nothing"]) == 2
    assert queue.receive(60) is None
    assert main(["dead-letters", "--retry", reference]) == 0
    assert queue.receive(60).job.body["text"].startswith("inference")
    assert queue.dead_letters() == ()


def test_dead_letters_on_aws_are_the_queues_own(capsys, monkeypatch):
    monkeypatch.setenv("EC2_PICK_STATE", "dynamodb://table")
    assert main(["dead-letters"]) == 2
    assert "docs/deploy.md" in capsys.readouterr().err
