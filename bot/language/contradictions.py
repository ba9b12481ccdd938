"""Refuses requests that contradict themselves, naming both halves."""

import re
from typing import Any

from bot.core.errors import RequestError
from bot.core.understanding import Intent
from bot.language.draft import Draft
from bot.language.text.spoken import words
from bot.language.text.vocabulary import NOT_CUDA, Vocabulary

# Words that put two values side by side on purpose, instead of asking for both at once.
SIDE_BY_SIDE = re.compile(
    r"\b(?:or|vs|versus|and|compared?|oder|und|both|either|between|instead|than)\b|[,/&?]"
)
SIDE_BY_SIDE_INTENTS = ("compare", "explain")
INFERENCE_ONLY = words("inference_only")
TRAINING_INSTEAD = words("training_instead")


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
    _two_values(draft)
    _bounds(draft)
    if intent not in SIDE_BY_SIDE_INTENTS:
        _refuse_mixed_markets(draft, said, alternatives)
    _refuse_training_on(draft, said)
    _refuse_mixed_modes(draft, alternatives)
    if intent != "migrate":  # the plan itself says why CUDA code stays where it is
        _refuse_cuda_elsewhere(draft, said)
    _refuse_mixed_groups(draft, said)
    _lengths(draft, said)
    if intent == "pick" and not own_prices:
        _price_over_budget(draft, said, vocabulary)


def _conflict(
    first: str,
    second: str,
    why: str,
    *,
    field: str | None = None,
    suggestions: tuple[str, ...] = (),
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
    return draft.words(name, said.get(name))


def _family_words(draft: Draft, said: dict[str, Any]) -> str:
    return _words_for(draft, said, "instance" if said.get("instance") else "allow")


def _side_by_side(draft: Draft, name: str) -> bool:
    """Return whether the text lists the values of a field rather than demanding both."""
    first, *_, last = sorted(draft.said[name], key=lambda one: one.start)
    return SIDE_BY_SIDE.search(draft.reader.whole[first.end : last.start]) is not None or (
        first.start == last.start
    )


def _two_values(draft: Draft) -> None:
    for name, every in draft.said.items():
        keyed = [one for one in every if one.keyed and one.sign == "="]
        twice = len(keyed) > 1 and not _side_by_side(draft, name)
        asked_for_two = name == "region" and len(every) > 1 and not _side_by_side(draft, name)
        if name in {"allow", "exclude", "model", "regions", "latency_kind"} or not (
            twice or asked_for_two
        ):
            continue
        first, second = (
            draft.reader.words(one.start, one.end).strip()
            for one in (keyed if twice else every)[:2]
        )
        raise _conflict(first, second, f"say one {name}.", field=name)


def _bounds(draft: Draft) -> None:
    """Refuse a minimum above a maximum of the same field."""
    for name, every in draft.said.items():
        lows = [one for one in every if one.sign == ">" and isinstance(one.value, int | float)]
        highs = [one for one in every if one.sign == "<" and isinstance(one.value, int | float)]
        for low in lows:
            for high in highs:
                if float(str(low.value)) > float(str(high.value)):
                    raise _conflict(
                        draft.reader.words(low.start, low.end).strip(),
                        draft.reader.words(high.start, high.end).strip(),
                        "the minimum is above the maximum.",
                        field=name,
                    )


def _refuse_mixed_markets(
    draft: Draft, said: dict[str, Any], alternatives: dict[str, tuple[Any, ...]]
) -> None:
    if "market" in alternatives and not _listed_markets(draft):
        first, second = draft.said["market"][:2]
        raise _conflict(
            draft.reader.words(first.start, first.end).strip(),
            draft.reader.words(second.start, second.end).strip(),
            "an instance is bought one way at a time.",
            field="market",
        )
    if said.get("market") in {"spot", "on_demand"} and "term_years" in said:
        raise _conflict(
            _words_for(draft, said, "market"),
            _words_for(draft, said, "term_years"),
            "only reserved instances, savings plans and capacity blocks have a term.",
            field="market",
        )


def _listed_markets(draft: Draft) -> bool:
    first, *_, last = sorted(draft.said["market"], key=lambda one: one.start)
    between = draft.reader.whole[first.end : last.start]
    return re.search(
        r"\b(?:or|vs|versus|compared?|oder|than|else|fallback|fall back)\b|[/?]", between
    ) is not None or ("intent:compare" in draft.marks)


def _refuse_training_on(draft: Draft, said: dict[str, Any]) -> None:
    if said.get("task") not in {"train", "finetune"} or "topic:strategy" in draft.marks:
        return  # a strategy serves as well
    task = _words_for(draft, said, "task")
    if "latency_ms" in said:
        raise _conflict(
            task,
            _words_for(draft, said, "latency_ms"),
            "training answers nobody, so no latency limit applies; say a deadline instead.",
            field="latency_ms",
        )
    asked = [str(said.get("instance") or "").partition(".")[0], *said.get("allow", ())]
    for family in asked:
        if family in INFERENCE_ONLY:
            raise _conflict(
                task,
                _family_words(draft, said),
                f"{family} is for inference only ({INFERENCE_ONLY[-1].capitalize()} cannot train)."
                " For training take"
                f" {', '.join(TRAINING_INSTEAD)}.",
                field="instance",
                suggestions=TRAINING_INSTEAD,
            )


def _refuse_mixed_modes(draft: Draft, alternatives: dict[str, tuple[Any, ...]]) -> None:
    modes = set(alternatives.get("mode", ()))
    at_odds = "batch" in modes and len(modes) > 1
    if at_odds and not _side_by_side(draft, "mode"):
        first, second = draft.said["mode"][:2]
        raise _conflict(
            draft.reader.words(first.start, first.end),
            draft.reader.words(second.start, second.end),
            "one is served at leisure, the other is not.",
            field="mode",
        )


def _refuse_cuda_elsewhere(draft: Draft, said: dict[str, Any]) -> None:
    if not said.get("needs_cuda"):
        return
    named = [said.get("instance") or "", *said.get("allow", ())]
    for name in named:
        if name.startswith(NOT_CUDA):
            raise _conflict(
                _words_for(draft, said, "needs_cuda"),
                name,
                "CUDA runs on NVIDIA GPUs only.",
                field="needs_cuda",
                suggestions=words("cuda_instead"),
            )


def _refuse_mixed_groups(draft: Draft, said: dict[str, Any]) -> None:
    instance = str(said.get("instance") or "")
    excluded = said.get("exclude", ())
    for group in excluded:
        if group in said.get("allow", ()) or (
            instance and group in {instance, instance.partition(".")[0]}
        ):
            raise _conflict(
                f"no {group}", instance or group, "it is asked for and excluded.", field="exclude"
            )
    if "nvidia" in said.get("allow", ()) and instance.startswith(NOT_CUDA):
        raise _conflict(
            _words_for(draft, said, "allow"),
            instance,
            f"{instance} has no NVIDIA GPU.",
            field="allow",
        )


def _lengths(draft: Draft, said: dict[str, Any]) -> None:
    context = said.get("context")
    asked = (said.get("input_tokens") or 0) + (said.get("output_tokens") or 0)
    if context is not None and asked > context:
        half = "input_tokens" if "input_tokens" in said else "output_tokens"
        raise _conflict(
            _words_for(draft, said, "context"),
            _words_for(draft, said, half),
            f"prompt and answer are {asked:,} tokens, the context holds {context:,}.",
            field="context",
        )
    active, total = said.get("active_params_b"), said.get("params_b")
    if active and total and active > total:
        raise _conflict(
            _words_for(draft, said, "active_params_b"),
            _words_for(draft, said, "params_b"),
            "a model cannot use more parameters per token than it has.",
            field="active_params_b",
        )


def _price_over_budget(draft: Draft, said: dict[str, Any], vocabulary: Vocabulary) -> None:
    """Refuse a named instance whose known price is above the stated budget."""
    instance, budget = said.get("instance"), said.get("budget_usd_per_hour")
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
        _words_for(draft, said, "instance"),
        _words_for(draft, said, limit),
        f"{instance} costs ${quote.usd_per_hour:,.2f}/h {market.replace('_', '-')} in {region}"
        f" ({quote.as_of}), the budget is ${budget:,.2f}/h{objective}.",
        field="budget_usd_per_hour",
    )
