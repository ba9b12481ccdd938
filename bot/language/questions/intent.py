"""Decides what is asked: a pick, an explanation, a comparison, a price, a manifest."""

import re
from typing import Final

from bot.core.understanding import Intent
from bot.language.draft import Draft
from bot.language.names.sides import sets_against
from bot.language.questions.doubts import doubts
from bot.language.text.tables import stopwords

# A first word that is a command: (intent, topic). It is one unless a sign follows (`latency<`).
HEADS: Final[dict[str, tuple[Intent, str | None]]] = {
    "pick": ("pick", None),
    "recommend": ("pick", None),
    "kv": ("estimate", "kv"),
    "fit": ("estimate", "fit"),
    "fits": ("estimate", "fit"),
    "memory": ("estimate", "memory"),
    "mem": ("estimate", "memory"),
    "vram": ("estimate", "memory"),
    "plan": ("estimate", "plan"),
    "latency": ("estimate", "latency"),
    "perf": ("estimate", "latency"),
    "gpu": ("estimate", "gpu"),
    "estimate": ("estimate", None),
    "price": ("price", None),
    "prices": ("price", None),
    "pricing": ("price", None),
    "quota": ("explain", "quota"),
    "spec": ("explain", "spec"),
    "specs": ("explain", "spec"),
    "ami": ("explain", "ami"),
    "list": ("explain", "list"),
    "guide": ("explain", "guide"),
    "energy": ("explain", "energy"),
    "deploy": ("manifest", None),
    "manifest": ("manifest", None),
    "yaml": ("manifest", None),
    "eksctl": ("manifest", None),
    "karpenter": ("manifest", None),
    "terraform": ("manifest", None),
    "kubernetes": ("manifest", None),
    "explain": ("explain", None),
    "why": ("explain", None),
    "compare": ("compare", None),
    "migrate": ("migrate", None),
    "scaling": ("explain", "scaling"),
    "autoscale": ("explain", "scaling"),
    "scale": ("explain", "scaling"),
    "practices": ("explain", "practices"),
    "monitoring": ("explain", "monitoring"),
    "handoff": ("explain", "handoff"),
    "strategy": ("explain", "strategy"),
    "reset": ("reset", None),
    "help": ("help", None),
}
# "monitoring manifests", "quota yaml": the first word belongs to a file's name, it is no command.
FILE_NAMED = re.compile(r"\A[a-z]+ (?:yaml|manifests?|files?|config)\b")
HEAD = re.compile(r"\A([a-z]+)(?=\s|\Z)(?!\s*[<>=:])")
# These open a sentence as well as a command, and mean the same in both.
ALWAYS_COMMANDS = {
    "why",
    "compare",
    "deploy",
    "explain",
    "migrate",
    "price",
}
FILE_TOPICS = {"monitoring", "scaling", "quota"}
KIND_HEADS = {name: name for name in ("karpenter", "kubernetes", "terraform")}
# Which signal wins where several are there.
ORDER: Final[tuple[Intent, ...]] = (
    "reset",
    "alert",
    "manifest",
    "migrate",
    "compare",
    "price",
    "explain",
    "help",
)
ASKS_AMOUNT = re.compile(r"\b(?:how|what|allowed|fit|hold)\b")
# "everything" alone, or where a manifest is asked for: the whole set of files.
ONLY_EVERYTHING = re.compile(
    r"\A(?:please |show |give |me |us |and |now )*everything(?: please| together)?[.!]?\Z"
)
EVERYTHING = re.compile(r"(?<!is )(?<!forget )\beverything\b(?! (?:but|except|else)\b)")


def read_head(draft: Draft) -> tuple[Intent, str | None] | None:
    """Return what a leading command word asks for, and take the word."""
    if whole_set := ONLY_EVERYTHING.match(draft.reader.work):
        draft.details["manifest_kind"] = "everything"
        draft.mark("intent:manifest", *whole_set.span())
        return "manifest", None
    match = HEAD.match(draft.reader.work)
    if match is None or match[1] not in HEADS or _is_sentence(draft, match[1]):
        return None
    if match[1] in FILE_TOPICS and FILE_NAMED.match(draft.reader.work):
        return None
    if match[1] in KIND_HEADS:
        draft.details["manifest_kind"] = KIND_HEADS[match[1]]
    draft.mark("head", *match.span())
    return HEADS[match[1]]


def _is_sentence(draft: Draft, head: str) -> bool:
    """Return whether the command word only opens a sentence ("price is no object").

    "GPU sharing for bert" begins with a phrase of its own.
    """
    if head == "gpu" and draft.reader.work.startswith(("gpu sharing", "gpu metrics", "gpu to ")):
        return True
    following = draft.reader.after(len(head), 16)
    word = re.match(r" ([a-z]+)", following)
    return word is not None and head not in ALWAYS_COMMANDS and word[1] in stopwords()


def decide(
    draft: Draft, head: tuple[Intent, str | None] | None, *, in_thread: bool
) -> tuple[Intent, str | None]:
    """Return the intent and topic; a leading command decides, else the strongest signal."""
    topic = "commit" if _compares_terms(draft) else _topic(draft, in_thread=in_thread)
    if topic == "kv" and "kv_dtype" in draft.said and not ASKS_AMOUNT.search(draft.reader.whole):
        topic = None  # the cache is only described
    if head is not None and "mixed" not in draft.details:
        return _of_head(draft, head, topic)
    marked = _intents_marked(draft)
    if topic in TURNING_TOPICS and "mixed" not in draft.details:
        return _of_topic(topic, marked)
    if "mixed" in draft.details or _only_names(draft):
        return "manifest", None
    # Beside a model the price is checked on the way to what is asked.
    aside = {"model", "params_b"} & draft.said.keys() and "intent:price" not in draft.marks
    if "claimed_usd_per_hour" in draft.details and "instance" in draft.said and not aside:
        return "price", "claim"
    for intent in ORDER:
        if intent == "help" and in_thread and draft.said:
            continue  # "hi, and on spot?"
        if intent in marked and _fits(intent, draft, topic):
            return intent, topic
    return _estimate_or_pick(draft, topic, in_thread=in_thread)


def _of_head(
    draft: Draft, head: tuple[Intent, str | None], topic: str | None
) -> tuple[Intent, str | None]:
    """Return what a leading command asks for; a plan's word in a manifest's request is no topic."""
    intent, head_topic = head
    if intent == "price" and _compares_prices(draft):
        return intent, DIFFERENCE
    if intent == "price" and not HARDWARE & draft.said.keys():
        return "pick", None  # the price of running a model is on every card
    if intent == "alert":
        return intent, None  # "changes" is no question about the past here
    if topic in PLAN_TOPICS and intent not in {"pick", "explain", "estimate"}:
        topic = None
    return intent, head_topic or topic


def _compares_terms(draft: Draft) -> bool:
    """Return whether a type by itself is set at several terms: what buying it costs is asked."""
    terms = {one.value for one in draft.said.get("term_years", ())}
    alone = not {"model", "params_b"} & draft.said.keys()
    return len(terms) > 1 and "instance" in draft.said and alone


def wants_everything(draft: Draft) -> bool:
    """Return whether a request for a manifest is for the whole set of files."""
    return EVERYTHING.search(draft.reader.whole) is not None


def _of_topic(topic: str, marked: set[str]) -> tuple[Intent, str | None]:
    """Return the intent of a topic that decides it, whatever else the words point to."""
    if topic in {"history", DIFFERENCE}:
        return "price", topic
    if topic == "choose":
        return "pick", topic
    plans_a_move = topic in PLAN_TOPICS and "migrate" in marked
    return ("migrate", None) if plans_a_move else ("explain", topic)


def _intents_marked(draft: Draft) -> set[str]:
    """Return the intents that some word or turn of phrase points to."""
    marked = {mark.partition(":")[2] for mark in draft.marks if mark.startswith("intent:")}
    if draft.asks_nothing:
        marked.discard("alert")  # "drop the budget": a price may drop as well
    if sets_against(draft):
        marked.add("compare")
    if doubts(draft.reader.whole) and DOUBTED & draft.said.keys():
        marked.add("explain")
        marked.discard("compare")
    return marked


def _topic(draft: Draft, *, in_thread: bool) -> str | None:
    marked = {mark.partition(":")[2] for mark in draft.marks if mark.startswith("topic:")}
    if not (in_thread or HARDWARE & draft.said.keys()):
        marked.discard("history")  # whose price?
    if not _compares_prices(draft):
        marked.discard(DIFFERENCE)
    elif "intent:price" in draft.marks:
        marked.add(DIFFERENCE)
    for topic in TOPICS:
        if topic in marked:
            return topic
    return None


def _compares_prices(draft: Draft) -> bool:
    """Return whether two machines are named and no work for them: only their prices can differ."""
    named = sum(len({one.value for one in draft.said.get(name, ())}) for name in HARDWARE)
    return named >= SIDES and not (WORK | LOADS) & draft.said.keys()


HARDWARE = {"instance", "gpu", "allow"}
DIFFERENCE = "price_difference"
SIDES = 2
WORK = {"model", "models", "params_b", "model_kind", "method", "tokens_total", "items"}
LOADS = {"rps", "concurrency", "users", "tokens_per_day", "latency_ms"}  # "hi, … for a team of 15"
DOUBTED = {*HARDWARE, "compare_family"}
# These ask for something computed beyond the pick.
COMPUTED_TOPICS = (
    *("price_change", "growth", "derivation"),
    *("what_would", "crossover", "fleet", "energy", "metrics"),
)
# These ask of the picks that were shown: another of them, more, what they cost, what to mind.
PICK_TOPICS = ("choose", "more", "bill", "recap", "cheaper", "risks", "regions")
# These ask for a plan, whatever else the words point to ("monitor" is an alert's word as well).
# These ask for a fact of a machine or a figure beside the pick.
FACT_TOPICS = (
    DIFFERENCE,
    *("startup", "ami", "quota", "spot_worth", "commit", "redundancy"),
    *("cheapest_monthly", "savings", "records", "spec", "upgrade", "define"),
)
PLAN_TOPICS = ("strategy", "handoff", "scaling", "monitoring", "practices")
TURNING_TOPICS = (*FACT_TOPICS, *PICK_TOPICS, *COMPUTED_TOPICS, *PLAN_TOPICS, "history")
TOPICS = (
    *TURNING_TOPICS,
    "cost",
    "availability",
    "kv",
    "memory",
    "latency",
    "plan",
    "gpu",
    "efa",
    "fit",
    "guide",
)


def _only_names(draft: Draft) -> bool:
    """Return whether the text does nothing but name the cluster: the snippet is meant."""
    return set(draft.said) == {"name"}


def _fits(intent: Intent, draft: Draft, topic: str | None) -> bool:
    """Return whether a signal really means its intent, given what else was said."""
    names_hardware = bool(HARDWARE & draft.said.keys())
    names_model = bool({"model", "params_b"} & draft.said.keys())
    if intent == "price":
        return (
            names_hardware
            and not names_model
            and topic not in {"memory", "kv", "quota"}
            and ("why" not in draft.reader.whole)
        )
    if intent == "migrate":
        return names_hardware
    if intent == "compare":
        return True
    if intent == "help":
        return not (names_model or names_hardware or LOADS & draft.said.keys())
    return True


def _estimate_or_pick(
    draft: Draft, topic: str | None, *, in_thread: bool
) -> tuple[Intent, str | None]:
    names_hardware = bool(
        {"instance", "gpu", "allow", "gpu_memory_gb", "gpu_count"} & draft.said.keys()
    )
    names_model = bool({"model", "params_b"} & draft.said.keys())
    if topic == "availability" and not (names_hardware or in_thread):
        topic = None
    if topic in {"availability", "efa"} or (topic == "guide" and not names_model):
        return "explain", topic
    if topic in {"kv", "memory"}:
        return "estimate", topic
    if names_hardware and topic is not None:
        return "estimate", topic
    if topic == "plan" or "observed" in draft.marks:
        return "estimate", topic or "latency"
    return "pick", None
