"""One machine, many workspaces: each adds the app by OAuth and is answered with its own token."""

import http.client
import re
import time
from urllib.parse import parse_qs, urlsplit

import pytest

from bot.slack.door.installing import visits
from bot.slack.door.settings import SettingsError, SlackSettings, slack_settings
from bot.slack.door.tokens import INSTALLATIONS, InstalledTokens, OneToken, tokens_of
from bot.slack.door.wsgi import HttpServer, wsgi_app
from bot.slack.service import Service
from bot.store.sqlite import SqliteItems, SqliteQueue, SqliteStore
from tests.slack.fake_slack import Canned
from tests.slack.sender import SECRET, Sender, mention

CLIENT = {"SLACK_CLIENT_ID": "111.222", "SLACK_CLIENT_SECRET": "s3cr3t-of-client"}
GRANTED = Canned(body={
    "ok": True, "app_id": "A1", "authed_user": {"id": "U1"}, "token_type": "bot",
    "scope": "chat:write,commands", "access_token": "xoxb-1-2-good", "bot_user_id": "UBOT",
    "team": {"id": "T1", "name": "One"}, "enterprise": None, "is_enterprise_install": False,
})  # fmt: skip
KNOWN = Canned(
    body={"ok": True, "bot_id": "B1", "user_id": "UBOT", "team_id": "T1", "url": "https://x"}
)


@pytest.fixture
def shared(database, slack, conversation, clock):
    """The app as `serve` puts it together for many workspaces: its documents, service and port."""
    settings = SlackSettings(
        signing_secret=SECRET, bot_token="", api_url=slack.api_url,
        client_id=CLIENT["SLACK_CLIENT_ID"], client_secret=CLIENT["SLACK_CLIENT_SECRET"],
    )  # fmt: skip
    items = SqliteItems(database, clock)
    store, queue = SqliteStore(database, clock), SqliteQueue(database, clock)
    tokens = tokens_of(settings.bot_token, items)
    service = Service.assembled(settings, store, queue, conversation, clock, tokens=tokens)
    http_server = HttpServer(wsgi_app(service.ingress, visits(settings, items)), "127.0.0.1", 0)
    http_server.start()
    yield items, service, http_server.port
    http_server.stop()


def visit(port, path, cookie=""):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path, headers={"cookie": cookie} if cookie else {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


def test_a_workspace_adds_the_app_and_is_answered(shared, slack, clock):
    items, service, port = shared
    sender = Sender(port, clock)
    assert sender.event(mention(ts="1.1")).status == 200
    service.worker.run_once()
    assert slack.posts == []  # not installed yet: never with another workspace's token

    status, headers, page = visit(port, "/slack/install")
    assert status == 200
    url = re.search(r'href="(https://slack\.com/oauth/v2/authorize[^"]+)"', page)[1]
    state = parse_qs(urlsplit(url.replace("&amp;", "&")).query)["state"][0]
    slack.script("oauth.v2.access", GRANTED)
    slack.script("auth.test", KNOWN)
    back = f"/slack/oauth_redirect?code=c0de&state={state}"
    status, _, page = visit(port, back, headers["set-cookie"].partition(";")[0])
    assert status == 200, page
    assert items.get_item(INSTALLATIONS, "T1").body["bot_token"] == "xoxb-1-2-good"

    assert sender.event(mention(ts="2.1")).status == 200
    service.worker.run_once()
    (post,) = slack.posts
    assert post["thread_ts"] == "2.1"


def test_a_callback_nobody_began_adds_nothing(shared, slack):
    items, _, port = shared
    assert visit(port, "/slack/oauth_redirect?code=c&state=made-up")[0] == 400
    assert items.get_item(INSTALLATIONS, "T1") is None
    assert slack.calls("oauth.v2.access") == []


@pytest.mark.parametrize("path", ["/", "/slack/installed", "/slack/events"])
def test_other_visits_go_the_usual_way(shared, path):
    _, _, port = shared
    assert visit(port, path)[0] in {404, 405}
    assert visit(port, "/healthz")[0] == 200


def test_the_settings_of_an_app_that_any_workspace_may_add():
    settings = slack_settings({"SLACK_SIGNING_SECRET": SECRET, **CLIENT})
    assert (settings.bot_token, settings.client_id) == ("", "111.222")
    assert "s3cr3t" not in repr(settings)
    with pytest.raises(SettingsError, match="set SLACK_BOT_TOKEN"):
        slack_settings({"SLACK_SIGNING_SECRET": SECRET, "SLACK_CLIENT_ID": "111.222"})


def test_an_app_of_one_workspace_keeps_its_token(database):
    items = SqliteItems(database, time.time)
    assert isinstance(tokens_of("xoxb-1", items), OneToken)
    assert isinstance(tokens_of("", items), InstalledTokens)
