"""The facts shared beside the checkout, for the tests that hold this project against them.

They are not part of the repository: `EC2_PICK_SHARED` names the folder, else `../shared` beside the
checkout is looked at. Tests that need them skip with a clear message where there is none.
"""

import json
import os
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent


def shared_file(name):
    """Return the path of a shared file, None where the folder or the file is absent."""
    folder = os.environ.get("EC2_PICK_SHARED")
    path = (Path(folder) if folder else CHECKOUT.parent / "shared") / name
    return path if path.is_file() else None


def needed_shared_file(name):
    """Return the path of a shared file; skip the test where it is absent."""
    path = shared_file(name)
    if path is None:
        pytest.skip(f"{name} is not there: set EC2_PICK_SHARED to the folder of shared facts")
    return path


def user_cases(kinds):
    """Return the shared user cases of these kinds, none where the file is absent."""
    path = shared_file("data/user_cases.jsonl")
    if path is None:
        return []
    lines = (json.loads(line) for line in path.read_text(encoding="utf-8").splitlines())
    return [line for line in lines if line["kind"] in kinds]
