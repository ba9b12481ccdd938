"""Reads the lexicon's words: tasks, dtypes, markets, objectives, groups and the signals."""

import re

from bot.language.draft import Draft
from bot.language.names.instances import say_group
from bot.language.text.phrases import Hit, Meaning, hits, unspaced_hits
from bot.language.text.vocabulary import Vocabulary
from engine.core.dtypes import is_cache_format

KV_NEAR = re.compile(
    r"\b(?:kv|cache|kv cache)\b[^,;.]{0,12}\Z|\A[ -]*(?:e[45]m[23] )?(?:kv|key[ -]value)\b"
)
# "full" alone says how to tune only beside a training word, and not before these.
FULL = re.compile(
    r"\bfull(?!\s(?:precision|\d|r1|context|window|answer|response|request|month|node|box|throughput))\b"
)


def read_words(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say every field and mark every signal whose words are in the open text."""
    for hit in unspaced_hits(draft.reader.work):
        if "\0" not in draft.reader.work[hit.start : hit.end]:
            for meaning in hit.meanings:
                _read_meaning(draft, hit, meaning)
    for hit in hits(draft.reader.work, vocabulary.phrases):
        for meaning in hit.meanings:
            _read_meaning(draft, hit, meaning)
    _read_commitments(draft, vocabulary)
    _full_method(draft)


UNCOMMITTED = frozenset({"spot", "on_demand"})


def _read_commitments(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say how a commitment is made where nothing else says it: it may be of any kind."""
    committed = {one.value for one in draft.said.get("market", ())} - UNCOMMITTED
    for hit in hits(draft.reader.work, vocabulary.phrases):
        for meaning in hit.meanings:
            if meaning.name == "commitment" and not committed:
                draft.say("market", meaning.value, hit.start, hit.end)
            elif meaning.name == "commitment":
                draft.reader.take(hit.start, hit.end)


def _read_meaning(draft: Draft, hit: Hit, meaning: Meaning) -> None:
    name, value = meaning.name, meaning.value
    if name == "commitment":
        return  # once every other word is read
    if name == "filler":
        draft.reader.take(hit.start, hit.end)
    elif name == "group":
        say_group(draft, str(value), hit.start, hit.end)
    elif name.startswith("detail:"):
        draft.details.setdefault(name.partition(":")[2], str(value))
        draft.mark(name, hit.start, hit.end)
    elif name == "intent:manifest":
        _mark_manifest(draft, hit, str(value))
    elif ":" in name or name in SIGNALS:
        draft.mark(name, hit.start, hit.end)
    else:
        _say_value(draft, hit, name, value)


KV_BEFORE = re.compile(r"\bkv(?: cache)?(?: dtype)?(?: in| at| as| is|=)? \Z")
SIGNALS = frozenset(
    {
        "follow",
        "recommend",
        "first_token",
        "double",
        "triple",
        "halve",
        "no_quant",
        "quantised",
        "all_sizes",
        "how_much",
    }
)


def _mark_manifest(draft: Draft, hit: Hit, kind: str) -> None:
    """Keep the most particular kind: `karpenter yaml` is Karpenter's."""
    known = draft.details.get("manifest_kind")
    if known in {None, "eksctl"}:
        draft.details["manifest_kind"] = kind
    draft.mark("intent:manifest", hit.start, hit.end)


def _say_value(draft: Draft, hit: Hit, name: str, value: object) -> None:
    before = draft.reader.before(hit.start)
    after = draft.reader.after(hit.end)
    if name == "quant" and is_cache_format(str(value)) and _is_of_the_cache(before, after):
        name = "kv_dtype"
    elif name == "quant" and KV_BEFORE.search(before):
        return  # no format that a cache is kept in, nor said of the weights
    if (
        name == "objective"
        and value == "cost"
        and ASKS_PRICE.search(f"{before}{draft.reader.work[hit.start : hit.end]}")
    ):
        draft.mark("how_much", hit.start, hit.end)
    else:
        draft.say(name, value, hit.start, hit.end)


def _is_of_the_cache(before: str, after: str) -> bool:
    """Return whether a number format stands beside "KV cache" rather than beside the weights."""
    if KV_BEFORE.search(before):
        return True
    return KV_NEAR.search(before + "\0") is None and KV_NEAR.match(after) is not None


# "what does it cost" asks for a price; "cost" alone is what to optimise.
ASKS_PRICE = re.compile(
    r"\b(?:what|how much|does|do|would|will|did|it|that|this|they)\b[^,;]{0,50}\bcosts?\Z"
    r"|\bthe cost\Z"
)


def _full_method(draft: Draft) -> None:
    if draft.trains:
        for match in draft.reader.matches(FULL):
            draft.say("method", "full", *match.span())
