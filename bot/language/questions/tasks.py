"""Settles the fields that depend on one another: the task, the dtype, the objective, the mode."""

import re
from typing import Any

from bot.language.draft import Draft, in_order
from bot.language.questions.doubts import hold_against
from bot.language.values.durations import FIELD_OF_KIND
from bot.language.values.duty import settle_runs
from bot.language.values.loads import settle_loads
from bot.language.values.use_cases import settle_use_case
from engine.core.workload import Workload

METHOD_TASK = {"lora", "qlora", "dora", "dpo", "grpo", "ppo", "orpo", "kto"}
ADAPTERS = {"lora", "qlora", "dora"}
HIGH = {"high", "ultra_high"}
SERVES_ADAPTERS = re.compile(
    r"\b(?:serv(?:e|ing)|host(?:ing)?|inference|deploy(?:ing)?)\b[^.;?!]{0,40}\b(?:q?loras?|adapters?)\b"
)
FROM_SCRATCH = re.compile(
    r"\bpre[ -]?train|\bfrom scratch\b|\bscratch\b|\bcontinu(?:ed|al) |\bvon grund auf\b"
    r"|\bfoundation model\b|\b(?:full|fully) train"
)
FEWEST_FROM_SCRATCH = 1e10  # tokens: nobody tunes on as many, or learns a language from fewer
OWN_DATA = re.compile(
    r"\b(?:on|with|mit|auf) (?:our|my|your|the company'?s?|company|internal|unseren?|meinen?)"
    r" (?:own |internal |support |customer |company |product |domain |training |eigenen )*"
    r"(?:data(?:set)?s?|tickets?|docs|documents?|documentation|corpus|logs|conversations?|chats"
    r"|e?-?mails?|code(?:base)?|examples|samples|records|notes|reports|contracts|wiki|transcripts"
    r"|reviews|images|calls|manuals|daten|dokumenten?)(?![a-z])"
)
DEFAULT_LOW_BIT = "int4"  # what people mean by "quantised" today: 4-bit weights


def settle(draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]) -> None:
    """Settle `said` in place; fields said twice are in `alternatives`."""
    _settle_task(draft, said, alternatives)
    _settle_latency(draft, said, alternatives)
    _window_of_sequence(draft, said)
    _quant(draft, said)
    _objective(said, alternatives)
    _settle_mode(said, alternatives)
    hold_against(draft, said)
    settle_loads(draft, said, alternatives)
    settle_runs(draft, said)
    settle_use_case(draft, said, alternatives)
    _epochs(draft, said)
    if "method" not in said and draft.details.get("not_method") in ADAPTERS and "task" in said:
        said["method"] = "full"  # "train it, not LoRA"


def _settle_task(
    draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]
) -> None:
    every = set(alternatives.pop("task", ()) or filter(None, [said.get("task")]))
    if SERVES_ADAPTERS.search(draft.reader.whole) and said.get("method") in ADAPTERS:
        del said["method"]
        said["task"] = "inference"
        draft.note(
            "adapters_served",
            "Adapters are served with their base model: sized for that, as each adds little.",
        )
        return
    if _described_model(draft) and said.get("method") is None:
        every -= {"train", "finetune"}
        said.pop("task")
        draft.note("tuned_model", "The model is tuned already: sized for serving it.")
    if said.get("method") in METHOD_TASK and "train" not in every:
        every.add("finetune")
    if said.get("method") in METHOD_TASK and "train" in every:
        every.add("finetune")
    for task in ("finetune", "train", "development", "inference"):
        if task in every:
            said["task"] = task
            break
    _which_training(draft, said)
    if "inference" in every and {"train", "finetune"} & every and not said.get("method"):
        draft.note("two_tasks", f"Two tasks were asked for: sized for {said['task']}, the larger.")


def _which_training(draft: Draft, said: dict[str, Any]) -> None:
    """Read "train mistral-7b on our tickets" as tuning it, and offer the other kind of training.

    "Train" alone is from scratch, at a thousand times the price of a tuning run.
    """
    tokens = said.get("tokens_total") or 0.0
    if said.get("task") != "train" or FROM_SCRATCH.search(draft.reader.whole):
        return
    if tokens >= FEWEST_FROM_SCRATCH or said.get("method") is not None:
        return
    if "model" in said and OWN_DATA.search(draft.reader.whole):
        said["task"] = "finetune"
        draft.note(
            "train_or_tune", f"Training {said['model']} on your own data: read as tuning it."
        )
        draft.offer("train_or_tune", "task", ("pre-training from scratch", {"task": "train"}))
    elif draft.said.get("task"):
        draft.offer("train_or_tune", "task", ("fine-tuning", {"task": "finetune"}))


def _settle_latency(
    draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]
) -> None:
    """Hold limits of different figures beside each other; of one figure, the first with a note."""
    limits = in_order(draft.said.get("latency_ms", []))
    if len(limits) < 2:
        return
    kinds = {one.end: one.value for one in draft.said.get("latency_kind", ())}
    by_kind = {kinds.get(limit.end): limit for limit in limits}
    if len(by_kind) == len(limits) and None not in by_kind:
        main = "e2e" if "e2e" in by_kind else "per_token"
        said["latency_ms"], said["latency_kind"] = by_kind.pop(main).value, main
        said |= {FIELD_OF_KIND[str(kind)]: limit.value for kind, limit in by_kind.items()}
        alternatives.pop("latency_ms")
        alternatives.pop("latency_kind")
        return
    for limit in limits[1:]:
        words = draft.reader.words(limit.start, limit.end).strip()
        draft.note(
            "second_latency",
            f"`{words}` was read too, but only the first latency limit is applied:"
            f" {said['latency_ms']:g} ms.",
        )


def _window_of_sequence(draft: Draft, said: dict[str, Any]) -> None:
    """Read the length of sequences that are served as the context: only training has its own."""
    trains = draft.trains or said.get("task") in {"train", "finetune"} or "method" in said
    if "seq_len" in said and not trains and "context" not in said:
        said["context"] = said.pop("seq_len")
        draft.note("seq_is_context", "Sequences that are served are as long as the context.")


def _quant(draft: Draft, said: dict[str, Any]) -> None:
    if "quant" in said or "no_quant" in draft.marks:
        return
    if draft.question == "practices":
        return  # whether to is the question
    if "quantised" in draft.marks and said.get("method") is None:
        said["quant"] = DEFAULT_LOW_BIT
        draft.note("quantised", "`quantised` names no dtype: read as 4-bit weights (int4).")
        draft.offer("quantised", None, ("int8 weights", {"quant": "int8"}))


def _objective(said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]) -> None:
    """Choose among several objectives: price with performance is balance, savings beat cost."""
    every = set(alternatives.pop("objective", ()))
    if not said.get("objective") and said.get("throughput") in HIGH and "latency_ms" not in said:
        said["objective"] = "throughput"  # the limit would be the objective, were there one
    if every == {"latency", "cost"}:
        said["objective"] = "balanced"
        return
    if every == {"throughput", "cost"} and said.get("throughput") in HIGH:
        said["objective"] = "cost"  # the traffic is high, the wish is to pay little for it
        return
    for one in (
        "balanced",
        "max_savings",
        "value",
        "energy",
        "latency",
        "throughput",
        "cost",
        "performance",
    ):
        if one in every:
            said["objective"] = one
            return


def _epochs(draft: Draft, said: dict[str, Any]) -> None:
    """Count the tokens of a run once for each time they are seen."""
    epochs = float(draft.details.pop("epochs", 1))
    if epochs != 1.0 and said.get("tokens_total"):
        once = said["tokens_total"]
        said["tokens_total"] = once * epochs
        draft.note(
            "training_data",
            f"{once / 1e6:,.4g}M tokens, {epochs:g} epochs:"
            f" {once * epochs / 1e6:,.4g}M tokens in all.",
        )


def _settle_mode(said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]) -> None:
    every = set(alternatives.get("mode", ()))
    if every == {"realtime", "edge"}:
        alternatives.pop("mode")
        said["mode"] = "edge"


TRAINING_WORDS = re.compile(
    r"\b(?:pre[ -]?)?train(?:s|ing|ed)?\b|\bfine[ -]?tun\w*|\btun(?:e|ed|ing)\b|\bq?[ -]?lora\b"
    r"|\bsft\b|\bdpo\b|\bgrpo\b|\balignment\b"
    r"|微调|训练|ファインチューニング|学習|trainier|feintun"
)
# "our fine-tuned 8B", "the model we trained" describe a model; "trained on 3B tokens" is work.
STILL_TO_DO = re.compile(r"\b(?:be|gets?|getting|needs?|needed|wanted|wants?|to) \Z")
DONE_ON = re.compile(r" (?:on|with|by|using|from|within|via) ")
DONE_ALREADY = re.compile(r"\b(?:we|i|they|already|have|has|had|was|were|'ve) \Z")
SERVING_WORDS = re.compile(r"\b(?:inference|serv(?:e|ing)|host(?:ing)?|chatbot|latency|ttft|rps)\b")


def says_training(text: str, previous: Workload | None) -> bool:
    """Return whether a text, or the workload it may amend, is about training or tuning."""
    if any(not _describes(text, *match.span()) for match in TRAINING_WORDS.finditer(text)):
        return True
    trained = previous is not None and previous.task in {"train", "finetune"}
    return trained and SERVING_WORDS.search(text) is None


def _describes(text: str, start: int, end: int) -> bool:
    """Return whether a word of training only tells what a model is."""
    before = text[max(0, start - 12) : start]
    if not text[start:end].endswith("ed") or STILL_TO_DO.search(before):
        return False
    return DONE_ALREADY.search(before) is not None or not DONE_ON.match(text, end)


def _described_model(draft: Draft) -> bool:
    """Return whether all that speaks of training in a text describes the model that is served."""
    text = draft.reader.whole
    said = [one for one in draft.said.get("task", ()) if one.value in {"train", "finetune"}]
    spans = [match.span() for match in TRAINING_WORDS.finditer(text)]
    spans += [(one.start, one.end) for one in said]
    return (
        bool(said)
        and not any(one.keyed for one in said)
        and all(_describes(text, *span) for span in spans)
    )
