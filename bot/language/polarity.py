"""What is named is wanted, left out, or all that may be: settled before it becomes a value.

Everything named (types, families, chips, makers, regions, markets, number formats, engines) is
found first; `polarity.txt` holds the words that leave something out, on which side of it they
stand, and what may stand between. Their reach is the list: "no H100 or A100" leaves out both.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from bot.language.draft import Draft, NamedThing, Polarity
from bot.language.fields.keys import KEYS
from bot.language.names.gpus import CARDS, chips_of
from bot.language.names.instances import FAMILY, INSTANCE, UNDOTTED, family_of
from bot.language.names.places import CODE, SPOKEN, is_place
from bot.language.text.phrases import WORD, Index, hits, phrase_index, unspaced_hits
from bot.language.text.plain import TAKEN
from bot.language.text.tables import sections_of
from bot.language.text.vocabulary import Vocabulary
from engine.core.assumptions import usual_engine
from engine.core.dtypes import native_weights_dtype

TABLE: Final = sections_of(Path(__file__).with_name("polarity.txt"))
UNSPACED: Final = "zh"
# What can be left out: the lexicon's names, and what kind of thing each says. A list goes on with
# things of the same kind.
KINDS: Final = (
    {"group": "hardware"}
    | {name: name for name in ("market", "quant", "framework", "method", "mode", "needs_cuda")}
    | {"objective": "objective", "commitment": "market"}
)
POLARITIES: Final[dict[str, Polarity]] = {
    "against": "against",
    "unclear": "unclear",
    "only": "only",
}
WISHED: Final = ("allow", "exclude", "market", "gpu")
WISH_END: Final = re.compile(r"[,.;?!\n](?=\s|\Z)| (?:but|aber|mais|pero) ")
CLAUSE_END: Final = re.compile(r"[.;?!\n](?=\s|\Z)")
LINK: Final = re.compile(r"[\s,/&+|\"'`()*\0-]*")
GAP: Final = re.compile(r"[\s\"'`*(:=-]*")
UNEQUAL: Final = re.compile(r"!=?\s?\Z")
COUNT: Final = re.compile(r"\d+(?: ?x)?\s*\Z|\A\d+ ?x?\b")
ARTICLES: Final = frozenset({"a", "an", "one", "1"})
# "GPU" alone is no group of the lexicon: it may count, or name what a thing is.
GPU_LAST: Final = re.compile(r"\bgpus?\Z")
BARE_GPU: Final = re.compile(r"(?<![\w-])(?<!\d )(?<!per )gpus?(?![\w-])")


class Cue(NamedTuple):
    """A word of the table: what it does, and on which side of it stands what it speaks of."""

    does: str
    side: str
    start: int
    end: int


def read_polarity(draft: Draft, vocabulary: Vocabulary) -> None:
    """Keep what is named, each with its polarity, and take the words that leave something out."""
    named = _named(draft, vocabulary)
    if not named:
        return
    text = blotted(draft.reader.work, named)
    cues = tuple(_cues(text))
    listed = _NamedList(text, named, cues, draft.reader.work)
    draft.mentions = listed.settled()
    for cue in listed.used:
        draft.reader.take(cue.start, cue.end + text.startswith("=", cue.end))


@cache
def _soft_words() -> re.Pattern[str]:
    words = (one.strip() for _, _, said in TABLE["soft"] for one in said.split(";"))
    spelled = "|".join(re.escape(one) for one in sorted(words, key=len, reverse=True) if one)
    return re.compile(rf"(?<![a-z])(?:{spelled})(?![a-z])")


def read_soft_wishes(draft: Draft) -> None:
    """Keep which fields are wished for or off, rather than asked: "preferably Graviton"."""
    if "compare_family" in draft.said or "instance" in draft.said:
        return
    for match in _soft_words().finditer(draft.reader.whole):
        start, end = _clause_around(draft.reader.whole, *match.span())
        soft = {
            name
            for name in WISHED
            for one in draft.said.get(name, ())
            if start <= one.start < end and not one.keyed
        }
        if soft:
            draft.asked = replace(draft.asked, wished=draft.asked.wished | soft)
            draft.reader.take(*match.span())


def _clause_around(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the clause that holds a stretch; a list joined by "and" or "or" is one."""
    breaks = [0, *(one.end() for one in WISH_END.finditer(text)), len(text)]
    return max(at for at in breaks if at <= start), min(at for at in breaks if at >= end)


def settle_left_out(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Say what takes the place of a default that is not wanted, and offer what else was meant."""
    for name, unwanted, other in TABLE["instead"]:
        if name in said or draft.details.get(f"not_{name}") != unwanted:
            continue
        if name == "market" or unwanted == _default(name, said, vocabulary):
            said[name] = other
            if name != "market":
                draft.note(f"instead_of_{name}", f"Without {unwanted}: {other} instead.")
    for one in draft.mentions:
        if one.polarity == "unclear":
            _offer_other_reading(draft, one, said)


def _default(name: str, said: dict[str, Any], vocabulary: Vocabulary) -> str | None:
    """Return what a field is where nobody says: an engine's or a checkpoint's usual one."""
    model = vocabulary.model_of(said.get("model"))
    if said.get("task") in {"train", "finetune"}:
        return None
    if name == "framework":
        return usual_engine(model.task if model else "decoder")
    return native_weights_dtype(model) if model else "bf16"


def _offer_other_reading(draft: Draft, one: NamedThing, said: dict[str, Any]) -> None:
    """Offer that words which may mean less leave nothing out ("H100 is expensive")."""
    words = draft.reader.words(one.start, one.end).strip()
    every = draft.said.get("exclude", ())
    excluded = {other.value for other in every if one.start <= other.start < one.end}
    if excluded:
        rest = tuple(other for other in said["exclude"] if other not in excluded) or None
        left = tuple(other for other in said["without"] if other != words) or None
        changes = {"exclude": rest, "without": left}
        draft.offer(f"unclear_{words}", "exclude", (f"with {words} as well", changes))


def _named(draft: Draft, vocabulary: Vocabulary) -> list[NamedThing]:
    """Return what is named, in text order, none overlapping: the longest where two would."""
    named: list[NamedThing] = []
    for one in sorted(_found(draft, vocabulary), key=lambda one: (one.start - one.end, one.start)):
        if all(one.end <= other.start or other.end <= one.start for other in named):
            named.append(one)
    named.sort(key=lambda one: one.start)
    followed = {one.start - 1 for one in named}
    return [one for one in named if one.end not in followed or not _ends_in_gpu(one, draft)]


def _ends_in_gpu(one: NamedThing, draft: Draft) -> bool:
    """Return whether a name ends in "GPU": right before another it only says what that is."""
    return GPU_LAST.search(draft.reader.work[one.start : one.end]) is not None


def _found(draft: Draft, vocabulary: Vocabulary) -> Iterator[NamedThing]:
    text = draft.reader.work
    for pattern in (INSTANCE, UNDOTTED, chips_of(vocabulary), CARDS):
        yield from (NamedThing(*match.span(), "hardware") for match in pattern.finditer(text))
    for match in FAMILY.finditer(text):
        if family_of(match[1], vocabulary):
            yield NamedThing(*match.span(), "hardware")
    for pattern in (CODE, SPOKEN):
        yield from (NamedThing(*match.span(), "region") for match in pattern.finditer(text))
    for hit in hits(text, vocabulary.places):
        if is_place(draft, hit):
            yield NamedThing(hit.start, hit.end, "region")
    for hit in (*hits(text, vocabulary.phrases), *unspaced_hits(text)):
        kinds = [KINDS[one.name] for one in hit.meanings if one.name in KINDS]
        if kinds and TAKEN not in text[hit.start : hit.end]:
            yield NamedThing(hit.start, hit.end, kinds[0])
    yield from (NamedThing(*match.span(), "hardware") for match in BARE_GPU.finditer(text))


def blotted(text: str, named: Sequence[NamedThing]) -> str:
    """Return the text with what is named blotted out: "no gpu" is a name and holds no negator."""
    for one in named:
        text = text[: one.start] + TAKEN * (one.end - one.start) + text[one.end :]
    return text


@cache
def _index() -> Index:
    sections = ("against", "unclear", "only", "void", "lifted", "asking")
    rows = [
        (f"{section}:{side}", None, phrases)
        for section in sections
        for side, language, phrases in TABLE[section]
        if language != UNSPACED
    ]
    fine = [("fine:after", None, words) for side, _, words in TABLE["list"] if side == "fine"]
    return phrase_index((*rows, *fine))


@cache
def _unspaced() -> dict[str, tuple[str, ...]]:
    """Return what each phrase of the script without spaces does, the longest phrases first."""
    rows: dict[str, list[str]] = {}
    for section in ("against", "unclear", "only", "void", "asking"):
        for side, language, phrases in TABLE[section]:
            for phrase in phrases.split("; ") if language == UNSPACED else ():
                rows.setdefault(phrase, []).append(f"{section}:{side}")
    return {phrase: tuple(rows[phrase]) for phrase in sorted(rows, key=len, reverse=True)}


def is_allowed(text: str) -> bool:
    """Return whether a text says of something that it is fine."""
    return any(cue.does == "fine" for cue in _cues(text))


def _cues(text: str) -> Iterator[Cue]:
    for hit in hits(text, _index()):
        for meaning in hit.meanings:
            yield Cue(*_parted(meaning.name), hit.start, hit.end)
    for phrase, names in () if text.isascii() else _unspaced().items():
        while (start := text.find(phrase)) >= 0:
            yield from (Cue(*_parted(name), start, start + len(phrase)) for name in names)
            text = text.replace(phrase, TAKEN * len(phrase), 1)


def _parted(name: str) -> tuple[str, str]:
    does, _, side = name.partition(":")
    return does, side


@cache
def _between(side: str) -> tuple[str, ...]:
    """Return the words that may stand between, longest first."""
    listed = {word for name, _, words in TABLE["between"] if name == side for word in words.split()}
    return tuple(sorted(listed, key=len, reverse=True))


@cache
def _joining(*names: str) -> frozenset[str]:
    return frozenset(
        word for name, _, words in TABLE["list"] if name in names for word in words.split()
    )


def are_known(gap: str, known: Sequence[str]) -> bool:
    """Return whether all words of a stretch are known; in a script without spaces, by pieces."""
    for word in WORD.findall(gap):
        left = word
        while left and not word.isascii():
            piece = next((one for one in known if left.startswith(one)), None)
            if piece is None:
                break
            left = left[len(piece) :]
        if word not in known and left:
            return False
    return True


def link_between(text: str, left: NamedThing, right: NamedThing) -> str:
    """Return how what is named goes on as a list: "or", "and", ","; "" where it does not.

    `text`: with what is named blotted out.
    """
    gap = text[left.end : right.start]
    words = [word for word in WORD.findall(gap) if word not in _joining("filled")]
    if not LINK.fullmatch(WORD.sub("", gap)) or any(
        word not in _joining("and", "or") for word in words
    ):
        return ""
    if any(word in _joining("or") for word in words):
        return "or"
    if words or re.search(r"[&+/]", gap):
        return "and"
    return "," if gap.strip() == "," else ""


@dataclass(slots=True)
class _NamedList:
    """What is named in a text, in lists, and the words of the table around it."""

    text: str
    named: list[NamedThing]
    cues: tuple[Cue, ...]
    whole: str  # with what is named
    used: list[Cue] = field(default_factory=list)
    keyed: set[int] = field(default_factory=set)  # members of "without=H100,us-east-1"

    def settled(self) -> tuple[NamedThing, ...]:
        """Return what is named, each with its polarity."""
        found = [self._direct(at) for at in range(len(self.named))]
        for at in range(1, len(found)):
            if found[at] == "for" and (reach := self._reaches(at, found)):
                found[at] = reach
        for at in range(len(found) - 1, 0, -1):
            self._reach_back(at, found)
        pairs = zip(self.named, found, strict=True)
        return tuple(replace(one, polarity=polarity) for one, polarity in pairs)

    def _direct(self, at: int) -> Polarity:
        one = self.named[at]
        before, after = self._before(one), self._after(at)
        if after is not None and after.does == "lifted":
            if before is None or before.does != "against":
                return "for"
            self._use(before, after)
            return "lifted"
        if UNEQUAL.search(self.text[: one.start]):
            return "against"
        for cue in (before, after):
            if cue is not None and cue.does in POLARITIES:
                self._use(cue)
                if "=" in self.text[cue.end : one.start]:
                    self.keyed.add(at)
                return POLARITIES[cue.does]
        return "for"

    def _use(self, *cues: Cue | None) -> None:
        self.used += [cue for cue in cues if cue is not None]

    def _before(self, one: NamedThing) -> Cue | None:
        """Return the word of the table that stands right before, but for words in between."""
        near = [cue for cue in self.cues if cue.side == "before" and cue.end <= one.start]
        cue = max(near, key=lambda cue: cue.end, default=None)
        if cue is None or cue.does == "void" or self._asks_why(cue.start):
            return None
        if self.text.startswith("=", cue.end) and self.text[cue.start : cue.end] in KEYS:
            return None  # `exclude=g5` is read with the other fields
        gap = self.text[cue.end : one.start]
        if not GAP.fullmatch(WORD.sub("", gap)) or not are_known(gap, _between("before")):
            return None
        if cue.does == "only" and (ARTICLES & set(WORD.findall(gap)) or self._counted(one)):
            return None
        return cue

    def _counted(self, one: NamedThing) -> bool:
        """Return whether "only" speaks of a number ("only 2 g5.xlarge")."""
        return COUNT.search(self.text[max(0, one.start - 8) : one.start]) is not None

    def _after(self, at: int) -> Cue | None:
        """Return the word that stands right behind, unless it leads up to what is named next."""
        one = self.named[at]
        near = [cue for cue in self.cues if cue.side == "after" and cue.start >= one.end]
        cue = min(near, key=lambda cue: cue.start, default=None)
        if cue is None or not self._follows(one, cue) or self._leads_on(at, cue):
            return None
        return None if self._asks_why(cue.start) or self._asks_whether(at) else cue

    def _follows(self, one: NamedThing, cue: Cue) -> bool:
        if self.text.startswith(("=", ":"), cue.end):
            return False  # `g5 only=g6`: a field that speaks of what stands behind it
        gap = self.text[one.end : cue.start]
        if cue.does == "only" and " " in self.text[cue.start : cue.end]:
            gap = gap.removeprefix(",")  # "on L4, nothing else"
        return bool(GAP.fullmatch(WORD.sub("", gap))) and are_known(gap, _between("after"))

    def _leads_on(self, at: int, cue: Cue) -> bool:
        both = any(
            other.side == "before" and other[2:] == cue[2:] and other.does == cue.does
            for other in self.cues
        )
        return both and at + 1 < len(self.named) and self._before(self.named[at + 1]) is not None

    def _clause(self, place: int) -> tuple[int, int]:
        ends = [match.end() for match in CLAUSE_END.finditer(self.text)]
        start = max((end for end in ends if end <= place), default=0)
        return start, min((end for end in ends if end > place), default=len(self.text))

    def _asks_why(self, place: int) -> bool:
        start, _ = self._clause(place)
        return any(cue.side == "why" and start <= cue.start < place for cue in self.cues)

    def _asks_whether(self, at: int) -> bool:
        """Return whether a question asks for what would be told ("is the H100 sold out?")."""
        while at and self._link(at - 1):
            at -= 1
        place = self.named[at].start
        start, end = self._clause(place)
        asked = [cue.end for cue in self.cues if cue.side == "whether" and cue.end <= place]
        if not asked or max(asked) < start or not self.text[:end].rstrip().endswith("?"):
            return False
        return are_known(self.text[max(asked) : place], _between("before"))

    def _link(self, at: int) -> str:
        return link_between(self.text, self.named[at], self.named[at + 1])

    def _reaches(self, at: int, found: list[Polarity]) -> Polarity | None:
        """Return what the member of the list before it is, where that reaches this one."""
        link, earlier = self._link(at - 1), found[at - 1]
        if earlier == "for" and self._is_negated_name(at - 1):
            earlier = "against"
        if not link or earlier not in POLARITIES or self._is_fine(at):
            return None
        if at - 1 in self.keyed:
            self.keyed.add(at)
            return earlier
        if link != "or" and self.named[at].kind != self.named[at - 1].kind:
            return None
        later = {self._link(one) for one in range(at, len(self.named) - 1)}
        told = link != "," or earlier == "only" or bool(later & {"or", "and"})
        return earlier if told else "unclear"

    def _is_negated_name(self, at: int) -> bool:
        """Return whether a name leaves something out itself ("no gpu or Trainium")."""
        one = self.named[at]
        first = WORD.match(self.whole, one.start)
        if first is None or first.end() == one.end:
            return False
        alone = dict(_index().get(first[0], ())).get((first[0],), ())
        return any(meaning.name == "against:before" for meaning in alone)

    def _is_fine(self, at: int) -> bool:
        one = self.named[at]
        return any(
            cue.does == "fine" and cue.start >= one.end and self._follows(one, cue)
            for cue in self.cues
        )

    def _reach_back(self, at: int, found: list[Polarity]) -> None:
        """Reach over the list that leads up to a word behind it ("p4d and p5 are sold out")."""
        after = self._after(at)
        if after is None or after.does not in POLARITIES:
            return
        link = self._link(at - 1)
        while at and link in {"or", "and"} and found[at - 1] == "for":
            same = self.named[at].kind == self.named[at - 1].kind
            if not same:
                return
            at -= 1
            found[at] = POLARITIES[after.does]
            link = "and" if at and self._link(at - 1) else ""
