"""The parts of the Slack app put together: ingress, queue, workers, Bolt."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from bot.cards.pictures.drawing import drawn_here
from bot.slack.app import dispatch, slack_app
from bot.slack.door.ingress import Ingress, Response
from bot.slack.door.tokens import OneToken
from bot.slack.door.worker import Worker, WorkerPool
from bot.slack.form.door import FormDoor
from bot.slack.form.form_desk import FormDesk
from bot.slack.home.home import HomeTab
from bot.slack.posting.files import Files
from bot.slack.posting.post import Poster, web_client
from bot.slack.talk.agent import TIMEOUT_S as STATUS_TIMEOUT_S
from bot.slack.talk.agent import Agent
from bot.slack.talk.talk import Talk
from catalog.load import load_catalog

if TYPE_CHECKING:
    from slack_bolt import App

    from bot.aws.opened_state import WakingQueue
    from bot.cards.pictures.drawing import Draw
    from bot.slack.door.settings import SlackSettings
    from bot.slack.door.tokens import BotTokens
    from bot.slack.home.at_home import AtHome
    from bot.slack.talk.slack_turn import Answer
    from bot.store.store import Inbox, Payload, Store

WORKER_THREADS = 4  # a pick keeps a core busy for some milliseconds; a post waits for Slack


@dataclass(frozen=True, slots=True)
class House:
    """What is behind the door, wherever it runs: the listeners and what they answer with."""

    app: "App"
    talk: Talk

    @classmethod
    def assembled(
        cls,
        settings: "SlackSettings",
        tokens: "BotTokens",
        store: "Store",
        answer: "Answer",
        *,
        at_home: "AtHome | None" = None,
        draw: "Draw" = drawn_here,
    ) -> Self:
        """Return the house over one store. `at_home` keeps what people save; without it nothing."""
        poster = Poster(web_client(settings), settings.api_url, tokens)
        agent = Agent(web_client(settings, STATUS_TIMEOUT_S), tokens)
        files = Files(poster.client, settings.api_url, tokens)
        talk = Talk(answer, store, poster, agent, files, draw, at_home)
        form = FormDesk(answer, poster, store, load_catalog)
        home = None if at_home is None else HomeTab(at_home, poster, talk.take)
        return cls(slack_app(settings, tokens, talk.take, form.take, home), talk)

    def worker(self, queue: "Inbox", clock: Callable[[], float] = time.time) -> Worker:
        """Return what sees the jobs of a queue to their answers."""
        return Worker(
            queue=queue,
            run=lambda payload: dispatch(self.app, payload),
            apologise=self.talk.apologise,
            clock=clock,
        )

    def at_once(self, payload: "Payload") -> Response:
        """Return Bolt's response as the HTTP answer, for what Slack shows straight away."""
        answer = dispatch(self.app, payload)
        headers = {name: values[0] for name, values in answer.headers.items()}
        return Response(answer.status, answer.body.encode(), headers)


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
        store: "Store",
        queue: "WakingQueue",
        answer: "Answer",
        clock: Callable[[], float] = time.time,
        *,
        tokens: "BotTokens | None" = None,
        at_home: "AtHome | None" = None,
    ) -> Self:
        """Return the service over one state; nothing runs before `pool.start()`.

        Without `tokens` the app speaks with the one in the settings.
        """
        tokens = tokens or OneToken(settings.bot_token)
        house = House.assembled(settings, tokens, store, answer, at_home=at_home)
        worker = house.worker(queue, clock)
        pool = WorkerPool(worker, WORKER_THREADS)
        queue.on_send = pool.wake
        door = FormDoor(
            api_url=settings.api_url,
            token_of=tokens.of,
            store=store,
            catalog=load_catalog,
            items=None if at_home is None else at_home.items,
        )
        ingress = Ingress(
            signing_secret=settings.signing_secret,
            store=store,
            queue=queue,
            answer_at_once=lambda payload: door.at_once(payload) or house.at_once(payload),
            open_form=door.open,
            clock=clock,
        )
        return cls(ingress, worker, pool)
