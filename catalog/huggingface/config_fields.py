"""Reads the fields of somebody else's config.json: typed, bounded, under every name they go by."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

# No published model comes near these; above them a file is a mistake or an attack.
MOST: Final = 2**31
MOST_LAYERS: Final = 4096
SHOWN_CHARS: Final = 60


class ModelConfigError(ValueError):
    """A config.json that cannot be read: `field` names what is missing or wrong in it."""

    def __init__(self, name: str, problem: str) -> None:
        self.field = name
        super().__init__(f"model config: {name} {problem}")


@dataclass(frozen=True, slots=True)
class ConfigFields:
    """One level of a config. `path` says where it stands in the file ("text_config.")."""

    values: Mapping[str, object]
    path: str = ""
    defaults: Mapping[str, object] = field(default_factory=dict)

    def raw(self, *names: str) -> tuple[str, object]:
        """Return the first name that holds something, with what it holds (None where none does)."""
        for source in (self.values, self.defaults):
            for name in names:
                if source.get(name) is not None:
                    return name, source[name]
        return names[0], None

    def has(self, *names: str) -> bool:
        """Return whether any of the names holds something."""
        return self.raw(*names)[1] is not None

    def count(self, *names: str, most: int = MOST, least: int = 1) -> int | None:
        """Return a whole number from `least` to `most`, None where no name holds anything.

        Raises:
            ModelConfigError: it holds something else.
        """
        name, value = self.raw(*names)
        if value is None:
            return None
        whole = _whole_number(value)
        if whole is None:
            raise self.wrong(name, f"should be a whole number, is {shown(value)}")
        if not least <= whole <= most:
            raise self.wrong(name, f"should be between {least} and {most:,}, is {shown(whole)}")
        return whole

    def need(self, *names: str, most: int = MOST) -> int:
        """Return a positive whole number that a model cannot be sized without.

        Raises:
            ModelConfigError: none of the names holds one.
        """
        found = self.count(*names, most=most)
        if found is None:
            also = f" (also looked for {', '.join(names[1:])})" if names[1:] else ""
            raise self.wrong(names[0], f"is missing{also}; add it, or name a model of the catalog")
        return found

    def flag(self, name: str, *, default: bool) -> bool:
        """Return a true or false field.

        Raises:
            ModelConfigError: it holds something else.
        """
        value = self.raw(name)[1]
        if value is None:
            return default
        if not isinstance(value, bool):
            raise self.wrong(name, f"should be true or false, is {shown(value)}")
        return value

    def text(self, *names: str) -> str:
        """Return a short text, "" where there is none.

        Raises:
            ModelConfigError: it holds something else.
        """
        name, value = self.raw(*names)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.wrong(name, f"should be a text, is {shown(value)}")
        return value

    def items(self, *names: str) -> list[object] | None:
        """Return a list as long as layers may be many, None where there is none.

        Raises:
            ModelConfigError: it holds something else, or too much.
        """
        name, value = self.raw(*names)
        if value is None:
            return None
        if not isinstance(value, list | tuple):
            raise self.wrong(name, f"should be a list, is {shown(value)}")
        if len(value) > MOST_LAYERS:
            raise self.wrong(name, f"has {len(value):,} entries, at most {MOST_LAYERS} are read")
        return list(value)

    def part(self, *names: str) -> "ConfigFields | None":
        """Return a nested level, None where there is none.

        Raises:
            ModelConfigError: it holds something else.
        """
        name, value = self.raw(*names)
        if value is None:
            return None
        if not isinstance(value, Mapping):
            raise self.wrong(name, f"should be an object, is {shown(value)}")
        return ConfigFields(value, f"{self.path}{name}.")

    def wrong(self, name: str, problem: str) -> ModelConfigError:
        """Return the error that names the field where it stands in the file."""
        return ModelConfigError(f"{self.path}{name}", problem)


def shown(value: object) -> str:
    """Return a value as an error quotes it: short, whatever its size."""
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > MOST:
        return "a huge number"
    if isinstance(value, Mapping):
        return f"an object of {len(value)} fields"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return f"a list of {len(value)}"
    if isinstance(value, int) and abs(value) >= 10**SHOWN_CHARS:
        return "a number of more than 60 digits"
    text = repr(value[:SHOWN_CHARS] if isinstance(value, str) else value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"


def _whole_number(value: object) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, float) and math.isfinite(value) and value == int(value):
        return int(value)
    return None
