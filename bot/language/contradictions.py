"""Refuses requests that contradict themselves, naming both halves: what excludes what."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from bot.core.errors import RequestError
from bot.core.understanding import Intent
from bot.language.draft import LISTS, Draft, StatedValue
from bot.language.names.whole_names import is_size_of
from bot.language.text.tables import words
from bot.language.text.vocabulary import NOT_CUDA, Vocabulary
from engine.core.workload import Workload

INFERENCE_ONLY: Final = words("inference_only")
TRAINING_INSTEAD: Final = words("training_instead")
TRAINING: Final = ("train", "finetune")
FAMILY: Final = "family"  # of the type that is named, and the families and groups asked for


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Two fields whose values cannot both hold; no values: any. `begins`: by their beginnings."""

    first: str
    first_values: tuple[object, ...]
    second: str
    second_values: tuple[str, ...]
    why: str  # {second}: the value at fault
    field: str
    suggestions: tuple[str, ...] = ()
    begins: bool = False
    unless: tuple[str, ...] = ()  # marks of a text that asks about both


@dataclass(frozen=True, slots=True)
class Once:
    """A field that a text may say once; `listed`: words between two values that set them apart."""

    why: str
    listed: re.Pattern[str]
    only_keyed: bool = False  # values in words are alternatives
    nearest: int = 10_000  # characters between the values at most
    one_of: tuple[str, ...] = ()  # only where this value is among them


# Words that put two values side by side on purpose, instead of asking for both at once.
SIDE_BY_SIDE: Final = re.compile(
    r"\b(?:or|vs|versus|and|compared?|oder|und|both|either|between|instead|than)\b|[,/&?]"
)
WAYS_TO_BUY: Final = re.compile(
    r"\b(?:or|vs|versus|compared?|oder|than|else|fallback|fall back|over|against|between)\b|[/?]"
)
ONCE: Final[Mapping[str, Once]] = {
    "region": Once("say one region, or `regions` with a comma.", SIDE_BY_SIDE),
    "market": Once("an instance is bought one way at a time.", WAYS_TO_BUY),
    "mode": Once("one is served at leisure, the other is not.", SIDE_BY_SIDE, one_of=("batch",)),
    "params_b": Once("say one size, or `7B vs 13B` to compare.", SIDE_BY_SIDE, nearest=24),
}
KEYED_ONCE: Final = Once("say one {name}.", SIDE_BY_SIDE, only_keyed=True)
SEVERAL: Final = LISTS | {"model", "latency_kind"}
EXCLUSIONS: Final = (
    Exclusion(
        "market", ("spot", "on_demand"), "term_years", (),
        "only reserved instances, savings plans and capacity blocks have a term.", "market",
    ),
    Exclusion(
        "task", TRAINING, "latency_ms", (),
        "training answers nobody, so no latency limit applies; say a deadline instead.",
        "latency_ms", unless=("topic:strategy",),
    ),
    Exclusion(
        "task", TRAINING, FAMILY, INFERENCE_ONLY,
        f"{{second}} is for inference only ({INFERENCE_ONLY[-1].capitalize()} cannot train)."
        f" For training take {', '.join(TRAINING_INSTEAD)}.",
        "instance", TRAINING_INSTEAD, unless=("topic:strategy",),
    ),
    Exclusion(
        "needs_cuda", (True,), FAMILY, NOT_CUDA, "CUDA runs on NVIDIA GPUs only.", "needs_cuda",
        words("cuda_instead"), begins=True, unless=("intent:migrate",),
    ),
    Exclusion(
        "allow", ("nvidia",), "instance", NOT_CUDA, "{second} has no NVIDIA GPU.", "allow",
        begins=True,
    ),
)  # fmt: skip
ONLY: Final = (
    re.compile(r"\bonly (?:on |with )?(?P<group>[\w.-]+)"),
    re.compile(r"(?P<group>[\w.-]+) only\b"),
)


def check_contradictions(
    draft: Draft,
    said: dict[str, Any],
    alternatives: dict[str, tuple[Any, ...]],
    intent: Intent,
    vocabulary: Vocabulary,
    *,
    own_prices: bool = False,
) -> None:
    """Raise `conflict` for the first contradiction found.

    With `own_prices` a price list is no ground to refuse a budget: the answer works it out.

    Raises:
        RequestError: `conflict`, with both halves in the message and in `words`.
    """
    for name, every in draft.said.items():
        _said_once(draft, name, every, alternatives, intent)
        _bounds(draft, name, every)
    _only_twice(draft)
    for rule in EXCLUSIONS:
        _refuse_excluded(draft, said, rule, intent)
    _asked_and_excluded(said, vocabulary)
    _larger_than_its_whole(draft, said)
    _note_other_size(draft, said, vocabulary)
    if intent == "pick" and not own_prices:
        _price_over_budget(draft, said, vocabulary)


def _conflict(
    first: str, second: str, why: str, field: str, suggestions: tuple[str, ...] = ()
) -> RequestError:
    return RequestError(
        "conflict",
        f"`{first}` and `{second}` contradict each other: {why}",
        field=field,
        words=f"{first} / {second}",
        example="inference 7B latency<100ms",
        suggestions=suggestions,
    )


def _words_for(draft: Draft, said: dict[str, Any], name: str) -> str:
    """Return the user's words for a field, or its value where an earlier turn said it."""
    if name == FAMILY:
        name = "instance" if said.get("instance") else "allow"
    return draft.words(name, said.get(name))


def _said_once(
    draft: Draft,
    name: str,
    every: list[StatedValue],
    alternatives: dict[str, tuple[Any, ...]],
    intent: Intent,
) -> None:
    """Refuse two values of a field where one is meant."""
    if name in SEVERAL or (name == "params_b" and "model" in draft.said):
        return
    rule = ONCE.get(name, KEYED_ONCE)
    keyed = [one for one in every if one.keyed and one.sign == "="]
    values = keyed if rule.only_keyed or len(keyed) > 1 else every
    if rule.one_of and not set(rule.one_of) & set(alternatives.get(name, ())):
        return
    if name == "market" and (intent in {"compare", "explain"} or "intent:compare" in draft.marks):
        return
    if name == "market" and name not in alternatives:
        return
    if len(values) > 1 and not _side_by_side(draft, values, rule):
        first, second = (draft.reader.words(one.start, one.end).strip() for one in values[:2])
        raise _conflict(first, second, rule.why.format(name=name), name)


def _side_by_side(draft: Draft, values: list[StatedValue], rule: Once) -> bool:
    """Return whether the text lists the values of a field rather than demanding both."""
    first, *_, last = sorted(values, key=lambda one: one.start)
    between = draft.reader.whole[first.end : last.start]
    return (
        first.start == last.start
        or len(between) > rule.nearest
        or rule.listed.search(between) is not None
    )


def _bounds(draft: Draft, name: str, every: list[StatedValue]) -> None:
    """Refuse a minimum above a maximum of the same field."""
    numbers = [one for one in every if isinstance(one.value, int | float)]
    for low in (one for one in numbers if one.sign == ">"):
        for high in (one for one in numbers if one.sign == "<"):
            if float(str(low.value)) > float(str(high.value)):
                raise _conflict(
                    draft.reader.words(low.start, low.end).strip(),
                    draft.reader.words(high.start, high.end).strip(),
                    "the minimum is above the maximum.",
                    name,
                )


def _only_twice(draft: Draft) -> None:
    """Refuse "only" of two groups that are not listed together."""
    groups = {str(one.value) for one in draft.said.get("allow", ())}
    found = (match for pattern in ONLY for match in pattern.finditer(draft.reader.whole))
    said = {match["group"]: match[0] for match in found if match["group"] in groups}
    if len(said) > 1:
        first, second = sorted(said, key=draft.reader.whole.find)[:2]
        both = f"only={first},{second}"
        why = f"for either say `{both}`."
        raise _conflict(said[first], said[second], why, "allow", (both,))


def _refuse_excluded(draft: Draft, said: dict[str, Any], rule: Exclusion, intent: Intent) -> None:
    marks = {*draft.marks, f"intent:{intent}"}
    first = said.get(rule.first)
    holds = any(value in first if isinstance(first, tuple) else value == first
                for value in rule.first_values)  # fmt: skip
    if first is None or not holds or marks & set(rule.unless):
        return
    at_fault = _value_at_fault(said, rule)
    if at_fault is not None:
        raise _conflict(
            _words_for(draft, said, rule.first),
            at_fault if rule.begins else _words_for(draft, said, rule.second),
            rule.why.format(second=at_fault),
            rule.field,
            rule.suggestions,
        )


def _value_at_fault(said: dict[str, Any], rule: Exclusion) -> str | None:
    """Return the value of a rule's second field that the first excludes."""
    instance = str(said.get("instance") or "")
    if rule.second == FAMILY:
        family = instance if rule.begins else instance.partition(".")[0]
        values = [family, *said.get("allow", ())]
    else:
        values = [str(said[rule.second])] if said.get(rule.second) is not None else []
    for value in map(str, values):
        matches = (
            value.startswith(rule.second_values) if rule.begins else value in rule.second_values
        )
        if value and (matches or not rule.second_values):
            return value
    return None


def _asked_and_excluded(said: dict[str, Any], vocabulary: Vocabulary) -> None:
    instance = str(said.get("instance") or "")
    known = vocabulary.catalog.instances.get(instance)
    named = {instance, instance.partition(".")[0], known.accelerator_id if known else None}
    wanted = {*said.get("allow", ()), said.get("gpu"), said.get("region"), *(named - {""})}
    for group in said.get("exclude", ()):
        if group in wanted:
            raise _conflict(
                f"no {group}", instance or group, "it is asked for and excluded.", "exclude"
            )


def _larger_than_its_whole(draft: Draft, said: dict[str, Any]) -> None:
    """Refuse more tokens than the context holds, more active parameters than there are."""
    context = said.get("context")
    asked = (said.get("input_tokens") or 0) + (said.get("output_tokens") or 0)
    if context is not None and asked > context:
        half = "input_tokens" if "input_tokens" in said else "output_tokens"
        raise _conflict(
            _words_for(draft, said, "context"),
            _words_for(draft, said, half),
            f"prompt and answer are {asked:,} tokens, the context holds {context:,}.",
            "context",
        )
    active, total = said.get("active_params_b"), said.get("params_b")
    if active and total and active > total:
        raise _conflict(
            _words_for(draft, said, "active_params_b"),
            _words_for(draft, said, "params_b"),
            "a model cannot use more parameters per token than it has.",
            "active_params_b",
        )


def _note_other_size(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Say where the size that was said is not that of the model that was named."""
    name, size_b = said.get("model"), said.get("params_b")
    if not name or not size_b or "params_b" not in draft.said:
        return
    if not is_size_of(size_b, name, vocabulary):
        own_b = vocabulary.size_b(name)
        draft.note(
            "other_size",
            f"{name} has {own_b:g}B parameters, `{draft.words('params_b')}` was said"
            " too: say one of them.",
        )


def _price_over_budget(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Refuse a named instance whose known price is above the stated budget."""
    only = [name for name in said.get("allow", ()) if name in vocabulary.catalog.instances]
    alone = only[0] if len(said.get("allow", ())) == len(only) == 1 else None
    instance, budget = said.get("instance") or alone, said.get("budget_usd_per_hour")
    if not instance or budget is None or len(draft.said.get("instance", ())) > 1:
        return
    region = said.get("region") or vocabulary.catalog.default_region
    market: Any = said.get("market") or "on_demand"
    catalog = vocabulary.catalog
    quote = catalog.prices.quote(
        catalog.instances[instance], region, market, 3 if said.get("term_years") == 3 else 1
    )
    if quote.usd_per_hour is None or quote.usd_per_hour <= budget:
        return
    limit = f"budget_usd_per_{'month' if said.get('budget_usd_per_month') else 'hour'}"
    objective = f" with `{draft.words('objective')}`" if "objective" in draft.said else ""
    raise _conflict(
        _words_for(draft, said, FAMILY),
        _words_for(draft, said, limit),
        f"{instance} costs ${quote.usd_per_hour:,.2f}/h {market.replace('_', '-')} in {region}"
        f" ({quote.as_of}), the budget is ${budget:,.2f}/h{objective}.",
        "budget_usd_per_hour",
    )


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
