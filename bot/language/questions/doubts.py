"""Hardware that is doubted: why not it, what speaks against it, is it really the best."""

import re
from typing import Any, Final

from bot.language.draft import Draft
from bot.language.text.vocabulary import NOT_CUDA

_AGAINST: Final = (
    r"(?:what|anything|something|which reasons?|(?:arguments?|reasons?|points?|case))"
    r"(?: (?:would |could |does |do |can |there )?(?:speaks?|argues?|counts?|is|are|be))?"
    r"(?: there)?(?: held| said)? against"
)
# What leads up to the hardware.
SUBJECT_OF_WHY: Final = re.compile(
    r"\b(?:why|warum|what would make|what would it take for|what makes"
    rf"|{_AGAINST}"
    r"|what(?: is|'?s) (?:wrong|the (?:problem|trouble)) with"
    r"|(?:draw|set)backs? of|(?:down|bad )sides? of|disadvantages? of"
    r"|weak(?:ness(?:es)?| points?) of|cons of|what (?:rules|ruled) out"
    r"|how cheap (?:would|must|does)|(?<!what )(?:does|do) [^?]{1,40}? (?:need|require)"
    r"|(?:at (?:what|which) (?:price|load|latency)|when) (?:does|do|would|will|could|can))\b"
    r"(?:(?! (?:on|with|for) ).){0,40}\Z"
)
WHY_NOT: Final = re.compile(
    r"\b(?:why not|why isn'?t it|why no|warum nicht|what about|how about"
    r"|why didn'?t you (?:pick|choose)"
    r"|why wasn'?t|what'?s wrong with|why was|compared? (?:to|with|against)|versus|vs\.?)"
    r"\s*(?:an?|the|use|using|on|go with)?\s*\Z"
)
END: Final = r"\Z"
IS_IT: Final = re.compile(
    r"\b(?:is|are|isn'?t|aren'?t|would|wouldn'?t|does|do|doesn'?t|has|have)(?: an?| the)? ?\Z"
)
THE_BEST: Final = re.compile(
    r"(?:\.\w+)?'?s?,? (?:really |still |always |be |not |actually |have |give |offer )*"
    r"(?:the (?:very )?(?:best|cheapest|fastest|right|greenest|quickest|most|lowest|safest)\b"
    r"|(?:beat|outperform) (?:everything|all|any|every)\b)"
)
CAN_IT: Final = re.compile(r"\b(?:can|could|may|might|does|do|will|would|is|are)\b.*\?")
# In a whole text: the pick must not be made to be what these speak of.
_WHY_NOT_IT: Final = r"\b(?:why|warum)\b.{0,60}?(?:\bnot?\b|n'?t\b|\bavoid\b|\bnicht\b|\bnever\b)"
AGAINST: Final = re.compile(
    rf"{_WHY_NOT_IT}|\b{_AGAINST}\b|\bdisadvantages? of\b|\bcons of\b|\bwhat (?:rules|ruled) out\b"
)
IS_IT_THE_BEST: Final = re.compile(
    rf"{IS_IT.pattern.removesuffix(' ?' + END)} (?:an? |the )?\S{{1,30}}?{THE_BEST.pattern}"
)


def is_doubted(before: str, after: str) -> bool:
    """Return whether what stands between the two is hardware that a text doubts."""
    return (
        SUBJECT_OF_WHY.search(before) is not None
        or (re.search(r"\bwhy\b", before) is not None and WHY_NOT.search(before) is not None)
        or (IS_IT.search(before) is not None and THE_BEST.match(after) is not None)
    )


def doubts(text: str) -> bool:
    """Return whether a text holds the hardware it names against the pick, not as a wish."""
    low = text.lower()
    return AGAINST.search(low) is not None or IS_IT_THE_BEST.search(low) is not None


def hold_against(draft: Draft, said: dict[str, Any]) -> None:
    """Hold hardware that cannot do the work against the pick, where a question asks whether it can.

    "We have CUDA kernels, can I use Inferentia?" wants the reason, not a refusal.
    """
    if CAN_IT.search(draft.reader.whole) is None or not said.get("needs_cuda"):
        return
    named = [said.get("instance") or "", *said.get("allow", ())]
    doubted = next((name for name in named if name.startswith(NOT_CUDA)), None)
    if doubted is None:
        return
    for field in ("instance", "allow"):
        said.pop(field, None)
    said["compare_family"] = doubted
    draft.marks.setdefault("intent:explain", (0, 0))
