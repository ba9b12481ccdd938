"""Questions about an answer: how far it goes, what if prices change, how a figure came about.

Each marks a topic and takes its words, so that none of them is read as a wish: "what if prices
drop 20 %" sets no alert, and "how did you get the TTFT" no latency limit.
"""

import re
from dataclasses import replace
from typing import Final

from bot.language.draft import Draft
from bot.language.text.numbers import DIGITS, number

# Topics that are about an earlier answer unless a model is named.
ABOUT_AN_ANSWER: Final = frozenset({"topic:growth", "topic:price_change", "topic:derivation"})

_LOAD = (
    r"(?:users?|people|customers|clients|requests?|calls|queries|rps|qps|req/s|traffic|load"
    r"|concurren\w+|chats|sessions|conversations)"
)
_TAKES = r"(?:takes?|handles?|serves?|carry|carries|supports?|sustain|cope with|holds?)"
_IT = (
    r"(?:it|this|that|these|those|they|one|we|i|you|(?:this|the|that) "
    r"(?:setup|pick|box|machines?|instance|one))"
)
GROWTH: Final = re.compile(
    rf"\bhow (?:many|much)(?: \w+){{0,2}}? {_LOAD}(?: at once| in total| a second)?"
    rf" (?:can|could|will|would|does|do) {_IT}(?: \w+)? {_TAKES}\b"
    rf"|\bhow far (?:can|could|will|would|does) {_IT} (?:go|scale|stretch|grow)\b"
    r"|\bwhat (?:breaks|fails|gives|gives way|gives out|runs out|saturates|goes|would break"
    r"|will break|would fail|is the first (?:thing )?to (?:break|fail|go))\b(?: down)?(?: first)?"
    r"|\bwhat(?:'s| is| are| would be)?(?: the| its| our)? (?:bottlenecks?|limiting factor"
    r"|weakest (?:point|link|spot)|breaking point|single point of failure)\b"
    r"|\bwhere(?:'s| is)? the (?:bottleneck|limit|ceiling|breaking point)\b"
    r"|\b(?:when|at (?:what|which) (?:load|traffic|point)) (?:does|do|will|would) "
    rf"{_IT} (?:break|fail|saturate|fall over|give out|collapse|max out)\b"
    r"|\b(?:when|at (?:what|which) (?:load|traffic|point)) (?:do|will|would) (?:we|i|you|it) need"
    r" (?:a |an )?(?:second|2nd|another|more|bigger|additional)"
    r" (?:box(?:es)?|machines?|instances?|replicas?|gpus?|nodes?|servers?|one)\b"
    rf"|\A(?:and )?how many {_LOAD}(?: at once| in total| max(?:imum)?)*\s*\?*\Z"
    r"|\bhow much (?:headroom|spare capacity|slack|room to grow)\b"
    rf"(?: (?:is there|do (?:i|we) have|does {_IT} have|is left|have (?:i|we)(?: got)?))?"
    rf"|\bwhat(?:'s| is) (?:the|its) (?:max|maximum|most|highest|largest|peak)"
    rf"(?: number of)? {_LOAD}\b"
    rf"|\b(?:max|maximum) {_LOAD} (?:it|this|that) can {_TAKES}\b"
)
HYPOTHETICAL: Final = re.compile(
    r"\b(?:what if|what happens (?:if|when|to (?:it|this|that|the pick) (?:if|when))"
    r"|what would (?:happen|change) if|what changes (?:if|when)|suppose|supposing|imagine|assuming"
    r"|(?:and|how about|would it (?:still )?(?:be|win|stay)\b[^?]{0,40}"
    r"|does it (?:still )?\w+\b[^?]{0,40}) if)\b"
)
_DOWN = (
    r"(?:drop(?:s|ped)?|fall(?:s)?|fell|sink(?:s)?|decrease(?:s|d)?|shrink(?:s)?|(?:go|goes|went"
    r"|come"
    r"|comes|came) down|cheaper|lower|less|off|down|discount|cut)"
)
_UP = (
    r"(?:rise(?:s)?|rose|increase(?:s|d)?|climb(?:s|ed)?|jump(?:s|ed)?|(?:go|goes|went) up|dearer"
    r"|higher|more expensive|up|more|hike)"
)
_BY = rf"(?P<n>{DIGITS})\s?(?:%|percent|per cent|pct)"
_BY2 = _BY.replace("<n>", "<n2>")
PRICE_CHANGE: Final = re.compile(
    rf"\b(?:(?P<down>{_DOWN})|(?P<up>{_UP}))(?: in price)?(?: by)?(?: another)? {_BY}(?![a-z])"
    rf"|{_BY2} (?:price )?(?:(?P<down2>{_DOWN})|(?P<up2>{_UP}))\b"
    rf"|\b{_UP} by (?P<more>half)\b"
    r"|\b(?P<times>doubles?|doubled|halves?|halved|half|triples?|tripled)\b"
)
TIMES_PERCENT: Final = {"doub": 100.0, "halv": -50.0, "half": -50.0, "trip": 200.0}
PRICES: Final = re.compile(
    r"\b(?:(?:the |all |its |our |aws |ec2 |list )*(?:prices?|pricing|costs?|rates?)"
    r"|cheaper|expensive|dearer|off|discount)\b"
)
# "What if g5 drops 20 %": what drops of hardware is its price.
HARDWARE: Final = re.compile(r"\s+(?:the |an? )?(?:[a-z]+-?\d[\w.-]*|spot|on[- ]demand)\s+")
ALERTING: Final = re.compile(
    r"\b(?:alert|notify|tell (?:me|us)|ping|warn|let (?:me|us) know|watch|subscribe)\b"
)
_FIGURE_WORDS: Final[dict[str, str]] = {
    "ttft": r"ttft|(?:time to )?(?:the )?first token(?: latency)?(?: time)?",
    "tpot": r"tpot|itl|time per (?:output )?token|(?:per|inter)[- ]token (?:latency|time)",
    "e2e": r"whole (?:answer|request)|end[- ]to[- ]end(?: latency)?|e2e",
    "rate": r"throughput|tokens per second|tok/s|tokens/s|requests per second|requests a second",
    "memory": r"memory|vram|kv cache|weights",
    "mfu": r"mfu",
    "time": r"training time|time to finish|duration",
    "price": r"(?:hourly |monthly |total )?(?:prices?|costs?)",
    "latency": r"latency|latencies|speed",
}
FIGURES: Final = {
    name: re.compile(rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])")
    for name, words in _FIGURE_WORDS.items()
}
_ANY_FIGURE = "|".join(
    [*_FIGURE_WORDS.values(), r"numbers?", r"figures?", r"estimates?", "this", "that", "it"]
)
DERIVED: Final = re.compile(
    rf"\bhow (?:did|do|does|was|were|is|are) (?:you |we |the bot )?"
    rf"(?:(?:the|your|this|that|these|those|my) )?(?:(?:{_ANY_FIGURE}) )?"
    r"(?:get|got|calculated?|computed?|derived?|estimated?"
    r"|work(?:ed)? (?:it |that |this )?out|arrive[d]? at|come (?:up with|to|about)|determine[d]?"
    r"|know|predict(?:ed)?|measured?)\b"
    rf"(?: (?:the|your|this|that|these|those|at|to))*(?: (?:{_ANY_FIGURE}))?(?![a-z0-9])"
    rf"|\bwhere (?:did|do|does) (?:(?:the|your|this|that|these|those) )?(?:{_ANY_FIGURE})"
    r"(?: (?:figures?|numbers?|estimates?))? come from\b"
    r"|\b(?:show|give|explain|walk)(?: (?:me|us))?(?: through)? (?:the |your )?"
    r"(?:maths?|calculations?|derivations?|workings?|formulas?|formulae|arithmetic)\b"
    r"|\b(?:derivation|the maths?|the calculation)(?: (?:of|for|behind) (?:the )?"
    rf"(?:{_ANY_FIGURE}))?(?![a-z0-9])"
    r"|\bhow (?:sure|certain|confident|accurate|reliable|precise|exact|trustworthy) (?:are|is) "
    rf"(?:you|the|this|that|it|these|those)(?: (?:{_ANY_FIGURE}))?(?![a-z0-9])"
    r"|\bhow (?:old|fresh|recent|current|up to date) (?:are|is) (?:the|your|these|this)"
    r" (?:prices?|figures?|data)\b"
)


def read_follow_questions(draft: Draft) -> None:
    """Mark the question that a text asks about an answer, and keep what it asks of."""
    _price_change(draft)
    for match in draft.reader.matches(GROWTH):
        draft.mark("topic:growth", *match.span())
    for match in draft.reader.matches(DERIVED):
        if "topic:derivation" not in draft.marks:
            draft.asked = replace(draft.asked, figure=_figure_asked(match[0]))
        draft.mark("topic:derivation", *match.span())
        _take_figures(draft)


def _price_change(draft: Draft) -> None:
    """Keep by how many per cent prices change in the world that the text supposes."""
    text = draft.reader.whole
    supposed, change = HYPOTHETICAL.search(text), PRICE_CHANGE.search(text)
    if supposed is None or change is None or ALERTING.search(text):
        return
    of_prices = PRICES.search(text) or HARDWARE.fullmatch(text, supposed.end(), change.start())
    if not of_prices or change.start() < supposed.start():
        return
    draft.asked = replace(draft.asked, price_change_percent=_percent_asked(change))
    for match in (supposed, change, *PRICES.finditer(text)):
        draft.mark("topic:price_change", *match.span())


def _percent_asked(change: re.Match[str]) -> float:
    if change["times"]:
        return TIMES_PERCENT[change["times"][:4]]
    if change["more"]:
        return 50.0
    percent = number((change["n"] or change["n2"]).replace(",", ""))
    return -percent if change["down"] or change["down2"] else percent


def _figure_asked(words: str) -> str:
    return next((name for name, pattern in FIGURES.items() if pattern.search(words)), "all")


def _take_figures(draft: Draft) -> None:
    for pattern in FIGURES.values():
        for match in draft.reader.matches(pattern):
            draft.reader.take(*match.span())
