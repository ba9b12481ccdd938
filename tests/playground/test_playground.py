"""The pretend Slack: words and clicks reach the real app by signed HTTP, answers come back."""

import http.client
import json
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest

from bot.playground.__main__ import running
from bot.playground.workspace import CHANNEL, DIRECT, USER, Workspace

WAIT_S = 20.0


@pytest.fixture(scope="module")
def playground():
    with running() as found:
        yield found


def asked(url, path, body=None, **headers):
    """Return the status and the body of an answer."""
    connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=WAIT_S)
    try:
        raw = None if body is None else json.dumps(body)
        sent = {"content-type": "application/json", **headers}
        connection.request("GET" if body is None else "POST", path, raw, sent)
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def said(playground, text, thread_ts=None, channel=DIRECT):
    """Type it; return the app's next post once it is there."""
    count = len(playground.workspace.posts)
    asked(playground.url, "/say", {"text": text, "thread_ts": thread_ts, "channel": channel})
    return answered(playground, count + 1)


def answered(playground, count):
    assert playground.workspace.wait_for(count + 1, WAIT_S)
    return playground.workspace.posts[count]


def button(post, action_id):
    elements = [e for b in post.blocks if b["type"] == "actions" for e in b["elements"]]
    return next(element for element in elements if element["action_id"] == action_id)


def test_a_command_a_follow_up_and_deploy(playground):
    card = said(playground, "/ec2-pick inference 7B latency<100ms")
    assert card.author == "ec2-pick"
    assert card.thread_ts is None
    assert "g6e.xlarge" in json.dumps(card.blocks)

    moved = said(playground, "in Frankfurt", card.ts)
    assert moved.thread_ts == card.ts
    assert "eu-central-1" in json.dumps(moved.blocks)

    count = len(playground.workspace.posts)
    click = {"ts": card.ts, "action": button(card, "pick.deploy")}
    asked(playground.url, "/click", click)
    deployed = answered(playground, count)
    assert deployed.thread_ts == card.ts
    assert "eksctl.yaml" in json.dumps(deployed.blocks)
    assert "kind: ClusterConfig" in json.dumps(answered(playground, count + 1).blocks)


def test_a_runner_up_takes_the_place_of_the_card(playground):
    card = said(playground, "/ec2-pick inference 7B latency<100ms")
    count = len(playground.workspace.posts)
    asked(playground.url, "/click", {"ts": card.ts, "action": button(card, "pick.use.0")})
    changed = answered(playground, count)
    assert changed.ts == card.ts
    assert "on one p5.4xlarge" in json.dumps(changed.blocks)
    assert playground.workspace.post_at(card.ts) == changed


def test_charts_and_long_files_are_shown_in_the_thread(playground):
    card = said(playground, "/ec2-pick inference 7B")
    count = len(playground.workspace.posts)
    asked(playground.url, "/click", {"ts": card.ts, "action": button(card, "pick.chart")})
    shown = answered(playground, count + 1)
    assert shown.thread_ts == card.ts
    frontier, memory = shown.blocks
    assert "the pick" in frontier["alt_text"]
    status, png = asked(playground.url, memory["image_url"])
    assert (status, png[:4]) == (200, b"\x89PNG")

    count = len(playground.workspace.posts)
    asked(playground.url, "/say", {"text": "kubernetes manifest", "thread_ts": card.ts})
    file = answered(playground, count + 2)
    assert "kind: Deployment" in json.dumps(file.blocks)


def test_plain_words_are_answered_in_their_thread(playground):
    post = said(playground, "what is burstable?")
    question = playground.workspace.posts[-2]
    assert post.thread_ts == question.ts


def test_the_page_and_what_it_loads_are_there(playground):
    page = asked(playground.url, "/")[1].decode()
    for asset, size in (("/page.js", 10_000), ("/form.js", 4_000), ("/page.css", 10_000)):
        assert asset in page
        assert len(asked(playground.url, asset)[1]) > size
    posts = json.loads(asked(playground.url, "/posts?after=0")[1])["posts"]
    assert len(posts) == len(playground.workspace.posts)


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/nothing", None, 404),
        ("/nothing", {}, 404),
        ("/click", {"ts": "1.0", "action": {}}, 404),
        ("/size", {"ts": "1.0"}, 404),
        ("/say", {"text": "8B", "channel": "CELSEWHERE"}, 404),
        ("/files/F99", {}, 404),
        ("/files/F99", None, 404),
        ("/../bot/slack/serve.py", None, 404),
    ],
)
def test_what_is_not_there(playground, path, body, status):
    assert asked(playground.url, path, body)[0] == status


def test_another_site_cannot_speak_here(playground):
    """A page elsewhere can post a form without asking, JSON only with this server's consent."""
    before = len(playground.workspace.posts)
    form = {"content-type": "text/plain"}
    assert asked(playground.url, "/say", {"text": "8B"}, **form)[0] == 415
    assert len(playground.workspace.posts) == before


def test_only_the_app_has_the_token(playground):
    call = {"channel": DIRECT, "text": "hi"}
    _, answer = asked(playground.url, "/api/chat.postMessage", call)
    assert json.loads(answer) == {"ok": False, "error": "invalid_auth"}


@pytest.mark.parametrize(
    ("method", "body", "error"),
    [
        ("users.info", {}, "unknown_method"),
        ("views.open", {}, "invalid_arguments"),
        ("views.update", {"view_id": "V1"}, "not_found"),
        ("chat.postMessage", {"channel": "C9", "text": "hi"}, "channel_not_found"),
        ("chat.update", {"channel": DIRECT, "ts": "9.9", "text": "hi"}, "message_not_found"),
        ("chat.delete", {"channel": DIRECT, "ts": "9.9"}, "message_not_found"),
        ("views.publish", {"view": {"type": "modal"}}, "invalid_arguments"),
        ("assistant.threads.setStatus", {"channel_id": "C9"}, "channel_not_found"),
    ],
)
def test_the_web_api_refuses_as_slack_does(method, body, error):
    assert Workspace().call(method, body) == {"ok": False, "error": error}


def test_a_response_url_is_seen_by_one_alone():
    workspace = Workspace()
    workspace.respond({"text": "psst"})
    assert [(post.text, post.only_you) for post in workspace.posts] == [("psst", True)]


def test_of_its_messages_the_app_can_change_and_delete_its_own_where_they_are():
    workspace = Workspace()
    typed = workspace.said("8B", None)
    place = {"channel": DIRECT, "ts": workspace.call("chat.postMessage", {"channel": USER})["ts"]}
    assert not workspace.call("chat.delete", {**place, "channel": CHANNEL})["ok"]
    assert not workspace.call("chat.delete", {**place, "ts": typed.ts})["ok"]
    assert workspace.call("chat.delete", place)["ok"]
    assert workspace.post_at(place["ts"]) is None
    assert not workspace.call("chat.update", {**place, "text": "again"})["ok"]


def test_a_message_of_the_app_ends_the_status_of_its_thread():
    workspace = Workspace()
    for thread in ("1.1", "2.1"):
        status = {"channel_id": DIRECT, "thread_ts": thread, "status": "is thinking"}
        workspace.call("assistant.threads.setStatus", status)
    workspace.call("chat.postMessage", {"channel": DIRECT, "thread_ts": "1.1", "text": "hi"})
    assert workspace.statuses == {"2.1": "is thinking"}


def test_the_app_is_in_the_channel_as_well(playground):
    """By command, by mention, by a reply in its thread; what is said to others is not for it."""
    by_command = said(playground, "/ec2-pick inference 7B", channel=CHANNEL)
    assert (by_command.channel, by_command.thread_ts) == (CHANNEL, None)
    by_mention = said(playground, "@ec2-pick 8B latency<100ms", channel=CHANNEL)
    question = playground.workspace.posts[-2]
    assert (by_mention.channel, by_mention.thread_ts) == (CHANNEL, question.ts)
    asked(playground.url, "/say", {"text": "lunch?", "channel": CHANNEL})  # answered by nobody
    # A thread is known once its first answer is remembered, which is after it was posted; turns of
    # a thread are taken one after the other, so after a second one it surely is.
    said(playground, "@ec2-pick in Ohio", question.ts, channel=CHANNEL)
    reply = said(playground, "in Frankfurt", question.ts, channel=CHANNEL)
    assert "eu-central-1" in json.dumps(reply.blocks)


def test_somebody_elses_message_is_sized_in_its_thread(playground):
    theirs = playground.workspace.posts[0]
    count = len(playground.workspace.posts)
    asked(playground.url, "/size", {"ts": theirs.ts})
    card = answered(playground, count)
    assert (card.channel, card.thread_ts) == (CHANNEL, theirs.ts)
    assert "llama-3.1-8b" in card.text


def test_a_card_is_shared_with_the_channel(playground):
    card = said(playground, "inference llama-3-8b")
    menu = button(card, "card.share_to") | {"selected_conversation": CHANNEL}
    count = len(playground.workspace.posts)
    asked(playground.url, "/click", {"ts": card.ts, "action": menu})
    shared, told = answered(playground, count), answered(playground, count + 1)
    assert shared.channel == CHANNEL
    assert "Shared by <@UPLAY>" in json.dumps(shared.blocks)
    assert (told.channel, told.thread_ts, told.only_you) == (DIRECT, card.thread_ts, True)


def at_home(playground, path, body, words, *, again=False):
    """Do something at home; return the Home tab once it says so.

    `again`: do it until then, as what an answer promises is done after the answer is out.
    """
    workspace = playground.workspace
    shown = False
    for _ in range(100 if again else 1):
        before = workspace.home
        asked(playground.url, path, body)
        assert not again or workspace.wait_until(lambda was=before: workspace.home != was, WAIT_S)
        shown = words in json.dumps(workspace.home)
        if shown:
            break
    assert shown or workspace.wait_until(lambda: words in json.dumps(workspace.home), WAIT_S)
    return json.loads(asked(playground.url, "/home")[1])["view"]


def test_the_home_tab_and_its_form(playground):
    card = said(playground, "/ec2-pick inference llama-3-8b")
    count = len(playground.workspace.posts)
    asked(playground.url, "/click", {"ts": card.ts, "action": button(card, "pick.save")})
    answered(playground, count)

    home = at_home(playground, "/open-home", {}, "home.forget", again=True)
    view = SimpleNamespace(blocks=home["blocks"])
    asked(playground.url, "/home-click", {"action": button(view, "home.edit_own")})
    workspace = playground.workspace
    assert workspace.modals.wait_until(lambda opened: opened is not None, WAIT_S)
    fields = {"region": {"typed": {"value": "Tokyo"}}}
    filled = {"state": {"values": fields}}
    home = at_home(playground, "/submit", filled, "ap-northeast-1 (your default)")
    view = SimpleNamespace(blocks=home["blocks"])
    at_home(playground, "/home-click", {"action": button(view, "home.forget")}, "None yet. Press S")

    fields = {"region": {"typed": {"value": ""}}}  # as it was: others here ask without defaults
    asked(playground.url, "/home-click", {"action": button(view, "home.edit_own")})
    assert workspace.modals.wait_until(lambda opened: opened is not None, WAIT_S)
    at_home(playground, "/submit", {"state": {"values": fields}}, "Region: *none*")


def state(**typed):
    """Return the fields of the form as the page sends them."""
    menus = {"task", "model", "latency_kind", "market", "objective"}
    return {
        "values": {
            name: {f"form.{name}": {"selected_option": {"value": text}}}
            if name in menus
            else {f"form.{name}": {"value": text}}
            for name, text in typed.items()
        }
    }


def previewed(playground, words):
    """Return whether the open form's preview says so, once it does."""

    def is_so(view):
        return view is not None and words in json.dumps(view["blocks"][-2])

    return playground.workspace.modals.wait_until(is_so, WAIT_S)


def test_the_form_from_the_shortcut_to_the_card(playground):
    asked(playground.url, "/shortcut", {})
    assert previewed(playground, "us-east-1")

    typing = {"action_id": "form.model", "block_id": "model", "value": "llama 70"}
    options = json.loads(asked(playground.url, "/suggest", typing)[1])["options"]
    assert "llama-3.3-70b" in [option["value"] for option in options]

    action = {"action_id": "form.model", "block_id": "model", "type": "external_select"}
    typed = {"task": "inference", "model": "llama-3.3-70b", "region": "Frankfurt"}
    asked(playground.url, "/changed", {"action": action, "state": state(**typed)})
    assert previewed(playground, "eu-central-1")

    refused = {"state": state(**typed | {"region": "atlantis"})}
    answer = json.loads(asked(playground.url, "/submit", refused)[1])
    assert answer["errors"].keys() == {"region"}

    count = len(playground.workspace.posts)
    assert asked(playground.url, "/submit", {"state": state(**typed)}) == (200, b"{}")
    card = answered(playground, count)
    assert "eu-central-1" in json.dumps(card.blocks)
    assert json.loads(asked(playground.url, "/view")[1]) == {"view": None}


def test_change_on_a_card_opens_its_form_and_answers_in_its_thread(playground):
    card = said(playground, "/ec2-pick inference llama-3-8b in Frankfurt")
    asked(playground.url, "/click", {"ts": card.ts, "action": button(card, "pick.change")})
    assert previewed(playground, "eu-central-1")
    count = len(playground.workspace.posts)
    filled = state(task="inference", model="llama-3-8b", region="Tokyo")
    asked(playground.url, "/submit", {"state": filled})
    moved = answered(playground, count)
    assert moved.thread_ts == card.ts
    assert "ap-northeast-1" in json.dumps(moved.blocks)


@pytest.mark.parametrize("path", ["/submit", "/changed", "/suggest", "/close", "/elsewhere"])
def test_without_an_open_form_there_is_nothing_to_do_in_it(playground, path):
    assert asked(playground.url, path, {})[0] == 404
