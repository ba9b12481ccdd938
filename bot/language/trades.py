"""Refuses what is no work of a model that is sized here: a database, a build, a rendering."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from bot.language.draft import Draft
from bot.language.text.phrases import Index, hits, phrase_index
from bot.language.text.tables import sections_of

TABLE: Final = sections_of(Path(__file__).with_name("trades.txt"))
OURS: Final = "ours"
# Whoever says one of these says what a model is to do.
SIZED: Final = frozenset(
    {"model", "models", "params_b", "use_case", "model_kind", "model_task", "framework", "quant"}
    | {"method", "tokens_total", "input_tokens", "output_tokens", "context", "avg_tokens_per_s"}
)
EXAMPLE: Final = "serve a 7B model for 50 users"


@cache
def _trades() -> Index:
    ours = [(OURS, None, phrases) for _, _, phrases in TABLE[OURS]]
    return phrase_index((*((one, what, words) for one, what, words in TABLE["trades"]), *ours))


def refuse_other_trade(draft: Draft, said: dict[str, Any]) -> None:
    """Refuse a text that names work of another kind, and nothing that a model would do.

    Raises:
        RequestError: `not_understood`, with the words that name the work.
    """
    if SIZED & said.keys() or said.get("task") == "development":
        return
    found = hits(draft.reader.whole, _trades())
    named = [(hit, one) for hit in found for one in hit.meanings]
    if not named or any(one.name == OURS for _, one in named):
        return
    hit, one = named[0]
    words = draft.reader.words(hit.start, hit.end).strip()
    raise draft.refusal(
        "not_understood",
        f"`{words}` is {str(one.value).replace('_', ' ')}: what is sized here are models of"
        " language, embeddings, transcription and images. Say the model or its size, as in"
        f" `{EXAMPLE}`.",
        hit.start,
        hit.end,
        example=EXAMPLE,
    )
