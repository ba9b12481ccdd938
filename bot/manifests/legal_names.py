"""Names that people typed, made legal for AWS and Kubernetes or replaced by a default."""

import re

_NOT_NAME = re.compile(r"[^-a-zA-Z0-9]+")
_NOT_LABEL = re.compile(r"[^-a-zA-Z0-9_.]+")
_NOT_DNS = re.compile(r"[^a-z0-9]+")
NAME_CHARS = 100
LABEL_CHARS = 63
# A Job's pods are called NAME-INDEX and must be host names of 63 characters; suffixes need room.
DNS_CHARS = 45
# Kubernetes sets NAME_PORT, NAME_SERVICE_HOST … for each Service: a Service of one of these names
# would overwrite a setting of the program that runs (VLLM_PORT, MASTER_PORT).
ENVIRONMENT_NAMES = frozenset({"vllm", "master", "nccl", "hf", "sglang", "tgi", "cuda", "neuron"})


def legal_name(typed: str | None, default: str) -> tuple[str, str]:
    """Return a name matching `[a-zA-Z][-a-zA-Z0-9]{0,99}` and a note when it is not as typed."""
    if not typed:
        return default, ""
    name = _NOT_NAME.sub("-", typed).strip("-")[:NAME_CHARS].rstrip("-")
    if not name or not name[0].isalpha() or not name.isascii():
        return default, f"The name asked for is not a legal cluster name: called {default} instead."
    return name, "" if name == typed else f"The name asked for was made legal: {name}."


def label_value(text: str) -> str:
    """Return `text` as a legal Kubernetes label value; may be empty."""
    return _NOT_LABEL.sub("-", text)[:LABEL_CHARS].strip("-_.")


def renamed_note(typed: str | None, name: str) -> str:
    """Return a note where a typed name was changed or cut to what Kubernetes allows."""
    if not typed or typed == name:
        return ""
    return f"The name asked for is no legal Kubernetes name of at most {DNS_CHARS}: {name} instead."


def dns_name(typed: str | None, default: str) -> str:
    """Return `typed` as a DNS label that starts with a letter and is safe as a Service's name."""
    text = _NOT_DNS.sub("-", (typed or "").lower()).strip("-")
    text = text.lstrip("0123456789-")[:DNS_CHARS].rstrip("-") or default
    return f"{text}-server" if text in ENVIRONMENT_NAMES else text
