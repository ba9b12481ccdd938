"""What the Slack app is told by its environment."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

SLACK_API_URL = "https://slack.com/api/"

WHERE = {
    "SLACK_SIGNING_SECRET": "api.slack.com/apps › your app › Basic Information › Signing Secret",
    "SLACK_BOT_TOKEN": "api.slack.com/apps › your app › OAuth & Permissions › Bot User OAuth Token",
}
# Instead of one workspace's token: what lets any workspace add the app.
CLIENT = ("SLACK_CLIENT_ID", "SLACK_CLIENT_SECRET")


class SettingsError(ValueError):
    """The environment does not let the Slack app start; the message says what to set."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackSettings:
    """Secrets, and the base URL of the Web API (ends in a slash).

    An app of one workspace has its `bot_token`; one that any workspace may add has a client id and
    secret instead, and keeps the token of each.
    """

    signing_secret: str = field(repr=False)
    bot_token: str = field(repr=False)
    api_url: str = SLACK_API_URL
    client_id: str = ""
    client_secret: str = field(repr=False, default="")


def slack_settings(environ: Mapping[str, str]) -> SlackSettings:
    """Return the settings in `environ`.

    Raises:
        SettingsError: a secret is missing (without the signing secret anybody could pose as Slack),
            or SLACK_API_URL is not a web address.
    """
    client_id, client_secret = (environ.get(name, "").strip() for name in CLIENT)
    added = bool(client_id and client_secret)
    needed = [name for name in WHERE if not (added and name == "SLACK_BOT_TOKEN")]
    missing = [name for name in needed if not environ.get(name, "").strip()]
    if missing:
        hints = "; ".join(f"set {name} ({WHERE[name]})" for name in missing)
        raise SettingsError(f"the Slack app cannot start: {hints}")
    return SlackSettings(
        signing_secret=environ["SLACK_SIGNING_SECRET"].strip(),
        bot_token=environ.get("SLACK_BOT_TOKEN", "").strip(),
        api_url=_base_url(environ.get("SLACK_API_URL", "").strip() or SLACK_API_URL),
        client_id=client_id if added else "",
        client_secret=client_secret if added else "",
    )


def _base_url(value: str) -> str:
    try:
        parts = urlsplit(value)
        valid = parts.scheme in ("http", "https") and parts.hostname
    except ValueError:
        valid = False
    if not valid:
        raise SettingsError(f"SLACK_API_URL={value!r} is not a web address like {SLACK_API_URL}")
    return value if value.endswith("/") else value + "/"
