"""Amends an earlier workload by what a follow-up says: "what about fp8?", "same but for 70b"."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import chain
from typing import Any, Final

from bot.language.draft import HARDWARE, Draft, completed, workload_of
from bot.language.names.model_names import PIECE, NameParts, parts_of
from bot.language.polarity import is_allowed
from bot.language.questions.question import ABOUT_AN_ANSWER
from bot.language.text.tables import sections_of, spoken
from bot.language.text.units import any_word
from bot.language.text.vocabulary import Vocabulary
from bot.language.turns import (
    TABLE,
    Earlier,
    TurnPatch,
    counts_same,
    fields_of,
    opening_of,
    slot_of_noun,
    slots,
    wish_in,
    words_named,
    words_of,
)
from bot.language.values.durations import FIELD_OF_KIND, KINDS, PERCENTILE, percentile
from bot.language.values.quantities import period_seconds
from catalog.facts.units import HOURS_PER_MONTH
from engine.core.job import MOST_OF_A_REQUEST
from engine.core.workload import Workload

POINTS_BACK: Final = frozenset({"it", "that", "this"})
BUDGETS: Final = ("budget_usd_per_month", "budget_usd_per_hour", "budget_usd_total")
BUDGET_HOURS: Final = {
    "hour": 1.0,
    "day": 24.0,
    "week": 168.0,
    "month": HOURS_PER_MONTH,
    "year": 12 * HOURS_PER_MONTH,
}
WITHIN: Final[dict[str, list[str]]] = spoken("within")
OF_A_JOB: Final = ("items", "tokens_per_item", "deadline_h", "runs_per_month", "budget_usd_total")
SERVING_ONLY: Final = (  # slots
    "load",
    "latency",
    "percentile",
    "answer",
    "prompt",
    "mode",
    "use_case",
)
TRAINING_ONLY: Final = (
    *("method", "seq_len", "tokens_total", "deadline_h", "global_batch_tokens"),
    *("optimizer", "sharding", "offload"),
)


@cache
def _rows_named(name: str) -> dict[str, str]:
    return {value: said for one, value, said in chain(*sections_of(TABLE).values()) if one == name}


def voided_by(name: str) -> tuple[str, ...]:
    """Return the fields whose earlier values a new value of a field makes void."""
    return tuple(_rows_named("void").get(name, "").split())


@cache
def lifts() -> re.Pattern[str]:
    """Return the pattern of a limit that is taken back: "any region", "drop the budget"."""
    words = "|".join(words_of("operation", name).pattern for name in ("forget", "not"))
    nouns = "|".join(nouns.pattern for _, _, nouns in slots())
    return re.compile(
        rf"(?:{words})\s?(?:(?:a|{words_of('clause', 'article').pattern}) )?(?P<what>{nouns})"
    )


@cache
def scales() -> re.Pattern[str]:
    """Return the pattern of what is multiplied: "double the users", "peak is 5x that"."""
    words = "|".join(p.pattern for name, p in words_named("scale") if name != "grows")
    nouns = "|".join(nouns.pattern for _, _, nouns in slots())
    return re.compile(
        rf"(?:(?P<subject>\b(?:it|that|this)\b|{nouns}) ?"
        rf"(?:(?:{words_of('scale', 'grows').pattern})(?: (?:by|to))? )?)?"
        rf"(?P<word>{words}|(?<![\w.])(?P<times>\d{{1,4}}(?:\.\d+)?) ?(?:x|times)\b)"
        rf"(?P<as> as (?:much|many))?(?P<of>(?: (?:{words_of('clause', 'article').pattern}))*)"
        rf" ?(?P<what>\b(?:it|that|this)\b|{nouns})?"
    )


@cache
def meant() -> re.Pattern[str]:
    """Return the pattern of a remark on the unit of an earlier figure: "I meant per month"."""
    lead, per = words_of("clause", "lead").pattern, words_of("clause", "per").pattern
    return re.compile(rf"\A(?:(?:{lead})[, ]+)*(?:it )?(?:{per}) (?P<unit>[a-z]+)\s*[.!]*\Z")


def read_wish(draft: Draft) -> None:
    """Read "faster" alone, which amends an answer, as what to rank by."""
    if place := wish_in(draft.reader.whole):
        word = draft.reader.words(*place)
        draft.say("objective", "performance", 0, len(draft.reader.whole))
        draft.note(
            "wish_without_figure",
            f"Read `{word}` as the fastest, whatever it costs: for less, say a limit such as"
            " `latency<100ms`, or `objective=balanced`.",
        )


def amends(draft: Draft, said: dict[str, Any], patch: TurnPatch, *, as_command: bool) -> bool:
    """Return whether a text in a conversation amends it, rather than asking something new."""
    sized = bool({"model", "models", "params_b"} & said.keys())
    if patch.begins and (sized or "task" in draft.said):
        return False
    if patch.amends or "follow" in draft.marks or "amends" in opening_of(draft.reader.whole):
        return True
    return not (sized and ("task" in draft.said or as_command))


def needs_context(draft: Draft, said: dict[str, Any]) -> bool:
    """Return whether a text makes no sense without an earlier turn."""
    if {"model", "models", "params_b"} & said.keys():
        return False
    if ABOUT_AN_ANSWER & draft.marks.keys():
        return True
    if {"instance", "gpu", "name"} & said.keys():
        return False
    only_manifest = "intent:manifest" in draft.marks and not said and not draft.reader.whole[80:]
    return "leans" in opening_of(draft.reader.whole) or (
        only_manifest and len(draft.reader.whole.split()) <= 5
    )


def remarks_on_earlier(draft: Draft) -> bool:
    """Return whether the text only comments on an earlier turn ("per token", "no budget")."""
    text = draft.reader.whole
    patterns = (PERCENTILE, lifts(), meant(), *(pattern for _, pattern in KINDS))
    return any(pattern.search(text) for pattern in patterns) or any(_scaled(text))


def amended(
    previous: Workload,
    said: dict[str, Any],
    draft: Draft,
    vocabulary: Vocabulary,
    *,
    patch: TurnPatch,
    earlier: Earlier,
) -> Workload:
    """Return `previous` with what a follow-up says put in its place."""
    base = (patch.base or previous).said()
    base.pop("compare_family", None)  # it was that turn's question only
    base.update(patch.restored)
    base = {name: value for name, value in base.items() if value is not None}
    before = dict(base)
    _lift(draft, base)
    _resize(said, base, draft, vocabulary)
    _retask(said, base, draft)
    _read_meant(draft, said, base)
    _people_as_before(draft, said, base, earlier)
    _keep_deadline(draft, said, base)
    _end_job(said, base)
    _add_beside(said, base, patch)
    for name in said:
        for void in voided_by(name):
            base.pop(void, None)
    _amend_groups(draft, said, base, vocabulary)
    _not_wanted(draft, base)
    _amend_latency_kind(draft, said, base)
    _keep_other_limits(said, base)
    _note_kept(draft, said, base, before, patch)
    base.update(said)
    _scale(draft, base, earlier)
    return completed(workload_of(base))


def _people_as_before(
    draft: Draft, said: dict[str, Any], base: dict[str, Any], earlier: Earlier
) -> None:
    """Read "only 20 people" after "60 people at the same time" as at the same time too."""
    if "users" not in said or "users" in base or "concurrency" not in base:
        return
    words = draft.words("users")
    before = next((said for name, said in earlier.filled if name == "concurrency"), "")
    if before and counts_same(before, words):
        said["concurrency"] = float(said.pop("users"))
        draft.offers.pop("users_at_once", None)
        draft.note("people_at_once", f"`{words}` are read as at the same time, as before.")
        draft.offer(
            "people_at_once", "concurrency", (f"{words} in all", {"users": said["concurrency"]})
        )


def _keep_deadline(draft: Draft, said: dict[str, Any], base: dict[str, Any]) -> None:
    """Keep a deadline that was said before where a turn only names the night again."""
    if "overnight" in draft.notes and "deadline_h" in base:
        del said["deadline_h"], draft.notes["overnight"]


def _end_job(said: dict[str, Any], base: dict[str, Any]) -> None:
    """Leave out the heap of a job, and by when it is done, where requests come from now on."""
    flows = {"rps", "concurrency", "users", "tokens_per_day"} & said.keys()
    if flows and "items" not in said and base.get("items", 0.0) >= MOST_OF_A_REQUEST:
        for name in OF_A_JOB:
            base.pop(name, None)


def _add_beside(said: dict[str, Any], base: dict[str, Any], patch: TurnPatch) -> None:
    """Keep what was there beside a place or model that is added ("Tokyo as well")."""
    for one, several in (("region", "regions"), ("model", "models")):
        there = base.get(several) or tuple(filter(None, (base.get(one),)))
        if patch.adds and one in said and there and said[one] not in there:
            said[several] = tuple(dict.fromkeys((*there, said.pop(one))))
            base.pop(one, None)


def _keep_other_limits(said: dict[str, Any], base: dict[str, Any]) -> None:
    """Keep a latency limit of one figure beside a new one of another."""
    new, old = said.get("latency_kind"), base.get("latency_kind")
    if "latency_ms" not in said or "latency_ms" not in base or new is None:
        return
    base.pop(FIELD_OF_KIND.get(new, ""), None)
    if old in FIELD_OF_KIND and old != new:
        base[FIELD_OF_KIND[old]] = base["latency_ms"]
    elif old == "e2e" and new in FIELD_OF_KIND:
        said[FIELD_OF_KIND[new]] = said.pop("latency_ms")
        del said["latency_kind"]


STANDING: Final = ("region", "regions", "exclude", "needs_cuda")


def keep_standing(draft: Draft, said: dict[str, Any], previous: Workload, patch: TurnPatch) -> None:
    """Keep place and exclusions in another question of the thread, and say so."""
    other_task = said.get("task") not in {None, previous.task}
    other_model = said.get("model") not in {None, previous.model}
    if not (patch.begins or (other_task and other_model)) or {"region", "regions"} & said.keys():
        return
    kept = {n: v for n in STANDING if n not in said and (v := getattr(previous, n)) is not None}
    said.update(kept)
    if patch.begins or kept:
        words = ", ".join(kept_words(*one) for one in kept.items()) or "nothing"
        draft.note("kept", f"Read as another question. Kept from the thread: {words}.")


# What is worked out of another field.
FOLLOWS: Final = {
    "budget_usd_per_hour": "budget_usd_per_month",
    "avg_tokens_per_s": "tokens_per_day",
}
LONG_FIGURE = 1e5  # is written out
# Named by the turn itself, or by the card's first words.
TOLD: Final = frozenset(
    {"task", "model", "models", "params_b", "active_params_b", "model_kind", "model_task"}
)


def _note_kept(
    draft: Draft,
    said: dict[str, Any],
    base: dict[str, Any],
    before: dict[str, Any],
    patch: TurnPatch,
) -> None:
    """Say what stays of the thread where it is not obvious: after another task, model or return."""
    turns = any(name in said and said[name] != before.get(name) for name in ("task", "model"))
    if not (turns or patch.base or patch.restored):
        return
    told = TOLD | said.keys() | {name for name, of in FOLLOWS.items() if of in base}
    shown = [name for name in base if name not in told]
    kept = [kept_words(name, base[name]) for name in shown]
    if patch.base and patch.base.model:
        kept.insert(0, patch.base.model)
    if kept:
        draft.note("kept", f"Kept from the thread: {', '.join(dict.fromkeys(kept))}.")


def kept_words(name: str, value: object) -> str:
    """Return a field of the thread in a few words: "20 at once", "eu-central-1"."""
    words = ", ".join(map(str, value)) if isinstance(value, tuple) else str(value)
    if isinstance(value, int | float):
        words = f"{value:,.4g}" if value < LONG_FIGURE else f"{value:,.0f}"
    how = _rows_named("kept").get(name, f"{name} {{}}").replace("_", " ")
    return how.format(words.replace("_", " "))


def compare_with_earlier(
    previous: Workload | None,
    said: dict[str, Any],
    alternatives: dict[str, tuple[Any, ...]],
    vocabulary: Vocabulary,
) -> None:
    """Put what a turn names beside the earlier pick, instead of narrowing the choice to it."""
    if previous is None:
        return
    if previous.model is not None and "params_b" in said and "model" not in said:
        sibling = same_family(previous.model, float(said["params_b"]), vocabulary)
        if sibling is not None:
            said["model"] = sibling
            del said["params_b"]
    if len(said.get("allow", ())) == 1:  # several are set side by side themselves
        said["compare_family"] = said.pop("allow")[0]
    for name in ("instance", "gpu", "quant", "market", "region", "model"):
        earlier = getattr(previous, name)
        if name in said and earlier is not None and earlier != said[name]:
            alternatives.setdefault(name, (earlier, said[name]))


def _lift(draft: Draft, base: dict[str, Any]) -> None:
    for match in lifts().finditer(draft.reader.whole):
        for name in fields_of(slot_of_noun(match["what"])):
            base.pop(name, None)
        draft.reader.take(*match.span())


def _resize(
    said: dict[str, Any], base: dict[str, Any], draft: Draft, vocabulary: Vocabulary
) -> None:
    """Keep the family when only a size is said: llama-3-8b and "70b" make llama-3-70b."""
    if "params_b" not in said or "model" in said or "models" in said:
        return
    model = base.pop("model", None)
    base.pop("models", None)
    if model is None:
        return
    other = same_family(str(model), float(said["params_b"]), vocabulary)
    if other:
        said["model"] = other
        del said["params_b"]
        said.pop("active_params_b", None)
    else:
        draft.note(
            "family_without_size",
            f"{model} has no sibling of {said['params_b']:g}B: sized as a typical model of "
            f"that size.",
        )


def same_family(model: str, size_b: float, vocabulary: Vocabulary) -> str | None:
    """Return the model of the same family and version in another size, the nearest version else."""
    parts = parts_of(PIECE.findall(model))
    for wanted in (parts, replace(parts, version=None)):
        for size in _written(size_b):
            found = vocabulary.models.find(replace(wanted, size=size))
            if found:
                return found[0]
    return _offspring(parts, size_b, vocabulary)


def _offspring(parts: NameParts, size_b: float, vocabulary: Vocabulary) -> str | None:
    """Return the model of a size that carries all the words of a name: deepseek-r1's distills."""
    longer = [
        (len(one.words), name)
        for one, name in vocabulary.models.exact.items()
        if one.size in _written(size_b) and parts.words < one.words
    ]
    return min(longer, default=(0, None))[1]


def _written(size_b: float) -> tuple[str, ...]:
    millions = f"{size_b * 1000:g}m"
    return (f"{size_b:g}b", millions) if size_b < 1 else (f"{size_b:g}b",)


def _retask(said: dict[str, Any], base: dict[str, Any], draft: Draft) -> None:
    """Drop what only the earlier task had, and 4-bit weights that came with QLoRA."""
    task, was_qlora = said.get("task"), base.get("method") == "qlora"
    if task and task != base.get("task"):
        slots_left = SERVING_ONLY if task in {"train", "finetune"} else TRAINING_ONLY
        for name in chain(*map(fields_of, slots_left)):
            base.pop(name, None)
    method_changes = (
        said.get("method") not in {None, "qlora"} or draft.details.get("not_method") == "qlora"
    )
    if was_qlora and (method_changes or "method" not in base) and base.get("quant") == "int4":
        base.pop("quant")


def _amend_groups(
    draft: Draft, said: dict[str, Any], base: dict[str, Any], vocabulary: Vocabulary
) -> None:
    """Add up what is left out, without what is wanted after all; what it rules out is no wish."""
    if "exclude" in said:
        _drop_groups(base, "allow", _covered(said["exclude"]))
        for name in ("instance", "gpu", "region"):
            if base.get(name) and set(said["exclude"]) & _names_of(str(base[name]), vocabulary):
                base.pop(name)
                base.pop("gpu_count" if name == "gpu" else name, None)
        _drop_groups(base, "regions", said["exclude"])
    wanted = [
        word
        for name in ("instance", "gpu", "allow", "region", "market", "quant", "framework")
        for one in draft.said.get(name, ())
        for word in (str(one.value), draft.reader.words(one.start, one.end))
    ]
    if is_allowed(draft.reader.whole):
        _lift_exclusions(draft, said, base)
    _drop_groups(base, "exclude", tuple(wanted))
    spoken = {_plain(word) for word in wanted}
    _drop_groups(base, "without", tuple(w for w in base.get("without", ()) if _plain(w) in spoken))
    for name in ("exclude", "without"):
        if name in said:
            said[name] = tuple(dict.fromkeys((*base.get(name, ()), *said[name])))


def _lift_exclusions(draft: Draft, said: dict[str, Any], base: dict[str, Any]) -> None:
    """Take back what was left out ("A100 is ok again"): it is allowed, not asked for."""
    left_out = {_plain(one) for one in base.get("without", ())}
    for name in HARDWARE:
        words = [draft.reader.words(one.start, one.end) for one in draft.said.get(name, ())]
        spoken = {_plain(word) for word in words}
        if not spoken or not spoken <= left_out:
            continue
        said.pop(name, None)
        excluded = tuple(one for one in base.get("exclude", ()) if _plain(one) in spoken)
        _drop_groups(base, "exclude", excluded)


def _names_of(name: str, vocabulary: Vocabulary) -> set[str]:
    """Return what a type, chip or region may be left out by: itself, its family, its chip."""
    instance = vocabulary.catalog.instances.get(name)
    return {name, *((instance.family, instance.accelerator_id or "") if instance else ())}


def _plain(word: str) -> str:
    """Return what two ways to write one name have in common: `A100s`, `A100-80`."""
    return word.lower().partition("-")[0].removesuffix("s").strip()


def _covered(groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return groups with those that lie within them: who wants no CPU wants no Graviton."""
    return (*groups, *(one for group in groups for one in WITHIN.get(group, ())))


def _drop_groups(base: dict[str, Any], name: str, groups: tuple[str, ...]) -> None:
    left = tuple(group for group in base.get(name, ()) if group not in groups)
    if left:
        base[name] = left
    else:
        base.pop(name, None)


def _not_wanted(draft: Draft, base: dict[str, Any]) -> None:
    for name in (*HARDWARE, "region", "market", "quant", "framework"):
        if draft.details.pop(f"lifted_{name}", None) in {base.get(name), *base.get("allow", ())}:
            base.pop(name, None)
    for name in ("quant", "method", "market", "framework", "mode"):
        if draft.details.get(f"not_{name}") == base.get(name):
            base.pop(name, None)
    if "no_quant" in draft.marks:
        base.pop("quant", None)


def _amend_latency_kind(draft: Draft, said: dict[str, Any], base: dict[str, Any]) -> None:
    """Read "I meant the first token" and "p99" as remarks on the earlier latency limit.

    A question for the figure ("what is the TTFT?") says nothing of the limit.
    """
    asks = "asks" in opening_of(draft.reader.whole)
    if "latency_ms" in said or "latency_ms" not in base or asks:
        return
    for kind, pattern in KINDS:
        if match := pattern.search(draft.reader.whole):
            said["latency_kind"] = kind
            draft.reader.take(*match.span())
            break
    if match := PERCENTILE.search(draft.reader.whole):
        said["percentile"] = percentile(match)
        draft.reader.take(*match.span())


def _scaled(text: str) -> Iterator[re.Match[str]]:
    """Yield what a text multiplies; "half the memory" is no load."""
    for match in scales().finditer(text):
        named = match["what"] or match["subject"] or match["as"] or _points_back(match, text)
        alone = match["times"] is None or match[0].strip() == text.strip(" ?!.")
        if named or (alone and not match["of"]):
            yield match


def _points_back(match: re.Match[str], text: str) -> bool:
    """Return whether it is "that" that is multiplied, at the end of a clause ("twice that")."""
    last = match["of"].split()[-1:]
    return bool(set(last) & POINTS_BACK) and text[match.end() :].lstrip()[:1] in {*".,;!?", ""}


def _scale(draft: Draft, base: dict[str, Any], earlier: Earlier) -> None:
    """Multiply what the text says to ("halve the context and double the users")."""
    if "topic:price_change" in draft.marks:
        return  # it is prices that double
    read = [(one.start, one.end) for every in draft.said.values() for one in every]
    for match in _scaled(draft.reader.whole):
        if any(start < match.end("word") and match.start("word") < end for start, end in read):
            continue  # "twice a minute" is a value
        noun = next(
            (n for n in (match["what"], match["subject"]) if n not in POINTS_BACK and n), ""
        )
        names = fields_of(slot_of_noun(noun) or _slot_meant(base, earlier), scaled=True)
        scaled = [name for name in names if isinstance(base.get(name), int | float)]
        for name in _said_within(draft, match):
            base.pop(name, None)  # "peak is 5x that" is no figure of its own
        for name in scaled:
            base[name] = type(base[name])(base[name] * _scaled_by(match))
        if not scaled:
            draft.note(
                "nothing_to_scale",
                f"`{match[0].strip()}` changes nothing: no figure for {noun or 'the load'} was"
                " said before; say one.",
            )
        draft.reader.take(*match.span())


def _said_within(draft: Draft, match: re.Match[str]) -> list[str]:
    """Return the fields that the words of a match were read as too."""
    return [
        name
        for name, every in draft.said.items()
        if any(match.start() <= one.start < one.end <= match.end() for one in every)
    ]


def _slot_meant(base: dict[str, Any], earlier: Earlier) -> str:
    """Return what "it" is: the one slot that the last turn changed, else the load."""
    changed = [
        name
        for name, _, _ in slots()
        if any(
            field in earlier.last_changed() and isinstance(base.get(field), int | float)
            for field in fields_of(name)
        )
    ]
    return changed[0] if len(changed) == 1 and changed[0] != "model" else "load"


def _scaled_by(match: re.Match[str]) -> float:
    if match["times"]:
        return float(match["times"])
    return next(
        float(n) for n, p in words_named("scale") if n != "grows" and p.match(match["word"])
    )


def _read_meant(draft: Draft, said: dict[str, Any], base: dict[str, Any]) -> None:
    """Say the earlier figure over again, in the unit that the remark names."""
    match = meant().match(draft.reader.whole)
    if match is None:
        return
    period = match["unit"]
    if period in {*BUDGET_HOURS, "second", "minute"}:
        _of_period(draft, match, said, base)
    elif re.fullmatch(rf"{any_word('who')}|request", period) and (
        rate := base.pop("avg_tokens_per_s", None)
    ):
        draft.reader.take(*match.span())
        said["latency_ms"], said["latency_kind"] = 1000.0 / rate, "per_token"


def _of_period(
    draft: Draft, match: re.Match[str], said: dict[str, Any], base: dict[str, Any]
) -> None:
    period, load = match["unit"], base.get("concurrency")
    usd = next((base[name] for name in BUDGETS if name in base), None)
    if load is not None and (usd is None or period in {"second", "minute"}):
        name, value = "rps", load / period_seconds(period)
    elif usd is None or period not in BUDGET_HOURS:
        return
    elif period in {"month", "year"}:
        name, value = "budget_usd_per_month", usd * HOURS_PER_MONTH / BUDGET_HOURS[period]
    else:
        name, value = "budget_usd_per_hour", usd / BUDGET_HOURS[period]
    draft.say(name, value, *match.span(), sign="=" if name == "rps" else "<")
    said[name] = value
