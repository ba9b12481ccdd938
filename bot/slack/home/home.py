"""The Home tab in Slack: shown when it is opened, changed by its buttons and its form."""

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from slack_sdk.web import SlackResponse

from bot.answers.world import as_of_today
from bot.slack.door.payload import team
from bot.slack.home import home_view as tab
from bot.slack.home.at_home import AtHome
from bot.slack.home.defaults_form import defaults_form, submitted, typed_defaults
from bot.slack.posting import progress
from bot.slack.posting.post import NotDeliveredError, Poster, called, token_of
from bot.slack.posting.progress import Progress
from bot.slack.talk.slack_turn import SlackTurn
from bot.store.defaults import Defaults, defaults_of, lay_down
from bot.store.kept_of_people import forget, saved_by
from bot.store.owner import Owner
from bot.store.store import Payload

if TYPE_CHECKING:
    from bot.store.store import Items

logger = logging.getLogger(__name__)

Method = Callable[..., SlackResponse]

AGAIN: Final = "Asked again: the answer comes in its thread."
GONE: Final = "That is not here any more."
NO_THREAD: Final = "The thread it was saved in is not known: ask again where you like."
CLOSED: Final = "Slack takes no answer in that thread any more: ask again where you like."
TOO_LATE: Final = "Slack gave up waiting for the form. Please press the button once more."
FOREIGN: Final = "This form cannot be taken. Please close it and open it anew on the Home tab."
SAVED: Final = "Defaults saved."
CHANGED_MEANWHILE: Final = (
    "Not saved: somebody changed these defaults while you did. Below is what holds now; edit again."
)


@dataclass(frozen=True, slots=True)
class HomeTab:
    """Shows each person their own. `take` answers a turn in its thread."""

    at_home: AtHome
    poster: Poster
    take: Callable[[SlackTurn], None]

    def opened(self, payload: Payload) -> None:
        """Show the Home tab to whoever opened it.

        Raises:
            RateLimitedError, SlackUnavailableError, NotDeliveredError: see `post.called`.
        """
        self._show(Owner(team(payload), str(payload["event"]["user"])), payload)

    def clicked(self, payload: Payload) -> None:
        """Do what a button of the Home tab says, and show what has become of it."""
        action = payload["actions"][0]
        person = Owner(team(payload), str(payload["user"]["id"]))
        kind, value = str(action.get("action_id")), str(action.get("value") or "")
        if kind == tab.ASK:
            return
        if kind in (tab.EDIT_OWN, tab.EDIT_WORKSPACE):
            self._edit(person, payload, "own" if kind == tab.EDIT_OWN else "workspace")
        elif kind == tab.AGAIN:
            self._again(person, payload, value)
        else:
            done = self._changed(person, kind, value)
            self._show(person, payload, "" if done else GONE)

    def _changed(self, person: Owner, kind: str, value: str) -> bool:
        """Change what a person owns; return whether it is there. Done twice it is done once."""
        from bot.store.subscriptions import pause, read, remove, resume

        items = self.at_home.items
        if kind == tab.FORGET:
            return forget(items, person, value)
        alert = read(items, value)
        place = None if alert is None else alert.subscription.place
        if place is None or (place.team, place.user) != (person.team, person.user):
            return False
        if kind == tab.PAUSE:
            return pause(items, value, "you paused it")
        if kind == tab.RESUME:
            return resume(items, value)
        return kind == tab.DELETE and remove(items, value)  # no other button takes anything away

    def _again(self, person: Owner, payload: Payload, pick_id: str) -> None:
        """Ask for a saved pick's request again, in the thread that it was saved in."""
        pick = next((p for p in saved_by(self.at_home.items, person) if p.id == pick_id), None)
        if pick is None or pick.place is None or not pick.place.thread_ts:
            self._show(person, payload, GONE if pick is None else NO_THREAD)
            return
        # Shown first: a failure from here on is tried again, and must not answer twice.
        self._show(person, payload, AGAIN)
        turn = SlackTurn(
            kind="click",
            team=person.team,
            channel=pick.place.channel,
            user=person.user,
            text=pick.request,
            thread_ts=pick.place.thread_ts,
        )
        try:
            self.take(turn)
        except NotDeliveredError as refusal:
            logger.info("the thread of a saved pick said %s", refusal)
            self._show(person, payload, CLOSED)

    def _edit(self, person: Owner, payload: Payload, scope: str) -> None:
        """Open the form, within the three seconds that Slack lets a click open one."""
        owner = person if scope == "own" else Owner(person.team)
        form = defaults_form(scope, defaults_of(self.at_home.items, owner))
        try:
            self._call(
                self.poster.client.views_open, person, trigger_id=payload["trigger_id"], view=form
            )
        except NotDeliveredError as refusal:
            logger.info("views.open said %s", refusal)
            self._show(person, payload, TOO_LATE)

    def checked(self, payload: Payload) -> dict[str, Any]:
        """Return what is wrong with a form, as Slack's answer to it; empty where it is well."""
        try:
            form = submitted(payload)
        except (ValueError, KeyError, TypeError):
            logger.warning("a form came back that is none of ours")
            return {"response_action": "errors", "errors": {"region": FOREIGN}}
        errors = typed_defaults(form.typed, self.at_home.world.catalog).errors
        return {"response_action": "errors", "errors": dict(errors)} if errors else {}

    def lay_down(self, payload: Payload) -> None:
        """Write the defaults of a form that was checked, and show what holds now."""
        form, items = submitted(payload), self.at_home.items
        world = as_of_today(self.at_home.world)
        new = typed_defaults(form.typed, world.catalog).defaults
        before, today = defaults_of(items, form.owner), world.today.isoformat()
        is_same_rate = (new.currency, new.per_usd) == (before.currency, before.per_usd)
        new = replace(
            new,
            rate_set_on=before.rate_set_on if is_same_rate else today,
            set_by=form.by,
            set_on=today,
            version=form.version,
        )
        done = lay_down(items, form.owner, new) or _is_laid_down(items, form.owner, new)
        self._show(Owner(form.owner.team, form.by), payload, SAVED if done else CHANGED_MEANWHILE)

    def _show(self, person: Owner, payload: Payload, note: str = "") -> None:
        """Show what is kept of a person; where prices take a while, everything else before."""
        app = str(payload.get("api_app_id") or "")

        def without_prices() -> bool:
            self._publish(person, self.at_home.view(person, app=app, note=note, awaits_prices=True))
            return True

        with Progress([(progress.PATIENCE_S, without_prices)]):
            view = self.at_home.view(person, app=app, note=note)
        self._publish(person, view)

    def _publish(self, person: Owner, view: tab.HomeView) -> None:
        shown = tab.home_message(view)
        self._call(self.poster.client.views_publish, person, user_id=person.user, view=shown)

    def _call(self, method: Method, person: Owner, **fields: Any) -> None:  # noqa: ANN401 - Slack's
        token = token_of(self.poster.tokens, person.team)
        called(lambda: method(token=token, **fields))


def _is_laid_down(items: "Items", owner: Owner, wanted: Defaults) -> bool:
    """Return whether an earlier try has written this already, as Slack was away after it."""
    there = defaults_of(items, owner)
    return there == replace(wanted, version=there.version) and there.version == wanted.version + 1
