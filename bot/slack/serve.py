"""`ec2-pick serve`: the Slack app over plain HTTP on this machine."""

import logging
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from bot.aws.opened_state import opened_state
from bot.slack.door.redact import RedactingFormatter
from bot.slack.door.settings import SettingsError, SlackSettings, slack_settings
from bot.store.location import StateLocationError

if TYPE_CHECKING:
    from bot.alerts.sweep import SweepTimer
    from bot.answers.reply import Reply
    from bot.answers.world import World
    from bot.aws.opened_state import State
    from bot.conversation.thread import Thread
    from bot.slack.door.wsgi import Visits
    from bot.slack.talk.slack_turn import Answer
    from bot.store.owner import Owner
    from bot.store.store import Items
    from engine.core.workload import Workload

EXIT_OK = 0
EXIT_CANNOT_START = 2
# Answers under way may take this long to end; what is left waits in the queue for the next start.
STOP_S = 30.0
STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)

logger = logging.getLogger(__name__)


def serve(port: int, host: str = "127.0.0.1") -> int:
    """Serve until SIGINT or SIGTERM and return the exit code: 2 when it cannot start, with why."""
    try:
        settings = slack_settings(os.environ)
        _log_to_stderr(settings)
        state = opened_state(os.environ)
    except (SettingsError, StateLocationError) as error:
        return _cannot_start(str(error))
    try:
        return _served(settings, state, host, port)
    finally:
        state.close()


def _served(settings: SlackSettings, state: "State", host: str, port: int) -> int:
    from bot.answers.live.live_at_start import live_world

    try:
        world = live_world(os.environ, state.items, revalidates=True)
    except ValueError as error:
        return _cannot_start(str(error))
    with _stop_signals_held():
        return _until_stopped(settings, state, world, host, port)


def _until_stopped(
    settings: SlackSettings, state: "State", world: "World", host: str, port: int
) -> int:
    from bot.slack.door.tokens import tokens_of
    from bot.slack.door.wsgi import HttpServer, wsgi_app
    from bot.slack.home.at_home import AtHome
    from bot.slack.service import Service

    answer = conversation(world, state.items)
    tokens = tokens_of(settings.bot_token, state.items)
    at_home = AtHome(world, state.items)
    service = Service.assembled(
        settings, state.store, state.queue, answer, tokens=tokens, at_home=at_home
    )
    try:
        http = HttpServer(wsgi_app(service.ingress, _visits(settings, state.items)), host, port)
    except OSError as error:
        return _cannot_start(
            f"{host}:{port} cannot be listened on: {error.strerror}; try another --port"
        )
    sweeps = _sweeps(settings, world, state.items)
    service.pool.start()
    sweeps.start()
    http.start()
    logger.info("listening on http://%s:%d/slack/events", host, http.port)
    signal.sigwait(STOP_SIGNALS)
    http.stop()
    if not (service.pool.stop(STOP_S) and sweeps.stop(STOP_S)):
        logger.warning("answers under way did not end; they are tried again at the next start")
    return EXIT_OK


def _visits(settings: SlackSettings, items: "Items") -> "Visits | None":
    """Return what lets workspaces add the app; None for an app of one workspace."""
    if settings.bot_token:
        return None
    from bot.slack.door.installing import visits

    return visits(settings, items)


@contextmanager
def _stop_signals_held() -> Iterator[None]:
    """Keep the signals for sigwait. Threads inherit the mask, so it is set before any is made."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _sweeps(settings: SlackSettings, world: "World", items: "Items") -> "SweepTimer":
    """Return what looks for changed prices and picks, and tells whoever watches them."""
    from bot.alerts.sweep import SweepTimer, sweep_locally
    from bot.answers.world import as_of_today
    from bot.slack.door.tokens import tokens_of
    from bot.slack.posting.alert_poster import AlertPoster
    from bot.slack.posting.post import web_client

    poster = AlertPoster(web_client(settings), tokens_of(settings.bot_token, items))
    return SweepTimer(lambda has_time: sweep_locally(as_of_today(world), items, poster, has_time))


def conversation(world: "World", items: "Items") -> "Answer":
    """Return the shared conversation over a world, as of today.

    Alerts, and the defaults of whoever asks, are kept in `items`. Where the environment names a
    language model, people's own texts are read with it; what is asked again for alerts is not.
    """
    from bot.answers.world import as_of_today
    from bot.conversation.conversation import answer
    from bot.language.model_reading.model_at_start import language_model_of
    from bot.store.preferences import preferences_of

    world = replace(world, language_model=language_model_of(os.environ))

    def answered(
        text: str, context: "Thread | Workload | None" = None, person: "Owner | None" = None
    ) -> "Reply":
        today = as_of_today(world)
        if person is not None:
            today = replace(today, preferences=preferences_of(items, person))
        reply = answer(text, today, context)
        return reply if reply.alert is None else replace(reply, items=items)

    return answered


def _log_to_stderr(settings: SlackSettings) -> None:
    handler = logging.StreamHandler()
    secrets = (settings.signing_secret, settings.bot_token, settings.client_secret)
    known = tuple(secret for secret in secrets if secret)
    handler.setFormatter(
        RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", known)
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


def _cannot_start(reason: str) -> int:
    sys.stderr.write(f"ec2-pick serve: {reason}\n")
    return EXIT_CANNOT_START
