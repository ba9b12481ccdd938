# ruff: noqa: INP001 - part of a script
"""A Home tab somebody has used, for `make screens`: made by the code that Slack asks."""

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bot.answers.world import load_world
from bot.conversation.alert_wishes import prepared as alert_prepared
from bot.conversation.conversation import answer
from bot.core.subscription import Place
from bot.slack.home.at_home import AtHome
from bot.slack.home.home_view import home_message
from bot.store.defaults import Defaults, lay_down
from bot.store.kept_of_people import body_of, save, saved_by, saved_pick_of
from bot.store.owner import Owner
from bot.store.sqlite import Database, SqliteItems

if TYPE_CHECKING:
    from bot.answers.reply import Reply

PERSON = Owner("T024BE7LD", "U2147483697")
PLACE = Place(team=PERSON.team, channel="C2147483705", user=PERSON.user, thread_ts="1800000000.1")
DEARER = 1.1  # what the first saved pick is made to have cost: a tab without a drift shows little


def home() -> dict[str, Any]:
    """Return the Home view of a person with two saved picks, an alert, a thread and defaults."""
    with tempfile.TemporaryDirectory() as folder:
        database = Database(Path(folder, "state.db"))
        items = SqliteItems(database)
        tab = AtHome(load_world(), items)
        for request in ("inference 7B latency<100ms", "finetune llama-3-8b qlora"):
            _said(tab, request, "save this pick")
        _make_dearer(items)
        _said(tab, "tell me if p5.48xlarge drops 10 % in Ohio")
        tab.spoke(PERSON, PLACE.channel, PLACE.thread_ts or "", ("inference 7B", "g6.xlarge"))
        lay_down(items, PERSON, Defaults(region="us-east-1", discount_percent=12.0))
        view = home_message(tab.view(PERSON, app="A0KRQLJ9H"))
        database.close()
    return view


def _said(tab: AtHome, *turns: str) -> None:
    reply: Reply | None = None
    for turn in turns:
        previous = None if reply is None else reply.workload
        reply = replace(answer(turn, tab.world, previous), items=tab.items)
        for prepared in (tab.prepared, alert_prepared):
            _, act = prepared(reply, PLACE)
            if act is not None:
                act(PLACE)


def _make_dearer(items: SqliteItems) -> None:
    first = saved_by(items, PERSON)[0]
    body = body_of(first) | {"usd_per_hour": (first.usd_per_hour or 0) * DEARER}
    save(items, PERSON, saved_pick_of(body | {"saved_on": "2026-08-03"}))
