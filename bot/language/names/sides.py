"""Hardware set against hardware: "does inf2 beat GPUs", "GPU or Trainium", "cheaper than a g5"."""

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
# "train on Trainium, serve on Inferentia": a strategy over the stages.
TRAINED_AND_SERVED: Final = re.compile(
    r"\b(?:train|fine-?\s?tun)\w*\b.{0,60}?"
    r"\b(?:serv\w+|infer(?!entia)\w*|host\w*|run) .{0,40}?\bon\b"
)
MIXES: Final = re.compile(r"\bmix(?:es|ing|ed)?\b|\bcombin(?:e|es|ing|ation)\b")
ONE_CLUSTER: Final = re.compile(r"\b(?:clusters?|node ?groups?)\b")
# "a GPU" as such, not a number of them or a property.
BARE_GPU: Final = re.compile(
    r"(?<![\w-])(?<!\d )(?<!per )(?<!one )(?<!each )(?<!every )(?<!which )(?<!the )gpus?"
    r"(?![\w-])(?! (?:memory|utili[sz]ation|types?|instances?|hours?|share|sharing))"
)
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
    """Mark hardware by stage or in one cluster as a strategy, a mix of it as a fleet."""
    loads = {"rps", "concurrency", "users", "tokens_per_day"} & draft.said.keys()
    whole = draft.reader.whole
    if sides(draft) < FEWEST or "intent:manifest" in draft.marks:
        return
    if TRAINED_AND_SERVED.search(whole) or (ONE_CLUSTER.search(whole) and not loads):
        draft.marks.pop("topic:fleet", None)
        draft.marks.setdefault("topic:strategy", (0, len(whole)))
    elif MIXES.search(whole):
        draft.marks.setdefault("topic:fleet", (0, len(whole)))


def sides(draft: Draft) -> int:
    """Return how many kinds of hardware a text names."""
    return sum(len(draft.said.get(name, ())) for name in ("instance", "gpu", "allow"))


def sets_against(draft: Draft) -> bool:
    """Return whether a text asks which of several kinds of hardware is ahead."""
    whole = draft.reader.whole
    if sides(draft) < FEWEST:
        return False
    return BEATS.search(whole) is not None or _either_side(draft)


def _either_side(draft: Draft) -> bool:
    """Return whether a question leaves open which kind of hardware it is ("g5 or inf2?")."""
    groups = sorted(draft.said.get("allow", ()), key=lambda one: one.start)
    if len(groups) < FEWEST or not draft.reader.whole.endswith("?"):
        return False
    between = draft.reader.whole[groups[0].end : groups[-1].start]
    return re.search(r"\bor\b", between) is not None
