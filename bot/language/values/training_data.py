"""Reads how much there is to train on: examples, how long each is, and how often they are seen."""

import re
from typing import Final

from bot.language.draft import Draft
from bot.language.text.late import LatePattern
from bot.language.text.numbers import DIGITS, START, number
from bot.language.text.units import any_word
from bot.language.values.quantities import VOLUME, Q, signed_value

EXAMPLES: Final = LatePattern(
    rf"{Q}\s?(?:(?:{any_word('counters')}) ?)?(?:(?:{any_word('kinds of examples')}) )?"
    rf"(?P<what>{any_word('items', 'sessions', 'learnt from')})"
)
# What is said of one example: "avg 800 tokens", "of 2k tokens each", "1,000 tokens per row".
_EACH: Final = (
    r"(?:each|apiece|per (?:example|sample|row|record|doc(?:ument)?|ticket|item|pair)"
    r"|on average|avg|average|/ ?(?:example|sample|row|doc))"
)
_TOKENS: Final = rf"{START}(?P<n>{DIGITS})(?P<scale>\s?k(?!\w))?[ -]?tok(?:en)?s?(?!\w)"
LENGTHS: Final = (
    re.compile(
        r"\b(?:avg\.?|average(?: of| length(?: of)?)?|averaging|each|mean|length(?: of)?)"
        rf"(?: (?:is|are|of|about|around|~|has|have))* ?{_TOKENS}"
    ),
    re.compile(rf"(?:\b(?:of|with|at|à) (?:about |around |~ ?)?)?{_TOKENS} ?{_EACH}"),
)
OF_TOKENS: Final = re.compile(
    r"\A(?:,| of| with| at| à| mit| de)?"
    rf"(?: je| jeweils| about| around| roughly| etwa| environ)? ?~? ?{_TOKENS}"
)
EPOCHS: Final = re.compile(
    rf"{START}(?P<n>\d{{1,3}}(?:\.\d)?) ?"
    r"(?:epochs?|passes|epochen|durchläufe|époques|épocas|轮|个 ?epoch|エポック|에포크)(?!\w)"
)
# What is heard is learnt in windows of half a minute, as many positions each as Whisper's decoder
# has (`max_target_positions` of its config.json).
AUDIO_HOURS: Final = LatePattern(
    rf"{START}(?P<n>{DIGITS}) ?(?:{any_word('times', key='h')})"
    rf" ?(?:of |d'|de |di |von |的 ?)?(?:[^\W\d_]+ )?(?:{any_word('spoken')})"
)
WINDOWS_PER_HOUR: Final = 120.0
WINDOW_TOKENS: Final = 448.0
# Bytes are no tokens: how many make one depends on the text and the tokenizer.
BYTES: Final = re.compile(
    rf"{START}{DIGITS}\s?(?:[kmgt]i?b|[kmgt]igabytes?|megabytes?|terabytes?)(?: worth)?"
    r"(?: of)?(?: our| my| the| raw| plain| training| internal| chat)*"
    r" (?:text|data|dataset|data set|corpus|corpora|docs|documents|logs|jsonl|csv|parquet|texte?n?)"
    r"(?!\w)"
)
# As where nothing is said of the data (see `engine.core.assumptions`).
USUAL_EXAMPLES: Final = 10_000.0
USUAL_TOKENS: Final = 1000.0


def read_training_data(draft: Draft) -> None:
    """Say `tokens_total` of a run that counts examples or epochs, and how it was worked out.

    Of a volume that is said in tokens only the epochs are kept: `settle` counts it as often.
    """
    if not draft.trains:
        return
    for match in draft.reader.matches(BYTES):
        draft.note(
            "bytes_of_data",
            f"`{draft.reader.words(*match.span()).strip()}` was not used: say how many tokens it"
            " is, as in tokens_total=500M.",
        )
        draft.ignore(*match.span())
    examples, epochs = EXAMPLES.search(draft.reader.work), EPOCHS.search(draft.reader.work)
    audio = AUDIO_HOURS.search(draft.reader.work)
    if audio is not None and "tokens_total" not in draft.said:
        _say_audio_total(draft, audio, epochs)
        return
    if "tokens_total" in draft.said or (examples is None and _names_tokens(draft)):
        if epochs is not None:
            draft.details["epochs"] = epochs["n"]
            draft.mark("detail:epochs", *epochs.span())
    elif examples is not None or epochs is not None:
        _say_total(draft, examples, epochs)


def _say_audio_total(draft: Draft, audio: re.Match[str], epochs: re.Match[str] | None) -> None:
    """Say the tokens of so many hours that are heard, each window once an epoch."""
    windows = number(audio["n"]) * WINDOWS_PER_HOUR
    times = float(epochs["n"]) if epochs else 1.0
    total = windows * WINDOW_TOKENS * times
    passes = f", {times:g} epochs" if times != 1.0 else ""
    draft.note(
        "training_data",
        f"{number(audio['n']):,g} hours of audio are {windows:,.0f} windows of half a minute,"
        f" {WINDOW_TOKENS:g} tokens each{passes}: {total / 1e6:,.4g}M tokens in all.",
    )
    for match in filter(None, (audio, epochs)):
        draft.say("tokens_total", total, *match.span())


def _say_total(draft: Draft, examples: re.Match[str] | None, epochs: re.Match[str] | None) -> None:
    each = _length(draft, examples)
    count = signed_value(examples) if examples else USUAL_EXAMPLES
    length = number(each["n"], (each["scale"] or "").strip()) if each else USUAL_TOKENS
    times = float(epochs["n"]) if epochs else 1.0
    total = count * length * times
    draft.note("training_data", _dataset_words(count, length, times, total))
    for match in (examples, each, epochs):
        if match is not None:
            draft.say("tokens_total", total, *match.span())
    if examples is not None:
        draft.details.setdefault("items", f"{count:.0f} {examples['what']}")


def _length(draft: Draft, examples: re.Match[str] | None) -> re.Match[str] | None:
    """Return the tokens of one example, where they are said to be that."""
    work = draft.reader.work
    for pattern in LENGTHS:
        if match := pattern.search(work):
            return match
    if examples is None:
        return None
    after = OF_TOKENS.match(work[examples.end() :])
    return None if after is None else re.compile(_TOKENS).search(work, examples.end())


def tokens_each(text: str, place: int) -> re.Match[str] | None:
    """Return the tokens of one item, said right behind its number, or of each anywhere."""
    behind = OF_TOKENS.match(text[place:])
    if behind is not None:
        return re.compile(_TOKENS).search(text, place)
    return LENGTHS[1].search(text, place)


def _names_tokens(draft: Draft) -> bool:
    return VOLUME.search(draft.reader.work) is not None


def _dataset_words(count: float, length: float, times: float, total: float) -> str:
    passes = f", {times:g} epochs" if times != 1.0 else ""
    return (
        f"{count:,.0f} examples of {length:,.0f} tokens{passes}: {total / 1e6:,.4g}M tokens in all."
    )
