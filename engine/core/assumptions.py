"""Fills in what the user did not say, and records every value taken and why.

The values are the ones a serving or training benchmark of this field would use by default; each
one is on the card, so a reader can change it in one word.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from catalog.facts.schema import Model, UseCase
from catalog.facts.units import HOURS_PER_YEAR
from engine.core.dtypes import native_weights_dtype
from engine.core.job import USUAL_DEADLINE_H, are_of_a_request, items_of_job
from engine.core.people import (
    UseCases,
    in_flight,
    keeps_prompts,
    made_for,
    people_words,
    rates_of,
    session_words,
    use_case_of,
)
from engine.core.tasks import READING_TASKS, SINGLE_SHOT_TASKS
from engine.core.usual_limits import UsualLimits, general_limits, limits_of_use, nearly
from engine.core.workload import Assumption, Workload

DEFAULT_CONTEXT_TOKENS = 4096
DEFAULT_INPUT_TOKENS = 512
DEFAULT_OUTPUT_TOKENS = 128
HOLDS = "holds"  # how the reason for a context begins that rare prompts need
# Above this a bare latency cannot mean the wait for one token: people mean the whole answer.
WHOLE_ANSWER_LATENCY_MS = 1000.0
# One-shot answers: a lookup feels immediate below a second; an image is worth a wait (estimates of
# image models are wide, and unmeasured figures are held by the end of their range).
ONE_SHOT_MS = dict.fromkeys(SINGLE_SHOT_TASKS, 1000.0) | {"diffusion": 120_000.0}
USUAL_ENGINE = {
    **dict.fromkeys(READING_TASKS, "tei"),
    "vision": "pytorch",
    "diffusion": "diffusers",
}


Wishes = Literal["of_use", "all", "nearly", "reading_speed", "none"]


@dataclass(slots=True)
class WorkloadDraft:
    """A workload being filled; `take` fills a field only where the user left it open."""

    workload: Workload
    assumptions: list[Assumption] = field(default_factory=list)

    def take(self, name: str, value: object, why: str) -> None:
        """Fill `name` with `value` and record why, unless the user said it."""
        if getattr(self.workload, name) is None:
            self.set(name, value)
            self.assumptions.append(Assumption(name, value, why))

    def set(self, name: str, value: object) -> None:
        """Fill `name` without listing it (it follows from what was said)."""
        changes: dict[str, Any] = {name: value}
        self.workload = replace(self.workload, **changes)


def generates_text(model: Model) -> bool:
    """Return whether the model answers token by token."""
    return model.task in {"decoder", "vision_language", "enc_dec", "speech"}


def usual_engine(model_task: str) -> str:
    """Return the serving engine that most deployments of a kind of model run."""
    return USUAL_ENGINE.get(model_task, "vllm")


def fill(
    said: Workload,
    model: Model | None,
    use_cases: UseCases,
    *,
    default_region: str,
    wishes: Wishes = "all",
    defaults: Iterable[Assumption] = (),
    region: str | None = None,
) -> tuple[Workload, tuple[Assumption, ...]]:
    """Return the workload with every field the estimates need, and what was assumed.

    `use_cases` are the known ones, by name: they tell how long requests are and how often users
    ask. `defaults` are what whoever asks has laid down for fields left open; they go before ours.
    `region` is the one that is taken of the regions named (None for the first), or in place of a
    usual region that does not have what was asked for.

    `wishes` assumes, for interactive work without a stated latency, what is published for its use,
    what people put up with (a first token soon and text at reading speed), that speed alone, or
    nothing at all: then the slowest machine that holds the model would do.
    """
    draft = WorkloadDraft(said)
    _fill_own_defaults(draft, defaults)
    _fill_place(draft, default_region, region)
    if model is None:
        pass  # a machine by size and price: there is nothing more to assume
    elif said.task in {"train", "finetune"}:
        _fill_training(draft, model)
    else:
        _fill_serving(draft, model, use_cases)
        _wish(draft, model, use_cases, wishes)
    draft.take("objective", "cost", "lowest cost that meets every stated limit")
    return draft.workload, tuple(draft.assumptions)


def _fill_own_defaults(draft: WorkloadDraft, defaults: Iterable[Assumption]) -> None:
    said = draft.workload
    for default in defaults:
        if is_open(said, default.field) and default.value not in (said.exclude or ()):
            draft.take(default.field, default.value, default.why)


def is_open(said: Workload, name: str) -> bool:
    """Return whether a default may fill `name`: areas and named hardware say it in other words."""
    if name == "region" and said.regions:
        return False
    if name == "allow" and (said.instance or said.gpu or said.compare_family):
        return False
    return getattr(said, name) is None


def _fill_place(draft: WorkloadDraft, default_region: str, region: str | None) -> None:
    if draft.workload.regions:
        named = draft.workload.regions
        among = " and ".join(named) if len(named) < 3 else f"the {len(named)} regions named"
        draft.take("region", region or named[0], f"the best of {among}")
    if region is not None:
        draft.take("region", region, f"the nearest that has it: {default_region} does not")
    draft.take("region", default_region, "no region was named")
    draft.take("market", "on_demand", "no purchase option was named")
    survives = max(draft.workload.replicas_min or 0, draft.workload.zones_min or 0)
    if survives:
        draft.take("nodes", survives, "two replicas on one machine are lost together")
    if draft.workload.market in {"reserved", "savings_plan"}:
        draft.take("term_years", 1.0, "the shorter of the two terms AWS sells")


def _fill_serving(draft: WorkloadDraft, model: Model, use_cases: UseCases) -> None:
    draft.take("quant", native_weights_dtype(model), "the dtype the checkpoint ships in")
    if draft.workload.tokens_per_item is not None:
        draft.take("input_tokens", draft.workload.tokens_per_item, "the length of one item")
    if generates_text(model):
        _fill_use(draft, model, use_cases)
        _fill_tokens(draft, model, use_cases.get(draft.workload.use_case or ""))
    else:
        _fill_single_shot(draft, model)
    _fill_load(draft, model, use_cases)
    _latency_kind(draft, model)
    draft.take("memory_utilisation", 0.9, "the usual default of serving engines")
    engine = usual_engine(model.task)
    draft.take("framework", engine, "what most deployments of this kind of model run")


def _fill_use(draft: WorkloadDraft, model: Model, use_cases: UseCases) -> None:
    """Take what a model is made for where people use it, and what its cache holds of a prompt."""
    own = made_for(draft.workload, model, use_cases)
    if own is not None and draft.workload.users is not None:
        draft.take("use_case", own.use_case, "what a model of this name is made for")
    case = use_cases.get(draft.workload.use_case or "")
    if case is not None and keeps_prompts(case) and draft.workload.mode != "batch":
        why = f"usual for {case.use_case.replace('_', ' ')}: earlier steps are in the prefix cache"
        draft.take("cached_share", case.cached_share, why)


def _fill_tokens(draft: WorkloadDraft, model: Model, case: UseCase | None) -> None:
    """Fill input, output and context so that input + output fits in the context.

    The context is a cap: requests are as long as is usual, and no longer than it.
    """
    said = draft.workload
    longest = model.max_context or DEFAULT_CONTEXT_TOKENS
    room = min(longest, said.context or longest)
    prompt, answer = DEFAULT_INPUT_TOKENS, DEFAULT_OUTPUT_TOKENS
    of_case = case is not None and case.output_tokens is not None
    if case is not None:
        prompt, answer = case.input_tokens or prompt, case.output_tokens or answer
    if said.context is not None or (of_case and answer > longest // 4):
        answer = min(answer, max(1, room // 4))
    answer = said.output_tokens or min(answer, max(1, room - (said.input_tokens or 0)))
    prompt = min(prompt, max(1, room - answer))
    usual = f"usual for {case.use_case.replace('_', ' ')}" if case and of_case else ""
    draft.take("input_tokens", prompt, usual or "a typical chat prompt")
    draft.take("output_tokens", answer, usual or "a typical chat answer")
    tokens = (draft.workload.input_tokens or 0) + (draft.workload.output_tokens or 0)
    longest_prompt = (case.input_tokens_p99 if case and of_case else None) or 0
    rare = longest_prompt + (draft.workload.output_tokens or 0)
    default_context = min(max(DEFAULT_CONTEXT_TOKENS, tokens, rare), max(longest, tokens))
    why = "room for one conversation of usual length"
    if rare == default_context:
        why = f"{HOLDS} a prompt of {longest_prompt:,} tokens, the longest of a hundred"
    draft.take("context", default_context, why)


def _fill_single_shot(draft: WorkloadDraft, model: Model) -> None:
    tokens = min(128, model.max_context or 128)
    if model.task in READING_TASKS:
        draft.take("input_tokens", tokens, "a short passage")
        draft.take("context", draft.workload.input_tokens, "the passage itself")
    else:
        draft.set("input_tokens", 1)  # one image a request: there is nothing else to assume
        draft.set("context", 1)
    if model.steps is not None:
        draft.take("steps", model.steps, "as its maker runs it")
    if model.image_px is not None:
        draft.take("image_px", model.image_px, "the size it was trained for")
    draft.set("output_tokens", 0)


def _fill_job(draft: WorkloadDraft) -> None:
    draft.take("mode", "batch", "a job: nobody waits for any one answer")
    draft.take("deadline_h", USUAL_DEADLINE_H, "no deadline was named: done by tomorrow")


def _fill_load(draft: WorkloadDraft, model: Model, use_cases: UseCases) -> None:
    said = draft.workload
    if items_of_job(said) is not None:
        _fill_job(draft)
        return
    if said.rps is None and said.avg_tokens_per_s is not None:
        per_request = max(1, (said.input_tokens or 0) + (said.output_tokens or 0))
        draft.take(
            "rps", said.avg_tokens_per_s / per_request, "tokens per second over tokens a request"
        )
    if said.items is not None and (model.task == "reranker" or are_of_a_request(said)):
        _multiply(draft, said.items, "items of a request")
    if said.peak_factor is not None:
        _multiply(draft, said.peak_factor, "for the peak")
    if said.batch is not None and draft.workload.rps is None:
        draft.take("concurrency", float(said.batch), "a batch is as many requests at once")
    if draft.workload.concurrency is None and draft.workload.rps is None:
        _fill_people(draft, model, use_cases)
    if draft.workload.rps is None and said.mode != "batch":
        draft.take("concurrency", 1.0, "one request at a time: no load was named")


def _multiply(draft: WorkloadDraft, factor: float, what: str) -> None:
    """Size for a multiple of the load that was said, and record that."""
    for name in ("rps", "concurrency"):
        load = getattr(draft.workload, name)
        if load is not None:
            draft.set(name, load * factor)
            draft.assumptions.append(
                Assumption(name, load * factor, f"{load:g} as said, x{factor:g} {what}")
            )


def _fill_people(draft: WorkloadDraft, model: Model, use_cases: UseCases) -> None:
    """Work out the requests a second of the users who were named."""
    said = draft.workload
    case = use_case_of(said, model, use_cases)
    if said.users is None or said.mode == "batch" or case is None:
        return
    rates = rates_of(said, case, use_cases)
    if keeps_prompts(case) and case.active_share and said.requests_per_user_min is None:
        sessions = said.users * rates.active_share * rates.peak_factor
        words = session_words(said.users, rates.active_share, case)
        draft.take("concurrency", max(1.0, sessions), words)
        return
    rps = rates.requests_per_s(said.users)
    flying = in_flight(rps, case, said.output_tokens or 0)
    draft.take("rps", rps, people_words(said.users, rps, rates, case, flying))


def _latency_kind(draft: WorkloadDraft, model: Model) -> None:
    """Read a bare latency by the product's rule: first token below 1 s, whole answer above."""
    said = draft.workload
    if said.latency_ms is None or said.latency_kind is not None:
        return
    if model.task in SINGLE_SHOT_TASKS or model.task == "diffusion":
        draft.take("latency_kind", "e2e", "this model answers in one shot")
    elif said.latency_ms < WHOLE_ANSWER_LATENCY_MS:
        draft.take("latency_kind", "ttft", "a bare latency below 1 s is read as the first token")
    else:
        draft.take(
            "latency_kind", "e2e", "a bare latency of 1 s or more is read as the whole answer"
        )


def _wish(draft: WorkloadDraft, model: Model, use_cases: UseCases, wishes: Wishes) -> None:
    """Assume what an interactive service must at least do, beside whatever limit was named."""
    said = draft.workload
    if wishes == "none" or said.mode == "batch" or said.task not in {"inference", "development"}:
        return
    if generates_text(model):
        of_use = limits_of_use(said, model, use_cases) if wishes == "of_use" else None
        usual = of_use or general_limits(said)
        _text_floors(draft, nearly(usual) if wishes == "nearly" else usual, wishes)
    elif said.latency_ms is None:
        why = "no latency was named: about what people wait for one answer"
        draft.take("latency_ms", ONE_SHOT_MS[model.task], why)
        draft.set("latency_kind", "e2e")


def _text_floors(draft: WorkloadDraft, usual: UsualLimits, wishes: Wishes) -> None:
    """Hold text to a first token and a speed of reading, each where no limit of its own was named.

    A limit for one takes none from the other. Only who waits longer for the whole answer than both
    together would take does not read along.
    """
    said = draft.workload
    kind = said.latency_kind if said.latency_ms is not None else None
    longest_ms = usual.first_token_ms + usual.per_token_ms * (said.output_tokens or 0)
    if kind == "e2e" and (said.latency_ms or 0) > longest_ms:
        return
    if kind is None and said.per_token_ms is None:
        draft.take("latency_ms", usual.per_token_ms, usual.each_why)
        draft.set("latency_kind", "per_token")
    elif kind != "per_token":
        draft.take("per_token_ms", usual.per_token_ms, usual.each_why)
    if wishes != "reading_speed" and said.task != "development" and kind != "ttft":
        draft.take("first_token_ms", usual.first_token_ms, usual.first_why)


def _fill_training(draft: WorkloadDraft, model: Model) -> None:
    pretrains = draft.workload.task == "train"
    draft.take(
        "method",
        "full" if pretrains else "lora",
        "training from scratch updates every weight"
        if pretrains
        else "adapters are how most fine-tuning is done",
    )
    if draft.workload.market == "capacity_block" and draft.workload.term_years is not None:
        hours = round(draft.workload.term_years * HOURS_PER_YEAR)
        draft.take("deadline_h", float(hours), "the capacity block ends then")
    longest = model.max_context or 8192
    draft.take("seq_len", min(4096 if pretrains else 2048, longest), "a usual training length")
    if pretrains:
        # 20 tokens per parameter: the compute-optimal rule of Hoffmann et al. 2022.
        tokens = 20e9 * model.total_params_b
        draft.take("tokens_total", tokens, "20 tokens per parameter, the compute-optimal rule")
        if draft.workload.nodes is None:  # else it takes as long as they need
            draft.take("deadline_h", 720.0, "a pre-training run of at most 30 days")
    else:
        draft.take("tokens_total", 10e6, "about 10,000 examples of 1,000 tokens")
    batch = 64 * (draft.workload.seq_len or 2048)
    if pretrains:
        batch = _pretraining_batch(model, draft.workload.tokens_total or 0.0)
    draft.take("global_batch_tokens", batch, "a usual batch for this kind of training")


def _pretraining_batch(model: Model, tokens: float) -> int:
    """Return the tokens per optimiser step usual for a run.

    0.5M for small models on few tokens; 4M from 10B parameters or a trillion tokens up, as the
    Llama and OLMo reports state.
    """
    return 4_194_304 if model.total_params_b >= 10 or tokens >= 1e12 else 524_288
