"""Links into Slack, made from ids alone: asking Slack for each would be a call a thread."""

import re
from typing import Final

ID: Final = re.compile(r"[A-Z0-9]{1,30}")
TS: Final = re.compile(r"\d{1,12}\.\d{1,6}")


def thread_link(team: str, channel: str, ts: str | None) -> str:
    """Return the address of a thread, as Slack's own client has it; empty where ids are odd."""
    known = ID.fullmatch(team) and ID.fullmatch(channel) and ts and TS.fullmatch(ts)
    return f"https://app.slack.com/client/{team}/{channel}/thread/{channel}-{ts}" if known else ""


def talk_link(team: str, app: str) -> str:
    """Return the address that opens the direct conversation with an app; empty where unknown."""
    known = ID.fullmatch(team) and ID.fullmatch(app)
    return f"https://slack.com/app_redirect?app={app}&team={team}" if known else ""
