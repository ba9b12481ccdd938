"""How the network interfaces of an EFA machine are laid out over its network cards."""

from dataclasses import dataclass
from typing import Literal

from catalog.facts.schema import EksType


@dataclass(frozen=True, slots=True)
class Interface:
    """One interface: `efa-only` carries no IP address."""

    card: int
    device: int
    kind: Literal["interface", "efa-only"]


def efa_interfaces(eks: EksType) -> tuple[Interface, ...]:
    """Return the layout EC2's guide asks for; empty where the type has no EFA.

    Also empty where EFAs are fewer than that (p6e-gb200): which cards have one is not known.

    The first interface of card 0 carries IP. Card 0 has an EFA beside it unless there is a card
    more than there are EFAs (p6-b300: card 0 is for IP alone). Each further card has one EFA.
    """
    if not eks.efa_interfaces:
        return ()
    cards = eks.network_cards or eks.efa_interfaces
    if eks.efa_interfaces < cards - 1:
        return ()
    first = Interface(0, 0, "interface")
    beside = (Interface(0, 1, "efa-only"),) if eks.efa_interfaces == cards else ()
    further = (Interface(card, 0, "efa-only") for card in range(1, cards))
    return (first, *beside, *further)
