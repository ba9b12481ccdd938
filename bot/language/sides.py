"""Hardware set against hardware: "does inf2 beat GPUs", "GPU or Trainium", "cheaper than a g5"."""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.instances import say_group
from engine.claim_words import BEATS

COMPARES: Final = re.compile(
    r"\b(?:beats?|beating|outperforms?|vs\.?|versus|compared?|comparison|against|differences?"
    r"|(?:cheaper|faster|slower|better|worse|greener|dearer|(?:more|less) [a-z]+) than)\b"
)
OR: Final = re.compile(r"\bgpus?,? (?:or|and) |\b(?:or|and|,) (?:an? )?gpus?\b")
# "a GPU" as such, not a number of them or a property.
BARE_GPU: Final = re.compile(
    r"(?<![\w-])(?<!\d )(?<!per )(?<!one )(?<!each )(?<!every )(?<!which )(?<!the )gpus?"
    r"(?![\w-])(?! (?:memory|utili[sz]ation|types?|instances?|hours?|node|share|sharing))"
)
FEWEST: Final = 2


def read_gpu_side(draft: Draft) -> None:
    """Say the group `gpu` where a bare "GPU" is one side of a comparison with other hardware."""
    whole = draft.reader.whole
    if "allow" not in draft.said and "instance" not in draft.said:
        return
    if COMPARES.search(whole) is None and OR.search(whole) is None:
        return
    for match in draft.reader.matches(BARE_GPU):
        say_group(draft, "gpu", *match.span())


def sides(draft: Draft) -> int:
    """Return how many kinds of hardware a text names."""
    return sum(len(draft.said.get(name, ())) for name in ("instance", "gpu", "allow"))


def sets_against(draft: Draft) -> bool:
    """Return whether a text asks which of several kinds of hardware is ahead."""
    whole = draft.reader.whole
    if sides(draft) < FEWEST:
        return False
    return BEATS.search(whole) is not None or _either(draft)


def _either(draft: Draft) -> bool:
    """Return whether a question leaves open which kind of hardware it is ("g5 or inf2?")."""
    groups = sorted(draft.said.get("allow", ()), key=lambda one: one.start)
    if len(groups) < FEWEST or not draft.reader.whole.endswith("?"):
        return False
    between = draft.reader.whole[groups[0].end : groups[-1].start]
    return re.search(r"\bor\b", between) is not None
