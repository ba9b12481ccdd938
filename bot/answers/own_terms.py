"""The terms of whoever asks: which answers they bear on, and where that is said."""

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from bot.answers.world import World
from bot.core.understanding import Understanding
from bot.core.views import NoticeView, PlanView, TableView
from bot.core.wording import assumed_view
from bot.store.preferences import Preferences
from engine.core.assumptions import is_open

if TYPE_CHECKING:
    from bot.answers.reply import Reply

# Answers that say what was taken off. What is told of AWS's own prices (history, written guides,
# alerts that are set) stays at list: a discount would pass for a change.
PRICED: Final = frozenset({"pick", "explain", "estimate", "compare", "manifest", "price", "alert"})


def on_own_terms(
    world: World, understood: Understanding, *, has_topic: bool
) -> tuple[World, Understanding]:
    """Return the world and the request under the terms of whoever asks, where there are any.

    `has_topic`: the request goes to a turn of its own rather than to that of its intent. An alert
    is looked at again when nobody is there to have terms: what it leaves open is said in it.
    """
    own = world.preferences
    if own is None:
        return world, understood
    world = replace(world, default_region=own.region or world.default_region)
    if understood.asked.alert is not None and not has_topic:
        return replace(world, preferences=None), _spelt_out(understood, own)
    if understood.intent in PRICED and not has_topic:
        return discounted(world), understood
    return world, understood


def _spelt_out(understood: Understanding, own: Preferences) -> Understanding:
    """Return the request with what it leaves open said, and a note of what that is and whose."""
    open_still = [one for one in own.taken if is_open(understood.workload, one.field)]
    if not open_still:
        return understood
    words = ", ".join(assumed_view(one).value for one in open_still)
    notes = (*understood.notes, f"Taken: {words}.")
    return replace(understood, workload=own.said(understood.workload), notes=notes)


def discounted(world: World) -> World:
    """Return the world in which on-demand prices are what whoever asks has agreed with AWS."""
    if world.preferences is None or world.preferences.discount is None:
        return world
    percent = world.preferences.discount.percent
    prices = replace(world.catalog.prices, discount_percent=percent)
    return replace(world, catalog=replace(world.catalog, prices=prices))


def terms_said(reply: "Reply", understood: Understanding, own: Preferences | None) -> "Reply":
    """Return the reply with notes of the terms that it rests on; a card says them itself."""
    view = reply.view
    if own is None or not isinstance(view, NoticeView | PlanView | TableView):
        return reply
    notes = [
        note for note in (_region_said(reply, understood, own), _discount_said(reply, own)) if note
    ]
    return replace(reply, view=replace(view, notes=(*view.notes, *notes))) if notes else reply


def _region_said(reply: "Reply", understood: Understanding, own: Preferences) -> str:
    taken = next((one for one in own.taken if one.field == "region"), None)
    if taken is None or reply.recommendation is not None or not reply.quotes:
        return ""  # what a recommendation assumed is listed with it
    return f"Region: {taken.value} ({taken.why})." if is_open(understood.workload, "region") else ""


def _discount_said(reply: "Reply", own: Preferences) -> str:
    shown = [q for q in reply.prices_shown if q.market == "on_demand" and q.usd_per_hour]
    if own.discount is None or not shown:
        return ""
    if any(quote.list_usd_per_hour is None for quote in shown):
        return f"On-demand prices here are AWS’s list prices, without {own.discount.words}."
    return f"On-demand prices here are AWS’s list prices less {own.discount.words}."
