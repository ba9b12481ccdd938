"""The worker's part of the form: the pick for what is in it so far, shown in the open form."""

import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from bot.core.names import CALLBACK, OPENED
from bot.slack.door.ingress import FORM_NOT_OPENED
from bot.slack.door.payload import asks_for_form, clicked_action, part
from bot.slack.form.door import opener_of
from bot.slack.form.form_fields import BY_NAME
from bot.slack.form.form_words import FieldTexts, request_of, typed_in
from bot.slack.form.place import Opener
from bot.slack.form.view import WORKING, form_view
from bot.slack.posting import progress
from bot.slack.posting.message import Message
from bot.slack.posting.post import (
    NotDeliveredError,
    Poster,
    RateLimitedError,
    SlackUnavailableError,
    called,
)
from bot.slack.posting.progress import Progress
from bot.slack.talk.slack_turn import SlackTurn
from bot.store.owner import Owner
from bot.store.store import Payload, Store, ThreadKey

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from bot.answers.reply import Reply
    from bot.core.views import CardView
    from bot.slack.talk.slack_turn import Answer
    from catalog.catalog import Catalog

logger = logging.getLogger(__name__)

NO_PREVIEW = "The preview could not be worked out. You can post the form all the same."
HASH_CONFLICT = "hash_conflict"  # Slack's word for a view that is another by now
VIEWS = "views"  # in place of a channel: where the store keeps what an open form shows


@dataclass(frozen=True, slots=True)
class FormVersion:
    """What an open form shows: the hash of the view, and the time of the change it is about."""

    hash: str
    at: float  # seconds, by Slack's clock; 0 is the opening

    @classmethod
    def read(cls, text: str | None) -> Self | None:
        """Return what `text` wrote; None where nothing was kept."""
        return None if text is None else cls(**json.loads(text))

    def text(self) -> str:
        """Return the text that the store keeps."""
        return json.dumps({"hash": self.hash, "at": self.at})


@dataclass(frozen=True, slots=True)
class FormDesk:
    """Keeps the preview of open forms up to date."""

    answer: "Answer"
    poster: Poster
    store: Store
    catalog: "Callable[[], Catalog]"

    def take(self, payload: Payload) -> bool:
        """Update the preview if the payload is about a form; return whether it is."""
        opened, view = payload.get(OPENED), part(payload, "view")
        if isinstance(opened, dict):
            place = Opener(**opened["place"])
            self._show(FormVersion(opened["hash"], 0.0), opened["view_id"], opened["typed"], place)
        elif asks_for_form(payload):
            self._say_not_opened(opener_of(payload))
        elif _is_form_change(payload):
            opener = Opener.read(view.get("private_metadata"))
            if opener is not None and opener.is_sender_of(payload):
                shown = FormVersion(str(view.get("hash")), _action_at(payload))
                self._show(shown, str(view.get("id")), typed_in(view), opener)
        else:
            return False
        return True

    def _say_not_opened(self, place: Opener) -> None:
        turn = SlackTurn(
            kind="form",
            team=place.team,
            channel=place.channel,
            user=place.user,
            text="",
            thread_ts=place.thread_ts,
        )
        self.poster.post(turn, Message(FORM_NOT_OPENED))

    def _show(self, shown: "FormVersion", view_id: str, typed: FieldTexts, opener: Opener) -> None:
        """Put the preview into the view, unless a later change has, or the view is closed.

        A preview that comes too late is worth nothing: whatever Slack says, there is no second try.
        """
        key = ThreadKey(opener.team, VIEWS, view_id)
        latest = FormVersion.read(self.store.get_thread(key))
        if latest is not None and latest.at >= shown.at:
            return
        known = [shown.hash] if latest is None else [shown.hash, latest.hash]

        def show(preview: str) -> bool:
            try:
                view = form_view(typed, opener, preview)
                updated = self._updated(opener.team, view_id, known, view)
            except (NotDeliveredError, RateLimitedError, SlackUnavailableError) as error:
                logger.info("the preview is not shown: %s", error)
                return False
            known.insert(0, updated)
            self.store.put_thread(key, FormVersion(updated, shown.at).text())
            return True

        # What is opened says so already; what was changed still shows the pick of before.
        steps = [(progress.PATIENCE_S, lambda: show(WORKING))] if shown.at else []
        with Progress(steps):
            preview = self._preview(typed, opener)
        show(preview)

    def _updated(self, team: str, view_id: str, known: list[str], view: Payload) -> str:
        """Return the hash of the view once it is updated from one of the known ones.

        Two quick changes come with the same hash, which the preview of the first has changed since.
        """
        token, update = self.poster.tokens.of(team), self.poster.client.views_update
        first, *others = known
        try:
            answer = called(lambda: update(token=token, view_id=view_id, hash=first, view=view))
        except NotDeliveredError as error:
            if str(error) != HASH_CONFLICT or not others:
                raise
            return self._updated(team, view_id, others, view)
        return str(answer["view"]["hash"])

    def _preview(self, typed: FieldTexts, opener: Opener) -> str:
        """Return the pick in words, or why there is none; the form can be posted all the same."""
        from bot.slack.form.check import problems

        try:
            found = problems(typed, self.catalog())
            if found:
                return preview_of_problems(found)
            person = Owner(opener.team, opener.user)
            return preview_of(self.answer(request_of(typed), None, person))
        except Exception:
            logger.exception("a preview could not be worked out")
            return NO_PREVIEW


def _is_form_change(payload: Payload) -> bool:
    """Return whether a field of an open form was changed."""
    ours = part(payload, "view").get("callback_id") == CALLBACK
    return ours and payload.get("type") == "block_actions"


def _action_at(payload: Payload) -> float:
    """Return when a field was changed."""
    try:
        return float(clicked_action(payload)["action_ts"])
    except (KeyError, TypeError, ValueError):
        return 0.0


def preview_of(reply: "Reply") -> str:
    """Return what the form shows of an answer."""
    from bot.core.views import CardView

    if not isinstance(reply.view, CardView) or reply.comparison is not None:
        return reply.text  # of a comparison the card is one side alone
    return "\n".join(_preview_lines(reply.view))


def preview_of_problems(problems: "Mapping[str, str]") -> str:
    """Return what the form shows while some fields cannot be read."""
    return "\n".join(["No pick yet.", *(f"{BY_NAME[n].label}: {p}" for n, p in problems.items())])


def _preview_lines(view: "CardView") -> Iterator[str]:
    from bot.cards.text import figure_words, headline

    if view.left_out:
        yield view.left_out
    if view.verdict:
        yield view.verdict
    if view.head is not None:
        yield f"{headline(view)}, {view.head.market}"
        yield from map(figure_words, view.head.figures)
    yield f"For: {view.workload}"
    yield from view.warnings
