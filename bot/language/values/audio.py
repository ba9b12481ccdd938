"""Reads how much audio there is to work through: so many hours a day make a request rate."""

import re

from bot.language.draft import Draft
from bot.language.values.quantities import PERIOD, SECONDS, Q, period_key, signed_value

# What one request of a speech model holds: "shapes.speech_frames" counts the positions of it.
WINDOW_S = 30.0
AUDIO = re.compile(
    rf"{Q}\s?(?P<unit>hours?|hrs?|h|minutes?|mins?) of "
    rf"(?P<what>audio|speech|recordings?|calls|podcasts?|video|footage)(?:{PERIOD})?(?![a-z0-9])"
)
SEEN = frozenset({"video", "footage"})  # frames a second are not said: no rate follows


def read_audio(draft: Draft) -> None:
    """Say `rps` for audio per time; say in a note how it was read, or why it was not used."""
    for match in draft.reader.matches(AUDIO):
        seconds = signed_value(match) * SECONDS[period_key(match["unit"])]
        draft.details["audio_hours"] = f"{seconds / SECONDS['h']:g}"
        draft.mark("detail:audio_hours", *match.span())
        if match["period"] is None or match["what"] in SEEN:
            draft.note(
                "audio_volume",
                f"`{match[0].strip()}` is not used: hours of audio a day would be a load.",
            )
            continue
        rate = seconds / SECONDS[period_key(match["period"])] / WINDOW_S
        draft.say("rps", rate, *match.span())
        draft.note(
            "audio_volume",
            f"`{match[0].strip()}` is read as {rate:.3g} requests/s, windows of {WINDOW_S:g} s.",
        )
