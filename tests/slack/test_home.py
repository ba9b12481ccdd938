"""The Home tab over signed HTTP: what is kept of a person, changed by its buttons and its form."""

import json
from dataclasses import replace
from itertools import count

import pytest

from bot.answers.world import load_world
from bot.cards.blocks import SAVE
from bot.core.subscription import Place
from bot.slack.door.payload import TAKEN
from bot.slack.home import home_view as tab
from bot.slack.home.at_home import AtHome
from bot.slack.home.defaults_form import TYPED
from bot.slack.home.home import FOREIGN
from bot.slack.serve import conversation as embedded_conversation
from bot.store.defaults import Defaults, defaults_of
from bot.store.kept_of_people import save, saved_by
from bot.store.owner import Owner
from bot.store.sqlite import SqliteItems
from bot.store.subscriptions import owned
from tests.slack.conftest import assembled
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, CHANNEL, TEAM, USER, direct, mention
from tests.slack.test_clicks import click

ROOT = "1700000000.000100"
QUESTION = "inference llama-3.1-8b latency<100ms"
APP = "A1"


@pytest.fixture
def items(database):
    return SqliteItems(database)


@pytest.fixture
def world():
    return load_world()


@pytest.fixture
def service(settings, database, items, world, clock):
    answer, at_home = embedded_conversation(world, items), AtHome(world, items)
    return assembled(settings, database, answer, clock, at_home)


@pytest.fixture
def say(sender, work, slack):
    """Say a text in the thread; returns what is posted last."""
    number = count(1)

    def say(text, **fields):
        sender.event(mention(f"<@{BOT}> {text}", f"17000000{next(number):02}.1",
                             **{"thread_ts": ROOT, **fields}))  # fmt: skip
        work()
        return slack.posts[-1] if slack.posts else None

    return say


@pytest.fixture
def whispered(say, slack):
    """Say a text in the thread; returns what is then shown to whoever said it alone."""

    def whispered(text, **fields):
        posted = len(slack.posts)
        say(text, **fields)
        assert len(slack.posts) == posted
        return slack.calls("chat.postEphemeral")[-1].body

    return whispered


@pytest.fixture
def at_home(sender, work, slack):
    """Open the Home tab; returns it as text, and leaves it in `slack.homes`."""

    def at_home(user=USER, tab="home"):
        sender.event({"type": "app_home_opened", "user": user, "channel": "D1", "tab": tab})
        work()
        return text_of(slack.homes.get(user))

    return at_home


@pytest.fixture
def press(sender, work, slack):
    """Press a button of somebody's Home tab."""
    number = count(1)

    def press(action_id, nth=0, user=USER, value=None):
        button = [b for b in buttons(slack.homes[user]) if b["action_id"] == action_id][nth]
        value = button.get("value") if value is None else value
        sender.interaction(
            {
                "type": "block_actions",
                "trigger_id": f"7.{next(number)}",
                "api_app_id": APP,
                "team": {"id": TEAM},
                "user": {"id": user},
                "view": {"id": "V1", "type": "home", "hash": "1.a"},
                "actions": [{"type": "button", "action_id": action_id, "value": value}],
            }
        )
        work()
        return text_of(slack.homes[user])

    return press


@pytest.fixture
def submit(sender, slack, work):
    """Send a form that was opened back, the last unless told, with some fields typed anew."""

    def submit(user=USER, nth=-1, mark=None, **typed):
        form = slack.modals[nth]
        values = {}
        for block in form["blocks"]:
            if block["type"] != "input":
                continue
            name, element = block["block_id"], block["element"]
            if element["type"] == "static_select":
                chosen = typed.get(name, element["initial_option"]["value"])
                values[name] = {TYPED: {"selected_option": {"value": chosen}}}
            else:
                text = typed.get(name, element.get("initial_value"))
                values[name] = {TYPED: {"type": "plain_text_input", "value": text}}
        answered = sender.interaction(
            {
                "type": "view_submission",
                "api_app_id": APP,
                "team": {"id": TEAM},
                "user": {"id": user},
                "view": {**form, "state": {"values": values}},
                **(mark or {}),
            }
        )
        work()
        return answered

    return submit


def text_of(view):
    return "" if view is None else json.dumps(view["blocks"], ensure_ascii=False)


def buttons(view):
    return [e for block in view["blocks"] for e in block.get("elements", ()) if "action_id" in e]


def cheaper(world, share):
    """The same world in which every on-demand price is `share` of what it was."""
    prices = replace(world.catalog.prices, on_demand={
        key: replace(quote, usd_per_hour=quote.usd_per_hour and quote.usd_per_hour * share)
        for key, quote in world.catalog.prices.on_demand.items()
    })  # fmt: skip
    return replace(world, catalog=replace(world.catalog, prices=prices))


def test_an_empty_home_says_how_to_fill_it(at_home, slack):
    shown = at_home()
    for words in ("inference 7B latency&lt;100ms", "Press Save", "Watch price", "Region: *none*"):
        assert words in shown
    links = [b["url"] for b in buttons(slack.homes[USER]) if "url" in b]
    assert links == ["https://slack.com/app_redirect?app=A1&team=T1"]
    assert slack.posts == []


def test_the_messages_tab_is_none_of_ours(at_home, slack):
    at_home(tab="messages")
    assert slack.calls("views.publish") == []


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "unchanged"),
        (0.9, "down 10 %, "),
        (1.25, "up 25 %, "),
    ],
)
def test_a_saved_pick_is_shown_with_how_far_its_price_moved(
    say, settings, database, items, world, clock, slack, share, words
):
    say(QUESTION)
    said = say("save this pick")["text"]
    (pick,) = saved_by(items, Owner(TEAM, USER))
    assert pick.instance_type in said

    later = AtHome(cheaper(world, share), items)
    moved = assembled(settings, database, embedded_conversation(world, items), clock, later)
    opened = {"type": "app_home_opened", "user": USER, "tab": "home"}
    moved.worker.run({"team_id": TEAM, "type": "event_callback", "event": opened})
    shown = text_of(slack.homes[USER])
    assert words in shown
    assert pick.instance_type in shown
    assert f"https://app.slack.com/client/T1/C1/thread/C1-{ROOT}|Open thread" in shown
    if share != 1:
        monthly = pick.usd_per_hour * pick.instances * 730 * abs(share - 1)
        assert f"${monthly:.0f}"[:3] in shown
        assert ("a month less" if share < 1 else "a month more") in shown


def test_the_button_saves_the_pick_of_its_card(say, sender, work, slack, items):
    card = say(QUESTION)
    (save,) = [b for b in buttons(card) if b["action_id"] == SAVE]
    for trigger in ("9.1", "9.2"):
        sender.interaction(click(SAVE, save["value"], trigger))
        work()
    assert "Saved for you" in slack.posts[-1]["text"]
    (pick,) = saved_by(items, Owner(TEAM, USER))  # saved twice it is there once
    assert pick.instance_type == json.loads(save["value"])["instance_type"]
    assert pick.place == Place(team=TEAM, channel=CHANNEL, user=USER, thread_ts=ROOT)
    assert "llama-3.1-8b" in pick.request
    assert "fp8" in say("what about fp8?")["text"]  # the thread is still about its model


def test_saved_picks_are_listed_and_forgotten_in_words_to_their_owner_alone(say, whispered, items):
    assert "no saved picks" in whispered("my saved picks")["text"]
    assert "no pick here to save" in say("save this", thread_ts="1700000055.000100")["text"]
    say(QUESTION)
    say("save this")
    say("in Frankfurt")
    say("please bookmark this pick")
    listed = whispered("list my saved picks")
    assert (listed["channel"], listed["user"], listed["thread_ts"]) == (CHANNEL, USER, ROOT)
    for words in ("eu-central-1", "us-east-1", "when saved", "today"):
        assert words in listed["text"]
    assert "no saved pick 3" in whispered("forget saved pick 3")["text"]
    assert "Forgotten" in whispered("forget saved pick 1")["text"]
    assert [pick.region for pick in saved_by(items, Owner(TEAM, USER))] == ["us-east-1"]


def test_a_list_asked_for_directly_is_an_answer_like_any_other(sender, work, slack):
    sender.event(direct("my saved picks"))
    work()
    assert "no saved picks" in slack.posts[-1]["text"]


def test_where_the_bot_is_not_the_list_takes_the_response_url(sender, work, slack):
    slack.script("chat.postEphemeral", error("channel_not_found"))
    sender.command("my saved picks", response_url=slack.response_url())
    work()
    (answer,) = slack.responses
    assert answer["response_type"] == "ephemeral"
    assert "no saved picks" in answer["text"]
    assert slack.posts == []


def test_our_own_mark_of_a_checked_form_cannot_come_from_outside(at_home, press, submit, items):
    at_home()
    press(tab.EDIT_OWN)
    assert submit(mark={TAKEN: True}, discount="99").json["response_action"] == "errors"
    assert defaults_of(items, Owner(TEAM, USER)) == Defaults()


HOSTILE = "7B <!channel> `x` *y* <https://evil.example|z>"


def test_words_of_others_stay_words(say, at_home):
    say(f"{HOSTILE} latency<100ms")
    shown = at_home()
    assert "&lt;!channel&gt;" in shown
    assert "<!channel>" not in shown
    assert "<https://evil" not in shown


def test_a_pick_is_asked_for_again_in_its_thread_and_forgotten(say, at_home, press, slack, items):
    say(QUESTION)
    say("save this")
    at_home()
    posted = len(slack.posts)
    assert "Asked again" in press(tab.AGAIN)
    (again,) = slack.posts[posted:]
    assert (again["channel"], again["thread_ts"]) == (CHANNEL, ROOT)
    assert saved_by(items, Owner(TEAM, USER))[0].instance_type in again["text"]

    assert "None yet. Press Save" in press(tab.FORGET)
    assert saved_by(items, Owner(TEAM, USER)) == ()


@pytest.mark.parametrize(
    ("thread", "said"),
    [("archived", "takes no answer in that thread"), ("unknown", "is not known")],
)
def test_where_a_pick_cannot_be_asked_for_again_that_is_said(
    say, at_home, press, slack, items, thread, said
):
    say(QUESTION)
    say("save this")
    (pick,) = saved_by(items, Owner(TEAM, USER))
    if thread == "unknown":  # as for an answer that went to a response_url
        save(items, Owner(TEAM, USER), replace(pick, place=replace(pick.place, thread_ts=None)))
    at_home()
    slack.script("chat.postMessage", error("is_archived"))
    assert said in press(tab.AGAIN)


def test_alerts_of_all_channels_are_paused_resumed_and_deleted(say, at_home, press):
    say("tell me if p5.48xlarge drops 10 % in Ohio")
    say("tell me if g6e.xlarge rises 5 %", channel="C2", thread_ts="1700000000.000200")

    shown = at_home()
    assert all(words in shown for words in ("p5.48xlarge in us-east-2", "g6e.xlarge", "rises 5 %"))
    assert "Paused: you paused it" in press(tab.PAUSE, nth=1)
    assert "Paused" not in press(tab.RESUME)
    press(tab.DELETE, nth=0)
    shown = press(tab.DELETE, nth=0)
    assert "p5.48xlarge in" not in shown
    assert "g6e.xlarge in" not in shown


@pytest.mark.parametrize("action_id", ["home.snooze", "home.", "home.delete_all", "home.Pause"])
def test_a_button_of_another_release_takes_nothing_away(say, at_home, press, action_id, slack):
    say("tell me if p5.48xlarge drops 10 % in Ohio")
    at_home()
    (alert,) = [b for b in buttons(slack.homes[USER]) if b["action_id"] == tab.DELETE]
    (row,) = [b for b in slack.homes[USER]["blocks"] if alert in b.get("elements", ())]
    row["elements"].append({**alert, "action_id": action_id})
    shown = press(action_id)
    assert "p5.48xlarge in us-east-2" in shown
    assert "That is not here any more." in shown


@pytest.mark.parametrize(
    "metadata",
    ["", "[]", "{}", "no json", '{"scope":"theirs","version":0}', '{"scope":"own","version":"x"}'],
)
def test_a_form_that_is_none_of_ours_is_refused_in_words(
    at_home, press, sender, slack, items, metadata
):
    at_home()
    press(tab.EDIT_WORKSPACE)
    view = {**slack.modals[-1], "private_metadata": metadata, "state": {"values": {}}}
    who = {"team": {"id": TEAM}, "user": {"id": USER}}
    answer = sender.interaction({"type": "view_submission", **who, "view": view})
    assert answer.json == {"response_action": "errors", "errors": {"region": FOREIGN}}
    assert defaults_of(items, Owner(TEAM)) == Defaults()


def test_nobody_elses_is_shown_or_changed(say, whispered, at_home, press, items, slack):
    say(QUESTION)
    say("save this")
    say("tell me if p5.48xlarge drops 10 % in Ohio")
    at_home()
    theirs = at_home(user="U2")
    assert all(words not in theirs for words in ("p5.48xlarge in", "llama", "Re-run"))
    assert "no saved picks" in whispered("my saved picks", user="U2")["text"]

    (pick,) = saved_by(items, Owner(TEAM, USER))
    (alert,) = owned(items, Place(team=TEAM, channel=CHANNEL, user=USER))
    slack.homes["U2"] = slack.homes[USER]  # as if their view held our buttons
    assert tab_note(press(tab.FORGET, user="U2", value=pick.id))
    slack.homes["U2"] = slack.homes[USER]
    assert tab_note(press(tab.DELETE, user="U2", value=alert.id))
    assert saved_by(items, Owner(TEAM, USER)) == (pick,)
    assert len(owned(items, Place(team=TEAM, channel=CHANNEL, user=USER))) == 1
    assert saved_by(items, Owner("T2", USER)) == ()


def tab_note(shown):
    return "That is not here any more" in shown


def test_recent_threads_lead_back(say, at_home):
    say(QUESTION)
    say("in Frankfurt")
    say("70B fp8", channel="C3", thread_ts="1700000000.000300")
    shown = at_home()
    assert shown.index("C3-1700000000.000300") < shown.index(f"C1-{ROOT}")
    assert "in Frankfurt" in shown
    assert QUESTION not in shown  # a thread is there once, as it was left


def test_a_thread_is_called_by_what_was_asked_in_it(say, at_home):
    say(QUESTION)
    say("save this pick")
    shown = at_home()
    assert "*inference llama-3.1-8b" in shown
    assert "*save this pick" not in shown


def test_defaults_are_typed_refused_kept_and_said(at_home, press, submit, say, slack, items):
    at_home()
    press(tab.EDIT_OWN)
    refused = submit(region="eu-centrl-9", discount="99", currency="euro", allow="g99").json
    assert refused["response_action"] == "errors"
    assert refused["errors"].keys() == {"region", "discount", "currency", "allow"}
    assert "eu-central" in refused["errors"]["region"]
    assert defaults_of(items, Owner(TEAM, USER)) == Defaults()

    taken = submit(region="Frankfurt", discount="12 %", currency="eur 0.92", allow="g6e, g6")
    assert (taken.status, taken.body) == (200, b"")
    shown = text_of(slack.homes[USER])
    for words in ("eu-central-1 (your default)", "your 12 % discount", "EUR at your rate 0.92"):
        assert words in shown

    card = say(QUESTION)
    for words in ("eu-central-1 (your default)", "g6e, g6 only (your default)", "list $",
                  "your 12 % discount", "at your rate 0.92"):  # fmt: skip
        assert words in text_of(card), words
        assert words in card["text"]
    other = say("inference llama-3.1-8b latency<100ms in Ohio on inf2")
    assert "your default" not in other["text"]
    assert "your default" not in say(QUESTION, user="U2", thread_ts="1700000066.1")["text"]


def test_a_workspaces_default_holds_for_who_has_none(at_home, press, submit, say):
    at_home(user="U2")
    press(tab.EDIT_WORKSPACE, user="U2")
    submit(user="U2", region="eu-west-1", market="spot")
    assert "last set by <@U2>" in at_home()
    press(tab.EDIT_OWN)
    submit(region="us-west-2")
    card = say(QUESTION)["text"]
    assert "us-west-2 (your default)" in card
    assert "spot (workspace default)" in card


def test_of_two_who_edit_the_workspaces_defaults_the_second_is_told(
    at_home, press, submit, items, slack
):
    for user in (USER, "U2"):
        at_home(user)
        press(tab.EDIT_WORKSPACE, user=user)
    submit(user=USER, nth=0, region="eu-west-1")
    submit(user="U2", nth=1, region="us-west-2")
    assert "Not saved" in text_of(slack.homes["U2"])
    assert defaults_of(items, Owner(TEAM)).region == "eu-west-1"


def test_a_form_sent_twice_or_shown_late_is_laid_down_once(
    at_home, press, submit, items, slack, clock, work
):
    at_home()
    press(tab.EDIT_OWN)
    slack.script("views.publish", error("internal_error"))
    submit(region="eu-west-1")
    submit(region="eu-west-1")
    clock.now += 60
    work()
    assert "Defaults saved" in text_of(slack.homes[USER])
    assert defaults_of(items, Owner(TEAM, USER)).version == 1


def test_a_rate_keeps_the_day_it_was_typed_on(at_home, press, submit, items, monkeypatch):
    at_home()
    press(tab.EDIT_OWN)
    submit(currency="EUR 0.92")
    first = defaults_of(items, Owner(TEAM, USER))
    at_home()
    press(tab.EDIT_OWN)
    monkeypatch.setattr("bot.slack.home.home.as_of_today", lambda world: replace(
        world, today=world.today.replace(year=2099)))  # fmt: skip
    submit(region="eu-west-1")
    second = defaults_of(items, Owner(TEAM, USER))
    assert second.set_on.startswith("2099")
    assert second.rate_set_on == first.rate_set_on


def test_an_alert_is_measured_from_the_list_price_and_says_the_default(
    at_home, press, submit, say, items
):
    at_home()
    press(tab.EDIT_OWN)
    submit(region="eu-central-1", discount="50")
    say("tell me if g6e.xlarge drops 10 %")
    (alert,) = owned(items, Place(team=TEAM, channel=CHANNEL, user=USER))
    instance = load_world().catalog.instances["g6e.xlarge"]
    listed = load_world().catalog.prices.quote(instance, "eu-central-1").usd_per_hour
    assert (alert.region, alert.seen_usd_per_hour) == ("eu-central-1", listed)


def test_a_saved_pick_is_kept_at_list_price(at_home, press, submit, say, items):
    at_home()
    press(tab.EDIT_OWN)
    submit(discount="50")
    say(QUESTION)
    say("save this")
    (pick,) = saved_by(items, Owner(TEAM, USER))
    instance = load_world().catalog.instances[pick.instance_type]
    listed = load_world().catalog.prices.quote(instance, pick.region).usd_per_hour
    assert pick.usd_per_hour == listed
    assert "unchanged" in at_home()


def test_a_form_that_opens_too_late_is_owned_up_to(at_home, press, slack):
    at_home()
    slack.script("views.open", error("expired_trigger_id"))
    assert "press the button once more" in press(tab.EDIT_OWN)


def test_slack_away_shows_the_home_tab_later(at_home, slack, clock, work):
    slack.script("views.publish", error("internal_error"))
    assert at_home() == ""
    clock.now += 60
    work()
    assert USER in slack.homes


def test_each_button_says_aloud_what_it_is_about(say, at_home, slack):
    for question in (QUESTION, "inference 70B"):
        say(question)
        say("save this pick")
    say("tell me if p5.48xlarge drops 10 % in Ohio")
    at_home()
    shown = buttons(slack.homes[USER])
    spoken = [button.get("accessibility_label") or button["text"]["text"] for button in shown]
    assert len(set(spoken)) == len(spoken)
    assert "Delete p5.48xlarge in us-east-2, on-demand" in spoken


def test_a_full_list_says_so(say, items, monkeypatch):
    monkeypatch.setattr("bot.store.kept_of_people.MOST_SAVED", 1)
    say(QUESTION)
    say("save this")
    say("in Frankfurt")
    assert "forget one first" in say("save this")["text"]
    assert len(saved_by(items, Owner(TEAM, USER))) == 1


def test_the_fullest_home_fits_slacks_limits(say, at_home, slack):
    for n in range(12):
        say(f"inference llama-3.1-8b concurrency={n + 2}", thread_ts=f"17000001{n:02}.1")
        say("save this", thread_ts=f"17000001{n:02}.1")
        say(f"tell me if g6e.xlarge drops {n + 2} % in Ohio", thread_ts=f"17000001{n:02}.1",
            channel=f"C{n}")  # fmt: skip
    shown = at_home()
    assert "And 2 more: say “my saved picks”" in shown
    assert "And 2 more: say “list my alerts”" in shown
    assert len(slack.homes[USER]["blocks"]) <= 100
