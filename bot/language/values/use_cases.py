"""Reads what a service is for: the words of `use_cases.csv`, or a classifier's guess."""

from typing import Any, Final

from bot.language.draft import Draft
from bot.language.questions.kinds import SURE, kind_model
from bot.language.questions.masking import PLACEHOLDERS, masked_words
from bot.language.text.tables import stopwords
from bot.language.text.units import is_wide, spaced
from bot.language.text.vocabulary import Vocabulary

FEWEST_TELLING: Final = 2  # words beside values and those of every sentence
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


def guess_use_case(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Say the use case that a text is most like, where no word names one and it is likely enough.

    Of one that tells how long requests are, for a model that holds such requests.
    """
    cases = vocabulary.catalog.use_cases
    model = vocabulary.model_of(said.get("model"))
    if draft.question or "use_case" in draft.said or said.get("task") in {"train", "finetune"}:
        return
    if model is not None and model.task not in cases[USUAL].usual_for:
        return  # what it is for is known of the model
    told = " ".join(word for word in draft.reader.text.split() if "=" not in word)
    words = masked_words(told, vocabulary)
    if len(set(words) - PLACEHOLDERS - stopwords()) < FEWEST_TELLING:
        return
    likely = kind_model("usecases").read(words)
    if likely.probability >= SURE and cases[likely.kind].input_tokens is not None:
        said["use_case"] = likely.kind
        spoken = likely.kind.replace("_", " ")
        draft.note("use_case", f"Read as {spoken} by likeness: say use_case= for another.")


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
