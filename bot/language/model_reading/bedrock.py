"""Asks a model on Amazon Bedrock for the fields of the grammar, and not for long."""

import logging
import time
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Final, Literal, get_args, get_origin, get_type_hints

from bot.aws.one_try import OneTryClient
from bot.core.examples import example
from bot.language.fields.keys import ROWS, ValueKind
from catalog.prices.live.aws import why
from catalog.prices.live.budget import Circuit, finished_within
from engine.core.workload import Workload

NAME: Final = "describe_workload"
PROMPT: Final = example("tool")
MOST_VALUE_CHARACTERS: Final = 60
# No fields of a workload, or people's own words: nothing that a model could read out of a text.
LEFT_OUT: Final[frozenset[ValueKind]] = frozenset({"detail", "text", "compare"})


@cache
def kinds() -> dict[str, ValueKind]:
    """Return the workload fields that the tool takes, each with its kind of value."""
    return {field: kind for field, kind, _ in ROWS if kind not in LEFT_OUT}


def tool_config() -> dict[str, Any]:
    """Return Converse's `toolConfig`: the one tool, which the model has to use."""
    said = {"type": "object", "properties": _properties(), "additionalProperties": False}
    described = "Fields of the workload that the text states."
    spec = {"name": NAME, "description": described, "inputSchema": {"json": said}}
    return {"tools": [{"toolSpec": spec}], "toolChoice": {"tool": {"name": NAME}}}


def _properties() -> dict[str, dict[str, Any]]:
    hints = get_type_hints(Workload)
    return {field: _property(field, hints.get(field)) for field in kinds()}


def _property(field: str, hint: object) -> dict[str, Any]:
    names = dict.fromkeys(name for row, _, all_of in ROWS if row == field for name in all_of)
    said: dict[str, Any] = {
        "type": "string",
        "maxLength": MOST_VALUE_CHARACTERS,
        "description": f"Also called {', '.join(names)}.",
    }
    if values := _named_values(hint):
        said["enum"] = values
    return said


def _named_values(hint: object) -> list[str]:
    """Return the values that a type lists, as in `Literal["realtime", "batch"] | None`."""
    if get_origin(hint) is Literal:
        return [str(one) for one in get_args(hint)]
    return [value for part in get_args(hint) for value in _named_values(part)]


ACTION: Final = "bedrock:InvokeModel"
# Everything together: boto3's import, the search for credentials, the call. No time for a retry.
BUDGET_S: Final = 2.0
CONNECT_TIMEOUT_S: Final = 0.5
READ_TIMEOUT_S: Final = 1.8
MOST_CHARACTERS: Final = 1000  # of the text that is sent
MOST_TOKENS: Final = 400  # of the answer: every field at once is less

logger = logging.getLogger(__name__)


class LanguageModel:
    """One model, and a circuit that leaves it alone for a minute after three failures in a row."""

    def __init__(
        self,
        model_id: str,
        region: str | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
        budget_s: float = BUDGET_S,
    ) -> None:
        """Take a model id or ARN, and the region to ask in; None for boto3's own."""
        self._model_id = model_id
        self._budget_s = budget_s
        self._circuit = Circuit(clock)
        self._client = OneTryClient(
            "bedrock-runtime",
            region,
            connect_timeout_s=CONNECT_TIMEOUT_S,
            read_timeout_s=READ_TIMEOUT_S,
        )

    def fields(self, text: str) -> Mapping[str, object]:
        """Return what the model put into the tool for a text: unchecked, empty for any fault."""
        if not self._circuit.allows():
            return {}
        done = finished_within({"said": lambda: self._converse(text)}, self._budget_s)
        said = done.get("said", TimeoutError("no answer within the budget"))
        self._circuit.record(answered=not isinstance(said, Exception))
        if isinstance(said, Exception):
            logger.warning("the language model is not used: %s", why(said, ACTION))
            return {}
        return tool_input(said)

    def _converse(self, text: str) -> object:
        answer: object = self._client().converse(
            modelId=self._model_id,
            system=[{"text": PROMPT}],
            messages=[{"role": "user", "content": [{"text": text[:MOST_CHARACTERS]}]}],
            toolConfig=tool_config(),
            inferenceConfig={"maxTokens": MOST_TOKENS, "temperature": 0.0},
        )
        return answer


def tool_input(answer: object) -> Mapping[str, object]:
    """Return the input of the first use of the tool in Converse's answer; empty without one."""
    for part in ("output", "message", "content"):
        answer = answer.get(part) if isinstance(answer, dict) else None
    for one in answer if isinstance(answer, list) else []:
        use = one.get("toolUse") if isinstance(one, dict) else None
        if isinstance(use, dict) and use.get("name") == NAME and isinstance(use.get("input"), dict):
            return {str(name): value for name, value in use["input"].items()}
    return {}
