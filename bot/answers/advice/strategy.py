"""Different hardware for each stage of one model's life: to train, to serve, at the edge."""

import re
from typing import Any, Final

from bot.answers.pick import recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from catalog.guides.guide_rows import load_guide_rows
from engine.ask import model_of
from engine.core.assumptions import generates_text
from engine.plans.strategy import StageName, strategy_plan

SERVING_FIELDS: Final = (
    *("rps", "concurrency", "tokens_per_day", "avg_tokens_per_s", "latency_ms", "latency_kind"),
    *("percentile", "input_tokens", "output_tokens", "context", "budget_usd_per_month"),
)
TRAINING_FIELDS: Final = (
    *("method", "seq_len", "tokens_total", "deadline_h", "budget_usd_total"),
    *("global_batch_tokens", "batch"),
)
# The stages, the words that name each, and the task and mode each is.
STAGES: Final[dict[StageName, tuple[str, str, str | None]]] = {
    "train": (r"\b(?:pre)?-?train(?!ium)\w*\b", "train", None),
    "finetune": (r"\b(?:fine-?\s?tun\w*|lora|qlora)\b", "finetune", None),
    "serve": (r"\b(?:serv\w+|infer(?!entia)\w*|deploy\w*|host\w*|run)\b", "inference", None),
    "batch": (r"\bbatch\b", "inference", "batch"),
    "edge": (r"\bedge\b", "inference", "edge"),
}
USUAL: Final[tuple[StageName, ...]] = ("train", "serve", "edge")
FEWEST = 2


def strategy_turn(turn: Turn) -> Reply:
    """Return the pick of each stage that was named (train, serve and edge where fewer than two)."""
    turn = about(turn, **one_model(turn.workload))
    results = {name: recommendation_of(_stage_turn(turn, name)) for name in stages_of(turn)}
    first, *others = results.values()
    serving = results.get("serve", first)
    rest = [result for result in (first, *others) if result is not serving]
    sayings = [said for said in load_guide_rows().sayings if said.topic == "strategy"]
    plan = strategy_plan(results)
    return plan_reply(turn, "strategy", plan, serving, *rest, sayings=sayings)


def stages_of(turn: Turn) -> tuple[StageName, ...]:
    """Return the stages the text names, in the order of a model's life."""
    text = turn.understanding.text.lower()
    named = tuple(name for name, (words, _, _) in STAGES.items() if re.search(words, text))
    return named if len(named) >= FEWEST else USUAL


def _stage_turn(turn: Turn, name: StageName) -> Turn:
    _, task, mode = STAGES[name]
    said = turn.workload
    other = SERVING_FIELDS if task != "inference" else TRAINING_FIELDS
    changes: dict[str, Any] = dict.fromkeys(other)
    if task == "inference" and said.method == "qlora":
        changes["quant"] = None  # 4 bits were said of the tuning
    if own := _named_for(turn, name):
        changes["allow"] = own
    elif name == "edge":
        changes |= _edge(turn)
    return about(turn, **changes | {"task": task, "mode": mode})


def _named_for(turn: Turn, name: StageName) -> tuple[str, ...]:
    """Return the kinds of hardware named right after a stage ("serve it on Inferentia")."""
    text = turn.understanding.text.lower()
    every = "|".join(f"(?P<{stage}>{words})" for stage, (words, _, _) in STAGES.items())
    places = list(re.finditer(every, text))
    ends = [*(match.start() for match in places[1:]), len(text)]
    after = zip(places, ends, strict=False)
    told = " ".join(text[match.end() : end] for match, end in after if match.lastgroup == name)
    return tuple(group for group in turn.workload.allow or () if group in told)


def _edge(turn: Turn) -> dict[str, Any]:
    """Return how the edge is read: a place without a GPU, a generator's weights in 4 bits."""
    said = turn.workload
    model, _ = model_of(said, turn.world.catalog)
    changes: dict[str, Any] = {}
    named = said.allow or ()
    if "cpu" in named or not (named or said.instance or said.gpu):
        changes["allow"] = ("cpu",)
    if said.quant is None and model is not None and generates_text(model):
        changes["quant"] = "int4"
    return changes
