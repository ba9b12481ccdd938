"""The message shortcut: somebody's message is sized in its thread, or its reader told why not."""

from itertools import count

import pytest

from bot.answers.world import load_world
from bot.slack.posting.message import NOT_HERE, ONLY_YOU
from bot.slack.serve import conversation as embedded_conversation
from bot.slack.talk.overheard import UNREAD, words_of_message
from bot.store.sqlite import SqliteItems
from engine.core.workload import Workload
from tests.slack.conftest import assembled
from tests.slack.fake_slack import error
from tests.slack.sender import mention, message

TS = "1699999999.000100"
NUMBERS = count(1)


def sizing(text, **fields):
    said = {"type": "message", "user": "U9", "ts": TS, "text": text, **fields.pop("message", {})}
    return {
        "type": "message_action",
        "callback_id": "size_this",
        "trigger_id": f"8.{next(NUMBERS)}",
        "message_ts": said["ts"],
        "team": {"id": "T1"},
        "user": {"id": "U1"},
        "channel": {"id": "C1", "name": "ml"},
        "message": said,
        **fields,
    }


@pytest.mark.parametrize("thread", [None, "1690000000.000001"])
def test_a_message_is_sized_in_its_thread(sender, work, slack, conversation, thread):
    extra = {"thread_ts": thread} if thread else {}
    assert sender.interaction(sizing("a 7B &lt; 100ms", message=extra)).status == 200
    work()
    assert conversation.asked == [("a 7B < 100ms", None)]
    (post,) = slack.posts
    assert post["thread_ts"] == (thread or TS)
    assert post["blocks"][-1]["elements"][0]["text"] == "Asked by <@U1>"


def test_what_follows_in_the_thread_goes_on_from_it(sender, work, conversation):
    sender.interaction(sizing("a 7B"))
    work()
    sender.event(message("on spot", "1700000009.0", thread_ts=TS))
    work()
    assert conversation.asked[-1] == ("on spot", Workload(params_b=7.0))


def test_a_message_is_sized_by_itself_whatever_its_thread_is_about(sender, work, conversation):
    sender.event(mention(ts=TS))
    work()
    sender.interaction(sizing("a 13B", message={"ts": "1700000005.1", "thread_ts": TS}))
    work()
    assert conversation.asked[-1] == ("a 13B", None)


def test_where_the_bot_is_not_the_answer_goes_to_whoever_asked(sender, work, slack):
    slack.script("chat.postMessage", error("not_in_channel"))
    sender.interaction(sizing("a 7B", response_url=slack.response_url()))
    work()
    assert slack.responses[0]["thread_ts"] == TS
    assert slack.responses[0]["blocks"][-1]["elements"][0]["text"] == ONLY_YOU + NOT_HERE


def test_another_apps_shortcut_is_only_acknowledged(sender, work, slack):
    assert sender.interaction(sizing("a 7B", callback_id="other")).status == 200
    work()
    assert slack.log == []


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ("<@U2> could host llama-3-8b :tada:", "could host llama-3-8b"),
        ("<!channel> 7B in <#C9|ml-infra>", "7B in"),
        ("ratio 3:4:5 at 10:30:15", "ratio 3:4:5 at 10:30:15"),
        ("see <https://hf.co/m/x|m/x>", "see <https://hf.co/m/x|m/x>"),
        ("", ""),
    ],
)
def test_people_channels_and_emoji_are_no_words(said, words):
    assert words_of_message(said) == words


@pytest.fixture
def real(settings, database, clock):
    answer = embedded_conversation(load_world(), SqliteItems(database))
    return assembled(settings, database, answer, clock)


@pytest.mark.parametrize(
    ("said", "machine"),
    [
        ("<@U2> we want to serve llama 3 8B to about 20 users :rocket:", "llama-3-8b"),
        ("should we fine-tune <https://huggingface.co/meta-llama/Llama-3.1-8B|this>?", "llama"),
        ("Qwen2.5-72B looks good", "qwen2.5-72b"),
    ],
)
def test_a_models_mention_is_enough(real, slack, said, machine):
    real.worker.run(sizing(said))
    (post,) = slack.posts
    assert machine in post["text"].lower()
    assert "leaves out" not in post["text"]


@pytest.mark.parametrize(
    "said",
    ["lunch at 12?", "", "thanks!", "undo", "start over", "help", "<!channel>",
     "p5.48xlarge got cheaper", "tell me if p5.48xlarge drops 10 % in Ohio", "7" * 5000],
)  # fmt: skip
def test_what_cannot_be_sized_is_said_to_the_one_who_asked_and_nobody_else(real, slack, said):
    real.worker.run(sizing(said, response_url=slack.response_url()))
    assert slack.posts == []
    (told,) = slack.responses
    assert (told["text"], told["response_type"]) == (UNREAD.replace("<", "&lt;"), "ephemeral")
