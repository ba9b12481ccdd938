"""Goldens hold what differs, and assert every line of the document all the same."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import golden
from tests.golden_delta import Likeness, differing, restored

# Few kinds of lines, so that they repeat: a change must be found where it stands all the same.
LINES = st.lists(st.sampled_from(["a", "b", " a", "  b", "", "@@", "-a", "+ b"]), max_size=14)
BASE = "kind: Pod\nname: small\nimage: server\ncpu: 1\nmemory: 2\nport: 80\nhost: node\n"
OTHER = BASE.replace("cpu: 1", "cpu: 8")
TOLD = """\
--- pods/small.yaml
+++ pods/large.yaml
@@
-cpu: 1
+cpu: 8
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Goldens of their own: one pod, and one that is told by it."""
    monkeypatch.setattr(golden, "GOLDEN_FOLDER", tmp_path)
    golden.write_golden("pods/small.yaml", BASE)
    golden.write_golden("pods/large.yaml", OTHER)
    return tmp_path


@given(LINES, LINES)
def test_a_text_is_restored_from_what_differs(base, text):
    _, changes = Likeness.read(["+++ name", *differing(base, text), ""])
    assert restored(base, changes) == text


def test_a_new_golden_holds_what_differs_from_the_nearest(folder):
    assert (folder / "pods/large.yaml.diff").read_text() == TOLD
    assert golden.golden_names() == ["pods/large.yaml", "pods/small.yaml"]
    assert golden.golden_text("pods/large.yaml") == OTHER


def test_what_is_like_no_other_is_held_whole(folder):
    golden.write_golden("pods/poem.txt", "a\nrose\n")
    assert (folder / "pods/poem.txt").read_text() == "a\nrose\n"


def test_what_is_told_by_a_golden_stays_as_it_is_when_that_changes(folder):
    golden.write_golden("pods/small.yaml", BASE.replace("server", "client"))
    assert golden.golden_text("pods/large.yaml") == OTHER
    golden.write_golden("pods/large.yaml", OTHER.replace("server", "client"))
    assert (folder / "pods/large.yaml.diff").read_text() == TOLD


def test_others_can_be_chosen_and_words_be_read_otherwise(folder):
    golden.write_golden("pods/tail.yaml", "---\nthe: end\n")
    head = "--- pods/small.yaml\n--- pods/tail.yaml\n=== small -> large\n"
    (folder / "pods/both.yaml.diff").write_text(head)
    text = BASE.replace("small", "large") + "---\nthe: end\n"
    golden.write_golden("pods/both.yaml", text)
    assert (folder / "pods/both.yaml.diff").read_text() == f"{head}+++ pods/both.yaml\n"
    assert golden.golden_text("pods/both.yaml") == text


@pytest.mark.usefixtures("folder")
def test_a_line_that_is_only_in_the_other_golden_is_asserted():
    with pytest.raises(AssertionError) as failure:
        golden.assert_golden("pods/large.yaml", OTHER.replace("port: 80", "port: 8"), update=False)
    assert "\n-port: 80\n+port: 8\n" in str(failure.value)
    assert "\n cpu: 8\n" in str(failure.value), "the lines around it, as they are in the document"


@pytest.mark.usefixtures("folder")
def test_a_golden_that_is_not_there_is_a_failure():
    with pytest.raises(AssertionError, match="no golden pods/none"):
        golden.assert_golden("pods/none.yaml", BASE, update=False)


def test_a_change_of_lines_that_are_not_there_is_refused():
    with pytest.raises(AssertionError, match="not in what it is told by"):
        restored(["a"], [["-b", "+c"]])


def test_json_has_a_line_for_each_part():
    told = {"text": "hi", "blocks": [{"type": "a", "text": {"of": 1}}, {"type": "b", "fields": []}]}
    assert golden.rows_of(told) == (
        '{\n "text": "hi",\n "blocks": [\n'
        '  {"type": "a", "text": {"of": 1}},\n  {"type": "b", "fields": []}\n ]\n}'
    )


def test_no_golden_repeats_another():
    """One that another tells in half of its lines is held as that; none is told by the told."""
    names = golden.golden_names()
    bases = {base for name in names for base in golden.likeness(name).bases}
    assert bases <= set(golden.held_whole())
    alone = [name for name in golden.held_whole() if name not in bases]
    assert [n for n in alone if golden.nearest(n, golden.golden_text(n), among=bases)] == []
