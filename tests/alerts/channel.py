"""Subscriptions to test with, and a place where alerts arrive."""

from dataclasses import dataclass, field, replace

from bot.alerts.fan_out import FanOut, PageRequest
from bot.core.subscription import Place, Subscription
from bot.store.alert_changes import PriceNow
from bot.store.subscriptions import identified

PLACE = Place(team="T1", channel="C1", user="U1", thread_ts="1.1")
G6, G5 = "g6.xlarge", "g5.xlarge"


def subscribed(place=PLACE, **fields):
    """Return a watched price of $1 an hour, or what `fields` make of it."""
    one = Subscription(
        id="", place=place, watches="price", instance_type=G6, region="us-east-1",
        market="on_demand", seen_usd_per_hour=1.0, created_at="2026-11-01T00:00:00+00:00",
    )  # fmt: skip
    one = replace(one, **fields)
    return one if one.id else identified(one)


def of_user(n, **fields):
    """Return the subscription of one of many users."""
    return subscribed(replace(PLACE, user=f"U{n}", team=f"T{n % 3}"), **fields)


def at(usd_per_hour, instance_type=G6, instances=1):
    """Return a look that sees the same for everyone."""
    seen = PriceNow(instance_type=instance_type, usd_per_hour=usd_per_hour, instances=instances)
    return lambda _: seen


@dataclass
class Channel:
    """A poster as Slack is one: it posts whatever it is given, and finds only if it looks."""

    posts: list = field(default_factory=list)  # (user, key, alerts)
    looked: int = 0
    fails: object = None  # raised before the post, where set

    def post(self, place, alerts, key, *, tried_since=None):
        if tried_since is not None:
            self.looked += 1
            if key in [posted for _, posted, _ in self.posts]:
                return
        if self.fails is not None:
            raise self.fails
        self.posts.append((place.user, key, alerts))

    @property
    def alerts(self):
        """Everything told, by itself or in a digest."""
        return [alert for _, _, alerts in self.posts for alert in alerts]

    @property
    def users(self):
        return [user for user, _, _ in self.posts]


def swept(items, look, poster, clock, *, sweep="s1", page=100, **more):
    """Do one sweep, each page delivered once; return what the pages came to."""
    waiting, counts = [PageRequest(sweep=sweep, shard="")], {}
    house = FanOut(
        items=items, look=look, poster=poster, send=waiting.append, clock=clock, page=page, **more
    )
    for asked in waiting:  # grows while it is walked
        for outcome, count in house.handle(asked).items():
            counts[outcome] = counts.get(outcome, 0) + count
    return counts
