"""`ec2-pick serve`: the Slack app over plain HTTP on this machine."""

import logging
import os
import signal
import sys
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from bot.slack.redact import RedactingFormatter
from bot.slack.settings import SettingsError, SlackSettings, slack_settings
from bot.state.location import StateLocationError
from bot.state.opened import opened_state

if TYPE_CHECKING:
    from bot.reply import Reply
    from bot.slack.talk import Answer
    from bot.state.items import Items
    from bot.state.opened import State
    from engine.workload import Workload

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
        return _refused(str(error))
    try:
        return _served(settings, state, host, port)
    finally:
        state.close()


def _served(settings: SlackSettings, state: "State", host: str, port: int) -> int:
    from bot.slack.service import Service
    from bot.slack.wsgi import HttpServer, wsgi_app

    try:
        answer = conversation(state.items)
    except ValueError as error:
        return _refused(str(error))
    service = Service.assembled(settings, state.store, state.queue, answer)
    try:
        http = HttpServer(wsgi_app(service.ingress), host, port)
    except OSError as error:
        return _refused(
            f"{host}:{port} cannot be listened on: {error.strerror}; try another --port"
        )
    # Threads inherit the mask, so that the signals wait for sigwait here and interrupt nothing.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, STOP_SIGNALS)
    service.pool.start()
    http.start()
    logger.info("listening on http://%s:%d/slack/events", host, http.port)
    signal.sigwait(STOP_SIGNALS)
    http.stop()
    if not service.pool.stop(STOP_S):
        logger.warning("answers under way did not end; they are tried again at the next start")
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return EXIT_OK


def conversation(items: "Items | None" = None, *, lasting: bool = True) -> "Answer":
    """Return the shared conversation over the embedded world, always as of today.

    With a place to remember prices, and AWS credentials, prices are asked of AWS. `lasting`: this
    process works on after an answer, so it may look prices up behind one (Lambda freezes instead).

    Raises:
        ValueError: the variables name a price-list endpoint that does not exist.
    """
    from bot.conversation import answer
    from bot.live.start import live_of
    from bot.world import load_world

    world = load_world()
    if items is not None:
        live = live_of(os.environ, world.catalog, items=items, revalidates=lasting)
        world = replace(world, live=live)

    def answered(text: str, previous: "Workload | None") -> "Reply":
        reply = answer(text, replace(world, today=datetime.now(UTC).date()), previous)
        return reply if reply.alert is None else replace(reply, items=items)

    return answered


def _log_to_stderr(settings: SlackSettings) -> None:
    handler = logging.StreamHandler()
    known = (settings.signing_secret, settings.bot_token)
    handler.setFormatter(
        RedactingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s", known)
    )
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)


def _refused(reason: str) -> int:
    sys.stderr.write(f"ec2-pick serve: {reason}\n")
    return EXIT_CANNOT_START
