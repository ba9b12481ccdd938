"""An alert: what will be told and when, the price of now, and how to see or stop it."""

from dataclasses import replace
from typing import Final

from bot.answers.costs.price import quote_of
from bot.answers.pick import card_reply, pick_turn, recommendation_of
from bot.answers.planning import about
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.card_view import echo
from bot.cards.notices import notice_view
from bot.core.errors import Code, RequestError
from bot.core.figures import counted, usd_per_hour
from bot.core.wording import MARKET_WORDS, machines, price_note
from bot.language.questions.alerts import (
    EXAMPLE,
    AlertRequest,
    alert_request,
    told_when,
)
from bot.language.readings import format_request
from catalog.facts.schema import Quote
from catalog.prices.prices import COMMITMENTS
from engine.core.result import Number, Pick
from engine.core.workload import Workload
from engine.pick.explain import Explanation

# What counts as a change where nobody said: spot moves all the time, list prices do not.
DEFAULT_PERCENT: Final = 1.0
DEFAULT_SPOT_PERCENT: Final = 5.0
# The answer where nothing is kept; `bot.conversation.alert_wishes` words it anew where alerts are.
NOT_KEPT: Final = (
    "No alert was set or changed: alerts are kept and told by the Slack app. Set it up with "
    "`ec2-pick serve` (README, In Slack) and say the same there."
)


def alert_turn(turn: Turn) -> Reply:
    """Return what shall be done about alerts, as a wish; whoever keeps them carries it out."""
    wish = alert_request(turn.understanding)
    if wish is None:
        return pick_turn(turn)
    if wish.action != "add":
        return alert_reply(turn, "Alerts", "", wish)
    return _pick_watched(turn, wish) if wish.watches == "pick" else _price_watched(turn, wish)


def alert_reply(
    turn: Turn, title: str, now: str, wish: AlertRequest, quotes: tuple[Quote, ...] = ()
) -> Reply:
    """Return a notice about alerts; the thread stays about what it was."""
    understood = turn.understanding
    notes = (*understood.notes, *map(echo, understood.not_understood))
    text = f"{NOT_KEPT} {now}".rstrip()
    known = [quote.usd_per_hour for quote in quotes if quote.usd_per_hour is not None]
    numbers = tuple(Number("price", usd, "USD/h") for usd in known)
    return Reply(
        request=turn.request,
        intent="alert",
        view=notice_view(title, text, notes),
        explanation=Explanation(title, wish.action, numbers, text),
        notes=notes,
        quotes=quotes,
        alert=wish,
    )


def _price_watched(turn: Turn, wish: AlertRequest) -> Reply:
    """Return the wish to be told of a type's price, measured from the price of now."""
    instance = turn.world.catalog.instances[wish.instance_type]
    quote, live_notes = quote_of(turn, instance), tuple[str, ...]()
    if turn.live is not None:
        from bot.answers.live.repricing import live_quote_of

        quote, live_notes = live_quote_of(turn.world.catalog, turn.live, quote, turn.workload)
    kept, now = _for_workload(turn, _from_now(turn, wish, quote)), _price_now(quote, *live_notes)
    term = f", {counted(kept.term_years, 'year')}" if kept.term_years else ""
    title = f"Alert for {quote.instance_type} in {quote.region}, {MARKET_WORDS[quote.market]}{term}"
    told = f"You will be told here{_in_digest(kept)} when its price {_watched_change(kept)}. {now}"
    return alert_reply(
        turn, title, now, replace(kept, told=f"{told}{_reckoned_for(kept)}"), (quote,)
    )


def _for_workload(turn: Turn, wish: AlertRequest) -> AlertRequest:
    """Return the wish with the thread's workload, where the type serves it: what it is worth."""
    if not _has_workload(turn.workload):
        return wish
    turn = about(turn, region=wish.region, market=wish.market, regions=None)
    asked = recommendation_of(turn).asked
    turn = about(turn, instance=None)
    best = recommendation_of(turn).picks
    if asked is None or not best:
        return wish
    return replace(
        wish,
        request=_watched_request(turn),
        instances=asked.instances,
        best_type=best[0].instance.instance_type,
    )


def _reckoned_for(wish: AlertRequest) -> str:
    """Return what the alert will be reckoned for."""
    if not wish.request:
        return ""
    named = machines(wish.instance_type, wish.instances)
    return f" It counts for this thread’s workload: {named}; the best pick now: {wish.best_type}."


def _in_digest(wish: AlertRequest) -> str:
    return f" in a {wish.every} digest" if wish.every else ""


def _pick_watched(turn: Turn, wish: AlertRequest) -> Reply:
    """Return the wish to be told when the answer to this workload would be another one."""
    _require_pick(turn, wish)
    region = turn.workload.region or (None if turn.workload.regions else turn.world.default_region)
    turn = about(turn, instance=None, region=region)
    result = recommendation_of(turn)
    if not result.picks:
        return replace(card_reply(turn, result), workload=None)  # the thread stays what it was
    best = result.picks[0]
    kept = replace(
        _from_now(turn, _of_pick(wish, best), best.quote), request=_watched_request(turn)
    )
    named = machines(best.instance.instance_type, best.instances)
    now = f"Best now: {named} in {best.region}. {_price_now(best.quote)}"
    where = f"You will be told here{_in_digest(kept)}"
    told = f"{where} when another type beats it, or its price {_watched_change(kept)}. {now}"
    return alert_reply(turn, "Alert for this pick", now, replace(kept, told=told), (best.quote,))


def _of_pick(wish: AlertRequest, best: Pick) -> AlertRequest:
    return replace(wish, instance_type=best.instance.instance_type, instances=best.instances)


def _watched_request(turn: Turn) -> str:
    """Return the thread's workload as one request, for the sweep to answer again."""
    return format_request(turn.workload)


def _from_now(turn: Turn, wish: AlertRequest, quote: Quote) -> AlertRequest:
    """Return the wish with place, market and price of the quote, and a change in percent.

    Where AWS is asked and did not answer, the price of an older day is nothing to measure from: the
    first sweep notes the one of then.
    """
    usual = DEFAULT_SPOT_PERCENT if quote.market == "spot" else DEFAULT_PERCENT
    percent = _percent_to(wish, quote) or wish.threshold_percent or usual
    is_of_now = turn.live is None or quote.source != "snapshot"
    return replace(
        wish,
        region=quote.region,
        market=quote.market,
        term_years=_term(turn, quote),
        threshold_percent=percent,
        seen_usd_per_hour=quote.usd_per_hour if is_of_now else None,
        seen_on=quote.as_of if is_of_now else "",
    )


def _term(turn: Turn, quote: Quote) -> int:
    """Return the years of a commitment; 0 on other markets."""
    return round(turn.workload.term_years or 1) if quote.market in COMMITMENTS else 0


def _percent_to(wish: AlertRequest, quote: Quote) -> float | None:
    """Return by how much the price must move to reach the figure that was said.

    Raises:
        RequestError: it is there already, or has no price to move from.
    """
    limit, now = wish.limit_usd_per_hour, quote.usd_per_hour
    if limit is None:
        return None
    if now is None:
        raise _cannot(f"{quote.instance_type} has {price_note(quote)}.")
    way = "more" if wish.direction == "down" else "less"
    if (now <= limit) if wish.direction == "down" else (now >= limit):
        raise _cannot(
            f"{quote.instance_type} in {quote.region} costs {usd_per_hour(now)} already, not {way} "
            f"than {usd_per_hour(limit)}."
        )
    return 100 * abs(1 - limit / now)


def _watched_change(wish: AlertRequest) -> str:
    """Return what happens to the price, after "when its price": "drops 10 % or more"."""
    if wish.limit_usd_per_hour is not None:
        way = "less" if wish.direction == "down" else "more"
        return f"is {usd_per_hour(wish.limit_usd_per_hour)} or {way}"
    return told_when(wish.direction, wish.threshold_percent or 0.0)


def _price_now(quote: Quote, *notes: str) -> str:
    if quote.usd_per_hour is None:
        return f"Now: {price_note(quote)}."
    said = "; ".join((price_note(quote), *notes))
    return f"Price now: {usd_per_hour(quote.usd_per_hour)} ({said})."


def _require_pick(turn: Turn, wish: AlertRequest) -> None:
    """Refuse a wish that names neither a type nor, here or in the thread, a workload.

    Raises:
        RequestError: with what would be understood.
    """
    alone = not _has_workload(turn.workload)
    group = wish.family or (alone and turn.workload.gpu) or ""
    types = [
        name
        for name, one in turn.world.catalog.instances.items()
        if group and group in {one.family, one.accelerator_id}
    ]
    if types:
        raise _cannot(f"Name one type of {group}.", words=group, suggestions=tuple(types[:5]))
    if not alone:
        return
    unread = turn.understanding.not_understood
    if unread:
        raise _cannot(
            f"No instance type is called `{unread[0].text}`.",
            words=unread[0].text,
            code="unknown_instance",
        )
    raise _cannot(
        "There is no pick here to watch yet: ask for one first, or name a type.", code="no_context"
    )


def _has_workload(workload: Workload) -> bool:
    return bool(workload.model or workload.params_b or workload.models)


def _cannot(
    message: str,
    words: str = "",
    suggestions: tuple[str, ...] = (),
    code: Code = "invalid_value",
) -> RequestError:
    return RequestError(
        code,
        message,
        field="instance",
        words=words,
        example=EXAMPLE,
        suggestions=suggestions,
    )
