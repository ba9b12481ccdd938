"""What the functions share within a sandbox: clients, secrets, state. Nothing here makes a call."""

import logging
import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from bot.alerts.page_queue import PageQueue
from bot.aws.client import AwsClient, Patience
from bot.core.errors import AwsError
from bot.store.dynamodb import Client, Table
from bot.store.location import QUEUE_URL, dynamodb_table

if TYPE_CHECKING:
    from bot.answers.world import World
    from bot.slack.door.settings import SlackSettings
    from bot.slack.form.door import FormDoor
    from bot.slack.service import House
    from bot.store.store import Items, Store
    from catalog.catalog import Catalog

KEPT_S = 300.0
SIGNING_SECRET = "slack-signing-secret"  # noqa: S105 - names of parameters, not secrets
BOT_TOKEN = "slack-bot-token"  # noqa: S105
CLIENT_ID = "slack-client-id"
CLIENT_SECRET = "slack-client-secret"  # noqa: S105

logger = logging.getLogger(__name__)

SECRETS_PATH = "EC2_PICK_SECRETS"
ALERT_PAGES_URL = "EC2_PICK_ALERT_PAGES_URL"


class MissingSecretError(LookupError):
    """A parameter that the function cannot do without is not there."""


class Secrets:
    """SecureString parameters under one path."""

    def __init__(
        self, client: Client, path: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._client = client
        self._path = path
        self._clock = clock
        self._known: dict[str, tuple[str | None, float]] = {}

    def needed(self, name: str) -> str:
        """Return a secret.

        Raises:
            MissingSecretError: there is none, and the message says which parameter to make.
        """
        value = self.optional(name)
        if not value:
            raise MissingSecretError(f"make the SSM SecureString {self._path}{name}")
        return value

    def optional(self, name: str) -> str | None:
        """Return a secret, or None where none was made. One seen before outlives SSM failing."""
        value, until = self._known.get(name, (None, float("-inf")))
        if self._clock() < until:
            return value
        try:
            value = self._read(name)
        except AwsError as error:
            if value is None:
                raise
            logger.warning("the secret %s is not renewed: %s", name, error)
        self._known[name] = (value, self._clock() + KEPT_S)
        return value

    def values(self) -> tuple[str, ...]:
        """Return the secrets in memory, for the log to leave them out."""
        return tuple(value for value, _ in self._known.values() if value)

    def _read(self, name: str) -> str | None:
        request = {"Names": [f"{self._path}{name}"], "WithDecryption": True}
        found = self._client.call("GetParameters", request).get("Parameters") or []
        return str(found[0]["Value"]).strip() if found else None


def secrets(patience: Patience) -> Secrets:
    """Return the secrets of this deployment."""
    return Secrets(AwsClient("ssm", os.environ, patience), os.environ[SECRETS_PATH])


def table(patience: Patience) -> Table:
    """Return the table of this deployment.

    Raises:
        ValueError: EC2_PICK_STATE names none.
    """
    name = dynamodb_table(os.environ)
    if name is None:
        raise ValueError("EC2_PICK_STATE names no DynamoDB table")
    return Table(AwsClient("dynamodb", os.environ, patience), name)


def queue_client(patience: Patience) -> tuple[AwsClient, str]:
    """Return what calls SQS, and the URL of the queue of jobs."""
    return AwsClient("sqs", os.environ, patience), os.environ[QUEUE_URL]


def slack() -> "SlackSettings":
    """Return the settings of the Slack app; its tokens are looked up when they are needed.

    Nothing reaches Bolt over HTTP here; should it ever, it would need a key that nobody has.
    """
    from bot.slack.door.settings import SlackSettings

    nobodys = os.urandom(32).hex()
    return SlackSettings(signing_secret=nobodys, bot_token="", api_url=slack_api_url())


def slack_api_url() -> str:
    """Return where Slack's Web API is."""
    from bot.slack.door.settings import SLACK_API_URL

    return os.environ.get("SLACK_API_URL") or SLACK_API_URL


class DeploymentTokens:
    """The one bot token where the deployment has one, else that of each installation."""

    def __init__(self, known: Secrets, items: "Items") -> None:
        from bot.slack.door.tokens import InstalledTokens

        self._secrets = known
        self._installed = InstalledTokens(items)

    def of(self, team: str) -> str | None:
        """See `bot.slack.door.tokens.BotTokens.of`."""
        return self._secrets.optional(BOT_TOKEN) or self._installed.of(team)

    def forget(self, team: str) -> None:
        """See `bot.slack.door.tokens.BotTokens.forget`."""
        self._installed.forget(team)


def house(known: Secrets, rows: Table) -> "House":
    """Return the listeners over this deployment's state."""
    from bot.cards.pictures.drawing import drawing
    from bot.slack.home.at_home import AtHome
    from bot.slack.serve import conversation
    from bot.slack.service import House
    from bot.store.dynamodb import DynamoDbStore
    from bot.store.dynamodb_items import DynamoDbItems

    items = DynamoDbItems(rows)
    facts = world(items)
    return House.assembled(
        slack(),
        DeploymentTokens(known, items),
        DynamoDbStore(rows),
        conversation(facts, items),
        at_home=AtHome(facts, items),
        draw=drawing(os.environ),
    )


def form_door(known: Secrets, rows: Table, store: "Store") -> "FormDoor":
    """Return what opens and checks forms; the catalog is imported and read when one is filled."""
    from bot.slack.form.door import FormDoor
    from bot.store.dynamodb_items import DynamoDbItems

    items = DynamoDbItems(rows)
    return FormDoor(
        api_url=slack_api_url(),
        token_of=DeploymentTokens(known, items).of,
        store=store,
        catalog=_sandbox_catalog,
        items=items,
    )


def _sandbox_catalog() -> "Catalog":
    from catalog.load import load_catalog

    return load_catalog()


def world(items: "Items") -> "World":
    """Return the facts, with AWS's prices where they are to be had."""
    from bot.answers.live.live_at_start import live_world

    return live_world(os.environ, items, revalidates=False)


def alert_pages(patience: Patience) -> PageQueue:
    """Return the queue between the sweep and the fan-out."""
    return PageQueue(AwsClient("sqs", os.environ, patience), os.environ[ALERT_PAGES_URL])
