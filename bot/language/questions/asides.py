"""What a text says in passing that one answer alone looks at: doubt, a move, stages, a tool."""

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final, Literal

from bot.core.asked import Questions, StageQuestion, Whether
from bot.core.understanding import Understanding
from bot.language.guides.names import branch_words
from bot.language.questions.doubts import doubts
from bot.language.questions.question import arguments_in
from bot.language.text.tables import any_of

if TYPE_CHECKING:
    from engine.plans.strategy import StageName

WHY: Final = re.compile(r"\b(?:why|warum|wieso|how come)\b")
HOW_TO_ASK: Final = re.compile(r"\b(?:help|hilfe|how|what|commands?|usage|hello|hi|hey|hallo)\b")
SERVING: Final = re.compile(r"infer|serv|real-?time")
SHARES: Final = re.compile(r"\bmig\b|\btime-?\s?slicing\b|\bshar(?:e|ing)\b.{0,20}\bgpus?\b")
NEURON: Final = rf"(?:an? |my |our |the |aws |amazon )*(?:inf\d|trn\d|{any_of('neuron')}|neuron)"
# The other direction has no plan of its own: it is an ordinary pick.
FROM_NEURON: Final = re.compile(rf"\b(?:from|off|replac\w+|leav\w+) {NEURON}")
TO_NEURON: Final = re.compile(rf"(?:\b(?:to|onto)|->|→) ?{NEURON}")
# The words that name each stage, in the order of a model's life.
STAGES: Final[dict["StageName", str]] = {
    "train": r"\b(?:pre)?-?train(?!ium)\w*\b",
    "finetune": r"\b(?:fine-?\s?tun\w*|lora|qlora)\b",
    "serve": r"\b(?:serv\w+|infer(?!entia)\w*|deploy\w*|host\w*|run)\b",
    "batch": r"\bbatch\b",
    "edge": r"\bedge\b",
}
STAGE: Final = re.compile("|".join(f"(?P<{name}>{words})" for name, words in STAGES.items()))
USUAL: Final[tuple["StageName", ...]] = ("train", "serve", "edge")
FEWEST: Final = 2
# "Do it" and "why?" are said to people as well; these name what is wanted, or ask in words.
NAMES_A_FILE: Final = re.compile(
    r"\b(?:ya?mls?|manifests?|files?|snippets?|eksctl|karpenter|kubernetes|k8s|terraform|helm)\b"
)
IN_WORDS: Final = re.compile(r"\S+\s+\S+\s+\S[^?]*\?")


def names_a_file(text: str) -> bool:
    """Return whether a text names the file it wants."""
    return NAMES_A_FILE.search(text.lower()) is not None


def asks_in_words(text: str) -> bool:
    """Return whether a text is a question of three words or more."""
    return IN_WORDS.search(text) is not None


def overheard(understood: Understanding, raw: str) -> Questions:
    """Return what is asked, with what the whole text says beside it; `raw` is as it was typed."""
    low = understood.text.lower()
    return replace(
        understood.asked,
        guide_words=branch_words(raw),
        serving=SERVING.search(raw.lower()) is not None,
        greenest_regions=understood.details.get("energy") == "regions",
        doubts=doubts(low),
        whether=asked_whether(low),
        why=WHY.search(low) is not None,
        how_to_ask=HOW_TO_ASK.search(low) is not None,
        shares_gpus=SHARES.search(low) is not None,
        neuron_monitor="neuron-monitor" in low,
        stages=_stages(low, understood) if understood.topic == "strategy" else (),
        move=_move(low),
        hardware=_stages_in_order(low, understood),
    )


def asked_whether(low: str) -> Whether | None:
    """Return how a text asks whether a machine does; None where it does not.

    What is asked the other way round ("isn't it enough?") comes before what it is asked of.
    """
    found = {value: hit.start for hit, _, value in reversed(arguments_in(low, "whether"))}
    if "?" not in low and "？" not in low:
        return None
    if "too_little" in found or "too_much" in found:
        return "too_much" if "too_much" in found else "too_little"
    return "negated" if "negated" in found else "enough" if "enough" in found else None


def _move(low: str) -> Literal["to_neuron", "from_neuron", "somewhere", ""]:
    if FROM_NEURON.search(low):
        return "from_neuron"
    if TO_NEURON.search(low):
        return "to_neuron"
    return "somewhere" if "migrat" in low else ""


def _stages_in_order(low: str, understood: Understanding) -> tuple[str, ...]:
    """Return the types and families named, in the order said."""
    workload = understood.workload
    types = map(str, understood.alternatives.get("instance", ()))
    named = dict.fromkeys((*types, workload.instance or "", *(workload.allow or ())))
    said = (word for word in named if word)
    return tuple(sorted(said, key=lambda word: low.find(word) % (len(low) + 1)))


def _stages(low: str, understood: Understanding) -> tuple[StageQuestion, ...]:
    """Return the stages named, the usual ones where fewer than two are, each with its hardware."""
    named = tuple(name for name, words in STAGES.items() if re.search(words, low))
    groups = understood.workload.allow or ()
    return tuple(
        StageQuestion(name, _named_for(name, low, groups))
        for name in (named if len(named) >= FEWEST else USUAL)
    )


def _named_for(name: "StageName", low: str, groups: tuple[str, ...]) -> tuple[str, ...]:
    """Return the kinds of hardware named right after a stage ("serve it on Inferentia")."""
    places = list(STAGE.finditer(low))
    ends = [*(match.start() for match in places[1:]), len(low)]
    after = zip(places, ends, strict=False)
    told = " ".join(low[match.end() : end] for match, end in after if match.lastgroup == name)
    return tuple(group for group in groups if group in told)
