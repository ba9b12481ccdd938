"""Reads what a service is for: the words of `use_cases.csv`, or a classifier's guess."""

from typing import Any, Final

from bot.language.draft import Draft
from bot.language.text.units import is_wide, spaced
from bot.language.text.vocabulary import Vocabulary

USUAL: Final = "chat"  # said beside another use case it says nothing more: "a RAG chatbot"


def read_use_case(draft: Draft, vocabulary: Vocabulary) -> None:
    """Say the use case that is named in a script without spaces, wherever it stands.

    Words of other scripts are phrases of the vocabulary and are read with those.
    """
    text = draft.reader.work
    if text.isascii():
        return
    for case in vocabulary.catalog.use_cases.values():
        for word in filter(is_wide, case.words):
            start = text.find(spaced(word))
            if start >= 0:
                draft.say("use_case", case.use_case, start, start + len(spaced(word)))


def guess_use_case(draft: Draft, said: dict[str, Any], name: str) -> None:
    """Say the use case that a classifier reads from the whole text, where no word names one."""
    if "use_case" not in said and said.get("task") not in {"train", "finetune"}:
        said["use_case"] = name
        draft.note("use_case", f"Read as {name.replace('_', ' ')}: say use_case= for another.")


def settle_use_case(
    draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[object, ...]]
) -> None:
    """Keep the most particular of several use cases; a run that trains has none."""
    named = alternatives.pop("use_case", ())
    if said.get("task") in {"train", "finetune"}:
        said.pop("use_case", None)
        return
    particular = [name for name in named if name != USUAL]
    if particular and not any(one.keyed for one in draft.said["use_case"]):
        said["use_case"] = particular[0]
