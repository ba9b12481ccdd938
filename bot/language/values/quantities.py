"""Reads load and length: requests and tokens per time, users, contexts, prompts and answers."""

import re
from collections.abc import Iterator

from bot.core.errors import RequestError
from bot.language.draft import Draft
from bot.language.text.late import LatePattern
from bot.language.text.numbers import DIGITS, SCALE, START, WINDOW_SCALES, number
from bot.language.text.plain import TAKEN
from bot.language.text.units import any_word, unit_key
from bot.language.text.units import seconds as seconds_of
from catalog.facts.units import SECONDS_PER_DAY

# "per second", "/min", "每天": over what time a figure is counted.
PERIOD = (
    rf"(?: ?/ ?| ?(?:{any_word('each')}) ?)"
    rf"(?P<period>{any_word('times', 'short periods')})"
)
# "10 to 20 rps", "5-10k tokens": a range counts by its upper end.
LOW = rf"(?:\d[\d,.]{{0,15}}\s?[km]?\s?(?:-|{any_word('range')})\s?)?"
Q = rf"{START}{LOW}(?P<sign>-)?(?P<n>{DIGITS})(?P<scale>{SCALE})"
PER_USER = (
    r"(?P<each>(?:\s?/\s?|\s(?:per|for each|for every|each|a|for one|for a single)\s?)"
    r"(?:users?|streams?|requests?|sessions?|chats?|clients?|person|single user|conversation)"
    r"|\seach\b|\sfor (?:each|every) of(?: (?:the|our))?(?=\s\d))?"
)
TOKEN_RATE = LatePattern(
    rf"{Q}\s?(?:output |input |generated |total )?(?:tokens?|toks?|tk|t){PERIOD}{PER_USER}",
    seen=r"tok|tk|(?:\b|\d|[a-z])t\b",
)
TOKEN_RATE_WORD = re.compile(rf"{Q}\s?(?P<word>tps|tok/sec|tokens/sec)(?!\w){PER_USER}")
BATCH = re.compile(
    r"\bbatch(?: ?size)?(?: of| =|=|:)? ?(?P<n>\d{1,7})(?!\w|\.\d| ?(?:k|thousand|million)\b)"
    r"|\bbs ?=? ?(?P<n2>\d{1,6})(?!\w|\.\d)"
)
WAYS = re.compile(rf"{START}(?P<n>\d{{1,4}})[ -]way (?:tensor(?:[ -]parallel(?:ism)?)?|tp)\b")
DEGREE = re.compile(
    r"\b(?P<what>tp|pp|tensor[ -]parallel(?:ism)?|pipeline[ -]parallel(?:ism)?) ?(?:of |size "
    r"|degree |= ?)?(?P<n>\d{1,4})(?!\w|\.\d)"
)

ONE = r"(?:conversation|chat|session|request|sequence|prompt|document|doc|sample|message|page)"
WINDOW = (
    r"(?:token )?(?:full )?(?:context(?: window| length| size)?|ctx|windows?"
    r"|max(?:imum)? (?:model )?len(?:gth)?"
    r"|model len|max length|conversation|kontext\w*|contexte|contexto|contesto|контекст\w*"
    r"|上下文(?:长度|窗口)?|コンテキスト長?|컨텍스트)"
)
W = (
    rf"{START}{LOW}(?P<sign>-)?(?P<n>{DIGITS})(?P<scale>\s?[km](?!\w))?(?:[ -]?(?:tokens?"
    rf"|tok))?"
)
CONTEXT = re.compile(rf"{W}[ -]?{WINDOW}(?!\w)")
CONTEXT_OF = re.compile(rf"\b{WINDOW}(?: (?:of|is|at|up to|to|around|about|needs?))* ?{W}(?![\w%])")
ONE_REQUEST = re.compile(
    rf"{START}(?P<sign>-)?(?P<n>{DIGITS})(?P<scale>[km])?[ -]tokens? (?:request|conversation"
    rf"|sequence|document)s?(?!\w)"
)
# "one 32k conversation", "each 4k document", "each sample 2k tokens": of one of them
OF_ONE = re.compile(
    r"\b(?:1|an?|single|each|every|per|whole) (?:single |long |whole |full )?(?:"
    rf"(?P<n>{DIGITS})(?P<scale>\s?[km](?![a-z0-9]))?[ -]?(?:tokens?|tok)?[ -]?(?P<what>{ONE})"
    rf"|(?P<what2>{ONE})(?: (?:is|of|has|with|at|about|up to))* (?P<n2>{DIGITS})"
    r"(?P<scale2>\s?[km](?![a-z0-9]))?[ -]?(?:tokens?|tok))(?![a-z])"
)
AT_LENGTH = re.compile(rf"\b(?:at|with|@|to) (?P<sign>-)?(?P<n>{DIGITS})(?P<scale>k)(?![\w])")
BARE_LENGTH = re.compile(
    rf"{START}(?P<sign>-)?(?P<n>{DIGITS})(?P<scale>k) (?:was|is|were|works?|worked|fits?)\b"
)
# A whole turn: "64k?"
ONLY_LENGTH = re.compile(
    rf"\A(?:and |with |what about |how about |at )?(?P<sign>-)?(?P<n>{DIGITS})(?P<scale>k)\s?\??\Z"
)
NO_TIME = r"(?!\s?(?:ms|s|secs?|seconds?|sekunden?|mins?|minutes?|minuten?|h|hours?)(?!\w))"
SEQUENCE = re.compile(
    rf"{W}[ -]?(?:sequences?(?: length)?|seq(?:[ _]?len)?|seqs?)(?!\w)"
    rf"|\b(?:sequence length|seq(?:uence)?[ _-]?len(?:gth)?)(?: of)? ?"
    rf"(?P<n2>{DIGITS})(?P<scale2>k)?(?![\w])"
)
IN = r"(?:input|in|prompt|prefill|inputs|prompts)"
OUT = (
    r"(?:output|out|generated|generation|completion|completions|response|responses|decode|answer"
    r"|answers|replies|outputs)"
)
INPUT = re.compile(
    rf"{W}[ -]?(?:tokens? )?(?:(?<=token )[a-z]+ )?(?:of )?{IN}(?: tokens?)?(?![a-z=<])"
)
OUTPUT = re.compile(rf"{W}[ -]?(?:tokens? )?(?:of )?{OUT}(?: tokens?)?(?![a-z=<])")
INPUT_OF = re.compile(
    rf"\b(?:prompts?|inputs?|isl|input length)(?: (?:of|are|is|around|about|length|averag\w+"
    rf"|up to|~))* ?{W}(?![\w/%]){NO_TIME}"
)
OUTPUT_OF = re.compile(
    rf"\b(?:answers?|outputs?|responses?|replies|completions?|osl|output length|generat(?:e|es"
    rf"|ing))(?: (?:of|are|is|around|about|up to|~))* ?{W}(?![\w/%]){NO_TIME}"
)
IN_OUT = re.compile(
    rf"{START}(?P<n>{DIGITS})(?P<scale>k)? ?/ ?(?P<n2>{DIGITS})(?P<scale2>k)?(?: tokens?)?(?: "
    rf"in/out)?(?![\w/])"
)
ALWAYS = re.compile(rf"{START}24 ?[/x] ?7(?![\w/.])")
VARY = re.compile(
    rf"{START}(?:(?:between|from) )?\d[\d,]* ?(?:-|and|to) ?(?P<high>\d[\d,]*) tokens?(?!\w)"
)

FEWEST_LEARNT = 10_000.0  # tokens of a whole run
VOLUME = re.compile(
    rf"{Q}\s?(?:of )?(?:training |total |fine-?tuning )?(?:tokens?|toks?)(?!\w)(?!\s?/)"
)
# What a number may count beside requests and tokens: kept, never read as a model's size.
ITEMS = re.compile(
    rf"{Q}\s?(?:training |daily |monthly |active |short |long )?(?P<what>examples|samples|rows"
    rf"|conversations|documents|docs|pages"
    rf"|records|items|images|videos|emails|articles|products|customers|users|people|prompts"
    rf"|requests"
    rf"|queries|calls|messages|words|characters|lines|sentences|files|vectors|embeddings|minutes of"
    rf"|devices|downloads|tickets|reviews|steps|epochs)(?!\w)"
)
MACHINES = (
    r"(?:nodes?|replicas?|copies|machines?|servers?|hosts?|box(?:es)?|instances?|maschinen?|knoten)"
)
NODES = re.compile(rf"{START}(?P<n>\d{{1,5}})(?: ?x)? (?:separate |identical )?{MACHINES}(?!\w)")
ONE_MORE = re.compile(
    rf"\b(?:a (?:second|2nd)|another|one more|1 more|an? (?:additional|extra|spare"
    rf"|standby)) {MACHINES}"
    r"(?: in (?:another|a (?:second|different)|the other) (?:az|zone|availability zone))?(?!\w)"
)
# "4 x g5.xlarge", "g5.xlarge x4": a number beside a type that nothing else has read.
BEFORE_TYPE = re.compile(
    r"(?<![\w.,$])(?P<n>\d{1,3}(?:,\d{3})+|\d{1,6})(?P<x> ?x)?"
    rf"(?: (?:{any_word('kinds of machines')}|{TAKEN}+))? \Z"
)
AFTER_TYPE = re.compile(r" ?(?P<x>x) ?(?P<n>\d{1,6})(?!\w|\.\d)")
ONLY_SO_MANY = re.compile(r"\b(?:only|just|nur|no more than) \Z")
MOST_UNNAMED = 64  # machines: a larger number that names none is more often something else
# "Top 5 instances", "compare 2 instances": what is to be listed, not run.
LISTS = re.compile(
    r"\b(?:top|best|cheapest|fastest|list|show(?: me)?|compare|other|next|more|which|between|all)"
    r"(?: the)? \Z"
)
REDUNDANT = re.compile(
    r"\b(?:(?:for |need |with |make (?:it|this) |want (?:it )?)ha|high availability"
    r"|highly available|redundan(?:t|cy)|failover"
    r"|hochverf[üu]gbar)(?!\w)"
)
BANDWIDTH = re.compile(
    rf"{START}(?P<n>{DIGITS})\s?(?P<unit>tbps|tb/s|tbit/s|terabits?|gbps|gbit/s"
    rf"|gb/s|gigabits?)(?!\w)(?:(?: ?/ ?s| per second| a second)(?!\w))?"
    rf"(?:[ -](?:network\w*|efa|interconnect))?"
)
OBSERVED = re.compile(
    r"\b(?:see|saw|get|getting|only|observe[ds]?|currently|measured?|takes?|took"
    r"|seeing)\b[^,;]{0,20}\Z"
)
WHOLE_TALKS = frozenset({"conversation", "chat", "session", "request", "sequence"})
LONGEST_PROMPT = 131_072.0
LONGEST_ANSWER = 16_384.0
FASTEST_FOR_ONE = 300.0  # tokens/s: no reader asks more for one answer
OF_ALL = re.compile(
    r"\b(?:total|overall|aggregate|altogether|combined|whole system|throughput|all users|in all"
    r"|insgesamt)\b"
)
ULTRA_HIGH_GBPS = 1600.0  # the guides' ultra-high branch is 3.2 Tbps; half of it is still EFA-class


def read_rates(draft: Draft) -> None:
    """Say tokens per time; a rate per user is a latency per token."""
    _read_lengths_of_one(draft)
    for match in draft.reader.matches(TOKEN_RATE):
        _say_tokens(draft, match, period_seconds(match["period"]))
    for match in draft.reader.matches(TOKEN_RATE_WORD):
        if match["word"] != "tps" or match["each"] or "tok" in draft.reader.whole:
            _say_tokens(draft, match, 1.0)


def _say_tokens(draft: Draft, match: re.Match[str], seconds: float) -> None:
    """Record a token rate: of one user, of the whole system, or only as seen somewhere."""
    rate = signed_value(match) / seconds
    if OBSERVED.search(draft.reader.before(match.start())) and not match["each"]:
        draft.details["observed_tokens_per_s"] = f"{rate:g}"
        draft.mark("observed", *match.span())
    elif match["each"]:
        draft.say("latency_kind", "per_token", *match.span())
        draft.say("latency_ms", 1000.0 / rate if rate else 0.0, *match.span(), sign="<")
    elif seconds > 1:
        draft.say(
            "tokens_per_day", signed_value(match) * (SECONDS_PER_DAY / seconds), *match.span()
        )
        draft.say("avg_tokens_per_s", rate, *match.span())
    else:
        _say_system_rate(draft, match, rate)


def _say_system_rate(draft: Draft, match: re.Match[str], rate: float) -> None:
    """Record a token rate of the whole system; one as slow as people's may be meant for each."""
    if 0 < rate <= FASTEST_FOR_ONE and not OF_ALL.search(draft.reader.whole):
        words = draft.reader.words(*match.span()).strip()
        draft.note("rate_of_all", f"`{words}` is read as of all users together.")
        for_each = {"latency_ms": 1000.0 / rate, "latency_kind": "per_token"}
        draft.offer("rate_of_all", "avg_tokens_per_s", (f"{rate:g} tokens/s per user", for_each))
    draft.say("avg_tokens_per_s", rate, *match.span())


def read_degrees(draft: Draft) -> None:
    """Say the batch, the degrees of parallelism and how many machines."""
    for match in draft.reader.matches(BATCH):
        draft.say("batch", float(match["n"] or match["n2"]), *match.span())
    for match in draft.reader.matches(WAYS):
        draft.say("tensor_parallel", float(match["n"]), *match.span())
    for match in draft.reader.matches(DEGREE):
        name = "pipeline_parallel" if match["what"].startswith("p") else "tensor_parallel"
        draft.say(name, float(match["n"]), *match.span())
    _read_machines(draft)
    for match in draft.reader.matches(BANDWIDTH):
        say_bandwidth(draft, number(match["n"]), match["unit"], *match.span())


def _read_lengths_of_one(draft: Draft) -> None:
    """Say the length of one conversation, prompt or sample: a thousand tokens, not of them."""
    for match in draft.reader.matches(OF_ONE):
        digits, scale = match["n"] or match["n2"], match["scale"] or match["scale2"] or ""
        if not scale and "tok" not in match[0]:
            continue  # "a 3 document answer"
        what = match["what"] or match["what2"]
        draft.say(_length_field(what, trains=draft.trains), tokens(digits, scale), *match.span())


def _length_field(what: str, *, trains: bool) -> str:
    """Return the field that the length of one of these is."""
    if trains:
        return "seq_len"
    return "context" if what in WHOLE_TALKS else "input_tokens"


def _read_machines(draft: Draft) -> None:
    """Say on how many machines it shall run; what must survive one machine's loss takes two."""
    for match in draft.reader.matches(NODES):
        if not LISTS.search(draft.reader.before(match.start())):
            draft.say("nodes", float(match["n"]), *match.span())
    for match in draft.reader.matches(ONE_MORE):
        if "nodes" not in draft.said:
            draft.say("nodes", 2.0, *match.span())
    for match in draft.reader.matches(REDUNDANT):
        if "nodes" not in draft.said:
            words = draft.reader.words(*match.span()).strip()
            draft.note("redundant", f"`{words}` is read as at least two machines.")
            draft.say("nodes", 2.0, *match.span())
        draft.reader.take(*match.span())


def read_machine_counts(draft: Draft) -> None:
    """Say `nodes` where a number that no other rule has read stands beside an instance type.

    Raises:
        RequestError: `invalid_value` for more than MOST_UNNAMED machines that are not said to be
            machines, with the forms that say them.
    """
    for one in draft.said.get("instance", ()):
        work = draft.reader.work
        count = BEFORE_TYPE.search(work, max(0, one.start - 28), one.start)
        count = count or AFTER_TYPE.match(work, one.end)
        if count is None or (number(count["n"]) <= 1 and not _is_limited(draft, count.start())):
            continue
        if number(count["n"]) > MOST_UNNAMED and not count["x"]:
            raise _many_machines(draft, count, str(one.value))
        end = count.end("x") if count["x"] else count.end("n")  # "spot" behind it says a market
        draft.say("nodes", number(count["n"]), count.start(), end)


def _is_limited(draft: Draft, start: int) -> bool:
    """Return whether "only one" is said: one alone may be any machine."""
    return ONLY_SO_MANY.search(draft.reader.before(start)) is not None


def _many_machines(draft: Draft, count: re.Match[str], instance: str) -> RequestError:
    """Return the question whether a large number counts machines or something else."""
    figure = f"{number(count['n']):.0f}"
    said = draft.reader.words(*count.span("n"))
    forms = (f"nodes={figure}", f"context={figure}", f"in={figure}", f"users={figure}")
    return draft.refusal(
        "invalid_value",
        f"`{said}` before {instance} could be machines or tokens: say"
        f" {', '.join(forms[:-1])} or {forms[-1]}.",
        *count.span("n"),
        name="nodes",
        suggestions=forms,
    )


def say_bandwidth(draft: Draft, figure: float, unit: str, start: int, end: int) -> None:
    """Record a network speed said in Gbit/s or Tbit/s, and the guides' word for it."""
    gbps = figure * (1000.0 if unit.startswith("t") else 1.0)
    draft.say("network_gbps", gbps, start, end)
    if gbps >= ULTRA_HIGH_GBPS:
        draft.say("network", "ultra_high", start, end)


def read_lengths(draft: Draft, *, trains: bool) -> None:
    """Say context, prompt and answer lengths in tokens, where k is 1,024."""
    for match in draft.reader.matches(VARY):
        draft.say("input_tokens", number(match["high"]), *match.span())
    for match in draft.reader.matches(SEQUENCE):
        digits, scale = match["n"] or match["n2"], match["scale"] or match["scale2"] or ""
        draft.say("seq_len", tokens(digits, scale), *match.span())
    for pattern in (CONTEXT, CONTEXT_OF, ONE_REQUEST):
        for match in draft.reader.matches(pattern):
            draft.say("context", _tokens_said(match), *match.span())
    _read_prompts(draft, trains=trains)
    for match in draft.reader.matches(ALWAYS):
        draft.reader.take(*match.span())  # as every price is meant
    for match in draft.reader.matches(IN_OUT):
        draft.say("input_tokens", tokens(match["n"], match["scale"] or ""), *match.span())
        draft.say("output_tokens", tokens(match["n2"], match["scale2"] or ""), *match.span())
    for pattern in (AT_LENGTH, BARE_LENGTH, ONLY_LENGTH):
        for match in draft.reader.matches(pattern):
            draft.say("seq_len" if trains else "context", _tokens_said(match), *match.span())


def _read_prompts(draft: Draft, *, trains: bool) -> None:
    """Say what comes in and goes out, where each is named.

    "train on 300M tokens in Osaka": a run has no prompts, so a place or time follows that "in".
    """
    for name, pattern in (
        ("output_tokens", OUTPUT),
        ("input_tokens", INPUT),
        ("input_tokens", INPUT_OF),
        ("output_tokens", OUTPUT_OF),
    ):
        for match in draft.reader.matches(pattern):
            if not (trains and match[0].endswith(" in")):
                draft.say(name, _tokens_said(match), *match.span())


def read_volume(draft: Draft, *, trains: bool) -> None:
    """Say how many tokens a training run has; without training the words are ambiguous."""
    if "tokens_key" in draft.marks:
        _say_key_volume(draft, trains=trains)
    for match in draft.reader.matches(VOLUME):
        if trains and 0 < signed_value(match) < FEWEST_LEARNT:
            _say_example_length(draft, match)
        elif trains:
            draft.say("tokens_total", signed_value(match), *match.span())
        elif re.search(r"\b(?:kv|cache|context|window|long)\b", draft.reader.whole):
            scale = (match["scale"] or "").strip()[:1]
            draft.say("context", tokens(match["n"], scale), *match.span())
        else:
            _note_volume(draft, *match.span(), signed_value(match))
    for match in draft.reader.matches(ITEMS):
        if trains:
            draft.mark("detail:items", *match.span())  # they make up the tokens that were said
        else:
            draft.ignore(*match.span())


def _say_example_length(draft: Draft, match: re.Match[str]) -> None:
    """Read so few tokens as the length of one example: no model learns from as little in all."""
    words = draft.reader.words(*match.span()).strip()
    draft.note(
        "tokens_of_one",
        f"`{words}` is read as the length of one example. Say how many examples there are, or the"
        " tokens of all of them, as in tokens_total=20M.",
    )
    draft.say("seq_len", signed_value(match), *match.span())


def _say_key_volume(draft: Draft, *, trains: bool) -> None:
    """Read `tokens=3000k`: the run's volume in training, ambiguous otherwise."""
    start, end = draft.marks["tokens_key"]
    count = float(draft.details.pop("tokens") if trains else draft.details["tokens"])
    if trains:
        draft.say("tokens_total", count, start, end, keyed=True)
    else:
        _note_volume(draft, start, end, count)


def _note_volume(draft: Draft, start: int, end: int, count: float) -> None:
    words = draft.reader.words(start, end).strip()
    draft.note(
        "tokens_ambiguous",
        f"`{words}` could be tokens per request or total tokens: it was not used. Say"
        " input_tokens=, output_tokens=, or tokens per day.",
    )
    draft.offer("tokens_ambiguous", None, *_uses_of(count))
    draft.mark("tokens", start, end)


def _uses_of(count: float) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield what a number of tokens is plausible as."""
    if 0 < count <= LONGEST_PROMPT:
        yield f"prompts of {count:,.0f} tokens", {"input_tokens": round(count)}
    if 0 < count <= LONGEST_ANSWER:
        yield f"answers of {count:,.0f} tokens", {"output_tokens": round(count)}
    if count > LONGEST_ANSWER:
        yield f"{count:,.0f} tokens a day", {"tokens_per_day": count}


def tokens(digits: str, scale: str) -> float:
    """Return a length in whole tokens, k being 1,024."""
    return float(round(number(digits, scale, WINDOW_SCALES)))


def _tokens_said(match: re.Match[str]) -> float:
    value = tokens(match["n"], match["scale"] or "")
    return -value if match["sign"] else value


def signed_value(match: re.Match[str]) -> float:
    """Return the number of a match of `Q` or `C`, its scale and sign applied."""
    value = number(match["n"], match["scale"] or "")
    return -value if match["sign"] else value


def period_seconds(word: str) -> float:
    """Return the seconds of a written period; "m" is a minute, as in req/m."""
    return seconds_of()[unit_key(word, "times", "short periods")]
