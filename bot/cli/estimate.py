"""`ec2-pick estimate --model M --instance I …`: memory and performance of one fixed plan."""

import sys
from collections.abc import Iterator, Sequence

from bot.answers.estimate.answer import estimate_json
from bot.answers.estimate.request import EstimateRequest, estimate_request
from bot.answers.world import load_world
from bot.cli.jsonl import Json, print_json, run_jsonl
from bot.core.errors import RequestError
from bot.core.examples import example

USAGE = example("estimate")


def estimate_command(argv: Sequence[str]) -> int:
    """Print the estimate of one plan as JSON, or of one a line."""
    if not argv or argv[0] in {"-h", "--help"}:
        sys.stdout.write(USAGE.format(fields=", ".join(_flag_names())))
        return 0
    fields = flags(argv)
    if "jsonl" in fields:
        return run_jsonl(str(fields["jsonl"]), _estimated)
    as_json = fields.pop("json", "true" if "explain" not in fields else "false") == "true"
    if not as_json:
        return _explain(fields)
    found = _estimated(fields)
    print_json(found)
    return 0 if found["fits"] else 3


def _explain(fields: Json) -> int:
    """Print how the estimate comes about, as text."""
    from bot.answers.estimate.plan_explained import explained

    text, fits = explained(estimate_request(fields), load_world())
    sys.stdout.write(text)
    return 0 if fits else 3


def _flag_names() -> Iterator[str]:
    """Yield every field as a flag; a config goes by the name that pydantic keeps for itself."""
    for name in EstimateRequest.model_fields:
        yield "--" + {"hf_config": "model_config"}.get(name, name).replace("_", "-")


def flags(argv: Sequence[str]) -> Json:
    """Return `--name value` and `--name=value` pairs as fields; a flag alone is true.

    Raises:
        RequestError: a word that belongs to no flag.
    """
    fields: Json = {}
    words = list(argv)
    while words:
        word = words.pop(0)
        if not word.startswith("--"):
            raise RequestError("not_understood", f"{word!r} belongs to no --field", words=word)
        name, equals, value = word[2:].partition("=")
        if not equals:
            alone = not words or words[0].startswith("--")
            value = "true" if alone else words.pop(0)
        fields[name.replace("-", "_")] = value
    return fields


def _estimated(fields: Json) -> Json:
    return estimate_json(estimate_request(fields), load_world())
