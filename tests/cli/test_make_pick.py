"""`make pick Q=…`: what was typed reaches the product as it is, and nothing in it is run."""

import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Stands for the interpreter: writes what it was called with, an argument an item.
STUB = '#!/bin/sh\nprintf "%s\\0" "$@" > called\n'
TRAP = "touch trap"


@pytest.fixture
def folder(tmp_path):
    """The Makefile with an environment that seems to be installed."""
    (tmp_path / "Makefile").write_bytes((ROOT / "Makefile").read_bytes())
    (tmp_path / "requirements").mkdir()
    (tmp_path / "requirements" / "runtime.txt").touch()
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(STUB)
    python.chmod(0o755)
    (tmp_path / ".venv" / ".runtime").touch()
    return tmp_path


def asked(folder, *arguments, **environment):
    """Return the request that `make pick` hands on."""
    run = subprocess.run(
        ["make", "pick", *arguments],
        cwd=folder,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert (run.stdout, run.stderr) == ("", "")
    assert not (folder / "trap").exists()
    module, name, request, end = (folder / "called").read_text(encoding="utf-8").split("\0")
    assert (module, name, end) == ("-m", "bot", "")
    return request


REQUESTS = [
    "llama 3.3 70b under $15 an hour",
    "$1", "$", "$$15", "under $1,000 or $2", "$Q and $(Q) and ${HOME}",
    'the "big" one', "what's the catch?", "it's \"both\" 'kinds'", "a \\ b \\$15 c\\",
    f"7B `{TRAP}`", f"7B $({TRAP})", f"7B $(shell {TRAP})", f'7B"; {TRAP}; "', f"7B'; {TRAP}; '",
    f"7B; {TRAP}", f"7B & {TRAP}", f"7B | {TRAP}", "7B > trap", f"7B\n{TRAP}", f"7B\n\t{TRAP}",
    "latency<100ms rps>5", "two  spaces", "* ? [a-z] ~ !! {a,b}", "50 % # of it", "a=b c:=d",
    "@-7B", "é “q” … 日本", "",
]  # fmt: skip


@pytest.mark.parametrize("request_text", REQUESTS)
def test_a_request_arrives_as_typed(folder, request_text):
    assert asked(folder, f"Q={request_text}") == request_text


@pytest.mark.parametrize("request_text", ["under $15", f"7B $(shell {TRAP})", 'the "big" `one`'])
def test_a_request_of_the_environment_arrives_as_typed(folder, request_text):
    assert asked(folder, Q=request_text) == request_text


def test_without_a_request_the_example_is_answered(folder):
    assert asked(folder) == "inference 7B latency<100ms"
