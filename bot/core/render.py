"""The four jinja2 environments. All quote every value by default, so no template can forget to.

Cards: a value written into text is escaped for Slack's mrkdwn; `| json` makes a JSON string of
what it is given. Manifests: a value is written as a YAML scalar; `| comment` makes it safe after
a `#`, `| block` makes the lines of a block scalar. Plans: a value is one line of plain text;
`| shell` makes it one word of a command. Values that are quoted already are not quoted again.
"""

from __future__ import annotations

import functools
import json
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from bot.core.figures import plain_line

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jinja2 import Environment

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"

_ENTITIES: dict[str, str | int | None] = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
# Slack has no escape for its formatting characters; look-alikes keep the words readable.
_LOOKALIKES: dict[str, str | int | None] = {"`": "ˋ", "*": "∗", "~": "∼"}
_MRKDWN = str.maketrans(_ENTITIES | _LOOKALIKES)
_EDGE_UNDERSCORE = re.compile(r"(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")

_PLAIN_YAML = re.compile(r"[A-Za-z][-A-Za-z0-9_./]*")
# Plain words that YAML 1.1 reads as something other than a string.
_YAML_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null"})


def _mark_quoted(text: object) -> Markup:
    """Mark text as quoted for its format; only the functions below may call this."""
    return Markup(text)  # noqa: S704 - quoting is what the callers do


def mrkdwn(value: object) -> Markup:
    """Return a value as Slack text that shows it literally: no mention, link or formatting."""
    if hasattr(value, "__html__"):
        return _mark_quoted(value)
    return _mark_quoted(_EDGE_UNDERSCORE.sub("ˍ", str(value).translate(_MRKDWN)))


def code(value: object) -> Markup:
    """Return a value for a Slack code block: shown as it is, and unable to end the block."""
    escaped = str(value).translate(str.maketrans(_ENTITIES | {"`": "ˋ"}))
    return _mark_quoted(escaped)


def json_value(value: object) -> Markup:
    """Return a value as JSON."""
    plain = str(value) if hasattr(value, "__html__") else value
    return _mark_quoted(json.dumps(plain, ensure_ascii=False))


def _literal(value: object) -> Markup | None:
    """Return what needs no quotes: what is quoted already, a truth value, a number; else None."""
    if hasattr(value, "__html__"):
        return _mark_quoted(value)
    if isinstance(value, bool):
        return _mark_quoted("true" if value else "false")
    return _mark_quoted(str(value)) if isinstance(value, int | float) else None


def yaml_scalar(value: object) -> Markup:
    """Return a value as one YAML scalar on one line; strings are quoted unless plainly safe."""
    if (literal := _literal(value)) is not None:
        return literal
    text = plain_line(str(value))
    if _PLAIN_YAML.fullmatch(text) and text.lower() not in _YAML_WORDS:
        return _mark_quoted(text)
    return _mark_quoted(json.dumps(text, ensure_ascii=False))


def hcl_value(value: object) -> Markup:
    """Return a value as an HCL literal: nothing in a string is evaluated."""
    if (literal := _literal(value)) is not None:
        return literal
    text = json.dumps(plain_line(str(value)), ensure_ascii=False)
    return _mark_quoted(text.replace("${", "$${").replace("%{", "%%{"))


def yaml_comment(value: object) -> Markup:
    """Return a value as the rest of a comment line."""
    return _mark_quoted(plain_line(str(value)))


def yaml_block(value: object, indent: int) -> Markup:
    """Return lines for a block scalar (after `|`): each indented, so that none can leave it."""
    pad = " " * indent
    lines = str(value).splitlines()
    inner = (line[: len(line) - len(line.lstrip(" "))] for line in lines)
    pairs = zip(inner, lines, strict=True)
    return _mark_quoted(
        "\n".join(f"{pad}{own}{plain_line(line, len(line))}" for own, line in pairs)
    )


def plain_value(value: object) -> Markup:
    """Return a value as one harmless line: it can start no line of its own."""
    if hasattr(value, "__html__"):
        return _mark_quoted(value)
    return _mark_quoted(plain_line(str(value)))


def shell_word(value: object) -> Markup:
    """Return a value as one word of a shell command."""
    return _mark_quoted(shlex.quote(plain_line(str(value))))


@functools.cache
def card_environment() -> Environment:
    """Return the environment of the Block Kit templates."""
    return _template_environment(mrkdwn, {"json": json_value, "code": code})


@functools.cache
def manifest_environment() -> Environment:
    """Return the environment of the YAML templates."""
    return _template_environment(yaml_scalar, {"comment": yaml_comment, "block": yaml_block})


@functools.cache
def hcl_environment() -> Environment:
    """Return the environment of the Terraform templates."""
    return _template_environment(hcl_value, {"comment": yaml_comment})


@functools.cache
def plan_environment() -> Environment:
    """Return the environment of the plans' words: text that `bot.cards.notices` reads back."""
    from bot.core import figures

    return _template_environment(
        plain_value,
        {
            "shell": shell_word,
            "usd": figures.usd,
            "usd_per_hour": figures.usd_per_hour,
            "usd_estimated": figures.usd_estimated,
            "ms": figures.ms,
            "hours": figures.hours,
            "quantity": figures.quantity,
            "tokens": figures.tokens,
            "count": figures.count,
            "gib": figures.gib,
            "times": figures.times,
            "percent": figures.percent,
            "counted": figures.counted,
        },
        trim_blocks=False,  # blank lines say nothing there; lines that run together would
    )


def _template_environment(
    finalize: Callable[[object], Markup],
    filters: Mapping[str, Callable[..., str]],
    *,
    trim_blocks: bool = True,
) -> Environment:
    """Return a strict environment whose every output passes through `finalize`.

    Autoescape is on so that macros and set-blocks return marked (quoted) text; `finalize` leaves
    nothing for HTML escaping to do.
    """
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=True,
        finalize=finalize,
        trim_blocks=trim_blocks,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters.update(filters)
    return environment
