"""Every mistake in a guide stops the build, naming the file and the node."""

import copy
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from catalog.facts.errors import CatalogError
from catalog.guides.guides import FIELDS, GUIDES_FOLDER, Guides, load_guides
from tests.guides.guides_check import check_guides

GUIDE: dict[str, Any] = {
    "id": "900",
    "document": "900.txt",
    "title": "A guide",
    "as_of": "2026-11-27",
    "precedence": 1,
    "precedence_why": "the only one",
    "trees": [
        {
            "id": "tree",
            "title": "A tree",
            "nodes": [
                {
                    "id": "train",
                    "label": "Training",
                    "when": [[{"field": "task", "operator": "is", "value": "train"}]],
                    "citation": {"section": "One", "line": 3},
                    "children": [
                        {
                            "id": "big",
                            "label": "10B and more",
                            "when": [[{"field": "size_b", "operator": "at_least", "value": 10}]],
                            "citation": {"section": "One", "line": 4},
                            "leaf": {"families": ["p5"]},
                        },
                        {
                            "id": "other",
                            "label": "the rest",
                            "citation": {"section": "One", "line": 5},
                            "leaf": {"families": ["g6"], "note": "n"},
                        },
                    ],
                }
            ],
        }
    ],
}


def big(raw: dict[str, Any]) -> dict[str, Any]:
    return raw["trees"][0]["nodes"][0]["children"][0]


def condition(raw: dict[str, Any]) -> dict[str, Any]:
    return big(raw)["when"][0][0]


def write(folder: Path, *guides: dict[str, Any]) -> Path:
    for guide in guides:
        (folder / f"{guide['id']}.json").write_text(json.dumps(guide))
    (folder / "words.json").write_text(json.dumps({"words": {"experiment": ["proof of concept"]}}))
    return folder


Change = Callable[[dict[str, Any]], object]

MISTAKES: list[tuple[Change, str, str]] = [
    (lambda g: condition(g).update(field="colour"), "big", "unknown field 'colour'"),
    (lambda g: condition(g).update(operator="like"), "big", "unknown operator 'like'"),
    (lambda g: condition(g).update(operator="has"), "big", "unknown operator 'has' for size_b"),
    (lambda g: condition(g).update(value="ten"), "big", "cannot take 'ten'"),
    (lambda g: condition(g).update(value=True), "big", "cannot take True"),
    (lambda g: condition(g).pop("value"), "big", "cannot take None"),
    (
        lambda g: condition(g).update(field="task", operator="is", value="tune"),
        "big",
        "cannot take 'tune'",
    ),
    (
        lambda g: condition(g).update(field="task", operator="in", value="train"),
        "big",
        "cannot take 'train'",
    ),
    (
        lambda g: condition(g).update(field="words", operator="has", value="hobby"),
        "big",
        "cannot take 'hobby'",
    ),
    (
        lambda g: condition(g).update(field="moe", operator="is", value="yes"),
        "big",
        "cannot take 'yes'",
    ),
    (lambda g: condition(g).update(operator="unknown"), "big", "cannot take 10"),
    (lambda g: condition(g).update(because="x"), "big", "unknown key 'because'"),
    (lambda g: big(g).update(when=[[]]), "big", "not a list of groups"),
    (lambda g: big(g).pop("citation"), "big", "node has no citation"),
    (lambda g: big(g)["citation"].update(line=0), "big", "cites line 0"),
    (lambda g: big(g)["citation"].update(section=" "), "big", "section is ' '"),
    (lambda g: big(g).update(label=""), "big", "label is ''"),
    (lambda g: big(g).update(id="other"), "other", "this id is used twice"),
    (lambda g: big(g).update(children=[]), "big", "either children or a leaf"),
    (lambda g: big(g).pop("leaf"), "big", "either children or a leaf"),
    (lambda g: big(g)["leaf"].update(families=[]), "big", "families is not a list"),
    (lambda g: big(g)["leaf"].update(families=["p55"]), "big", "no such family: 'p55'"),
    (
        lambda g: big(g)["leaf"].update(today={"families": ["p5"], "why": ""}),
        "big",
        "why is ''",
    ),
    (lambda g: g["trees"][0]["nodes"][0].update(key="cost"), "train", "a key but no leaf"),
    # conditions that no facts can meet: their own, an earlier sibling's, the parent's
    (
        lambda g: big(g)["when"][0].append({"field": "size_b", "operator": "below", "value": 10}),
        "big",
        "no facts lead here",
    ),
    (lambda g: big(g).pop("when"), "other", "no facts lead here"),
    (
        lambda g: condition(g).update(field="task", operator="is", value="inference"),
        "big",
        "no facts lead here",
    ),
    (
        lambda g: big(g).update(
            when=[
                [{"field": "moe", "operator": "is", "value": True}],
                [{"field": "moe", "operator": "is_not", "value": True}],
            ]
        ),
        "other",
        "no facts lead here",
    ),
]


@pytest.mark.parametrize(("change", "node", "problem"), MISTAKES)
def test_a_mistake_names_file_and_node(
    tmp_path: Path, change: Change, node: str, problem: str
) -> None:
    guide = copy.deepcopy(GUIDE)
    change(guide)

    with pytest.raises(CatalogError) as caught:
        check_guides(write(tmp_path, guide), families={"p5", "g6"})

    assert str(caught.value).startswith(f"900.json: node '{node}'")
    assert problem in str(caught.value)


def test_the_unchanged_guide_passes(tmp_path: Path) -> None:
    assert check_guides(write(tmp_path, GUIDE), families={"p5", "g6"})["900"].title == "A guide"


def test_an_id_other_than_the_file_name_is_refused(tmp_path: Path) -> None:
    write(tmp_path, GUIDE)
    (tmp_path / "900.json").rename(tmp_path / "901.json")

    with pytest.raises(CatalogError, match=r"901.json: the document: id is '900'"):
        check_guides(tmp_path)


def test_two_documents_need_two_precedences(tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=r"901.json: has the precedence of 900.json"):
        check_guides(write(tmp_path, GUIDE, GUIDE | {"id": "901"}))


def test_broken_json_names_the_file(tmp_path: Path) -> None:
    write(tmp_path, GUIDE)
    (tmp_path / "900.json").write_text("{")

    with pytest.raises(CatalogError, match=r"900.json: is not JSON"):
        check_guides(tmp_path)


def test_a_phrase_that_no_text_can_hold_is_refused(tmp_path: Path) -> None:
    write(tmp_path, GUIDE)
    (tmp_path / "words.json").write_text(json.dumps({"words": {"experiment": ["a-b"]}}))

    with pytest.raises(CatalogError, match=r"words.json: experiment: 'a-b' can never be found"):
        check_guides(tmp_path)


def test_the_real_guides_pass_and_are_the_five_documents(guides: Guides) -> None:
    assert check_guides() == guides
    assert {guide.id for guide in guides.documents} == {"000", "001", "002", "003", "004"}


def test_every_context_word_is_asked_for(guides: Guides) -> None:
    files = "".join(path.read_text() for path in GUIDES_FOLDER.glob("0*.json"))
    # A word that is the name of a fact sets that fact instead.
    unused = [
        word for word in guides.words if word not in FIELDS and f'"value": "{word}"' not in files
    ]

    assert unused == []


def test_loading_takes_under_five_milliseconds() -> None:
    def seconds() -> float:
        start = time.perf_counter()
        load_guides()
        return time.perf_counter() - start

    assert min(seconds() for _ in range(10)) < 0.005
