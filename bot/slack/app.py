"""The Bolt app: which listener serves which payload."""

import logging
import re
from collections.abc import Callable
from typing import Any

from slack_bolt import Ack, App, BoltContext, BoltRequest, BoltResponse
from slack_bolt.authorization import AuthorizeResult

from bot.slack.payload import bot_user_ids, team
from bot.slack.post import web_client
from bot.slack.settings import SlackSettings
from bot.slack.tokens import Tokens
from bot.slack.turn import Turn, turn_of
from bot.state.store import Payload

ANY = re.compile(r".*", re.DOTALL)
OUR_USER_ID = "our_user_id"  # in Bolt's context: who we are in the workspace of this payload


def slack_app(
    settings: SlackSettings,
    tokens: Tokens,
    take: Callable[[Turn], None],
    take_form: Callable[[Payload], bool],
) -> App:
    """Return the app whose listeners hand each turn to `take`, unless `take_form` is for it.

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


def _stored_identity(tokens: Tokens) -> Callable[..., AuthorizeResult]:
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


def _listen(app: App, take: Callable[[Turn], None], take_form: Callable[[Payload], bool]) -> None:
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
    app.action(ANY)(answer)
    app.shortcut(ANY)(answer)
    app.view(ANY)(answer)
    app.options(ANY)(no_options)


def _listen_for_removal(app: App, tokens: Tokens) -> None:
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
