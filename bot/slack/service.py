"""The parts of the Slack app on one machine, put together: ingress, queue, workers, Bolt."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from bot.slack.app import dispatch, slack_app
from bot.slack.ingress import Ingress, Response
from bot.slack.post import Poster, web_client
from bot.slack.talk import Talk
from bot.slack.worker import Worker, WorkerPool
from bot.state.sqlite_queue import SqliteQueue
from bot.state.sqlite_store import SqliteStore

if TYPE_CHECKING:
    from slack_bolt import App

    from bot.slack.settings import SlackSettings
    from bot.slack.talk import Answer
    from bot.state.sqlite import Database
    from bot.state.store import Payload

WORKER_THREADS = 2  # a pick keeps a core busy for some milliseconds; a post waits for Slack


@dataclass(frozen=True, slots=True)
class Service:
    """What the HTTP server asks (`ingress`) and what works behind it (`worker`, run by `pool`)."""

    ingress: Ingress
    worker: Worker
    pool: WorkerPool

    @classmethod
    def assembled(
        cls,
        settings: "SlackSettings",
        database: "Database",
        answer: "Answer",
        clock: Callable[[], float] = time.time,
    ) -> Self:
        """Return the service over one database; nothing runs before `pool.start()`."""
        store = SqliteStore(database, clock)
        talk = Talk(answer, store, Poster(web_client(settings), settings.api_url))
        app = slack_app(settings, talk.take)
        queue = SqliteQueue(database, clock)
        worker = Worker(
            queue=queue,
            run=lambda payload: dispatch(app, payload),
            apologise=talk.apologise,
            clock=clock,
        )
        pool = WorkerPool(worker, WORKER_THREADS)
        queue.on_send = pool.wake
        ingress = Ingress(
            signing_secret=settings.signing_secret,
            store=store,
            queue=queue,
            answer_at_once=lambda payload: _at_once(app, payload),
            clock=clock,
        )
        return cls(ingress, worker, pool)


def _at_once(app: "App", payload: "Payload") -> Response:
    """Return Bolt's response as the HTTP answer, for what Slack shows straight away."""
    answer = dispatch(app, payload)
    headers = {name: values[0] for name, values in answer.headers.items()}
    return Response(answer.status, answer.body.encode(), headers)
