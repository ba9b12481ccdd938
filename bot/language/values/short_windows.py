"""Reads context windows said in thousands without saying so: "context 32", "llama 70b, 128k"."""

import re
from typing import Any, Final

from bot.language.draft import Draft
from bot.language.text.vocabulary import Vocabulary
from bot.language.values.quantities import tokens

# A window that is written as a bare number of thousands: no served model has one as short.
SHORTEST_TOKENS: Final = 256
COUNTS_TOKENS: Final = re.compile(r"tok")
# 4k, 128k: sizes that windows have, where no other rule read them as a load or money.
BARE: Final = re.compile(
    r"(?<![\w$.,/-])(?P<n>1|2|4|8|16|32|64|100|128|200|256|512|1024)k(?![\w/])"
)


def read_bare_windows(draft: Draft) -> None:
    """Say the context that stands alone as "32k", beside a model."""
    if not {"model", "params_b"} & draft.said.keys() or {"context", "seq_len"} & draft.said.keys():
        return
    for match in draft.reader.matches(BARE):
        words = draft.reader.words(*match.span()).strip()
        draft.note("bare_window", f"`{words}` is read as the context window.")
        draft.say("context", tokens(match["n"], "k"), *match.span())


def settle_short_window(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Read "context 32" as 32k, where the model holds that; of `context=32` only offer it."""
    every = draft.said.get("context", ())
    if len(every) != 1 or not 0 < said.get("context", 0) <= SHORTEST_TOKENS:
        return
    one, count = every[0], int(said["context"])
    words = draft.reader.words(one.start, one.end).strip()
    thousands = count * 1024
    if COUNTS_TOKENS.search(words.lower()) or thousands > _longest_window(said, vocabulary):
        return
    if one.keyed:
        draft.note("short_window", f"`{words}` is read as {count} tokens.")
        draft.offer("short_window", "context", (f"{count}k context", {"context": thousands}))
        return
    said["context"] = thousands
    draft.note("short_window", f"`{words}` is read as {count}k tokens.")
    draft.offer("short_window", "context", (f"{count} tokens context", {"context": count}))


def _longest_window(said: dict[str, Any], vocabulary: Vocabulary) -> float:
    """Return the window of the model named in tokens; no limit is known of a size alone."""
    if "model" not in said:
        return float("inf")
    return vocabulary.catalog.models[vocabulary.model_id(said["model"])].max_context or 0
