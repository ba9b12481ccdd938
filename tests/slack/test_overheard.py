"""A thread of ours in a channel: follow-ups need no mention, and people may talk to each other."""

import pytest

from bot.answers.world import load_world
from bot.slack.serve import conversation as embedded_conversation
from bot.store.sqlite import SqliteItems
from tests.slack.conftest import assembled
from tests.slack.fake_slack import error
from tests.slack.sender import BOT, mention, message

ROOT = "1700000000.000100"
GROUP = {"channel": "G2", "channel_type": "mpim"}


@pytest.fixture
def service(settings, database, clock):
    answer = embedded_conversation(load_world(), SqliteItems(database))
    return assembled(settings, database, answer, clock)


@pytest.fixture
def said(sender, work, slack):
    """Say words in the thread, as somebody; returns whether they were answered."""
    numbers = iter(range(200, 300))
    sender.event(mention(f"<@{BOT}> inference llama-3.1-8b for 20 users", ROOT))
    work()

    def said(text, user="U1", event=message):
        before = len(slack.posts)
        ts = f"1700000000.000{next(numbers)}"
        sender.event(event(text, ts, thread_ts=ROOT, user=user))
        work()
        return len(slack.posts) > before

    return said


@pytest.mark.parametrize(
    "text",
    [
        "in Frankfurt on spot",
        "what about 70B?",
        "why not inf2?",
        "show me the yaml",
        "the second one",
        "is it cheaper in Ohio?",
        "how many users can it take?",
        "could you do that in Ohio please",
        "context=1M",  # understood, and not possible
        "tell me if the price drops 10 %",
        "start over",
    ],
)
def test_what_is_for_the_bot_is_answered_whoever_says_it(said, text):
    said("lunch?", "U2")
    assert said(text, "U2")


@pytest.mark.parametrize(
    "text",
    [
        "thanks!",
        "+1",
        "I'll ask Sarah tomorrow",
        "Bob thinks Frankfurt is cold",
        "we tried inf2 last year and it was a pain",
        "let me check with the team about spot",
        "sounds good, deploying now",
        "<@U2> what about 70B?",
        "ok do it",
        "go ahead",
        "that's too much",
        "more",
        "why?",
        "see https://wiki.example/spot",
    ],
)
def test_what_people_say_to_each_other_is_left_to_them(said, slack, text):
    said("lunch?", "U2")
    asked = slack.posts[0]["text"]

    assert not said(text, "U1")
    assert said("in Ohio", "U1")
    assert "us-east-2" in slack.posts[-1]["text"]  # and changed nothing
    assert "llama-3.1-8b" in asked
    assert "llama-3.1-8b" in slack.posts[-1]["text"]


def test_with_one_person_alone_every_word_is_for_the_bot(said):
    assert said("thanks!")
    assert said("on sopt")
    assert not said("<@U2> look at this")
    assert not said("nice, shipping it", "U2")
    assert not said("on sopt")  # from now on they are two


def test_a_mention_is_always_answered(said):
    said("lunch?", "U2")
    assert said(f"<@{BOT}> on sopt", "U2", mention)


def test_undo_is_understood_between_people(said, slack):
    said("lunch?", "U2")
    said("in Ohio")
    assert said("undo", "U2")
    assert "us-east-1" in slack.posts[-1]["text"]


@pytest.mark.parametrize("twin", [False, True])
def test_a_group_message_that_names_us_is_answered_once(sender, work, slack, twin):
    """In group messages the mention may come as a message alone."""
    sender.event(message(f"<@{BOT}> inference 7B", ROOT, **GROUP))
    if twin:
        sender.event(mention(f"<@{BOT}> inference 7B", ROOT, channel="G2"))
    work()

    (post,) = slack.posts
    assert (post["channel"], post["thread_ts"]) == ("G2", ROOT)


@pytest.mark.parametrize("where", [{}, GROUP], ids=["channel", "group"])
def test_outside_our_threads_nothing_is_answered(sender, work, slack, where):
    sender.event(message("inference 7B", ROOT, **where))
    sender.event(message("inference 7B", "1700000001.000100", thread_ts=ROOT, **where))
    assert work() == 0
    assert slack.log == []


def test_what_is_left_to_people_shows_no_placeholder(said, slack):
    said("lunch?", "U2")
    slack.script("assistant.threads.setStatus", error("missing_scope"))
    before = len(slack.posts)
    said("we tried inf2 last year and it was a pain")
    assert len(slack.posts) == before
    assert slack.calls("chat.delete") == []
