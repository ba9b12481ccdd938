"""The channels a person set alerts in: alerts are kept by channel, a person asks for all."""

from typing import Final

from bot.core.subscription import Place, Subscription
from bot.store.items import Items
from bot.store.people.owner import Owner, changed, kept
from bot.store.store import Payload
from bot.store.subscriptions import owned

KEY: Final = "alert_channels"
MOST_CHANNELS: Final = 20  # the latest; each is one look-up when all alerts are asked for


def note_channel(items: Items, person: Owner, channel: str) -> None:
    """Remember that a person has alerts in a channel."""

    def with_channel(body: Payload) -> Payload | None:
        known = body.get("channels", [])
        if known[:1] == [channel]:
            return None
        others = [one for one in known if one != channel]
        return {"channels": [channel, *others][:MOST_CHANNELS]}

    changed(items, person, KEY, with_channel)


def alerts_of(items: Items, person: Owner) -> tuple[Subscription, ...]:
    """Return the alerts of a person in all channels, by channel and oldest first."""
    channels = kept(items, person, KEY).get("channels", ())
    return tuple(
        alert
        for channel in channels
        for alert in owned(items, Place(team=person.team, channel=channel, user=person.user))
    )
