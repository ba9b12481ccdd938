"""The form opens with what a person and their workspace have laid down, and says so."""

import itertools
import json
from dataclasses import fields

import pytest

from bot.answers.world import load_world
from bot.slack.form.form_words import SAID_BY, is_left_open
from bot.slack.form.view import WORKING
from bot.slack.home.at_home import AtHome
from bot.store.defaults import Defaults, lay_down
from bot.store.owner import Owner
from bot.store.sqlite import SqliteItems
from engine.core.assumptions import is_open
from engine.core.workload import Workload
from tests.slack.conftest import assembled
from tests.slack.form_person import (
    ask_and_click_change,
    changed,
    initial,
    opened,
    preview,
    submission,
    view_of,
)
from tests.slack.sender import TEAM, USER

OWN, WORKSPACES = Owner(TEAM, USER), Owner(TEAM)
YOURS, THEIRS = "your default (Home tab)", "workspace default (Home tab)"


@pytest.fixture
def items(database):
    return SqliteItems(database)


@pytest.fixture
def service(settings, database, conversation, clock, items):
    return assembled(settings, database, conversation, clock, AtHome(load_world(), items))


def hints(view):
    """Return where each field that was filled in says its value is from."""
    told = {b["block_id"]: b["hint"]["text"] for b in view["blocks"] if b["type"] == "input"}
    return {name: text for name, text in told.items() if "(Home tab)" in text}


@pytest.mark.parametrize(
    ("own", "workspaces", "typed", "told"),
    [
        ({}, {}, {}, {}),
        (
            {"region": "eu-central-1", "market": "spot"},
            {},
            {"region": "eu-central-1", "market": "spot"},
            {"region": YOURS, "market": YOURS},
        ),
        (
            {"region": "eu-central-1"},
            {"region": "us-west-2", "market": "savings_plan"},
            {"region": "eu-central-1", "market": "savings_plan"},
            {"region": YOURS, "market": THEIRS},
        ),
        (
            {},
            {"allow": ("g6", "graviton")},
            {"more": "allow=g6,graviton"},
            {"more": f"The allow= is {THEIRS}"},
        ),
        ({"discount_percent": 12.0, "currency": "EUR", "per_usd": 0.9}, {}, {}, {}),
    ],
)
def test_the_form_opens_with_the_defaults_and_says_whose_they_are(
    sender, work, slack, items, own, workspaces, typed, told
):
    lay_down(items, OWN, Defaults(**own))
    lay_down(items, WORKSPACES, Defaults(**workspaces))
    view = opened(sender, work, slack)

    assert initial(view) == {"task": "inference", **typed}
    assert hints(view).keys() == told.keys()
    assert all(words in hints(view)[name] for name, words in told.items())
    assert typed.get("region", "us-east-1") in preview(slack)


@pytest.mark.parametrize(
    ("question", "region", "market", "told"),
    [
        ("inference llama-3-8b in Tokyo on spot", "ap-northeast-1", "spot", {"more"}),
        ("inference llama-3-8b in Tokyo", "ap-northeast-1", "reserved", {"market", "more"}),
        ("inference llama-3-8b", "eu-central-1", "reserved", {"region", "market", "more"}),
        ("inference llama-3-8b only g5", "eu-central-1", "reserved", {"region", "market"}),
        ("inference llama-3-8b on g6.xlarge", "eu-central-1", "reserved", {"region", "market"}),
    ],
)
def test_what_the_thread_says_goes_before_the_defaults(
    sender, work, slack, items, question, region, market, told
):
    lay_down(items, OWN, Defaults(region="eu-central-1", market="reserved", allow=("g6", "g6e")))
    view = ask_and_click_change(sender, work, slack, question)
    held = initial(view)
    assert (held["region"], held["market"]) == (region, market)
    assert hints(view).keys() == told
    assert ("allow=g6,g6e" in held.get("more", "")) is ("more" in told)


def test_a_form_posted_as_it_was_opened_is_what_its_preview_says(
    sender, work, slack, items, conversation
):
    lay_down(items, OWN, Defaults(region="eu-central-1", market="spot", allow=("g6", "graviton")))
    view = opened(sender, work, slack)
    assert sender.interaction(submission(view, initial(view))).body == b""
    work()
    (post,) = slack.posts
    expected = conversation("inference on spot in eu-central-1 allow=g6,graviton", None)
    assert post["blocks"][: len(expected.blocks)][0] == expected.blocks[0]
    assert expected.view.head.headline in preview(slack)


def test_a_changed_form_still_says_what_it_was_opened_with(sender, work, slack, items):
    lay_down(items, OWN, Defaults(region="eu-central-1"))
    view = opened(sender, work, slack)
    sender.interaction(changed(view, {"task": "inference", "model": "7b", "region": "Tokyo"}))
    work()
    assert "ap-northeast-1" in preview(slack)
    assert hints(view_of(slack)) == hints(view)


def test_another_persons_defaults_are_not_taken(sender, work, slack, items):
    lay_down(items, Owner(TEAM, "U2"), Defaults(region="eu-central-1"))
    lay_down(items, Owner("T2"), Defaults(market="spot"))
    assert initial(opened(sender, work, slack)) == {"task": "inference"}


def test_a_form_whose_defaults_cannot_be_read_opens_without_them(sender, slack, items, monkeypatch):
    lay_down(items, OWN, Defaults(region="eu-central-1"))

    def fails(_self, _places):
        raise OSError("the table is away")

    monkeypatch.setattr(SqliteItems, "get_items", fails)
    assert sender.command("form").status == 200
    assert initial(view_of(slack)) == {"task": "inference"}
    assert preview(slack) == WORKING


@pytest.mark.parametrize(
    "defaults",
    ['{"region":"mine"}', '{"nowhere":"your default"}', '{"region":["your default"]}', "[]", '"x"'],
)
def test_a_form_that_names_odd_owners_is_refused(sender, work, slack, defaults):
    view = opened(sender, work, slack)
    kept = json.loads(view["private_metadata"]) | {"defaults": json.loads(defaults)}
    answer = sender.interaction(submission({**view, "private_metadata": json.dumps(kept)}, {}))
    assert answer.json["response_action"] == "errors"


VALUES = {"region": "eu-central-1", "regions": ("eu-central-1", "eu-west-1"), "market": "spot",
          "allow": ("g6",), "instance": "g6.xlarge", "gpu": "L4", "compare_family": ("g6",),
          "params_b": 7.0, "model": "llama-3-8b", "reservation": "cr-1"}  # fmt: skip


@pytest.mark.parametrize("name", SAID_BY)
def test_the_form_leaves_open_what_the_engine_leaves_open(name):
    known = {field.name for field in fields(Workload)} & VALUES.keys()
    for said in itertools.chain.from_iterable(itertools.combinations(known, n) for n in (0, 1, 2)):
        workload = Workload(**{one: VALUES[one] for one in said})
        assert is_left_open(workload.said(), name) is is_open(workload, name), said
