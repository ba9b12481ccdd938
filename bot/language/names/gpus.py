"""Reads accelerators: which chip, how many, how much memory each (`4x80G A100`, `two A10Gs`)."""

import re
from functools import lru_cache

from bot.core.examples import example
from bot.language.draft import Draft
from bot.language.text.numbers import START, number
from bot.language.text.tables import any_of, spoken, words
from bot.language.text.vocabulary import Vocabulary
from catalog.catalog import Catalog
from catalog.facts.schema import Accelerator

COUNT = r"(?P<count>\d{1,6})(?:[ -]?(?:x|\*|[个张块台])[ -]?|[ -])"
MEMORY = r"(?P<mem>\d{1,4})[ -]?(?:gb|gib|gig|g)[ -]?(?:的)?[ -]?"
# By the letters and digits that makers use; the catalog's own chips are added by name.
CHIP = (
    r"(?:nvidia |tesla |aws |instinct |geforce )?"
    r"(?P<chip>(?:[ablhvtk]\d{1,3}0?s?|rtx[ -]?(?:pro[ -]?)?\d{4}|mi\d{3}x?"
    rf"|{any_of('other_chips')}|<chips>|[234][0-9]90)(?:ti)?)"
)
TAIL = (
    r"(?:[ -]?(?P<form>sxm\d?|pcie|nvl)(?![a-z0-9]))?(?:[ -]?\(?(?P<mem2>\d{2,3}[ -]?(?:gb|gib|gig"
    r"|g)|(?:16|32|40|48|80|96|141)(?! ?(?:rps|req|tok|user|%|ms|con|par|qps)))\)?(?:s\b)?"
    r"(?![\w%]|\.\d))?"
)
AFTER = r"(?:'?s)?(?![a-z0-9])(?:[ -]?x[ -]?(?P<count2>\d{1,4})(?!\w|\.\d))?"
# 4x80G A100 · two 80 GB A100s · A100-80GB x8 · H100s
# A letter right behind a comma begins a name of a list: "H100,A100".
CHIPS = (
    rf"(?:{START}|(?<=[a-z0-9\0],)(?=[a-z]))(?:{COUNT})?(?:{MEMORY})?{CHIP}(?:'?s)?{TAIL}{AFTER}"
)
# 2x24GB · one 80 gig card · eight GPUs · 24GB card
CARDS = re.compile(
    rf"{START}(?:{COUNT})?{MEMORY}(?:of )?(?P<what>cards?|gpus?|accelerators?|vram|devices?"
    rf"|显卡|chips?)(?![a-z])"
)
COUNTED = re.compile(
    rf"{START}(?:\d{{1,4}} ?(?:-|to"
    rf"|and) ?)?(?P<count>\d{{1,6}})[ -]?(?:x[ -]?)?(?:nvidia )?(?P<what>gpus?|cards?"
    rf"|accelerators?|devices?)(?![a-z])"
)
PRODUCT = re.compile(
    rf"{START}(?P<count>\d{{1,6}})[ -]?x[ -]?(?P<mem>\d{{1,4}})[ -]?(?:gb|gib|gig|g)(?![a-z])"
)
LEADING = re.compile(r"(\d+).*")

# Sold elsewhere, and what EC2 has instead: (chip meant, words for the note).
STAND_INS = spoken("chip_stand_ins")
# Where a chip comes in two sizes and none was said: the one most deployments have.
USUAL_MEMORY_GB = spoken("usual_memory_gb")
NO_WORD = re.compile(r"[^a-z0-9]")
SIZES_GB = (80, 40, 141)  # the first is meant where none is said
NEURON_CHIPS = words("neuron")


@lru_cache(maxsize=4)
def _chips_of(names: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    return re.compile(CHIPS.replace("<chips>", "|".join(map(re.escape, longest_first))))


def chips_of(vocabulary: Vocabulary) -> re.Pattern[str]:
    """Return the pattern of a chip with its count and memory, the catalog's own by name."""
    return _chips_of(tuple(vocabulary.chips))


def read_gpus(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say `gpu`, `gpu_count` and `gpu_memory_gb` for accelerators named in the text."""
    for match in draft.reader.matches(chips_of(vocabulary)):
        if match["chip"].startswith(NEURON_CHIPS):
            continue  # in a sentence these are families, read as such
        say_chip(draft, match, vocabulary)
    for pattern in (CARDS, PRODUCT):
        for match in draft.reader.matches(pattern):
            _say_count(draft, match, match["count"])
            _say_memory(draft, match, vocabulary)
    for match in draft.reader.matches(COUNTED):
        if not re.search(r"\b(?:per|each|every|with) \Z", draft.reader.before(match.start())):
            draft.say("gpu_count", number(match["count"]), *match.span())


def say_chip(
    draft: Draft, match: re.Match[str], vocabulary: Vocabulary, *, keyed: bool = False
) -> bool:
    """Record one match of `chips_of`; return False where no such chip is sold on EC2.

    Raises:
        RequestError: `invalid_value` for a `gpu=` that EC2 does not have.
    """
    mention = None if keyed else draft.mention_at(*match.span())
    left_out = mention is not None and mention.left_out
    written = re.sub(r"[ -]", "", match["chip"])
    memory = match["mem"] or (LEADING.sub(r"\1", match["mem2"]) if match["mem2"] else None)
    if mention is not None and left_out and memory is None:
        return _say_none_of(draft, written, match, vocabulary)
    chip = chip_id(draft, written, memory, vocabulary)
    if chip is None:
        return _unknown(draft, match, vocabulary, keyed=keyed)
    if left_out:
        draft.say("gpu", chip, *match.span())
        return True
    _say_count(draft, match, match["count"] or match["count2"])
    draft.say("gpu", chip, *match.span(), keyed=keyed)
    return True


def _say_none_of(draft: Draft, written: str, match: re.Match[str], vocabulary: Vocabulary) -> bool:
    """Leave out a chip with whatever memory it comes; one that EC2 has not is left out anyway."""
    forms = (written, written.removesuffix("s"))
    names = [*forms, *(STAND_INS[form][0] for form in forms if form in STAND_INS)]
    ids = next((vocabulary.chips[name] for name in names if name in vocabulary.chips), ())
    for chip in ids:
        draft.say("gpu", chip, *match.span())
    if not ids and (mention := draft.mention_at(*match.span())):
        draft.without(mention)
    return bool(ids)


def chip_id(draft: Draft, written: str, memory: str | None, vocabulary: Vocabulary) -> str | None:
    """Return the accelerator's id, with a note where the text left its kind or memory open."""
    base = written
    if base not in vocabulary.chips and base.endswith("s"):
        base = base[:-1]
    if base not in vocabulary.chips and base in STAND_INS:
        base, why = STAND_INS[base]
        draft.note("gpu_stand_in", f"{written.upper()}: {why}.")
    ids = vocabulary.chips.get(base)
    if ids is None:
        return None
    sizes = {_memory_gb(one, vocabulary): one for one in ids}
    wanted = float(memory) if memory else USUAL_MEMORY_GB.get(base, min(sizes))
    if len(sizes) > 1 and not memory:
        others = ", ".join(f"{size:g} GB" for size in sizes)
        draft.note(
            "gpu_memory_assumed", f"{base.upper()} comes with {others}: read as {wanted:g} GB."
        )
        apart = ((one, {"gpu": one}) for size, one in sizes.items() if size != wanted)
        draft.offer("gpu_memory_assumed", "gpu", *apart)
    best = min(sizes, key=lambda size: abs(size - wanted))
    if memory and abs(best - wanted) > 0.1 * wanted:
        draft.note(
            "gpu_memory", f"EC2 has no {base.upper()} with {wanted:g} GB: read as {best:g} GB."
        )
    return sizes[best]


def _say_memory(draft: Draft, match: re.Match[str], vocabulary: Vocabulary) -> None:
    """Record memory said alone; beside a chip that comes in that size it names that chip."""
    memory = float(match["mem"])
    named = str(draft.first("gpu") or "").partition("-")[0].lower()
    for chip in vocabulary.chips.get(named, ()):
        if _memory_gb(chip, vocabulary) == memory:
            draft.say("gpu", chip, *match.span())
            return
    draft.say("gpu_memory_gb", memory, *match.span())


def _memory_gb(chip: str, vocabulary: Vocabulary) -> float:
    return vocabulary.catalog.accelerators[chip].mem_gb_marketed


def _say_count(draft: Draft, match: re.Match[str], count: str | None) -> None:
    """Record how many; "four of the eight 80 GB cards" are four."""
    if not count:
        return
    before = draft.reader.before(match.start())
    if part := re.search(r"(\d+) of (?:the )?\Z", before):
        draft.say("gpu_count", number(part[1]), match.start() - len(part[0]), match.end())
    else:
        draft.say("gpu_count", number(count), *match.span())


def _unknown(draft: Draft, match: re.Match[str], vocabulary: Vocabulary, *, keyed: bool) -> bool:
    words = draft.reader.words(*match.span()).strip()
    if keyed:
        raise draft.refusal(
            "invalid_value",
            f"EC2 has no accelerator called `{words}`.",
            *match.span(),
            name="gpu",
            suggestions=tuple(ids[0] for ids in vocabulary.chips.values())[:6],
            example=example("fields_1"),
        )
    looks_like_chip = re.search(r"rtx|mi\d|gh200|\d{3}", match["chip"]) is not None
    if looks_like_chip and match["chip"] not in vocabulary.families:
        draft.ignore(*match.span(), suggestion=example("gpus"))
    return False


def chip_called(name: str, catalog: Catalog) -> Accelerator | None:
    """Return the accelerator a flag names: an id, or as people write it (`A100-80GB`, `l40s`)."""
    written = NO_WORD.sub("", name.lower()).removeprefix("nvidia")
    ids = {NO_WORD.sub("", one.lower()): one for one in catalog.accelerators}
    bare = written.removesuffix("gb")
    forms = (written, bare, *(f"{written}{size}" for size in SIZES_GB))
    exact = [form for form in forms if form in ids]
    close = exact or [form for form in ids if form.startswith(bare)]
    return catalog.accelerators[ids[close[0]]] if close else None
