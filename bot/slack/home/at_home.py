"""What a person finds at home: everything kept of them, with today's prices, in words."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from bot.answers.price_today import drift, prices_today
from bot.answers.world import World, as_of_today
from bot.cards.price_lines import awaited_line, bought_words, price_line
from bot.core.figures import plain_line, usd_per_hour
from bot.core.subscription import Place, Subscription
from bot.core.wording import MARKET_WORDS
from bot.language.questions.alerts import told_when
from bot.slack.home.home_view import DefaultInForce, HomeRow, HomeView
from bot.store.defaults import own_and_workspaces
from bot.store.kept_of_people import RecentThread, SavedPick, saved_by, spoke_in, threads_of
from bot.store.owner import Owner
from bot.store.preferences import Preferences, merged
from bot.store.subscriptions import alerts_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bot.answers.reply import Reply
    from bot.conversation.saved_wishes import Act
    from bot.store.store import Items

EXAMPLE: Final = "inference 7B latency<100ms"
SHOWN: Final = 10  # saved picks and alerts, of each; the Home tab holds 100 blocks

NOTHING: Final = "none"
NAMES: Final = {"region": "Region", "market": "Purchase option", "allow": "Instance families"}

ID: Final = re.compile(r"[A-Z0-9]{1,30}")
TS: Final = re.compile(r"\d{1,12}\.\d{1,6}")


@dataclass(frozen=True, slots=True)
class AtHome:
    """What is kept of people, and the facts that its prices of today come from."""

    world: World
    items: "Items"

    def view(
        self, person: Owner, *, app: str = "", note: str = "", awaits_prices: bool = False
    ) -> HomeView:
        """Return what a person's Home tab shows; `app` is our app's id, for links to it.

        `awaits_prices`: nobody is asked for prices, and the rows say that they are on their way.
        """
        world = as_of_today(self.world)
        saved, alerts = saved_by(self.items, person), alerts_of(self.items, person)
        own, workspace = own_and_workspaces(self.items, person)
        shown = saved[:SHOWN]
        lines = map(awaited_line, shown) if awaits_prices else _price_lines(world, shown)
        return HomeView(
            example=EXAMPLE,
            note=plain_line(note),
            talk_link=talk_link(person.team, app),
            saved=[_saved_row(pick, line) for pick, line in zip(shown, lines, strict=True)],
            saved_more=_more_line(len(saved), "my saved picks"),
            alerts=[_alert_row(one) for one in alerts[:SHOWN]],
            alerts_more=_more_line(len(alerts), "list my alerts"),
            threads=[_thread_row(person.team, one) for one in threads_of(self.items, person)],
            defaults=tuple(laid_down(merged(own, workspace))),
            set_by=workspace.set_by if ID.fullmatch(workspace.set_by) else "",
            set_on=workspace.set_on,
        )

    def prepared(self, reply: "Reply", place: Place) -> "tuple[Reply, Act | None]":
        """Return the reply to a wish about saved picks, and what is to be done once it is out."""
        from bot.conversation.saved_wishes import prepared

        return prepared(reply, place, self.items, as_of_today(self.world))

    def spoke(self, person: Owner, channel: str, ts: str, turn: tuple[str, str]) -> None:
        """Note that a person spoke in a thread: the words, and the answer to them."""
        asked, answered = turn
        first_line = answered.strip().partition("\n")[0]
        thread = RecentThread(
            channel=channel,
            ts=ts,
            asked=plain_line(asked, 80) or "(no words)",
            answered=plain_line(first_line, 110),
            spoken_on=as_of_today(self.world).today.isoformat(),
        )
        spoke_in(self.items, person, thread)


def _price_lines(world: World, picks: "Sequence[SavedPick]") -> "Iterator[str]":
    for pick, today in zip(picks, prices_today(world, picks), strict=True):
        yield price_line(pick, today, drift(pick, today))


def _more_line(count: int, words: str) -> str:
    """Return how the rest is seen; empty where there is none."""
    return f"And {count - SHOWN} more: say “{words}”." if count > SHOWN else ""


def _saved_row(pick: SavedPick, prices: str) -> HomeRow:
    place = pick.place
    link = "" if place is None else thread_link(place.team, place.channel, place.thread_ts)
    return HomeRow(id=pick.id, title=bought_words(pick), lines=(pick.workload, prices), link=link)


def _alert_row(one: Subscription) -> HomeRow:
    market = MARKET_WORDS[one.market]
    what = one.instance_type if one.watches == "price" else f"best pick ({one.instance_type})"
    seen = one.seen_usd_per_hour
    last = "" if seen is None else f"; last told {usd_per_hour(seen)} ({one.seen_on})"
    gathered = f", {one.every} digest" if one.every else ""
    state = "" if one.state == "active" else f"Paused: {one.why_paused or 'by you'}"
    told = f"Told when its price {told_when(one.direction, one.threshold_percent)}{gathered}{last}"
    place = one.place
    return HomeRow(
        id=one.id,
        title=f"{what} in {one.region}, {market}",
        lines=tuple(plain_line(line) for line in (told, state) if line),
        link=thread_link(place.team, place.channel, place.thread_ts),
        paused=one.state != "active",
    )


def _thread_row(team: str, one: RecentThread) -> HomeRow:
    return HomeRow(
        title=one.asked,
        lines=(f"{one.answered} ({one.spoken_on})",),
        link=thread_link(team, one.channel, one.ts),
    )


def laid_down(holds: Preferences) -> Iterator[DefaultInForce]:
    """Yield every default there can be, with what holds of a person's and the workspace's."""
    taken = {one.field: one for one in holds.taken}
    for field, name in NAMES.items():
        one = taken.get(field)
        yield DefaultInForce(
            name, NOTHING if one is None else f"{_default_words(one.value)} ({one.why})"
        )
    discount, currency = holds.discount, holds.currency
    off = NOTHING if discount is None else f"{discount.words}, off on-demand list prices"
    yield DefaultInForce("Discount", off)
    beside = NOTHING
    if currency is not None:
        beside = f"{currency.code} {currency.words}, set on {currency.on}"
    yield DefaultInForce("Currency beside USD", beside)


def _default_words(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    return MARKET_WORDS.get(str(value), str(value))


def thread_link(team: str, channel: str, ts: str | None) -> str:
    """Return the address of a thread, as Slack's own client has it; empty where ids are odd."""
    known = ID.fullmatch(team) and ID.fullmatch(channel) and ts and TS.fullmatch(ts)
    return f"https://app.slack.com/client/{team}/{channel}/thread/{channel}-{ts}" if known else ""


def talk_link(team: str, app: str) -> str:
    """Return the address that opens the direct conversation with an app; empty where unknown."""
    known = ID.fullmatch(team) and ID.fullmatch(app)
    return f"https://slack.com/app_redirect?app={app}&team={team}" if known else ""
