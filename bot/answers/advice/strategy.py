"""Different hardware for each stage of one model's life: to train, to serve, at the edge."""

from typing import Any, Final

from bot.answers.pick import recommendation_of
from bot.answers.planning import about, one_model, plan_reply
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.asked import StageQuestion
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
# The task and mode that each stage is.
STAGES: Final[dict[StageName, tuple[str, str | None]]] = {
    "train": ("train", None),
    "finetune": ("finetune", None),
    "serve": ("inference", None),
    "batch": ("inference", "batch"),
    "edge": ("inference", "edge"),
}


def strategy_turn(turn: Turn) -> Reply:
    """Return the pick of each stage that was named (train, serve and edge where fewer than two)."""
    turn = about(turn, **one_model(turn.workload))
    results = {
        stage.name: recommendation_of(_stage_turn(turn, stage))
        for stage in turn.understanding.asked.stages
    }
    first, *others = results.values()
    serving = results.get("serve", first)
    rest = [result for result in (first, *others) if result is not serving]
    sayings = [said for said in load_guide_rows().sayings if said.topic == "strategy"]
    plan = strategy_plan(results)
    return plan_reply(turn, "strategy", plan, serving, *rest, sayings=sayings)


def _stage_turn(turn: Turn, stage: StageQuestion) -> Turn:
    task, mode = STAGES[stage.name]
    said = turn.workload
    other = SERVING_FIELDS if task != "inference" else TRAINING_FIELDS
    changes: dict[str, Any] = dict.fromkeys(other)
    if task == "inference" and said.method == "qlora":
        changes["quant"] = None  # 4 bits were said of the tuning
    if stage.hardware:
        changes["allow"] = stage.hardware
    elif stage.name == "edge":
        changes |= _edge(turn)
    return about(turn, **changes | {"task": task, "mode": mode})


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
