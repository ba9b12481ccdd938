"""What a turn asks of the picks of the answer before it: another one, more of them, their bill.

"The second one", "something bigger", "what else is there", "how much for 10 of them a year". Each
marks a topic and keeps what it names, so that none of its words is read as a workload.
"""

import re
from dataclasses import replace
from typing import Final

from bot.language.draft import Draft

OFFICE_HOURS: Final = 8.0
WORKING_DAYS: Final = 5.0

_LEAD: Final = (
    r"\A(?:(?:ok(?:ay)?|and|but|no|hm+|then|well|great|so|please|now|und|oder|dann|lieber),? ){0,6}"
    r"(?:(?:i'?ll|let'?s|let us|we'?ll|i|we|you|can we|can i|could we|could i|can you|could you"
    r"|i will|we will|i would|i'?d|we would|we'?d|just|rather|maybe|ich|wir|bitte|mal)[ ,]+){0,6}"
    r"(?:(?:take|use|pick|choose|go (?:with|for)|switch to|try|give me|show me|show|want|need"
    r"|have|get"
    r"|like|prefer|what about|how about|what is|what'?s|make it|is there|do you have|nimm|nehme?n?"
    r"|zeig(?:e)?(?: mir)?|gib mir|ist)[ ,]+){0,6}"
)
# Number words are digits by now: "the second one" is read as "the second 1".
_END: Final = (
    r"(?: (?:one|1|option|pick|choice|instead|please|then|though|for (?:now|this|it|that)"
    r"|of (?:them|these"
    r"|those|the (?:three|list))|on the list|from the list|here|bitte|stattdessen)){0,6}"
)
# What may follow a choice: a place, market or the like, which the other rules read.
_MORE: Final = r"(?=\s*(?:[?.!,]|\Z)| (?:in|on|with|at|and|but|auf|mit|und)\b)"
_ORDINALS: Final = {
    **dict.fromkeys(("first", "1st", "erste", "ersten"), "1"),
    **dict.fromkeys(("second", "2nd", "zweite", "zweiten"), "2"),
    **dict.fromkeys(("third", "3rd", "dritte", "dritten"), "3"),
    **dict.fromkeys(("fourth", "4th", "vierte", "vierten"), "4"),
    **dict.fromkeys(("fifth", "5th", "fünfte", "fünften"), "5"),
    **dict.fromkeys(("last", "letzte", "letzten"), "last"),
}
_ORDINAL: Final = "|".join(sorted(_ORDINALS, key=len, reverse=True))
NUMBERED: Final = re.compile(
    rf"{_LEAD}(?:(?:the|die|den|das) )?(?:(?:number|option|no\.?|nr\.?|pick|choice|nummer|#) ?"
    rf"(?P<number>[1-9]\d?)|(?P<ordinal>{_ORDINAL})(?: (?:best|cheapest))?"
    rf"(?= (?:one|1|option|pick|choice|best|cheapest|of|on|instead|please)\b|[?.!,]|\Z))"
    rf"(?: (?:best|cheapest))?{_END}{_MORE}"
)
# The same within a question: "what would the second one cost a year?"
WHICH: Final = re.compile(
    rf"\b(?:(?:number|option|no\.?|pick|choice|#) ?(?P<number>[1-9])"
    rf"|the (?P<ordinal>{_ORDINAL})(?: best| cheapest)? (?:one|1|option|pick|choice))\b"
)
NEXT: Final = re.compile(
    rf"{_LEAD}(?:(?:the|your|die) )?(?:next(?: best)?|runner[ -]?up|nächste)"
    rf"(?= (?:one|1|option|pick|choice|best)|\W|\Z){_END}{_MORE}"
)
SAFEST: Final = re.compile(
    rf"{_LEAD}(?:(?:the|a|an|something|anything|die|was) )?(?:safe(?:st|r)|most reliable|sicherste|"
    rf"sicherere?s?){_END}{_MORE}"
)
# "That one on spot", "the same machine in Ohio": the pick itself, on other terms.
PINNED: Final = re.compile(
    r"\A(?:(?:ok(?:ay)?|and|but|what about|how about|what if i take|use|take)[, ]+){0,6}"
    r"(?:that|this|the same|same|the very same)"
    r" (?:1|one|machine|instance|box|type|pick|gpu)(?= (?:but )?(?:on|in|with|as|for)\b)(?: but)?"
)
_MACHINE: Final = (
    r"(?: (?:gpu|card|chip|accelerator|instance|machine|box|server|node|host|one|1|type|size"
    r"|cpu)s?)"
)
_SIZES: Final = {
    "bigger": r"bigger|larger|beefier|größere?[rs]?|groessere?[rs]?|next size up|(?:a )?size up"
    r"|scale up|upsize",
    "smaller": r"smaller|kleinere?[rs]?|next size down|(?:a )?size down|scale down|downsize",
}
SIZED: Final = {
    name: re.compile(
        rf"{_LEAD}(?:(?:an?|the|two|2|something|anything|some|one|was|ein|eine[nr]?|much"
        rf"|slightly|bit"
        rf"|even|is|too|small) ){{0,6}}(?:{words}){_MACHINE}?{_END}{_MORE}"
    )
    for name, words in _SIZES.items()
}
MORE: Final = re.compile(
    r"\A(?:(?:ok(?:ay)?|and|but|please|und)[, ]+){0,6}(?:"
    r"(?:(?:show|give|list|tell|get|zeig(?:e)?|gib)(?: me| us| mir)? )?(?:(?:some|a few|any|the"
    r"|all|noch"
    r"|ein paar|my|our|your) ){0,6}(?:more|further|other|additional|weitere|mehr|andere)"
    r"(?: (?:options?|picks?|choices|candidates|types|instances|alternatives|ones|optionen"
    r"|alternativen))?"
    r"|(?:what|which)(?:'s| is| are| were)?(?: (?:my|our|the|your))?"
    r"(?: (?:else|other (?:options?|choices|types|instances|candidates)|alternatives"
    r"|runners?[ -]?ups?"
    r"|options))(?: (?:is|are|do i have|do we have|could i use|could we use|can i use|can we use"
    r"|would work|works|did you consider|have you considered|fits))?(?: there| possible"
    r"| available){0,6}"
    r"|(?:any|are there(?: any)?|got any|other|list(?: me)?(?: the| all)?)"
    r" (?:other )?(?:alternatives?|options?|candidates|others|choices|suggestions)"
    r"|(?:the )?(?:full|whole|complete|long) (?:list|ranking)|was (?:gibt es )?(?:sonst )?noch"
    r"|was sonst|alternativen"
    r")(?: please| bitte| there)?[?.!]*\Z"
)
TOP: Final = re.compile(
    r"(?:\b(?:show|give|list)(?: me| us)? )?(?:\bthe )?"
    r"(?:\btop (?P<n>[2-9]|[1-4]\d)(?! ?%)"
    r"|(?:\b(?:best|first|next|cheapest|fastest) )?(?<![\w.])(?P<n2>[2-9]|[1-4]\d)"
    r" (?:more |other |best |further |different ){0,6}(?:options|candidates|alternatives|choices"
    r"|picks)"
    r"|(?<![\w.])(?P<n3>[2-9]|[1-4]\d) more\Z)(?: (?:instances|instance types|types|ones))?(?!\w)"
)
_PERIOD: Final = (
    r"(?:(?:per|an?|each|every|for (?:an?|one|the)|over an?|pro|im|am) "
    r"(?:hour|day|week|month|quarter|year|jahr|monat|tag|woche)|hourly|daily|weekly|monthly"
    r"|yearly|annual(?:ly)?|annualis\w+|jährlich)"
)
_COST: Final = r"(?:costs?|price|bill|spend|charge|total|sum|kosten|preis)"
OF_THEM: Final = re.compile(
    r"(?<![\w.$])(?P<n>\d{1,4}) (?:of (?:them|these|those|it|that)|times that|such"
    r"(?: (?:machines|instances))?|davon|of the (?:same|pick))\b"
    r"(?! (?:are |is )?(?:at once|at the same|online|active|concurrent|in parallel|simultan))"
)
OF_THEM_COSTS: Final = re.compile(
    rf"\b(?:how much|{_COST}|run|buy|bought|need|pay|order|rent|what (?:about|if)|how about"
    rf"|kosten)\b"
    r"|\A(?:and |so )?\d+ of"
)
BILL: Final = re.compile(
    rf"\bhow much\b[^$<\d]{{0,30}}?\b{_PERIOD}"
    rf"|\bwhat(?:'s| is| does| would| will)? (?:it|that|this|they|these|the pick)\b[^$<\d]{{0,20}}?"
    rf"\b{_PERIOD}|\b{_COST}\b[^$<\d]{{0,20}}?\b{_PERIOD}|\b{_PERIOD} (?:{_COST})\b"
    rf"|\A(?:and |so )?(?:in |the )?(?:{_COST} )?{_PERIOD}\s*\?"
    rf"|\A(?:and |so )?(?:the |in ){{0,6}}total (?:{_COST})\s*\?*\Z|\bwie ?viel\b.{{0,30}}?\b(?:im"
    rf"|pro) (?:jahr|monat|tag|woche|stunde)\b"
)
LOWEST: Final = re.compile(r"\b(?:lowest|cheapest|least)\b")
A_DAY: Final = re.compile(
    r"(?<![\w.$])(?P<n>\d{1,2}(?:\.5)?) ?(?:h|hours?|hrs|stunden) (?:a|per|each|every|am|pro) ?"
    r"(?:(?P<day>day|work(?:ing)? ?day|weekday|tag)|(?P<week>week|woche))\b"
)
WEEKDAYS: Final = re.compile(
    r"\b(?:on |during )?(?:week ?days|work(?:ing)? ?days|monday to friday|mon-fri"
    r"|werktags)(?: only)?\b"
)
OFFICE: Final = re.compile(
    r"\b(?:(?:only )?(?:during |in |at )?(?:office|business|working|work) hours(?: only)?"
    r"|nine to five|9 ?(?:to|-) ?5)\b"
)
PER_HEAD: Final = re.compile(
    r"\b(?:costs?|price|much|that|it|what)\b[^$<\d]{0,20}?\b(?:per|a|for each|each|pro) "
    r"(?P<who>user|employee|customer|seat|head|person|developer|student|nutzer|mitarbeiter)\b"
)
RECAP: Final = re.compile(
    r"\A(?:(?:ok(?:ay)?|so|and|please|can you|could you|just|now)[, ]+){0,6}(?:"
    r"(?:what|remind me what) (?:did|had|have) (?:i|we|you) (?:just )?(?:ask(?:ed)?|say|said"
    r"|want(?:ed)?)"
    r"(?: for)?(?: again| so far)?|what (?:was|is) (?:my|the|our) (?:question|request|query"
    r"|workload)"
    r"(?: again)?|what (?:do we|did we) have(?: so far)?"
    r"|how many (?:machines|instances|nodes|gpus|boxes|servers|replicas)(?: (?:is|are|do|would"
    r"|will|did))?"
    r"(?: (?:that|this|it|i|we|you))?(?: (?:need|take|needed|in total|then)){0,6}|where (?:were"
    r"|are) we"
    r"|(?:summari[sz]e|sum up|recap|wrap up)(?: (?:this|that|it|the (?:thread|answer|conversation)"
    r"|everything|please|so far|for me)){0,6}|(?:send |give |show )?(?:me |us )?(?:a |the |short "
    r"|quick |in ){0,6}"
    r"(?:summary|recap|tl;?dr|zusammenfassung|in short|overview)"
    r"(?: (?:please|so far|of (?:this|the thread|it)|bitte)){0,6}|fass(?:e)? (?:das )?zusammen"
    r")[?.!]*\Z"
)
CHEAPER: Final = re.compile(
    rf"{_LEAD}(?:(?:a|an|the|something|anything|much|even|any|way|option|is|it|same|but|that|this"
    rf"|that'?s|it'?s|still|to|far|bit|possible|how|can|could|do|i|we|das|ist|mir|viel|etwas|geht"
    rf"|es|auch|noch) ){{0,8}}"
    r"(?:cheaper|too (?:expensive|pricey|much|costly|dear)|less expensive|save (?:some )?money"
    r"|cut (?:the )?costs?|lower the (?:costs?|price|bill)|reduce (?:the )?(?:costs?|price|bill)"
    r"|(?:make|get) (?:it|this|that) cheaper|zu teuer|nicht so teuer|billiger|günstiger"
    r"|bring (?:the )?(?:costs?|price) down|too much money|half the price)"
    r"(?: (?:one|1|option|way|ones|possible|please|somehow|though|than (?:this|that)|at all"
    r"|for me|for us"
    r"|alternative|machine|instance|bitte|geht das|gpu)){0,6}\s*[?.!]*\Z"
)
RISKS: Final = re.compile(
    r"\A(?:(?:ok(?:ay)?|so|and|but)[, ]+){0,6}(?:what(?:'s| is| are)(?: the| any)? "
    r"(?:catch|risks?|downsides?|caveats?|drawbacks?|gotchas?|trade-?offs?)(?: here| with (?:it"
    r"|that|this))?"
    r"|any (?:risks?|downsides?|caveats?|gotchas?|catch)|what (?:can|could|might) go wrong"
    r"|what should (?:i|we) (?:watch out for|worry about|know)|is (?:it|that|this) (?:safe|risky)"
    r"|are you (?:really )?(?:sure|certain)"
    r"|wo ist der haken)[?.!]*\Z"
)
HOW_TO_DEPLOY: Final = (
    r"how (?:do|can|would|should|could) (?:i|we) (?:deploy|launch|set up|start|roll out|install)"
    r" (?:it|that|this|them)"
)
GO_AHEAD: Final = re.compile(
    r"\A(?:(?:ok(?:ay)?|yes|great|cool|perfect|good|fine|alright|ja)[,.! ]+){0,6}"
    r"(?:do it|ship it|go ahead|make it so|let'?s do (?:it|that|this)|go for it|let'?s go"
    rf"|roll it out|launch it|set it up|mach das|los|{HOW_TO_DEPLOY})(?: then| please"
    rf"| now)?[.!?]*\Z"
)
# "Can it handle 60?": the answer is sized for as many.
CAN_TAKE: Final = re.compile(
    r"\A(?:and |but |so ){0,6}(?:can|could|will|would) (?:it|that|this|they|we)(?: still| also)? "
    r"(?:handle|take|serve|do|carry|manage|support|cope with) (?P<n>\d[\d,]*)(?: at once)?\s*\?*\Z"
)
REGIONS: Final = re.compile(
    r"\b(?:(?:which|what)(?: is|'s| would be|'?re)? (?:the )?)?"
    r"(?:cheapest|least expensive|lowest[ -]cost|best[ -]priced|most affordable|günstigste)"
    r" (?:aws )?(?:regions?|locations?)\b(?: for (?:that|this|it)\b)?"
    r"|\b(?:which|what) (?:aws )?regions? (?:is|are|has|have|would be) (?:the )?"
    r"(?:cheapest|least expensive|lowest (?:price|prices|cost|costs))\b"
)
TOPICS: Final = (
    ("recap", RECAP),
    ("cheaper", CHEAPER),
    ("risks", RISKS),
    ("more", MORE),
)


def asks_of_picks(low: str) -> bool:
    """Return whether a text in lower case is a question about the picks shown, and nothing else."""
    return CAN_TAKE.match(low) is not None or any(pattern.match(low) for _, pattern in TOPICS)


def read_picks_asked(draft: Draft) -> bool:
    """Mark what a follow-up asks of the picks that were shown; return whether it asks that."""
    if match := GO_AHEAD.match(draft.reader.work):
        draft.mark("intent:manifest", *match.span())
        return True
    for topic, pattern in TOPICS:
        if match := pattern.match(draft.reader.work):
            draft.mark(f"topic:{topic}", *match.span())
            return True
    if match := CAN_TAKE.match(draft.reader.work):
        draft.say("concurrency", float(match["n"].replace(",", "")), *match.span())
        return True
    return _choose_pick(draft) or _bill(draft)


def _choose_pick(draft: Draft) -> bool:
    """Keep which of the picks is wanted; return whether one is."""
    patterns = {"1": PINNED, "next": NEXT, "safest": SAFEST, **SIZED}
    numbered = NUMBERED.match(draft.reader.work)
    if numbered is not None:
        found, chosen = numbered, numbered["number"] or _ORDINALS[numbered["ordinal"]]
    else:
        hits = ((name, pattern.match(draft.reader.work)) for name, pattern in patterns.items())
        hit = next(((name, match) for name, match in hits if match is not None), None)
        if hit is None:
            return False
        chosen, found = hit
    draft.asked = replace(draft.asked, choice=chosen)
    draft.mark("topic:choose", *found.span())
    return True


def _bill(draft: Draft) -> bool:
    """Keep for how many, and for how much of the week, a bill is asked; return whether one is."""
    count, part = OF_THEM.search(draft.reader.work), _hours_a_week(draft)
    if count is not None and OF_THEM_COSTS.search(draft.reader.work):
        draft.asked = replace(draft.asked, copies=int(count["n"]))
        draft.mark("topic:bill", *count.span())
    if part is not None:
        draft.asked = replace(draft.asked, hours_per_week=part)
    if each := PER_HEAD.search(draft.reader.work):
        draft.asked = replace(draft.asked, per_whom=each["who"])
        draft.mark("topic:bill", *each.span())
    which = WHICH.search(draft.reader.work)
    work = WHICH.sub(lambda match: " " * len(match[0]), draft.reader.work, count=1)
    asked, lowest = BILL.search(work), LOWEST.search(work)
    if asked is not None and lowest is not None:  # which of them, not what they cost
        draft.mark("topic:cheapest_monthly", *asked.span())
        draft.mark("topic:cheapest_monthly", *lowest.span())
        return True
    if asked is not None:
        draft.mark("topic:bill", *asked.span())
    if "topic:bill" not in draft.marks:
        return False
    if which is not None:
        chosen = which["number"] or _ORDINALS[which["ordinal"]]
        draft.asked = replace(draft.asked, choice=chosen)
        draft.mark("topic:bill", *which.span())
    return True


def _hours_a_week(draft: Draft) -> float | None:
    """Return for how many hours of the week it runs, where that is not all of them."""
    work, hours, days = draft.reader.work, 24.0, 7.0
    office, weekdays, part = OFFICE.search(work), WEEKDAYS.search(work), A_DAY.search(work)
    if office:
        hours, days = OFFICE_HOURS, WORKING_DAYS
    if weekdays:
        days = WORKING_DAYS
    if part and part["day"]:
        hours = float(part["n"])
        days = WORKING_DAYS if part["day"].startswith("w") else days
    elif part:
        hours, days = float(part["n"]), 1.0
    for match in filter(None, (office, weekdays, part)):
        draft.mark("topic:bill", *match.span())
    return hours * days if office or weekdays or part else None


def read_cheapest_region(draft: Draft) -> None:
    """Mark that the region is what is asked for, in any text that names work."""
    for match in draft.reader.matches(REGIONS):
        draft.mark("topic:regions", *match.span())


def read_listed(draft: Draft) -> None:
    """Keep how many picks are to be listed ("top 5 instances for a 7B"), in any text."""
    for match in draft.reader.matches(TOP):
        listed = int(match["n"] or match["n2"] or match["n3"])
        draft.asked = replace(draft.asked, listed=listed)
        draft.mark("topic:more", *match.span())
