"""The names a workload field answers to in `field=value`: `field_keys.txt`, read once."""

from pathlib import Path
from typing import Final, Literal, cast

from bot.language.text.tables import sections_of

ValueKind = Literal[
    "choice",
    "model",
    "params",
    "length",
    "count",
    "rate",
    "token_rate",
    "latency",
    "latency_kind",
    "percentile",
    "amount",
    "duration",
    "term",
    "budget",
    "region",
    "instance",
    "chip",
    "memory",
    "fraction",
    "bandwidth",
    "flag",
    "groups",
    "text",
    "detail",
    "tokens",
    "compare",
    "sizes",
]

_SECTIONS: Final = sections_of(Path(__file__).with_name("field_keys.txt"))


def _field(name: str) -> str:
    return "" if name == "-" else name


# Field, kind of value, the names of it.
ROWS: Final[tuple[tuple[str, ValueKind, tuple[str, ...]], ...]] = tuple(
    (_field(field), cast("ValueKind", kind), tuple(names.split()))
    for field, kind, names in _SECTIONS["keys"]
)
KEYS: Final[dict[str, tuple[str, ValueKind]]] = {
    name: (field, kind) for field, kind, names in ROWS for name in names
}
# Words for "I leave this open": the field stays unsaid.
OPEN_VALUES: Final = frozenset(word for _, _, words in _SECTIONS["open"] for word in words.split())
# Values that a key accepts beside the lexicon's phrases; "" where one leaves it at its native one.
CHOICES: Final[dict[str, dict[str, str]]] = {}
for _name, _value, _spelled in _SECTIONS["choices"]:
    CHOICES.setdefault(_name, {}).update(dict.fromkeys(_spelled.split(), _field(_value)))
# Names that need no sign: always, where nothing goes on, or before a made-up name.
BARE_NAMES: Final[dict[str, str]] = {
    name: how for how, _, names in _SECTIONS["bare"] for name in names.split()
}
# Words that take the number before them: what is counted, and units, which some fields have too.
CLAIMS: Final[dict[str, frozenset[str]]] = {
    what: frozenset(words.split()) for what, _, words in _SECTIONS["claims"]
}
# Fields that change no answer, and what to write instead.
UNUSED: Final[dict[str, str]] = {field: advice for field, _, advice in _SECTIONS["unused"]}
