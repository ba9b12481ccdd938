"""The id of a Capacity Reservation or Capacity Block: "out of cr-0123456789abcdef0"."""

import re

from bot.language.draft import Draft

RESERVATION = re.compile(r"(?<![\w-])(?:reservation ?[=:] ?)?(?P<id>cr-[0-9a-f]{8,17})(?![\w-])")


def read_reservations(draft: Draft) -> None:
    """Say the `reservation` whose machines are to be used."""
    for match in draft.reader.matches(RESERVATION):
        draft.say("reservation", match["id"], *match.span())
