"""Refuses a context that the named model cannot hold."""

from bot.core.errors import RequestError
from bot.language.draft import Draft
from bot.language.text.vocabulary import Vocabulary
from engine.core.workload import Workload

# Notes of models whose window is stretched by configuration alone.
STRETCHED = ("yarn", "rope scaling", "extend")


def check_context(workload: Workload, draft: Draft, vocabulary: Vocabulary) -> None:
    """Raise `context_exceeds_model` where inference asks for more than the model's window.

    Raises:
        RequestError: with the window and an example that fits it.
    """
    if workload.task in {"train", "finetune"} or workload.model is None:
        return
    if workload.model not in vocabulary.models.exact.values() and (
        workload.model not in vocabulary.catalog.models
    ):
        return
    model = vocabulary.catalog.models[vocabulary.model_id(workload.model)]
    longest = model.max_context
    asked = workload.context or (workload.input_tokens or 0) + (workload.output_tokens or 0)
    if longest is None or asked <= longest or any(s in model.notes.lower() for s in STRETCHED):
        return
    words = draft.words("context") if "context" in draft.said else f"{asked:,} tokens"
    raise RequestError(
        "context_exceeds_model",
        f"`{words}` is more than {workload.model} can hold: its window is {longest:,} tokens.",
        field="context",
        words=words,
        example=f"inference {workload.model} context={longest}",
    )
