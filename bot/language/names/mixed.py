"""One cluster of several kinds of hardware: "GPU training + Trainium + Inferentia in one cluster".

Groups that are named beside words of node groups are each a part of the cluster, where elsewhere
they are what a pick may be chosen from.
"""

import re

from bot.language.draft import Draft

GROUPS = re.compile(
    r"\bnode ?(?:groups|pools)\b|\b(?:in|on|into) (?:one|a single|the same|1) cluster\b"
    r"|\b(?:one|a single|1) (?:eks )?cluster\b|\bgroups for\b"
    r"|\b(?:mixed|multi|several|heterogeneous)[ -](?:kinds? of )?hardware\b"
    r"|\b(?:several|three|two|multiple|3|2) groups\b"
)
GPU = re.compile(r"\bgpus?\b")
QUESTION = re.compile(
    r"\A(?:can|could|may|should|would|is|are|do|does|how|what|why|which|when)\b|\?\s*\Z"
)
JOINED, CHOICE = re.compile(r"\band\b|[+&]"), re.compile(r"\bor\b")
FEWEST = 2


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
