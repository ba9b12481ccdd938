"""Is a text well-formed HCL of the plain kind our templates write, and evaluates no string?"""

import re
from collections.abc import Iterator

_TOKEN = re.compile(
    r'(?P<string>"(?:[^"\\\n]|\\.)*")|(?P<comment>#[^\n]*)|(?P<open>[\[{(])|(?P<close>[\]})])'
    r'|(?P<quote>["`\'])|(?P<other>[^"#\[\]{}()`\']+)'
)
_PAIRS = {"]": "[", "}": "{", ")": "("}
# `$${` and `%%{` are how HCL writes these literally.
_INTERPOLATION = re.compile(r"(?<!\$)\$\{|(?<!%)%\{")
_RESOURCE = re.compile(r'^resource "([^"]+)" "[^"]+" \{', re.MULTILINE)


def hcl_faults(text: str) -> Iterator[str]:
    """Yield what is wrong: brackets that do not pair, open quotes, values that would be run."""
    open_brackets: list[str] = []
    for match in _TOKEN.finditer(text):
        kind, token = match.lastgroup, match[0]
        if kind == "open":
            open_brackets.append(token)
        elif kind == "close" and (not open_brackets or open_brackets.pop() != _PAIRS[token]):
            yield f"{token} closes nothing"
        elif kind == "quote":
            yield f"an open quote at {match.start()}"
        elif kind == "string" and _INTERPOLATION.search(token):
            yield f"{token} would be evaluated"
    if open_brackets:
        yield f"{open_brackets[-1]} is never closed"


def resource_types(text: str) -> tuple[str, ...]:
    """Return the types of the resources a text declares, in order."""
    return tuple(_RESOURCE.findall(text))
