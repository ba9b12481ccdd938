"""Finds what a question names among the things the guides print: tables, terms, snippets."""

import re
from collections.abc import Iterable, Iterator, Mapping

from catalog.guides.guides import Guides

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
