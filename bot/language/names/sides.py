"""Several kinds of hardware in one text: set against one another, or together in one cluster.

"Does inf2 beat GPUs", "GPU or Trainium", "cheaper than a g5"; "GPU training + Trainium in one
cluster". Groups named beside words of node groups are each a part of the cluster, where elsewhere
they are what a pick may be chosen from.
"""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.guides.claims import BEATS
from bot.language.names.instances import say_group

COMPARES: Final = re.compile(
    r"\b(?:beats?|beating|outperforms?|vs\.?|versus|compared?|comparison|against|differences?"
    r"|(?:cheaper|faster|slower|better|worse|greener|dearer|(?:more|less) [a-z]+) than)\b"
)
LISTED: Final = re.compile(r"\bgpus?(?:,| (?:or|and)) |(?:\bor|\band|,) (?:an? )?gpus?\b")
ONE_CLUSTER: Final = re.compile(r"\b(?:clusters?|node ?groups?)\b")
# "a GPU" as such, not a number of them or a property.
BARE_GPU: Final = re.compile(
    r"(?<![\w-])(?<!\d )(?<!per )(?<!one )(?<!each )(?<!every )(?<!which )(?<!the )gpus?"
    r"(?![\w-])(?! (?:memory|utili[sz]ation|types?|instances?|hours?|share|sharing))"
)
GROUPS: Final = re.compile(
    r"\bnode ?(?:groups|pools)\b|\b(?:in|on|into) (?:one|a single|the same|1) cluster\b"
    r"|\b(?:one|a single|1) (?:eks )?cluster\b|\bgroups for\b"
    r"|\b(?:mixed|multi|several|heterogeneous)[ -](?:kinds? of )?hardware\b"
    r"|\b(?:several|three|two|multiple|3|2) groups\b"
)
GPU: Final = re.compile(r"\bgpus?\b")
QUESTION: Final = re.compile(
    r"\A(?:can|could|may|should|would|is|are|do|does|how|what|why|which|when)\b|\?\s*\Z"
)
JOINED: Final = re.compile(r"\band\b|[+&]")
CHOICE: Final = re.compile(r"\bor\b")
FEWEST: Final = 2


def read_gpu_side(draft: Draft) -> None:
    """Say the group `gpu` where a bare "GPU" is one side of a comparison with other hardware."""
    whole = draft.reader.whole
    if "allow" not in draft.said and "instance" not in draft.said:
        return
    if COMPARES.search(whole) is None and LISTED.search(whole) is None:
        return
    for match in draft.reader.matches(BARE_GPU):
        say_group(draft, "gpu", *match.span())


def mark_strategy(draft: Draft) -> None:
    """Mark several kinds of hardware in one cluster as a strategy."""
    loads = {"rps", "concurrency", "users", "tokens_per_day"} & draft.said.keys()
    whole = draft.reader.whole
    if sides(draft) < FEWEST or "intent:manifest" in draft.marks:
        return
    if ONE_CLUSTER.search(whole) and not loads:
        draft.marks.pop("topic:fleet", None)
        draft.marks.setdefault("topic:strategy", (0, len(whole)))


def sides(draft: Draft) -> int:
    """Return how many kinds of hardware a text names."""
    return sum(len(draft.said.get(name, ())) for name in ("instance", "gpu", "allow"))


def sets_against(draft: Draft) -> bool:
    """Return whether a text asks which of several kinds of hardware is ahead."""
    whole = draft.reader.whole
    if sides(draft) < FEWEST:
        return False
    return BEATS.search(whole) is not None or _either_side(draft) or _type_and_family(draft)


def _type_and_family(draft: Draft) -> bool:
    """Return whether a question names a type and another family ("r7i.48xlarge? r8g?")."""
    families = {str(one.value).partition(".")[0] for one in draft.said.get("instance", ())}
    others = {str(one.value) for one in draft.said.get("allow", ())}
    named = {one for one in others if any(sign.isdigit() for sign in one)}
    return bool(families and named - families) and draft.reader.whole.rstrip().endswith("?")


def _either_side(draft: Draft) -> bool:
    """Return whether a question leaves open which kind of hardware it is ("g5 or inf2?")."""
    groups = sorted(draft.said.get("allow", ()), key=lambda one: one.start)
    if len(groups) < FEWEST or not draft.reader.whole.endswith("?"):
        return False
    between = draft.reader.whole[groups[0].end : groups[-1].start]
    return CHOICE.search(between) is not None


def mixed_groups(draft: Draft, *, asks_manifest: bool) -> tuple[str, ...]:
    """Return the kinds of hardware of one cluster, in the order said, and ask for its file.

    They are no choice any more: what may be picked is not narrowed down. Empty where the text
    speaks of no such cluster. `asks_manifest`: a leading word asks for a file.
    """
    if "intent:compare" in draft.marks or "instance" in draft.said:
        return ()
    groups = GROUPS.search(draft.reader.whole)
    asks_manifest = asks_manifest or "intent:manifest" in draft.marks
    if not asks_manifest and QUESTION.search(draft.reader.whole):
        return ()  # whether it can be done is answered in words
    if groups is None and not (asks_manifest and _all_of_them(draft)):
        return ()
    named = _groups_named(draft)
    if len(named) < FEWEST:
        return ()
    draft.drop("allow")
    draft.details["mixed"] = "yes"
    draft.marks.setdefault("intent:manifest", groups.span() if groups else (0, 0))
    return named


def _groups_named(draft: Draft) -> tuple[str, ...]:
    """Return the groups in the order said; "GPU training" names the GPUs as well."""
    found = [(one.start, str(one.value)) for one in draft.said.get("allow", ())]
    gpu = GPU.search(draft.reader.whole)
    if gpu and "gpu" not in {name for _, name in found} and "gpu" not in draft.said:
        found.append((gpu.start(), "gpu"))
    return tuple(dict.fromkeys(name for _, name in sorted(found)))


def _all_of_them(draft: Draft) -> bool:
    """Return whether the groups are joined by "and", not by "or"."""
    spans = sorted((one.start, one.end) for one in draft.said.get("allow", ()))
    if len(spans) < FEWEST:
        return False
    between = draft.reader.whole[spans[0][1] : spans[-1][0]]
    return JOINED.search(between) is not None and CHOICE.search(between) is None
