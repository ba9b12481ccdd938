"""Amends an earlier workload by what a follow-up says: "what about fp8?", "same but for 70b"."""

import re
from dataclasses import replace
from typing import Any, Final

from bot.language.assemble import completed, workload_of
from bot.language.draft import HARDWARE, Draft
from bot.language.meant import REMARKS, read_meant
from bot.language.names.model_names import PIECE, NameParts, parts_of
from bot.language.questions.follow_questions import ABOUT_AN_ANSWER
from bot.language.text.spoken import spoken
from bot.language.text.vocabulary import Vocabulary
from bot.language.values.durations import KINDS, PERCENTILE, percentile
from engine.core.workload import Workload

# Only a text that opens like this can amend another; "keep", "try" or "now" inside one need not.
OPENING = re.compile(
    r"\A(?:/ec2-pick )?(?:(?:ok(?:ay)?|no|yes|hm+|right|thanks|great|und|cool),? )*"
    r"(?:and\b|but\b|also\b|what about\b|how about\b|what if\b|same\b|again\b|instead\b|why not\b"
    r"|why no\b|make (?:it|that)\b|switch\b|change\b|double\b|twice\b|halve\b|half\b|triple\b"
    r"|i meant?\b|meant\b|with(?:out)?\b|on\b|in\b|then\b|now\b|rather\b|use\b|try\b|only\b"
    r"|(?:show|give|send|get|print) (?:me |us )?(?:the|it|that|a)\b|deploy (?:it|that)\b"
    r"|tell me (?:if|when)\b|\d+x\b)"
)
NEEDS_CONTEXT = re.compile(
    r"\A(?:(?:ok(?:ay)?|no|yes|hm+|right),? )*(?:and\b|but\b|what about\b|how about\b"
    r"|what if\b|same\b|again\b"
    r"|instead\b|why not\b|make (?:it|that)\b|switch\b|double\b|twice\b|halve\b|triple\b|i meant?\b"
    r"|(?:show|give|send|get|print) (?:me |us )?(?:it|(?:the|that) (?:yaml|file|manifest|karpenter"
    r"|eksctl|kubernetes|terraform|config|snippet|same|one|nodepool))\b|deploy (?:it|that)\b"
    r"|tell me (?:if|when)\b)"
)
_SCALABLE: Final = (
    r"traffic|load|requests?|rps|users|streams|chats|sessions|people|customers|concurrency"
    r"|tokens|volume|throughput|context|window|budget"
    r"|batch|latency|limit|nodes?|gpus?|money|calls|queries|prices?|costs?|bill|spend"
)
SCALE = re.compile(
    rf"\b(?:(?P<subject>it|that|this|{_SCALABLE}) "
    r"(?:(?:grows?|goes up|rises?|increases?|scales?|jumps?|will be|becomes?|is)(?: (?:by"
    r"|to))? )?)?"
    r"(?P<word>double[ds]?|twice|tripled?|triples|halve[ds]?|half|(?P<times>\d{1,4}(?:\.\d+)?) ?x"
    r"|(?P<times2>\d{1,4}) times)\b"
    r"(?P<as> as (?:much|many))?(?P<of>(?: (?:the|our|my|that|as|of))*)"
    rf" ?(?P<what>it\b|{_SCALABLE})?"
)
# "Half the memory": it is not the load that is meant, whatever it is.
OF_SOMETHING = re.compile(r" (?:the|our|my|of)\Z")
TIMES: Final = {
    **dict.fromkeys(("double", "doubled", "doubles", "twice"), 2.0),
    **dict.fromkeys(("triple", "tripled", "triples"), 3.0),
    **dict.fromkeys(("halve", "halved", "halves", "half"), 0.5),
}
_BUDGETS: Final = ("budget_usd_per_hour", "budget_usd_per_month", "budget_usd_total")
LOAD: Final = ("rps", "concurrency", "users", "tokens_per_day", "avg_tokens_per_s")
PEOPLE: Final = ("active_share", "requests_per_user_min", "peak_factor")
SCALED: Final[dict[str, tuple[str, ...]]] = {
    "context": ("context", "input_tokens"),
    "window": ("context", "input_tokens"),
    "users": ("users", "concurrency", "rps"),
    "people": ("users", "concurrency", "rps"),
    **dict.fromkeys(
        ("budget", "money", "price", "prices", "cost", "costs", "bill", "spend"), _BUDGETS
    ),
    "batch": ("batch",),
    "latency": ("latency_ms",),
    "limit": ("latency_ms",),
    "node": ("nodes",),
    "nodes": ("nodes",),
    "gpu": ("gpu_count",),
    "gpus": ("gpu_count",),
}
ASKS = re.compile(
    r"\A(?:(?:and|but|so|ok(?:ay)?),? )*(?:how (?!about)|what (?!about|if)|what's|why|where|when"
    r"|which|explain|show|define)"
)
# What is wished for without a figure: the objective it means.
WISHES: Final[dict[str, str]] = dict.fromkeys(
    ("faster", "quicker", "too slow", "schneller", "zu langsam"), "performance"
)
WISH = re.compile(
    r"\A(?:(?:and|but|no|ok(?:ay)?|please|now|can you|can it be|could it be|make it|i want it"
    r"|i need it|it (?:must|should) be|(?:it|that|this)(?:'s| is)|a|give me|go|much|a bit|even"
    r"|something|anything"
    r"|one that is)[, ]+)*"
    rf"(?P<word>{'|'.join(WISHES)})(?: one| option| please| though| gpu| machine)*[?.!]*\Z"
)
# "any region", "drop the budget": the limit is lifted.
LIFT = re.compile(
    r"\b(?:drop|remove|forget|lift|without|no|any|ignore|clear|never ?mind)\s(?:the |my |that |a )?"
    r"(?P<what>budget|latency(?: limit)?|region|instance(?: type)?|context|deadline"
    r"|quantisation|quantization"
    r"|exclusions?|framework|market|gpu|percentile|load|limit|tp|tensor parallel(?:ism)?)\b"
)
LIFTED: Final[dict[str, tuple[str, ...]]] = {
    "budget": ("budget_usd_per_hour", "budget_usd_per_month", "budget_usd_total"),
    "latency": ("latency_ms", "latency_kind", "percentile", "first_token_ms"),
    "limit": ("latency_ms", "latency_kind", "percentile"),
    "region": ("region", "regions"),
    "instance": ("instance",),
    "context": ("context",),
    "deadline": ("deadline_h",),
    "quantisation": ("quant",),
    "quantization": ("quant",),
    "exclusion": ("exclude", "without"),
    "exclusions": ("exclude", "without"),
    "framework": ("framework",),
    "market": ("market", "term_years"),
    "gpu": ("gpu", "gpu_count", "gpu_memory_gb"),
    "percentile": ("percentile",),
    "load": (*LOAD, *PEOPLE),
    "tp": ("tensor_parallel",),
    "tensor": ("tensor_parallel",),
}
# A new value of the first field makes earlier values of the others void.
REPLACES: Final[dict[str, tuple[str, ...]]] = {
    "model": ("models", "params_b", "active_params_b", "model_kind"),
    "models": ("model", "params_b", "active_params_b"),
    "region": ("regions",),
    "regions": ("region",),
    "market": ("term_years",),
    "instance": ("gpu", "gpu_count", "gpu_memory_gb", "allow"),
    "gpu": ("instance", "gpu_count", "gpu_memory_gb"),
    "gpu_memory_gb": ("gpu", "instance"),
    "allow": ("instance", "gpu"),
    **{name: tuple(other for other in _BUDGETS if other != name) for name in _BUDGETS},
    **{name: (*(other for other in LOAD if other != name), *PEOPLE) for name in LOAD},
    "users": tuple(other for other in LOAD if other != "users"),
    "params_b": ("active_params_b", "model_kind"),
    "context": ("seq_len",),
}
WITHIN: Final[dict[str, list[str]]] = spoken("within")
SERVING_ONLY: Final = (
    *LOAD,
    *PEOPLE,
    "use_case",
    "latency_ms",
    "latency_kind",
    "percentile",
    "mode",
    "output_tokens",
    "input_tokens",
)
TRAINING_ONLY: Final = ("method", "seq_len", "tokens_total", "deadline_h", "global_batch_tokens")


def read_wish(draft: Draft) -> None:
    """Read "faster" alone, which amends an answer, as what to rank by."""
    if match := WISH.match(draft.reader.whole):
        word = match["word"]
        draft.say("objective", WISHES[word], *match.span())
        draft.note(
            "wish_without_figure",
            f"Read `{word}` as the fastest, whatever it costs: for less, say a limit such as"
            " `latency<100ms`, or `objective=balanced`.",
        )


def amends(draft: Draft, said: dict[str, Any], *, as_command: bool) -> bool:
    """Return whether a text in a conversation amends it, rather than asking something new."""
    if OPENING.match(draft.reader.whole) or "follow" in draft.marks:
        return True
    whole_request = bool({"model", "models", "params_b"} & said.keys()) and "task" in draft.said
    return not (whole_request or (as_command and {"model", "models", "params_b"} & said.keys()))


def needs_context(draft: Draft, said: dict[str, Any]) -> bool:
    """Return whether a text makes no sense without an earlier turn."""
    if {"model", "models", "params_b"} & said.keys():
        return False
    if ABOUT_AN_ANSWER & draft.marks.keys():
        return True
    if {"instance", "gpu", "name"} & said.keys():
        return False
    only_manifest = "intent:manifest" in draft.marks and not said and not draft.reader.whole[80:]
    return NEEDS_CONTEXT.match(draft.reader.whole) is not None or (
        only_manifest and len(draft.reader.whole.split()) <= 5
    )


def remarks_on_earlier(draft: Draft) -> bool:
    """Return whether the text only comments on an earlier turn ("per token", "no budget")."""
    text = draft.reader.whole
    kinds = any(pattern.search(text) for _, pattern in KINDS)
    scaled = SCALE.search(text)
    return (
        kinds
        or any(pattern.search(text) for pattern in (PERCENTILE, LIFT, *REMARKS))
        or (scaled is not None and bool(scaled["what"] or scaled["subject"] or scaled["as"]))
    )


def amended(
    previous: Workload, said: dict[str, Any], draft: Draft, vocabulary: Vocabulary
) -> Workload:
    """Return `previous` with what a follow-up says put in its place."""
    base = previous.said()
    base.pop("compare_family", None)  # it was that turn's question only
    _lift(draft, base)
    _resize(said, base, draft, vocabulary)
    _retask(said, base, draft)
    read_meant(draft, said, base)
    for name in said:
        for void in REPLACES.get(name, ()):
            base.pop(void, None)
    _amend_groups(draft, said, base, vocabulary)
    _not_wanted(draft, base)
    _amend_latency_kind(draft, said, base)
    base.update(said)
    _scale(draft, base)
    return completed(workload_of(base))


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
    for match in LIFT.finditer(draft.reader.whole):
        for name in LIFTED[match["what"].partition(" ")[0]]:
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
    task = said.get("task")
    if task and task != base.get("task"):
        for name in SERVING_ONLY if task in {"train", "finetune"} else TRAINING_ONLY:
            base.pop(name, None)
    method_changes = (
        said.get("method") not in {None, "qlora"} or draft.details.get("not_method") == "qlora"
    )
    if base.get("method") == "qlora" and method_changes and base.get("quant") == "int4":
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
    _drop_groups(base, "exclude", tuple(wanted))
    spoken = {_plain(word) for word in wanted}
    _drop_groups(base, "without", tuple(w for w in base.get("without", ()) if _plain(w) in spoken))
    for name in ("exclude", "without"):
        if name in said:
            said[name] = tuple(dict.fromkeys((*base.get(name, ()), *said[name])))


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
    if "latency_ms" in said or "latency_ms" not in base or ASKS.match(draft.reader.whole):
        return
    for kind, pattern in KINDS:
        if match := pattern.search(draft.reader.whole):
            said["latency_kind"] = kind
            draft.reader.take(*match.span())
            break
    if match := PERCENTILE.search(draft.reader.whole):
        said["percentile"] = percentile(match)
        draft.reader.take(*match.span())


def _scale(draft: Draft, base: dict[str, Any]) -> None:
    """Multiply what the text says to ("halve the context and double the users")."""
    if "topic:price_change" in draft.marks:
        return  # it is prices that double
    read = [(one.start, one.end) for every in draft.said.values() for one in every]
    for match in SCALE.finditer(draft.reader.whole):
        if any(start < match.end("word") and match.start("word") < end for start, end in read):
            continue  # "twice a minute" is a value
        named = match["what"] or match["subject"] or match["as"]
        if named or (match["word"] in TIMES and not OF_SOMETHING.search(match["of"])):
            _scale_by(match, draft, base)


def _scale_by(match: re.Match[str], draft: Draft, base: dict[str, Any]) -> None:
    times = TIMES.get(match["word"]) or float(match["times"] or match["times2"])
    what = match["what"] or match["subject"] or "the load"
    names = SCALED.get(what, LOAD)
    scaled = [name for name in names if isinstance(base.get(name), int | float)]
    for name in scaled:
        base[name] = type(base[name])(base[name] * times)
    if not scaled:
        draft.note(
            "nothing_to_scale",
            f"`{match[0].strip()}` changes nothing: no figure for {what} was said before; say one.",
        )
    draft.reader.take(*match.span())
