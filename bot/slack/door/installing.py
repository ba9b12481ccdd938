"""Adding the app to a workspace: Slack's OAuth, by Bolt, over our documents."""

import os
from collections.abc import Callable, Mapping
from logging import Logger, getLogger
from typing import Final

from slack_bolt import BoltRequest, BoltResponse
from slack_bolt.oauth import OAuthFlow
from slack_bolt.oauth.oauth_settings import OAuthSettings
from slack_sdk.oauth.installation_store import Bot, Installation, InstallationStore
from slack_sdk.oauth.state_store import OAuthStateStore

from bot.slack.door.ingress import Response
from bot.slack.door.settings import SlackSettings
from bot.slack.door.tokens import INSTALLATIONS
from bot.slack.posting.post import web_client
from bot.store.store import Items

INSTALL_PATH: Final = "/slack/install"
REDIRECT_PATH: Final = "/slack/oauth_redirect"
STATES: Final = "oauth-states"
STATE_KEPT_S: Final = 600
# Those of slack-manifest.json; a test compares them.
SCOPES: Final = (  # those of slack-manifest.json
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "chat:write",
    "commands",
    "files:write",
    "groups:history",
    "im:history",
    "mpim:history",
)

InstallFlow = OAuthFlow


class WorkspaceInstallations(InstallationStore):
    """Keeps the bot token of each workspace. Users' own tokens are neither asked for nor kept."""

    def __init__(self, items: Items) -> None:
        self._items = items

    @property
    def logger(self) -> Logger:
        """The log of installations."""
        return getLogger(__name__)

    def save(self, installation: Installation) -> None:
        """Keep the workspace's bot token, replacing an earlier one."""
        self.save_bot(installation.to_bot())

    def save_bot(self, bot: Bot) -> None:
        """Keep the workspace's bot token.

        Raises:
            ValueError: the app was installed for a whole organisation, which the manifest excludes.
        """
        if not bot.team_id:
            raise ValueError("an organisation-wide installation has no workspace")
        kept = {
            "bot_token": bot.bot_token,
            "bot_id": bot.bot_id,
            "bot_user_id": bot.bot_user_id,
            "scopes": sorted(bot.bot_scopes or ()),
            "team_name": bot.team_name,
            "installed_at": bot.installed_at,
        }
        self._items.put_item(INSTALLATIONS, bot.team_id, kept)


class OneTimeStates(OAuthStateStore):
    """The value that ties the callback to the visit that began it: good once, ten minutes."""

    def __init__(self, items: Items) -> None:
        self._items = items

    @property
    def logger(self) -> Logger:
        """The log of installations."""
        return getLogger(__name__)

    def issue(self, *_: object, **__: object) -> str:
        """Return a new state."""
        state = os.urandom(24).hex()
        self._items.put_item(STATES, state, {}, kept_s=STATE_KEPT_S)
        return state

    def consume(self, state: str) -> bool:
        """Return whether the state was issued and never used: of two callers one is told so."""
        return bool(state) and self._items.delete_item(STATES, state)


def oauth_flow(
    settings: SlackSettings, client_id: str, client_secret: str, items: Items
) -> InstallFlow:
    """Return the flow whose `handle_installation` and `handle_callback` serve the two paths."""
    logger = getLogger(f"{__name__}.bolt")
    logger.setLevel("ERROR")  # below that Bolt logs what the callback was given
    return InstallFlow(
        client=web_client(settings),
        logger=logger,
        settings=OAuthSettings(
            client_id=client_id,
            client_secret=client_secret,
            scopes=SCOPES,
            installation_store=WorkspaceInstallations(items),
            state_store=OneTimeStates(items),
            state_expiration_seconds=STATE_KEPT_S,
            install_path=INSTALL_PATH,
            redirect_uri_path=REDIRECT_PATH,
            logger=logger,
        ),
    )


def answered(flow: InstallFlow, path: str, query: str, headers: Mapping[str, str]) -> BoltResponse:
    """Return the answer to a visit of one of the two paths."""
    request = BoltRequest(body="", query=query, headers=dict(headers))
    if path == INSTALL_PATH:
        return flow.handle_installation(request)
    return flow.handle_callback(request)


def visits(
    settings: SlackSettings, items: Items
) -> Callable[[str, str, Mapping[str, str]], Response | None]:
    """Return what answers a visit of the two paths with a `Response`, and others with None."""
    flow = oauth_flow(settings, settings.client_id, settings.client_secret, items)

    def visited(path: str, query: str, headers: Mapping[str, str]) -> Response | None:
        if path not in (INSTALL_PATH, REDIRECT_PATH):
            return None
        answer = answered(flow, path, query, headers)
        sent = [(name, value) for name, values in answer.headers.items() for value in values]
        return Response(answer.status, answer.body.encode(), dict(sent))

    return visited
