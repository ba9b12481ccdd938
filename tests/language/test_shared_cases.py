"""The shared user cases: every question parses as its `parse` entry says, or is refused so."""

import pytest

from bot.core.errors import RequestError
from tests.language.comparing import meets
from tests.shared_data import needed_shared_file, user_cases

KINDS = (
    "nl_parse",
    "bad_input",
    "security",
    "followup",
    "plan",
    "fit",
    "kv_capacity",
    "training_memory",
    "price",
    "availability",
    "latency",
    "deploy",
)
CASES = user_cases(KINDS)
# Refused although the case names no error: nothing in the text is a request.
REFUSED_TOO = {"uc-207a": "not_understood"}
# Filled by the conversation from its last pick, not by the words.
FROM_THE_LAST_PICK = {"uc-183a": {"instance"}}


def test_the_shared_cases_are_there():
    needed_shared_file("data/user_cases.jsonl")
    assert len(CASES) > 400


def earlier_turns(case):
    return [turn["text"] for turn in case["context"] or () if turn["role"] == "user"]


def expected_code(case):
    expected = case["expected"]
    conflict = "conflict" if expected.get("conflict") else None
    return expected.get("error") or conflict or REFUSED_TOO.get(case["id"])


@pytest.mark.parametrize(
    "case", [c for c in CASES if expected_code(c)], ids=lambda case: case["id"]
)
def test_is_refused(case, understood):
    with pytest.raises(RequestError) as refusal:
        understood(case["question"], earlier_turns(case))
    assert refusal.value.code == expected_code(case)
    if "field" in case["expected"]:
        assert refusal.value.field == case["expected"]["field"]
    if case["expected"].get("suggest_nearest"):
        assert refusal.value.suggestions


@pytest.mark.parametrize(
    "case", [c for c in CASES if not expected_code(c)], ids=lambda case: case["id"]
)
def test_is_understood(case, understood):
    workload = understood(case["question"], earlier_turns(case)).workload
    wrong = {
        field: getattr(workload, field)
        for field, value in case["expected"].get("parse", {}).items()
        if not meets(field, getattr(workload, field), value, case["expected"])
        and field not in FROM_THE_LAST_PICK.get(case["id"], ())
    }
    assert not wrong


@pytest.mark.parametrize(
    "case", [c for c in CASES if "must_not_recommend" in c["expected"]], ids=lambda case: case["id"]
)
def test_an_override_names_no_instance(case, understood):
    workload = understood(case["question"]).workload
    assert workload.instance is None
    assert workload.allow is None
