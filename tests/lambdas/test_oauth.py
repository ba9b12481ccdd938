"""Adding the app to a workspace: Slack's OAuth against the fake Slack, over both stores."""

import json
import re
import time
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from slack_sdk.oauth.installation_store import Bot

from bot.slack.door.installing import SCOPES, OneTimeStates, WorkspaceInstallations
from bot.slack.door.tokens import INSTALLATIONS, InstalledTokens
from bot.store.dynamodb import Table
from bot.store.dynamodb_items import DynamoDbItems
from bot.store.sqlite import Database, SqliteItems
from tests.lambdas.deployment import Deployment, http_event
from tests.lambdas.runtime_api import Sandbox
from tests.slack.conftest import Clock
from tests.slack.fake_slack import Canned, FakeSlack, error

GRANTED = {
    "ok": True, "app_id": "A1", "authed_user": {"id": "U1"}, "token_type": "bot",
    "scope": "chat:write,commands", "access_token": "xoxb-of-t9", "bot_user_id": "UBOT9",
    "team": {"id": "T9", "name": "Nine"}, "enterprise": None, "is_enterprise_install": False,
}  # fmt: skip
KNOWN = Canned(
    body={"ok": True, "bot_id": "B9", "user_id": "UBOT9", "team_id": "T9", "url": "https://x"}
)


@pytest.fixture(scope="module")
def slack():
    with FakeSlack() as fake:
        yield fake


@pytest.fixture(scope="module")
def deployment(aws_url, slack):
    made = Deployment.made(aws_url, slack, f"oauth-{time.time_ns()}")
    made.keep_secret("slack-client-id", "111.222")
    made.keep_secret("slack-client-secret", "s3cr3t-of-client")
    return made


@pytest.fixture(scope="module")
def oauth(deployment):
    with Sandbox("bot.lambdas.oauth.handler", deployment.environ) as sandbox:
        sandbox.ready_ms()
        yield sandbox


@pytest.fixture
def items(deployment):
    table = deployment.environ["EC2_PICK_STATE"].removeprefix("dynamodb://")
    return DynamoDbItems(Table(deployment.dynamodb, table))


def visit(oauth, path, query="", cookies=(), method="GET"):
    event = http_event(headers={}, method=method, path=path)
    return oauth.invoke({**event, "rawQueryString": query, "cookies": list(cookies)}).answer


def begun(oauth):
    """Visit the install page; return the authorize URL it leads to and the cookie it sets."""
    page = visit(oauth, "/slack/install")
    assert page["statusCode"] == 200
    url = re.search(r'href="(https://slack\.com/oauth/v2/authorize[^"]+)"', page["body"])[1]
    query = parse_qs(urlsplit(url.replace("&amp;", "&")).query)
    (cookie,) = page["cookies"]
    return query, cookie.partition(";")[0]


def test_a_workspace_is_added(oauth, slack, items):
    query, cookie = begun(oauth)
    assert query["client_id"] == ["111.222"]
    assert set(query["scope"][0].split(",")) == set(SCOPES)
    slack.script("oauth.v2.access", Canned(body=GRANTED))
    slack.script("auth.test", KNOWN)
    answer = visit(oauth, "/slack/oauth_redirect", f"code=c0de&state={query['state'][0]}", [cookie])

    assert answer["statusCode"] == 200, (answer, oauth.log, slack.log)
    assert InstalledTokens(items).of("T9") == "xoxb-of-t9"
    assert items.get_item(INSTALLATIONS, "T9").body["bot_user_id"] == "UBOT9"
    again = visit(oauth, "/slack/oauth_redirect", f"code=c0de&state={query['state'][0]}", [cookie])
    assert again["statusCode"] == 401  # a state is good once
    for secret in ("s3cr3t-of-client", "xoxb-of-t9", "c0de"):
        assert secret not in oauth.log


@pytest.mark.parametrize(
    ("query", "with_cookie", "status"),
    [
        ("error=access_denied&state={state}", True, 200),
        ("code=c&state=made-up", True, 400),
        ("code=c&state={state}", False, 400),
        ("state={state}", True, 401),
        ("", True, 400),
    ],
)
def test_what_does_not_come_from_the_visit_that_began_it_adds_nothing(
    oauth, slack, query, with_cookie, status
):
    begun_query, cookie = begun(oauth)
    slack.log.clear()
    sent = query.format(state=begun_query["state"][0])
    answer = visit(oauth, "/slack/oauth_redirect", sent, [cookie] if with_cookie else [])

    assert answer["statusCode"] == status
    assert slack.calls("oauth.v2.access") == []


def test_a_code_that_slack_refuses_adds_nothing(oauth, slack):
    query, cookie = begun(oauth)
    slack.script("oauth.v2.access", error("invalid_code"))
    sent = f"code=old&state={query['state'][0]}"
    assert visit(oauth, "/slack/oauth_redirect", sent, [cookie])["statusCode"] >= 400


@pytest.mark.parametrize(("method", "path"), [("GET", "/slack/x"), ("POST", "/slack/install")])
def test_other_paths_are_not_there(oauth, method, path):
    assert visit(oauth, path, method=method)["statusCode"] == 404


@pytest.fixture
def local(tmp_path):
    clock = Clock()
    database = Database(tmp_path / "s.db")
    yield SqliteItems(database, clock), clock
    database.close()


def test_a_state_is_good_once_and_for_ten_minutes(local):
    items, clock = local
    states = OneTimeStates(items)
    first, second = states.issue(), states.issue()
    assert [states.consume(first), states.consume(first)] == [True, False]
    clock.now += 601
    assert [states.consume(s) for s in (second, "", "made up")] == [False] * 3


def test_tokens_are_remembered_for_minutes_and_forgotten_at_once(local):
    items, clock = local
    tokens = InstalledTokens(items, clock)
    assert tokens.of("T1") is None
    kept = Bot(bot_token="xoxb-1", team_id="T1", bot_id="B", bot_user_id="U", installed_at=0.0)
    WorkspaceInstallations(items).save_bot(kept)
    assert tokens.of("T1") == "xoxb-1"
    items.put_item(INSTALLATIONS, "T1", {"bot_token": "xoxb-2"})
    assert tokens.of("T1") == "xoxb-1"
    clock.now += 301
    assert tokens.of("T1") == "xoxb-2"
    tokens.forget("T1")
    assert (tokens.of("T1"), tokens.of("")) == (None, None)


def test_an_installation_without_a_workspace_is_refused(local):
    bot = Bot(bot_token="x", enterprise_id="E1", bot_id="B", bot_user_id="U", installed_at=0.0)
    with pytest.raises(ValueError, match="organisation-wide"):
        WorkspaceInstallations(local[0]).save_bot(bot)


def test_the_scopes_are_those_of_the_manifest():
    manifest = json.loads(Path("slack-manifest.json").read_text())
    assert set(manifest["oauth_config"]["scopes"]["bot"]) == set(SCOPES)
