"""What has been read so far, with the words that said it, and the workload that it makes."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from bot.core.asked import Questions
from bot.core.errors import Code, RequestError
from bot.core.examples import example
from bot.language.text.plain import Reader
from bot.language.values.value_limits import checked
from catalog.facts.units import HOURS_PER_MONTH, SECONDS_PER_DAY
from engine.core.workload import Workload

Sign = Literal["=", "<", ">"]
Polarity = Literal["for", "against", "unclear", "only", "lifted"]
Role = Literal["want", "have", "had"]
EXAMPLE = example("draft")
HARDWARE = frozenset({"instance", "gpu", "allow"})
# What else may be left out; what is not wanted of it is a detail that the other rules read.
NEGATABLE = frozenset({"quant", "method", "market", "framework", "mode"})
SHOWN = HARDWARE | {"region", "market", "quant", "framework"}


@dataclass(frozen=True, slots=True)
class NamedThing:
    """Something named in `Reader.work`: whether it is wanted, and what it is to who asks."""

    start: int
    end: int
    kind: str
    polarity: Polarity = "for"
    role: Role = "want"

    @property
    def left_out(self) -> bool:
        """Return whether it is not wanted, as far as the words tell."""
        return self.polarity in {"against", "unclear"}


@dataclass(frozen=True, slots=True)
class StatedValue:
    """One value, where it was said (in `Reader.work`), and how: exactly, at most, at least."""

    value: object
    start: int
    end: int
    sign: Sign = "="
    keyed: bool = False


@dataclass(frozen=True, slots=True)
class Offer:
    """What else some words may mean: the field they were read as (None: unread), and the others.

    Each other reading is in words that would say it, with the fields that these words set.
    """

    field: str | None
    others: tuple[tuple[str, Mapping[str, object]], ...]


@dataclass(slots=True)
class Draft:
    """Collects readings. A field said twice keeps both: `assemble` decides what that means."""

    reader: Reader
    trains: bool = False  # the text, or the thread it amends, speaks of training or tuning
    said: dict[str, list[StatedValue]] = field(default_factory=dict)
    notes: dict[str, str] = field(default_factory=dict)  # topic code -> sentence
    offers: dict[str, Offer] = field(default_factory=dict)  # topic code -> what else was meant
    question: str | None = None  # the kind of question that is answered
    asks_nothing: bool = False  # it surely is no question and no wish for an alert
    asked: Questions = field(default_factory=Questions)
    details: dict[str, str] = field(default_factory=dict)
    marks: dict[str, tuple[int, int]] = field(default_factory=dict)  # signals: where first seen
    not_there: set[str] = field(default_factory=set)  # regions not wanted
    ignored: list[tuple[int, int, str | None]] = field(default_factory=list)  # not read on purpose
    mentions: tuple[NamedThing, ...] = ()  # in text order

    def say(
        self,
        name: str,
        value: object,
        start: int,
        end: int,
        *,
        sign: Sign = "=",
        keyed: bool = False,
    ) -> None:
        """Record a value of a workload field and take its words, or leave it out where those do.

        Raises:
            RequestError: `invalid_value` or `out_of_range` when no workload can hold the value.
        """
        mention = None if keyed else self.mention_at(start, end)
        if mention is not None and mention.polarity != "for":
            settled = self._settled(name, value, mention)
            if settled is None:
                self.reader.take(start, end)
                return
            name, value = settled
        value = checked(name, value, self.reader.words(start, end))
        earlier = self.said.setdefault(name, [])
        if not any(one.value == value and one.sign == sign for one in earlier):
            earlier.append(StatedValue(value, start, end, sign, keyed))
        self.reader.take(start, end)

    def mention_at(self, start: int, end: int) -> NamedThing | None:
        """Return what is named within a stretch, None where nothing is."""
        return next((one for one in self.mentions if one.start < end and start < one.end), None)

    def _settled(self, name: str, value: object, mention: NamedThing) -> tuple[str, object] | None:
        """Return the field and value that polarity makes of one; None where nothing is said."""
        if mention.polarity == "only":
            return ("allow" if name in HARDWARE else name), value
        if mention.polarity == "lifted":
            self.details[f"lifted_{name}"] = str(value)
            self.mark("lifted", mention.start, mention.end)
            return None
        return self._left_out(name, value, mention)

    def _left_out(self, name: str, value: object, mention: NamedThing) -> tuple[str, object] | None:
        if name in SHOWN:
            self.without(mention)
        if name in HARDWARE:
            return "exclude", value
        if name == "needs_cuda":
            return name, value is not True
        if name in NEGATABLE:
            self.details[f"not_{name}"] = str(value)
            self.mark(f"not:{name}", mention.start, mention.end)
        elif name == "region":
            self.not_there.add(str(value))
            return "exclude", value
        elif name not in {"objective", "regions"}:
            return name, value
        return None

    def without(self, mention: NamedThing) -> None:
        """Keep the words of what is left out, as they were said."""
        words = self.reader.words(mention.start, mention.end).strip()
        listed = self.said.setdefault("without", [])
        if all(one.value != words for one in listed):
            listed.append(StatedValue(words, mention.start, mention.end))
        self.reader.take(mention.start, mention.end)

    def drop(self, name: str) -> None:
        """Forget what was read for a field."""
        self.said.pop(name, None)

    def first(self, name: str) -> object:
        """Return the first value said for a field, or None."""
        return self.said[name][0].value if name in self.said else None

    def words(self, name: str, value: object = None) -> str:
        """Return the user's words for a field; for one said in an earlier turn, its `value`."""
        if name not in self.said:
            return str(value)
        one = self.said[name][0]
        return self.reader.words(one.start, one.end).strip() or f"{name}={one.value}"

    def mark(self, signal: str, start: int, end: int) -> None:
        """Record a signal (a word that steers the reading) and take its words."""
        self.marks.setdefault(signal, (start, end))
        self.reader.take(start, end)

    def note(self, code: str, sentence: str) -> None:
        """Record a reading that the answer must state."""
        self.notes.setdefault(code, sentence)

    def offer(self, code: str, name: str | None, *others: tuple[str, Mapping[str, object]]) -> None:
        """Record what else was plausibly meant by words that were read as the field `name`."""
        self.offers.setdefault(code, Offer(name, others))

    def ignore(self, start: int, end: int, suggestion: str | None = None) -> None:
        """Leave a stretch unread on purpose; it is reported as not understood."""
        self.ignored.append((start, end, suggestion))
        self.reader.take(start, end)

    def refusal(
        self,
        code: Code,
        message: str,
        start: int,
        end: int,
        *,
        name: str | None = None,
        suggestions: tuple[str, ...] = (),
        example: str = EXAMPLE,
    ) -> RequestError:
        """Return the error for a stretch at fault, with the user's own words."""
        return RequestError(
            code,
            message,
            field=name,
            words=self.reader.words(start, end).strip(),
            example=example,
            suggestions=suggestions,
        )


LISTS = {"allow", "exclude", "regions", "without"}
NAMES = frozenset(one.name for one in fields(Workload))


def in_order(all_said: list[StatedValue]) -> list[StatedValue]:
    """Return what was said of a field: `field=value` first, then as the text has it."""
    return sorted(all_said, key=lambda one: (not one.keyed, one.start))


def workload_of(said: dict[str, Any]) -> Workload:
    """Return the workload that holds these fields and no other."""
    return Workload(**said)


def values(draft: Draft) -> dict[str, Any]:
    """Return the fields said, each with its value; several regions or models become a list."""
    said: dict[str, Any] = {}
    for name, all_said in draft.said.items():
        if name in NAMES:
            listed = tuple(dict.fromkeys(one.value for one in in_order(all_said)))
            said[name] = listed if name in LISTS else listed[0]
    for one, many in (("region", "regions"), ("model", "models")):
        every = tuple(
            dict.fromkeys(said_one.value for said_one in in_order(draft.said.get(one, [])))
        )
        if len(every) > 1:
            said[many] = every
            del said[one]
    if "region" in said and "regions" in said:
        del said["regions"]  # "Frankfurt or elsewhere in Europe": the place named decides
    return said


def completed(workload: Workload) -> Workload:
    """Return `workload` with the values that follow from those said.

    A month has 730 hours, a day 86,400 seconds; QLoRA keeps its base weights in 4 bits; the
    sequence length of training is the context that was asked for.
    """
    changes: dict[str, Any] = {}
    if workload.budget_usd_per_month is not None and workload.budget_usd_per_hour is None:
        changes["budget_usd_per_hour"] = workload.budget_usd_per_month / HOURS_PER_MONTH
    if workload.tokens_per_day is not None and workload.avg_tokens_per_s is None:
        changes["avg_tokens_per_s"] = workload.tokens_per_day / SECONDS_PER_DAY
    if workload.method == "qlora" and workload.quant is None:
        changes["quant"] = "int4"
    trains = workload.task in {"train", "finetune"}
    if trains and workload.context is not None and workload.seq_len is None:
        changes["seq_len"] = workload.context
    return replace(workload, **changes) if changes else workload
