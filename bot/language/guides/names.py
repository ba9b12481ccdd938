"""What a question names among the things the guides print, and the words they branch on."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from catalog.catalog import Catalog
from catalog.guides.guides import Guides, load_words
from engine.guides.asked import ScaleName, SuperlativeQuestion
from engine.guides.superlatives import types_called

# What may stand around a name without asking for anything else.
FILLER_WORDS = """
a about according again all an and are as at by can could did do document documents does ec2
ec2-pick example for from give guide guides how i in instance instances is it its me mean means
meaning of on our please print say says see show table tables tell that the their them there these
this to today us was we what whats which with you snippet code family families type types computed
star recomputed prices now s difference between primary define definition recommend actually really
main explain compare compared versus vs against or better architecture compute than good used
many get gets have has eks ai map chart instead rate rated when
list exactly precisely stand stands meant term word know don t
lists listed best each every per plot draw aws catalog good work works worked through
"""
FILLER = frozenset(FILLER_WORDS.split())
DOCUMENT = re.compile(
    r"(?:\b(?:guide|document|doc|tree|seed)s?[ _=-]*|(?<![\w.,=-]))(00[0-9])(?![\w.,]*\d)\b"
)
WORD = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


def spaced(text: str) -> str:
    """Return the words of a text in lower case with single spaces, and one at each end."""
    return f" {' '.join(WORD.findall(text.lower().replace('_', ' ').replace('-', ' ')))} "


def document_named(text: str, guides: Guides) -> str | None:
    """Return the id of the document a text names, by number or by what people call it."""
    match = DOCUMENT.search(text.lower())
    if match is not None:
        return match[1]
    words = spaced(text)
    names = [(name, guide.id) for guide in guides for name in guide.aliases]
    found = [(len(name), guide_id) for name, guide_id in names if f" {name} " in words]
    return max(found)[1] if found else None


def without_document(text: str, guides: Guides) -> str:
    """Return the words of a text without what names a document."""
    words = spaced(DOCUMENT.sub(" ", text.lower()))
    for guide in guides:
        for name in sorted(guide.aliases, key=len, reverse=True):
            words = words.replace(f" {name} ", " ")
    return words


def named(words: str, names: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, ...], str]:
    """Return what the longest name in `words` stands for, and the words that are left over.

    `names` are lower-case phrases; left over is what is neither the name nor filler.
    """
    return next(every_named(words, names), ((), words.strip()))


def every_named(
    words: str, names: Mapping[str, tuple[str, ...]]
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield what each name in `words` stands for and the words left over, the longest first."""
    for name in sorted(names, key=len, reverse=True):
        phrase = spaced(name)
        if phrase in words:
            rest = words.replace(phrase, " ", 1).split()
            yield names[name], " ".join(word for word in rest if word not in FILLER)


def named_in_any_order(
    words: str, names: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], str]:
    """Return what the name stands for whose words are all there, and the words left over.

    The name with the most words; one word alone names nothing.
    """
    said = _singular(words)
    wanted = {name: _singular(spaced(name)) for name in names}
    there = [name for name, own in wanted.items() if len(own) > 1 and own <= said]
    if not there:
        return (), words.strip()
    best = max(there, key=lambda name: (len(wanted[name]), name))
    return names[best], " ".join(said - wanted[best])


def _singular(words: str) -> set[str]:
    """Return the words that are no filler, plurals as their singular."""
    told = {word for word in words.split() if word not in FILLER}
    return {word.removesuffix("s") for word in told} - FILLER


def phrases(entries: Mapping[str, Iterable[str]]) -> dict[str, tuple[str, ...]]:
    """Return every name with the keys of the entries that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for key, names in entries.items():
        for name in names:
            found[name.lower()] = (*found.get(name.lower(), ()), key)
    return found


def branch_words(text: str) -> frozenset[str]:
    """Return the context words that the text says in any of their phrases."""
    spaced = f" {re.sub(r'[^a-z0-9]+', ' ', text.lower())} "
    return frozenset(
        word
        for word, phrases in load_words().items()
        if any(f" {phrase} " in spaced for phrase in phrases)
    )


SUPERLATIVES_WORD: Final = re.compile(r"[a-z0-9][a-z0-9.-]*")
ASKING: Final = frozenset(
    ("isn", "t", "aren", "really", "still", "always", "true", "right", "on", "aws")
)
PLACE: Final = re.compile(r"\bin [a-z0-9-]+")  # the turn's region, read elsewhere
SCALE_WORDS: Final[dict[ScaleName, tuple[str, ...]]] = {
    "cheapest": ("cheapest", "least expensive", "most affordable", "lowest priced"),
    "dearest": ("most expensive", "dearest", "priciest"),
    "fastest": ("fastest", "quickest", "strongest", "most powerful"),
    "largest": ("biggest", "largest"),
}
SCALES: Final = {word: name for name, words in SCALE_WORDS.items() for word in words}
KINDS: Final = {
    "gpu": "vendor nvidia",
    "gpus": "vendor nvidia",
    "accelerator": "accelerated",
    "chip": "accelerated",
    "cpu": "cpu",
    "instance": "any",
    "type": "any",
    "machine": "any",
}
ASKED: Final = re.compile(
    rf"\bthe (?P<most>{'|'.join(SCALES)}) (?:nvidia |aws |ec2 )?(?P<kind>{'|'.join(KINDS)})\b"
)


def superlative_asked(text: str, catalog: Catalog) -> SuperlativeQuestion | None:
    """Return what a yes-or-no question says leads its kind; None where it says more than that."""
    low = PLACE.sub(" ", text.lower())
    match = ASKED.search(low)
    if match is None:
        return None
    words = [
        word.rstrip(".-")
        for word in SUPERLATIVES_WORD.findall(low[: match.start()] + low[match.end() :])
    ]
    named = [word for word in words if types_called(word, catalog)]
    if len(named) != 1 or set(words) - set(named) - FILLER - ASKING - KINDS.keys():
        return None
    return SuperlativeQuestion(named[0], SCALES[match["most"]], KINDS[match["kind"]])
