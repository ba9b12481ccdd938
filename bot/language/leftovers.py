"""What of a text is no workload field: facts that are kept, and words that nobody read."""

import re

from bot.core.understanding import Span
from bot.language.draft import Draft
from bot.language.questions.question import READERS
from bot.language.text.numbers import DIGITS, START
from bot.language.text.plain import TAKEN
from bot.language.text.tables import stopwords
from bot.language.text.units import any_word
from bot.language.text.vocabulary import SHORTEST_MENDED, Vocabulary

WORD = re.compile(rf"[^\s{TAKEN}]+")
EDGES = " \t\n.,;:!?()[]\"'*_~/-…&+<>=|"
CLOSE_ENOUGH = 0.75
MOST_SPANS = 20


def leftovers(draft: Draft, vocabulary: Vocabulary) -> tuple[Span, ...]:
    """Return the stretches nobody read, neighbours joined, with the nearest known word."""
    reader = draft.reader
    places = [(start, end, hint) for start, end, hint in draft.ignored]
    places += [(start, end, None) for start, end in _open_words(draft)]
    spans: list[Span] = []
    for start, end, hint in sorted(places, key=lambda place: place[0]):
        first, last = reader.origin(start, end)
        words = reader.text[first:last]
        suggestion = hint or _suggestion(words, vocabulary)
        if (
            spans
            and not suggestion
            and not spans[-1].suggestion
            and _adjoin(spans[-1], first, reader.text)
        ):
            spans[-1] = Span(spans[-1].start, last, reader.text[spans[-1].start : last])
        else:
            spans.append(Span(first, last, words, suggestion))
    return tuple(spans[:MOST_SPANS])


def _open_words(draft: Draft) -> list[tuple[int, int]]:
    """Return the words left open that could have meant something, without their punctuation.

    Of a question about the picks shown the plain words are understood.
    """
    places = []
    for match in WORD.finditer(draft.reader.work):
        word = match[0].strip(EDGES)
        if not word:
            continue
        start = match.start() + match[0].index(word)
        original = draft.reader.words(start, start + len(word)).lower()
        if _is_filler(original, word) or (
            draft.question in READERS and word.replace("'", "").isalpha()
        ):
            continue
        places.append((start, start + len(word)))
    return places


def _is_filler(original: str, word: str) -> bool:
    parts = re.split(r"[-/']", original)
    known = all(part in stopwords() or not part for part in parts)
    return (
        known or (not word.isascii() and len(word) == 1) or (len(word) == 1 and not word.isdigit())
    )


def _adjoin(span: Span, first: int, text: str) -> bool:
    return text[span.end : first].strip(EDGES) == ""


def _suggestion(words: str, vocabulary: Vocabulary) -> str | None:
    """Return the known word spelled most like a single open word, when close."""
    word = words.lower().strip(EDGES)
    if len(word) < SHORTEST_MENDED or " " in word or not word.isascii():
        return None
    from rapidfuzz import fuzz, process

    best = process.extractOne(
        word, vocabulary.known_words, scorer=fuzz.ratio, score_cutoff=100 * CLOSE_ENOUGH
    )
    return best[0] if best and best[0] != word else None


KUBERNETES = re.compile(r"\b(?:kubernetes|k8s|eks)(?: version)?[ -]?v?(?P<version>1\.\d{2})\b")
PERCENT = re.compile(rf"{START}(?P<n>\d{{1,3}}(?:\.\d+)?)\s?(?:%|percent|prozent)(?!\w)")
MEMORY = re.compile(
    rf"{START}(?P<n>{DIGITS})\s?(?P<unit>gib|gb|gig|mib|mb|tb|tib|g)(?!\w)"
    r"(?:\s?/\s?gpu|\sper (?:card|gpu|chip)"
    r"|(?P<host>[ -](?:of )?(?:host |system |main )?(?:ram|dram|memory(?= on the host)))(?!\w))?"
)
CACHE = re.compile(r"\b(?:cache|left|leaves|free|remaining|over)\b")
HOST = re.compile(r"\A[ -](?:of )?(?:ram|system memory|host|dram|main memory)")
SHARE = re.compile(r"\b(?:utili[sz]ation|util)(?: of| at)?[ ,:]*(?P<n>0?\.\d{1,3}|\d{2,3} ?%)")
# The word itself is taken already where it leads the text as a command.
GUIDE = re.compile(rf"(?:\bguide[ _-]?|\A{TAKEN}+ )(?P<n>00[0-9])\b")
VCPUS = re.compile(rf"{START}(?P<n>\d{{1,6}})\s?(?:vcpus?|cores?|neuroncores?)(?!\w)")
# "7 % done after a day": what was seen of a job
PROGRESS = re.compile(rf" ?(?:was |were |are |is )?(?:{any_word('progress')})(?!\w)")
RATIO = re.compile(
    r"\bdrops?\b|\bfalls?\b|\brises?\b|\bcheaper\b|\bsinks?\b|\bchanges?\b|\bgoes\b|\balert\b"
    r"|\bmoves?\b|\bwatch\b|\bnotify\b"
)


PER_MILLION = re.compile(
    r"(?:\$|\b(?:usd|dollars?|cost|costs|price))\s?(?:/|per|of|for)\s?(?:1\s?m(?:illion)?"
    r"|1 million|a million|million|m)\s"
    r"(?:output |input )?tokens?\b"
)
SERVING_OPTION = re.compile(
    r"\b(?:(?:prefix|prompt)[- ]?(?:cach(?:e|ing)d?)|(?:speculative|spec) (?:decoding|sampling)"
    r"|eagle-?3?|medusa|chunked prefill)(?: hits?| hit rate)?"
    r"(?:(?: of| at| with)? \d{1,3} ?%(?: hits?| hit rate)?)?(?!\w)"
)


def read_guide(draft: Draft) -> None:
    """Say the guide that is named by number, before its digits can be read as a load."""
    for match in draft.reader.matches(GUIDE):
        draft.say("guide", match["n"], *match.span())


def read_remarks(draft: Draft) -> None:
    """Keep each remark as a detail, or as the field it belongs to."""
    for match in draft.reader.matches(PER_MILLION):
        draft.mark("topic:cost", *match.span())
    for match in draft.reader.matches(SERVING_OPTION):
        _keep_detail(draft, "serving_option", match[0], match)
        draft.note(
            "serving_option",
            f"Figures are without {match[0]}: `ec2-pick estimate` takes --prefix-cached-share, "
            "--prefill-chunk-tokens and --draft-tokens.",
        )
    for match in draft.reader.matches(KUBERNETES):
        _keep_detail(draft, "k8s", match["version"], match)
    for match in draft.reader.matches(SHARE):
        share = match["n"].replace(" ", "")
        value = float(share.rstrip("%")) / (100 if share.endswith("%") else 1)
        draft.say("memory_utilisation", value, *match.span())
    for match in draft.reader.matches(PERCENT):
        if PROGRESS.match(draft.reader.after(match.end())):
            _keep_detail(draft, "progress_percent", match["n"], match)
        elif RATIO.search(draft.reader.whole):
            _keep_detail(draft, "alert_drop_percent", match["n"], match)
    for match in draft.reader.matches(MEMORY):
        _keep_detail(draft, _memory_of_what(draft, match), f"{match['n']} {match['unit']}", match)
    for match in draft.reader.matches(VCPUS):
        _keep_detail(draft, "vcpus", match["n"], match)


def _memory_of_what(draft: Draft, match: re.Match[str]) -> str:
    if match["host"] or HOST.match(draft.reader.after(match.end())):
        return "host_ram"
    near = draft.reader.before(match.start(), 30) + " " + draft.reader.after(match.end(), 30)
    return "kv_mem" if CACHE.search(near) else "memory_mentioned"


def _keep_detail(draft: Draft, name: str, value: str, match: re.Match[str]) -> None:
    draft.details.setdefault(name, value)
    draft.mark(f"detail:{name}", *match.span())
