"""A card older than its prices: a click says so, and the card is brought up to date."""

import json
from dataclasses import replace

import pytest

from bot.answers.world import load_world
from bot.cards import blocks
from bot.slack.posting.card_share import SHARE
from bot.slack.serve import conversation as embedded_conversation
from bot.slack.talk.clicks import request_line
from bot.store.sqlite import SqliteItems
from catalog.facts.schema import Quote
from tests.slack.conftest import assembled
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, mention

ROOT, CARD_TS = "1700000000.000100", "1800000000.000001"
CATALOG = load_world().catalog
THEN = CATALOG.prices.quote(CATALOG.instances["g5.xlarge"], "us-east-1")
NEWS = f"The card's prices were of {THEN.as_of} (g5.xlarge $1.006/h), now of 2099-11-01: $0.60/h"


class Prices:
    """The conversation over a world in which the price of a type can change."""

    def __init__(self, items):
        self._items = items
        self.world = load_world()

    def __call__(self, text, previous, person):
        return embedded_conversation(self.world, self._items)(text, previous, person)

    def drop(self):
        key = ("on_demand", "us-east-1", "g5.xlarge", 0)
        cheaper = Quote("g5.xlarge", "us-east-1", "on_demand", 0.6, "pricing_api", "2099-11-01")
        catalog = self.world.catalog
        prices = catalog.prices.with_live({key: cheaper})
        self.world = replace(self.world, catalog=replace(catalog, prices=prices))


@pytest.fixture
def prices(database):
    return Prices(SqliteItems(database))


@pytest.fixture
def service(settings, database, prices, clock):
    return assembled(settings, database, prices, clock)


@pytest.fixture
def press(sender, work, slack):
    """Click a button of the first card, as Slack sends it: with the card's own blocks."""
    sender.event(mention(f"<@{BOT}> inference 7B"))
    work()
    post = slack.posts[0]
    rows = [block["elements"] for block in post["blocks"] if block["type"] == "actions"]
    buttons = {button["action_id"]: button for row in rows for button in row}

    def press(action_id):
        shown = {"ts": CARD_TS, "thread_ts": ROOT, "text": post["text"], "blocks": post["blocks"]}
        sender.interaction(
            {
                "type": "block_actions",
                "trigger_id": f"9.{action_id}",
                "team": {"id": "T1"},
                "user": {"id": "U1"},
                "channel": {"id": "C1"},
                "message": shown,
                "actions": [{"block_id": "b", **buttons[action_id]}],
            }
        )
        work()

    return press


def lead_of(posted):
    return (
        posted["blocks"][0]["elements"][0]["text"]
        if posted["blocks"][0]["type"] == "context"
        else ""
    )


@pytest.mark.parametrize("action", [blocks.DEPLOY, blocks.WHY, blocks.WATCH, blocks.COMPARE, SHARE])
def test_a_click_on_an_old_card_says_so_and_prices_it_again(press, prices, slack, action):
    prices.drop()
    press(action)
    answered, (update,) = slack.posts[1], slack.updates
    assert lead_of(answered).startswith(NEWS)
    assert answered["text"].startswith(NEWS)
    assert update["ts"] == CARD_TS
    assert lead_of(update).startswith(NEWS)
    assert "$0.60/h" in json.dumps(update["blocks"][2])
    assert THEN.as_of not in update["text"].partition("\n")[2]


def test_a_runner_up_chosen_on_an_old_card_is_answered_at_todays_price(press, prices, slack):
    prices.drop()
    press(f"{blocks.USE}.0")
    (update,) = slack.updates
    assert lead_of(update).startswith(NEWS)
    assert len(slack.posts) == 1
    asked = [text for text in map(request_line, update["blocks"]) if text]
    assert asked == ["*Asked* inference 7B"]  # and not what the button stands for


@pytest.mark.parametrize("action", [blocks.DEPLOY, blocks.WHY, SHARE])
def test_a_card_at_todays_prices_is_left_as_it_is(press, slack, action):
    press(action)
    assert slack.updates == []
    assert lead_of(slack.posts[1]) == ""


def test_an_old_card_that_cannot_be_changed_takes_nothing_from_the_answer(press, prices, slack):
    prices.drop()
    slack.script("chat.update", error("cant_update_message"))
    press(blocks.WHY)
    assert lead_of(slack.posts[1]).startswith(NEWS)
    assert lead_of(slack.posts[2]).startswith(NEWS)  # the card at today's price, below the old one
