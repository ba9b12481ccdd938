"""Carries out what a reply wishes of alerts, for the surface that knows where it was said.

In two steps, as `bot.slack.talk` remembers a thread: what is answered is decided first and said,
and only then done. A job that is tried again because Slack was away so changes nothing twice.
"""

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from bot.answers.reply import Reply
from bot.cards.notices import notice_view
from bot.cards.table import table_view
from bot.core.errors import RequestError
from bot.core.figures import counted, usd_per_hour
from bot.core.subscription import Place, Subscription
from bot.core.views import NoticeView
from bot.core.wording import MARKET_WORDS
from bot.language.questions.alerts import ALL, EXAMPLE, AlertRequest, told_when
from engine.pick.explain import Explanation

if TYPE_CHECKING:
    from bot.store.store import Items

Act = Callable[[Place], None]  # where: the thread that the answer may have opened meanwhile
COLUMNS: Final = ("#", "Type", "Region", "Market", "Told when it", "Price last told", "State")
HOW_TO: Final = "“list my alerts” shows yours here; “pause alert 1” and “delete alert 1” end one."
HOW_TO_CHANGE: Final = "“pause alert 1”, “resume alert 1” and “delete alert 1” change them."
DONE: Final = {"pause": "Paused", "resume": "Resumed", "delete": "Deleted"}
MOST_ALERTS: Final = 50  # of one person in a channel


def prepared(reply: Reply, place: Place) -> tuple[Reply, Act | None]:
    """Return the reply as it is said in a place, and what is to be done once it was."""
    if reply.alert is None or reply.items is None or reply.error is not None:
        return reply, None
    from bot.store.subscriptions import owned

    kept = owned(reply.items, place)
    try:
        return _prepared(reply, reply.alert, reply.items, kept)
    except RequestError as error:
        from bot.conversation.conversation import error_reply

        return error_reply(reply.request, error), None


def _prepared(
    reply: Reply, wish: AlertRequest, items: "Items", kept: tuple[Subscription, ...]
) -> tuple[Reply, Act | None]:
    if wish.action == "list":
        return _alerts_table(reply, kept), None
    if wish.action == "add":
        same = tuple(one for one in kept if _question(one) == _question(wish))
        if not same:
            _require_room(kept)
        return _kept(reply, wish, kept, same), lambda place: _add(items, wish, place, same)
    meant = _alerts_meant(wish, kept)
    return _alerts_changed(reply, wish, meant), lambda _: _change_alerts(items, wish, meant)


def _question(one: Subscription | AlertRequest) -> tuple[str | int, ...]:
    """Return what is asked, whatever change it is told at: of a pick its request alone."""
    asked = (one.request,) if one.watches == "pick" else (one.instance_type, one.region)
    return one.watches, *asked, one.market, one.term_years


def _require_room(kept: tuple[Subscription, ...]) -> None:
    if len(kept) >= MOST_ALERTS:
        raise RequestError(
            "out_of_range",
            f"You have {len(kept)} alerts here, and no more can be kept: delete one first.",
            example="delete alert 1",
        )


def _kept(
    reply: Reply,
    wish: AlertRequest,
    kept: tuple[Subscription, ...],
    same: tuple[Subscription, ...],
) -> Reply:
    """Return the reply that promises the alert, and says what it takes the place of."""
    replaced = (
        f"It takes the place of alert {kept.index(one) + 1}, which asked the same." for one in same
    )
    notes = (*replaced, *reply.notes, HOW_TO)
    title = "Alert" if reply.explanation is None else reply.explanation.subject
    return _worded(reply, notice_view(title, wish.told, notes))


def _worded(reply: Reply, view: NoticeView) -> Reply:
    text = Explanation(view.title, "alert", (), view.text)
    if reply.explanation is not None:
        text = replace(reply.explanation, text=view.text)
    return replace(reply, view=view, notes=view.notes, explanation=text)


def _add(items: "Items", wish: AlertRequest, place: Place, same: tuple[Subscription, ...]) -> None:
    from bot.store.owner import Owner
    from bot.store.subscriptions import add, note_channel, remove

    note_channel(items, Owner(place.team, place.user), place.channel)
    for one in same:
        remove(items, one.id)
    add(items, _subscription_to(wish, place))


def _subscription_to(wish: AlertRequest, place: Place) -> Subscription:
    from bot.store.subscriptions import identified

    asked = Subscription(
        id="",
        place=place,
        watches=wish.watches,
        instance_type=wish.instance_type,
        region=wish.region,
        market=wish.market,
        term_years=wish.term_years,
        threshold_percent=wish.threshold_percent or 0.0,
        direction=wish.direction,
        request=wish.request,
        instances=wish.instances,
        seen_usd_per_hour=wish.seen_usd_per_hour,
        seen_on=wish.seen_on,
        best_type=wish.best_type,
        every=wish.every,
        created_at=datetime.now(UTC).isoformat(),
    )
    return identified(asked)


def _alerts_meant(wish: AlertRequest, kept: tuple[Subscription, ...]) -> tuple[Subscription, ...]:
    """Return the alerts that a number, a type, a family or "all" means.

    Raises:
        RequestError: it means none, or one of several without saying which.
    """
    if not kept:
        raise _no_alert("You have no alerts in this conversation.", EXAMPLE)
    if wish.subject == ALL:
        return kept
    if wish.number is not None:
        if not 1 <= wish.number <= len(kept):
            have = f"You have {counted(len(kept), 'alert')} here"
            raise _no_alert(f"There is no alert {wish.number}. {have}.", "list my alerts")
        return (kept[wish.number - 1],)
    if wish.subject:
        return _alerts_about(wish.subject, kept)
    if len(kept) > 1:
        raise _no_alert(
            f"You have {len(kept)} alerts here: say which one by its number.",
            f"{wish.action} alert 1",
        )
    return kept


def _alerts_about(subject: str, kept: tuple[Subscription, ...]) -> tuple[Subscription, ...]:
    """Return the alerts about a type or the types of a family."""
    found = tuple(
        one for one in kept if subject in {one.instance_type, one.instance_type.partition(".")[0]}
    )
    if not found:
        raise _no_alert(f"You have no alert about `{subject}` here.", "list my alerts", subject)
    return found


def _no_alert(message: str, example: str, words: str = "") -> RequestError:
    return RequestError("invalid_value", message, words=words, example=example)


def _change_alerts(items: "Items", wish: AlertRequest, meant: tuple[Subscription, ...]) -> None:
    from bot.store.subscriptions import pause, remove, resume

    for one in meant:
        if wish.action == "pause":
            pause(items, one.id, "you paused it")
        elif wish.action == "resume":
            resume(items, one.id)
        else:
            remove(items, one.id)


def _alerts_changed(reply: Reply, wish: AlertRequest, meant: tuple[Subscription, ...]) -> Reply:
    """Return what was done to which alerts."""
    named = "; ".join(f"{_watched_name(one)}, when its price {_told_when(one)}" for one in meant)
    done = DONE[wish.action]
    title = f"{done} {counted(len(meant), 'alert')}"
    view = notice_view(title, f"{done}: {named}.", ("“list my alerts” shows yours here.",))
    return _worded(reply, view)


def _alerts_table(reply: Reply, kept: tuple[Subscription, ...]) -> Reply:
    """Return the person's alerts in this conversation as a numbered table."""
    if not kept:
        text = f"You have no alerts in this conversation. Set one: “{EXAMPLE}”."
        return _worded(reply, notice_view("No alerts", text))
    rows = [_alert_cells(number, one) for number, one in enumerate(kept, 1)]
    lead = f"{counted(len(kept), 'alert')} of yours in this conversation."
    view = table_view("Your alerts", lead, COLUMNS, rows, (HOW_TO_CHANGE,))
    comparison = {
        "columns": list(COLUMNS[1:]),
        "rows": [{"name": name, "values": cells} for name, *cells in rows],
    }
    return replace(reply, view=view, explanation=None, comparison=comparison)


def _alert_cells(number: int, one: Subscription) -> tuple[str, ...]:
    """Return one alert as cells."""
    seen = one.seen_usd_per_hour
    price = "no price" if seen is None else f"{usd_per_hour(seen)} ({one.seen_on or 'no date'})"
    state = f"paused: {one.why_paused}" if one.why_paused else one.state
    market = MARKET_WORDS[one.market]
    term = f", {counted(one.term_years, 'year')}" if one.term_years else ""
    gathered = f", {one.every} digest" if one.every else ""
    told = f"{_told_when(one)}{gathered}"
    return (str(number), _watched_name(one), one.region, f"{market}{term}", told, price, state)


def _watched_name(one: Subscription) -> str:
    """Return what is watched: a type, or the pick that is best so far."""
    return one.instance_type if one.watches == "price" else f"best pick ({one.instance_type})"


def _told_when(one: Subscription) -> str:
    return told_when(one.direction, one.threshold_percent)
