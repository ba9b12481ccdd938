"""Sets aside what must never be read as a request: mentions, overrides, and names given freely.

None of it is thrown away: names go to the snippet's quoting, the rest is reported as not
understood, and whoever shows it escapes it.
"""

import re

from bot.language.draft import Draft

MENTION = re.compile(r"<[@#!][^<>\n]{1,100}>")
# Talk about the assistant itself instead of a workload: an attempt to steer it, not a request.
OVERRIDE = re.compile(
    r"\b(?:"
    r"(?:ignore|disregard|forget|override|bypass|skip|drop|delete|erase)\s(?:\w+\s){0,4}?"
    r"(?:instructions?|rules|prompts?|guidelines|constraints you|programming|directives"
    r"|everything (?:above|before)|what you were told)"
    r"|(?:print|repeat|reveal|show|output|display|leak|recite|tell me|what (?:is"
    r"|are))\s(?:\w+\s){0,3}?"
    r"(?:system prompt|hidden instructions?|initial instructions?|secret instructions?"
    r"|your instructions?|your (?:system )?prompt|your rules)"
    r"|(?:you are|you're) now\b|(?:pretend|act as if|act like|role ?play)\b"
    r"|(?:always|no matter what)\b,?\s(?:\w+\s){0,2}?(?:say|answer|recommend|reply|respond"
    r"|return|output|pick|choose|print)\b"
    r"|(?:new|updated) instructions?\b|(?:system|assistant|developer) ?(?:prompt|message)? ?:"
    r"|jailbreak\b|do anything now\b|ignoriere\s(?:\w+\s){0,3}?(?:anweisungen|regeln)"
    r")"
)
# Such talk reaches to the end of its sentence, or to ", then" where the request goes on.
OVERRIDE_END = re.compile(r"[.!?;](?=\s|\Z)|\n|,?\s+then\b|\Z")
NAMING = re.compile(
    r"\b(?:(?:call|name) (?:it|the cluster|the node ?group|the model|my cluster|this"
    r"|the deployment)"
    r"|(?:cluster|node ?group|deployment|model) name(?: is| should be|:)?|nenne? (?:es"
    r"|den cluster))\s+(?=\S)"
)
CALLED = re.compile(r"\b(?:called|named|genannt)\s+(?=[^\s\0])")
NAME = re.compile(
    r"\{\{[^{}\n]{0,120}\}\}|\{%[^%\n]{0,120}%\}|\"[^\"\n]{1,200}\"|'[^'\n]{1,200}'|`{3}|[^\s,;]+"
)


def set_aside(draft: Draft) -> None:
    """Take names given to the cluster or model, then overrides and mentions, unread."""
    for match in draft.reader.matches(MENTION):
        draft.ignore(*match.span())
    for match in draft.reader.matches(NAMING):
        _say_name(draft, match)
    for match in draft.reader.matches(OVERRIDE):
        end = OVERRIDE_END.search(draft.reader.work, match.end())
        draft.ignore(match.start(), end.start() if end else match.end())
        draft.note(
            "instruction_ignored",
            "Words that try to steer the answer were set aside: only the workload counts.",
        )


def read_called(draft: Draft) -> None:
    """Say the `name` in "a model called foo", where nothing else has read the word."""
    for match in draft.reader.matches(CALLED):
        _say_name(draft, match)


def _say_name(draft: Draft, match: re.Match[str]) -> None:
    named = NAME.match(draft.reader.work, match.end())
    if named is None or named[0] in {"for", "on", "with", "in", "from", "a", "an", "the"}:
        return
    written = draft.reader.words(*named.span()).rstrip("?!")
    if len(written) > 2 and written[0] == written[-1] and written[0] in "\"'":
        written = written[1:-1]
    draft.say("name", written.rstrip(".") or written, match.start(), named.end())
