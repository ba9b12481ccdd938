"""Saved picks in `ec2-pick chat`: kept in this machine's state, in nobody's name elsewhere."""

import subprocess
import sys

import pytest

LINES = "save this\ninference 7B\nsave this\nmy saved picks\n"


def chat(state, lines):
    run = subprocess.run(
        [sys.executable, "-m", "bot", "chat"],
        input=lines,
        env={"EC2_PICK_STATE": state, "PATH": "", "COLUMNS": "100"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0
    assert "Traceback" not in run.stderr
    return run.stdout + run.stderr  # a request at fault is told there


def test_picks_outlive_the_conversation(tmp_path):
    state = f"sqlite:///{tmp_path}/state.db"
    told = chat(state, LINES)
    for words in (
        "no pick here to save yet",
        "Saved for you",
        "1 saved pick of yours",
        "unchanged",
    ):
        assert words in told
    assert "1 saved pick of yours" in chat(state, "my saved picks\n")
    assert "Forgotten" in chat(state, "forget saved pick 1\n")
    assert "no saved picks" in chat(state, "my saved picks\n")


@pytest.mark.parametrize(
    ("state", "said"),
    [
        ("dynamodb://table", "Nothing was saved or changed: the state is shared"),
        ("nowhere", "Nothing was saved: "),
    ],
)
def test_where_nothing_can_be_kept_that_is_said(state, said):
    assert said in chat(state, "my saved picks\n")
