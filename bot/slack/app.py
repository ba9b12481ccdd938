"""The Bolt app: which listener serves which payload."""

import logging
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from slack_bolt import Ack, App, BoltContext, BoltRequest, BoltResponse
from slack_bolt.authorization import AuthorizeResult

from bot.slack.door.payload import TAKEN, bot_user_ids, team
from bot.slack.door.settings import SlackSettings
from bot.slack.door.tokens import BotTokens
from bot.slack.posting.post import web_client
from bot.slack.talk.slack_turn import SlackTurn, turn_of
from bot.store.store import Payload

if TYPE_CHECKING:
    from bot.slack.home.home import HomeTab

ANY = re.compile(r".*", re.DOTALL)
AT_HOME = re.compile(r"home\..*", re.DOTALL)  # the actions of the Home tab
OUR_USER_ID = "our_user_id"  # in Bolt's context: who we are in the workspace of this payload


def slack_app(
    settings: SlackSettings,
    tokens: BotTokens,
    take: Callable[[SlackTurn], None],
    take_form: Callable[[Payload], bool],
    home: "HomeTab | None" = None,
) -> App:
    """Return the app whose listeners hand each turn to `take`.

    A form's deliveries are `take_form`'s, the Home tab's clicks `home`'s.

    Listeners run to their end inside `dispatch` and what they raise comes out of it: the queue
    behind us decides about retries, not Bolt. Building it calls nobody.
    """
    logger = logging.getLogger(f"{__name__}.bolt")
    logger.setLevel(logging.ERROR)  # below that Bolt logs whole bodies, response_url included
    app = App(
        name="ec2-pick",
        logger=logger,
        signing_secret=settings.signing_secret,
        client=web_client(settings),
        authorize=_stored_identity(tokens),
        process_before_response=True,
        attaching_conversation_kwargs_enabled=False,
    )

    @app.error
    def propagate(error: Exception) -> None:
        raise error

    if home is not None:  # before those that take everything
        _listen_at_home(app, home)
    _listen(app, take, take_form)
    _listen_for_removal(app, tokens)
    return app


def dispatch(app: App, payload: Payload) -> BoltResponse:
    """Run the listeners for a payload that the ingress has verified, and return their response.

    The signature is not checked again, as a job may rightly be older than Slack's five minutes.
    That is safe because this is no way in from outside: payloads come from the ingress in the same
    process or from the queue, which only the ingress writes. Bolt is told so in its own terms, as
    it is for a socket-mode payload (already authentic by its connection); no header of the request
    comes along, and a request handed to Bolt as HTTP still has to be signed.
    """
    context = {OUR_USER_ID: next(iter(sorted(bot_user_ids(payload))), None)}
    return app.dispatch(BoltRequest(body=payload, mode="socket_mode", context=context))


def _stored_identity(tokens: BotTokens) -> Callable[..., AuthorizeResult]:
    """Return an `authorize` that needs no call: Slack names our user id with each event."""

    def authorize(
        context: BoltContext, enterprise_id: str | None, team_id: str | None
    ) -> AuthorizeResult:
        return AuthorizeResult(
            enterprise_id=enterprise_id,
            team_id=team_id,
            bot_user_id=context.get(OUR_USER_ID),
            bot_token=tokens.of(team_id or ""),
        )

    return authorize


def _listen(
    app: App, take: Callable[[SlackTurn], None], take_form: Callable[[Payload], bool]
) -> None:
    """Register a listener for everything Slack may send; what means nothing is acknowledged."""

    def answer(ack: Ack, body: dict[str, Any]) -> None:
        ack()
        turn = None if take_form(body) else turn_of(body)
        if turn is not None:
            take(turn)

    def no_options(ack: Ack) -> None:
        ack(options=[])

    app.command(re.compile(r"^/"))(answer)  # whatever name the installed manifest gives it
    app.event("app_mention")(answer)
    app.event("message")(answer)
    app.event("app_home_opened", matchers=[_is_conversation])(answer)
    app.action(ANY)(answer)
    app.shortcut(ANY)(answer)
    app.view(ANY)(answer)
    app.options(ANY)(no_options)


def _listen_at_home(app: App, home: "HomeTab") -> None:
    """Show the Home tab when it is opened, and serve its buttons and its form."""

    def opened(ack: Ack, body: dict[str, Any]) -> None:
        ack()
        home.opened(body)

    def clicked(ack: Ack, body: dict[str, Any]) -> None:
        ack()
        home.clicked(body)

    def submitted(ack: Ack, body: dict[str, Any]) -> None:
        if body.get(TAKEN):
            ack()
            home.lay_down(body)
        else:
            ack(**home.checked(body))

    from bot.slack.home.defaults_form import CALLBACK

    app.event("app_home_opened", matchers=[_is_home])(opened)
    app.action(AT_HOME)(clicked)
    app.view(CALLBACK)(submitted)


def _is_home(event: dict[str, Any]) -> bool:
    """Return whether it is the Home tab that was opened, not the conversation."""
    return bool(event.get("tab") == "home")


def _is_conversation(event: dict[str, Any]) -> bool:
    """Return whether it is the app's conversation that was opened, not its Home tab."""
    return bool(event.get("tab") == "messages")


def _listen_for_removal(app: App, tokens: BotTokens) -> None:
    """Forget the token of a workspace that removed the app; acknowledge every other event."""

    def forget(ack: Ack, body: dict[str, Any]) -> None:
        ack()
        if body["event"]["type"] == "app_uninstalled" or body["event"].get("tokens", {}).get("bot"):
            tokens.forget(team(body))

    def acknowledge(ack: Ack) -> None:
        ack()

    app.event("app_uninstalled")(forget)
    app.event("tokens_revoked")(forget)
    app.event(ANY)(acknowledge)
