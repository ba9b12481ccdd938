"""Reads a turn as a patch on its thread: what it fills, takes back, or goes back to.

The words stand in `turns.txt`. What a turn leaves to its thread is put in the words that the
rules read: "2000 hours" becomes "2000 hours of audio a night" where that was said before.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from bot.language.draft import NAMES, Draft
from bot.language.names.model_names import PIECE, billions, parts_of
from bot.language.text.numbers import number
from bot.language.text.tables import sections_of
from bot.language.text.vocabulary import Vocabulary
from engine.core.workload import Workload

ValuesOf = Callable[[str], Mapping[str, Any]]  # the fields that words by themselves say

TABLE: Final = Path(__file__).with_name("turns.txt")
# "1,000" is one number; scripts that put no space between words have marks of their own.
BORDER: Final = re.compile(
    r",(?!\d)|(?<!\d),|[;?!\n，。；]|\.(?=\s|\Z)| (?:and|und|et|y|but|aber) "
)
QUANTITY: Final = re.compile(
    r"(?P<n>\d[\d,]*(?:\.\d+)?)(?P<scale>k|m)?(?![a-z0-9])\s?(?P<unit>[^\W\d_][^\d$€%=<>]{0,30})?"
)
FIGURE: Final = re.compile(r"(?<![\w.])(?P<n>\d[\d,]*(?:\.\d+)?)(?:(?P<scale>[km])(?![a-z0-9]))?")
FEWEST_WORDS = 3  # of a question that stands by itself
ONE_MACHINE: Final = re.compile(r"1 (?=[a-z]\w*\d[\w-]*\.\w)")
NAMED: Final = re.compile(r"(?=.*(?:[a-z]|\d\.\d))[\w.]+(?: [\w.]+)?")  # no number by itself
UNSPACED: Final = re.compile(r"[\u3040-\u9fff]")
MOST_FILLED, LONGEST_FILLED = 12, 80  # figures of a thread that can be said over, letters of each
FEW_MACHINES, FAR_FEWER = 4.0, 10.0  # "make it two" after "30 users" is about machines
FAR = 20.0  # "300" after "32k context" is about another figure
SAME_SCALE = 8.0  # "8" after "6k" is 8k, "8000" is not
BUDGETS: Final = frozenset({"budget_usd_per_hour", "budget_usd_per_month", "budget_usd_total"})
NOT_FIGURES: Final = frozenset({"model", "params_b", "active_params_b", "instance", "gpu", "guide"})
# Hardware that is not wanted is an exclusion, which the rules read.
NOT_TAKEN_BACK: Final = frozenset({"task", "instance", "gpu", "allow", "exclude", "compare_family"})


@dataclass(frozen=True, slots=True)
class Earlier:
    """What a turn is said after, beside the workload that it amends.

    `filled` are figures said, each as its field and words; `compared` what was set side by side:
    name, $/h and ms a token.
    """

    steps: tuple[tuple[int, Workload], ...] = ()  # by number of the question, oldest first
    filled: tuple[tuple[str, str], ...] = ()
    compared: tuple[tuple[str, float, float], ...] = ()

    def last_changed(self) -> frozenset[str]:
        """Return the fields that the last step changed."""
        if len(self.steps) < 2:
            return frozenset()
        now, before = self.steps[-1][1].said(), self.steps[-2][1].said()
        return frozenset(name for name in now.keys() | before if now.get(name) != before.get(name))


@dataclass(slots=True)
class TurnPatch:
    """What a turn does to its thread beside the values it says."""

    base: Workload | None = None  # an earlier question's workload, which it goes back to
    restored: dict[str, object] = field(default_factory=dict)  # None: unsaid again
    amends: bool = False
    begins: bool = False
    adds: bool = False  # what it names stands beside what was there: "Tokyo as well"


@cache
def words_named(name: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return the rows of a name in `turns.txt`: value, and the pattern of its phrases."""
    rows = (row for rows in sections_of(TABLE).values() for row in rows)
    return tuple((value, re.compile(_any_of(said))) for one, value, said in rows if one == name)


@cache
def slots() -> tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...]:
    """Return the slots: name, fields with their signs, the pattern of the nouns."""
    rows = sections_of(TABLE)["slots"]
    return tuple(
        (n, tuple(fields.split(",")), re.compile(_any_of(said))) for n, fields, said in rows
    )


def words_of(name: str, value: str) -> re.Pattern[str]:
    """Return the pattern of one row of `turns.txt`."""
    return dict(words_named(name))[value]


def _any_of(said: str) -> str:
    phrases = sorted((one.strip() for one in said.split(";")), key=len, reverse=True)
    return "|".join(map(_phrase, filter(None, phrases)))


def _phrase(phrase: str) -> str:
    pieces, started = [], False
    for word in phrase.split():
        either = "|".join(map(re.escape, word.removesuffix("?").split("|")))
        space, after = (" ", "") if started else ("", " ")
        optional = word.endswith("?")
        pieces.append(f"(?:{space}(?:{either}){after})?" if optional else f"{space}(?:{either})")
        started = started or not optional
    first = "" if UNSPACED.match(phrase) else r"(?<![\w/])"
    last = "" if UNSPACED.match(phrase[-1]) else r"(?!\w)"
    return f"{first}{''.join(pieces)}{last}"


def opening_of(text: str) -> frozenset[str]:
    """Return what a text begins with: `amends`, `leans`, `asks`, by the longest phrase."""
    start = _after(words_of("opening", "lead"), text, 0, len(text))
    found = {
        value: match.end()
        for value, pattern in words_named("opening")
        if value != "lead" and (match := pattern.match(text, start))
    }
    longest = max(found.values(), default=0)
    return frozenset(value for value, end in found.items() if end == longest)


def wish_in(text: str) -> tuple[int, int] | None:
    """Return where a text that is nothing but a wish ("faster") names it."""
    start, end = _core(text, 0, len(text))
    match = words_of("clause", "wish").fullmatch(text, start, end)
    return None if match is None else match.span()


def _after(pattern: re.Pattern[str], text: str, start: int, end: int) -> int:
    """Return where the text goes on after any number of a pattern's phrases."""
    while match := pattern.match(text, start, end):
        start = match.end()
        while start < end and text[start] in " ,.!":
            start += 1
    return start


def _core(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the part of a clause between the words that say nothing."""
    start = _after(words_of("clause", "lead"), text, start, end)
    while True:
        end = start + len(text[start:end].rstrip(" .!?,"))
        tails = words_of("clause", "tail").finditer(text, start + 1, end)
        shorter = next((match.start() for match in tails if match.end() == end), None)
        if shorter is None:
            return start, end
        end = shorter


def _clauses(text: str) -> list[tuple[int, int]]:
    """Return where the clauses of a text stand, without the space before them."""
    ends = [match.span() for match in BORDER.finditer(text)]
    starts = [0, *(end for _, end in ends)]
    spans = zip(starts, [*(start for start, _ in ends), len(text)], strict=True)
    return [(end - len(text[start:end].lstrip()), end) for start, end in spans]


def going_back(text: str) -> tuple[str, str]:
    """Return whether a text takes the last change back (`undo`) or all (`first`), and the rest."""
    low = text.lower()
    for start, end in _clauses(low)[:2]:
        begin = _after(words_of("opening", "lead"), low, start, end)
        begin = _after(re.compile(r" *(?:please|let'?s)\b"), low, begin, end)
        for name in ("first", "undo"):
            if (match := words_of("operation", name).match(low, begin, end)) is None:
                continue
            at = _after(words_of("clause", "object"), low, match.end() + 1, end)
            if not low[max(at, match.end()) : end].replace("please", "").strip(" ."):
                return name, text[end:].strip(" ,.;!?\n")
        if begin < end:
            break
    return "", text


def questions_in(text: str) -> tuple[str, ...]:
    """Return the questions of a text that holds two or more, in order: no word of it is left out.

    It is split where a sentence ends, or at an "and", where both sides ask something.
    """
    low, question = text.lower(), words_of("clause", "question")
    between = words_of("clause", "between")
    parts, begun = [], 0
    for (_, ended), (start, end) in pairwise(_clauses(low)):
        at = _after(between, low, start, end)
        fewest = min(len(low[begun:ended].split()), len(low[at:].split()))
        if fewest >= FEWEST_WORDS and question.match(low, at, end) and _asks(low[begun:start]):
            parts.append(text[begun:start])
            begun = start
    edge = re.compile(
        rf"[ ,;]+(?:{between.pattern})? *\Z|\A *(?:{between.pattern})[ ,]+", re.IGNORECASE
    )
    bare = [edge.sub("", one).strip().rstrip("?") + "?" for one in (*parts, text[begun:])]
    return tuple(bare) if parts else ()


def _asks(low: str) -> bool:
    """Return whether a clause of a part of a text asks something."""
    clauses = (low[start:end] for start, end in _clauses(low.replace(":", ";")))
    asked = map(words_of("clause", "question").match, clauses)
    return low.rstrip().endswith("?") or any(asked)


def read_turn(
    draft: Draft,
    vocabulary: Vocabulary,
    previous: Workload | None,
    earlier: Earlier,
    values_of: ValuesOf,
) -> TurnPatch:
    """Put what a turn leaves to its thread in words that the rules read; return the rest."""
    for value, pattern in words_named("says"):
        _put(draft, pattern, value.replace("_", " "))
    patch = TurnPatch()
    if previous is None:
        return patch
    _name_machines(draft, previous, earlier)
    text = draft.reader.whole
    start = _after(words_of("opening", "lead"), text, 0, len(text))
    if match := words_of("operation", "begin").match(text, start):
        patch.begins = True
        draft.mark("begin", *match.span())
        return patch
    adding = words_of("operation", "add")
    ends = (match.end() for match in adding.finditer(text))
    patch.adds = adding.match(text, start) is not None or len(text.rstrip(" ?!.")) in ends
    turn = _Turn(draft, vocabulary, previous, earlier, values_of, patch)
    for start, end in reversed(_clauses(text)):
        turn.read_clause(start, end)
    return patch


def _put(draft: Draft, pattern: re.Pattern[str], words: str) -> None:
    for match in reversed(list(pattern.finditer(draft.reader.whole))):
        draft.reader.put(*match.span(), words)


def _name_machines(draft: Draft, previous: Workload, earlier: Earlier) -> None:
    """Put a machine's name for the words that point at it: what runs now, one of those compared."""
    owned = str(getattr(previous, "owned", None) or "")  # "3x TYPE at 32.77 USD/h"
    names = {"owned": owned.partition(" at ")[0].lower()}
    if len(earlier.compared) > 1:
        names["cheaper"] = min(earlier.compared, key=lambda one: one[1])[0]
        names["faster"] = min(earlier.compared, key=lambda one: one[2])[0]
        names["other"] = earlier.compared[1][0]
    for value, pattern in words_named("machine"):
        if names.get(value):
            _put(draft, pattern, names[value])
        elif value == "pick":  # whose subject is the pick unless another is named
            for match in draft.reader.matches(pattern):
                draft.mark("follow", *match.span())


@dataclass(slots=True)
class _Turn:
    """One turn being read, clause by clause from its end."""

    draft: Draft
    vocabulary: Vocabulary
    previous: Workload
    earlier: Earlier
    values_of: ValuesOf
    patch: TurnPatch

    def read_clause(self, start: int, end: int) -> None:
        """Read a clause that takes back, goes back, or names a figure or a sibling alone."""
        text = self.draft.reader.whole
        begin, stop = _core(text, start, end)
        if begin >= stop:
            return
        for name, undo in (("forget", self._forget), ("back", self._go_back)):
            for at in (begin, start):
                match = words_of("operation", name).match(text, at, stop)
                if match is not None and undo(at, match.end(), stop):
                    return
        self._alone(start, begin, stop)

    def _alone(self, start: int, begin: int, stop: int) -> bool:
        """Read a clause that names one thing by itself: each way in turn."""
        return (
            self._gone(begin, stop)
            or self._only_machine(start, begin)
            or self._sibling(begin, stop)
            or self._fill(start, begin, stop)
            or self._fill_slot(begin, stop)
            or self._limits(begin, stop)
        )

    def _forget(self, start: int, begin: int, stop: int) -> bool:
        """Take values back: each field is what it was before it was said."""
        words = self.draft.reader.whole[begin:stop]
        named = self.values_of(words)
        if not named or NOT_TAKEN_BACK & named.keys() or _slot_named(words):
            return False
        for name, value in named.items():
            if self._is_said(name, value, self.previous):
                self.patch.restored |= self._before(name)
        self.patch.amends = True
        self.draft.mark("follow", start, stop)
        return True

    def _before(self, name: str) -> dict[str, object]:
        """Return the fields of a value's slot as they were before it; None where unsaid."""
        names = fields_of(_slot_of(name))
        said = [getattr(self.previous, one) for one in names]
        steps = (step for _, step in reversed(self.earlier.steps))
        before = next((s for s in steps if [getattr(s, one) for one in names] != said), None)
        if before is None and "model" in names:
            return {}  # nothing would be left to size
        return {one: None if before is None else getattr(before, one) for one in names}

    def _is_said(self, name: str, value: object, workload: Workload) -> bool:
        """Return whether a workload says this value; a size is also its model's."""
        if name == "params_b" and workload.model is not None:
            size = parts_of(PIECE.findall(workload.model)).size
            return size is not None and math.isclose(billions(size), float(str(value)))
        if name == "users" and workload.users is None:
            name = "concurrency"  # people who were said to be there at once
        if name == "model" and workload.model is not None:
            return self._model_id(str(value)) == self._model_id(workload.model)
        return bool(getattr(workload, name, None) == value)

    def _model_id(self, name: str) -> str:
        return self.vocabulary.catalog.model_names.get(name, name)

    def _go_back(self, start: int, begin: int, stop: int) -> bool:
        """Go back to values as the thread had them, or to the earlier question that had them."""
        words = self.draft.reader.whole[begin:stop]
        named = {n: v for n, v in self.values_of(words).items() if n != "task"}
        figure = stop - len(words.lstrip())
        if not named and self._fill(start, figure, stop):
            return True  # "back to 25"
        self.draft.mark("follow", start, begin)
        self.patch.amends = True
        steps = [
            (topic, step)
            for topic, step in reversed(self.earlier.steps)
            if named and all(self._is_said(name, value, step) for name, value in named.items())
        ]
        if not steps:
            return True
        _, step = steps[0]
        if any(one == self.earlier.steps[-1][0] for one, _ in steps):
            model = step.model if named.keys() & {"model", "params_b"} else None
            if model is not None and "params_b" in named:
                self.patch.restored |= {n: getattr(step, n) for n in fields_of("model")}
        else:
            self.patch.base = step
        return True

    def _gone(self, begin: int, stop: int) -> bool:
        """Read "we gave them back": what ran is no machine of theirs any more."""
        match = words_of("operation", "gone").match(self.draft.reader.whole, begin, stop)
        if match is None or self.previous.owned is None:
            return False
        self.patch.restored["owned"] = None
        self.patch.amends = True
        self.draft.mark("follow", *match.span())
        return True

    def _limits(self, begin: int, stop: int) -> bool:
        """Return whether a clause names a budget: it changes the thread, and asks nothing."""
        words = self.draft.reader.whole[begin:stop]
        asks = "?" in self.draft.reader.whole or "asks" in opening_of(self.draft.reader.whole)
        limits = not asks and FIGURE.search(words) and BUDGETS & self.values_of(words).keys()
        self.patch.amends = self.patch.amends or bool(limits)
        return bool(limits)

    def _only_machine(self, start: int, begin: int) -> bool:
        """Read "only one g5.xlarge" as one machine."""
        reader = self.draft.reader
        match = ONE_MACHINE.match(reader.whole, begin)
        only = words_of("clause", "only").search(reader.whole, start, begin)
        if match is None or only is None:
            return False
        self.draft.say("nodes", 1.0, *match.span())
        self.patch.amends = True
        return True

    def _fill(self, start: int, begin: int, stop: int) -> bool:
        """Put a figure that stands alone in the words of the figure it replaces."""
        reader = self.draft.reader
        match = QUANTITY.fullmatch(reader.whole, begin, stop)
        if match is None:
            return False
        value = number(match["n"], match["scale"] or "")
        only = words_of("clause", "only").search(reader.whole, start, begin) is not None
        words = self._figure_replaced(match, value, machines=only and value == 1.0)
        if words:
            reader.put(start, stop, f" {words}")  # what leads up to it says nothing
            self.patch.amends = True
        return bool(words)

    def _fill_slot(self, begin: int, stop: int) -> bool:
        """Put a figure of a slot that is named ("answers are more like 500") in known words."""
        reader = self.draft.reader
        for name, _, nouns in slots():
            noun = nouns.match(reader.whole, _after(_articles(), reader.whole, begin, stop), stop)
            if noun is None:
                continue
            verb = words_of("clause", "be").match(reader.whole, noun.end() + 1, stop)
            start = _after(words_of("clause", "lead"), reader.whole, noun.end() + 1, stop)
            start = _core(reader.whole, verb.end() + 1, stop)[0] if verb else start
            figure = QUANTITY.fullmatch(reader.whole, start, stop)
            words = self._slot_said(name, figure) if verb and figure else ""
            if words:
                reader.put(begin, stop, words)
                self.patch.amends = True
            return bool(words)
        return False

    def _slot_said(self, slot: str, figure: re.Match[str]) -> str:
        """Return a slot's figure in the words that said it before, or in those of the table."""
        if (figure["unit"] or "").strip():
            return ""
        said = [words for name, words in self.earlier.filled if _slot_of(name) == slot]
        plain = dict(_figure_words()).get(slot, "")
        return _with_figure(said[-1], figure) if said else plain.format(figure[0].strip())

    def _figure_replaced(self, match: re.Match[str], value: float, *, machines: bool) -> str:
        unit = (match["unit"] or "").strip()
        filled = [said for _, said in reversed(self.earlier.filled) if _counts(said, unit)]
        if not unit and (machines or self._is_of_machines(value, filled)):
            return f"{value:g} machines"
        if unit:
            filled.sort(key=lambda said: abs(math.log((_value(said) or 1e-9) / (value or 1e-9))))
        near = (
            said
            for said in filled
            if (words := _with_figure(said, match)) and _is_near(said, words)
        )
        return _with_figure(next(near, filled[0] if filled else ""), match)

    def _is_of_machines(self, value: float, filled: Sequence[str]) -> bool:
        """Return whether so few are machines: "make it two" after "30 users"."""
        small = value.is_integer() and 1.0 <= value <= FEW_MACHINES
        return small and (not filled or _value(filled[0]) >= FAR_FEWER * value)

    def _sibling(self, begin: int, stop: int) -> bool:
        """Put the thread's model in the other version or variant that is named by itself."""
        words = self.draft.reader.whole[begin:stop]
        if self.previous.model is None or not NAMED.fullmatch(words):
            return False
        name = sibling(self.previous.model, words, self.vocabulary)
        if name is None or self.values_of(words).keys() - {"task"}:
            return False
        self.draft.reader.put(begin, stop, name)
        self.patch.amends = True
        return True


@cache
def _articles() -> re.Pattern[str]:
    return words_of("clause", "article")


@cache
def _figure_words() -> tuple[tuple[str, str], ...]:
    return tuple((value, said) for _, value, said in sections_of(TABLE)["figures"])


def sibling(model: str, words: str, vocabulary: Vocabulary) -> str | None:
    """Return the model that differs from another in the parts named: "turbo", "3.3", "medium"."""
    parts, other = parts_of(PIECE.findall(model)), parts_of(["", *PIECE.findall(words)])
    named = other.words - {""}
    wanted = replace(
        parts,
        words=parts.words | named,
        version=other.version or parts.version,
        size=other.size or parts.size,
    )
    if wanted == parts or not (named <= vocabulary.models.words):
        return None
    family = PIECE.findall(model)[0]
    swapped = (
        replace(wanted, words=wanted.words - {word}) for word in sorted(parts.words - {family})
    )
    exact = map(vocabulary.models.exact.get, (wanted, *swapped))
    usual = vocabulary.models.find(replace(wanted, size=None))  # in the size that there is
    return next(filter(None, exact), None) or (usual[0] if usual else None)


def fields_of(slot: str, *, scaled: bool = False) -> tuple[str, ...]:
    """Return the fields of a slot (or the field of that name) to take back, or to scale."""
    row = next((fields for name, fields, _ in slots() if name == slot), (slot,))
    left_out = "*" if scaled else "+"
    names = (name.rstrip("+*") for name in row if not name.endswith(left_out))
    return tuple(name for name in names if name in NAMES)


def slot_of_noun(words: str) -> str:
    """Return the slot that words name, "" where they name none."""
    return next((name for name, _, nouns in slots() if nouns.fullmatch(words)), "")


def _slot_named(words: str) -> bool:
    bare = re.sub(r"\A(?: *(?:the|my|our|that|any|a|der|die|das|le|la|el)\b)+", "", words)
    return bool(slot_of_noun(bare.strip()))


def _slot_of(name: str) -> str:
    """Return the slot that a field belongs to: its own name where none has it."""
    return next((slot for slot, _, _ in slots() if name in fields_of(slot)), name)


def _counts(said: str, unit: str) -> bool:
    """Return whether the words of a figure name a unit, "" being any."""
    if not unit:
        return True
    first = unit.split(maxsplit=1)[0]
    kinds = [pattern for _, pattern in words_named("unit") if pattern.fullmatch(first)]
    pattern = kinds[0] if kinds else re.compile(rf"\b{re.escape(first.rstrip('s'))}s?\b")
    return pattern.search(said) is not None


def counts_same(said: str, words: str) -> bool:
    """Return whether the words of two figures count the same: "60 people at once", "20 people"."""
    figure = QUANTITY.search(words)
    unit = "" if figure is None else (figure["unit"] or "").strip()
    return bool(unit) and _counts(said, unit)


def _value(said: str) -> float:
    match = FIGURE.search(said)
    return 0.0 if match is None else number(match["n"], match["scale"] or "")


def _is_near(said: str, words: str) -> bool:
    """Return whether a figure is of the size of the one before it, so that it may replace it."""
    now, before = _value(words), _value(said)
    return 0 < before <= FAR * now <= FAR * FAR * before


def _with_figure(said: str, new: re.Match[str]) -> str:
    """Return the words of a figure with another; its scale stays where none is said ("6k": "8")."""
    old = FIGURE.search(said)
    if old is None or (new["scale"] and not old["scale"]):
        return ""
    scale, times = new["scale"] or "", number(new["n"]) / (number(old["n"]) or 1.0)
    if not scale and 1 / SAME_SCALE < times < SAME_SCALE:
        scale = old["scale"] or ""
    return f"{said[: old.start()]}{new['n']}{scale}{said[old.end() :]}"


def filled_by(draft: Draft, earlier: Sequence[tuple[str, str]]) -> tuple[tuple[str, str], ...]:
    """Return the figures of a thread after a turn, in the words that said them, latest last."""
    kept = list(earlier)
    for name, words in _figures_said(draft):
        slot = _slot_of(name)
        kept = [one for one in kept if _slot_of(one[0]) != slot and one[1] != words]
        kept.append((name, words))
    return tuple(kept[-MOST_FILLED:])


def _figures_said(draft: Draft) -> Iterator[tuple[str, str]]:
    spans = {
        (one.start, one.end): name
        for name, every in draft.said.items()
        if name not in NOT_FIGURES
        for one in every
        if isinstance(one.value, int | float) and not isinstance(one.value, bool)
    }
    marks = {span: name for name, span in draft.marks.items() if name.startswith("detail:")}
    for span, name in sorted((marks | spans).items()):
        words = draft.reader.whole[slice(*span)].strip()
        if len(words) <= LONGEST_FILLED and FIGURE.search(words):
            yield name, words
