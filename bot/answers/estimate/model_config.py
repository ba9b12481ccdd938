"""A Hugging Face config.json as a person hands it over: a file or an object, read into a model."""

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from bot.answers.world import World
from bot.core.errors import RequestError
from catalog.facts.schema import Model
from catalog.huggingface.config import model_from_config
from catalog.huggingface.config_fields import ModelConfigError

# The largest published ones, with a label for every class, are about 2 MB.
MOST_BYTES: Final = 4 * 1024 * 1024
NAME_CHARS: Final = 60


def model_of_config(config: object, name: str | None = None) -> Model:
    """Return the model of an inline object or of the file at a path.

    Raises:
        RequestError: `invalid_value`, saying which file or field is at fault and why.
    """
    if isinstance(config, str):
        return _model_of(_document(Path(config)), name or _config_name(Path(config)))
    return _model_of(config, name or "config")


def with_model(world: World, model: Model) -> World:
    """Return the world with one more model, which answers to its id."""
    catalog = world.catalog
    names = {**catalog.model_names, model.id.lower(): model.id}
    models = {**catalog.models, model.id: model}
    return replace(world, catalog=replace(catalog, models=models, model_names=names))


def _model_of(document: object, name: str) -> Model:
    if not isinstance(document, Mapping):
        raise _fault("model config: the file should hold a JSON object")
    try:
        return model_from_config(document, name)
    except ModelConfigError as error:
        raise _fault(str(error)) from None


def _document(path: Path) -> Any:  # noqa: ANN401  # whatever JSON the file holds
    try:
        if path.is_dir():
            path /= "config.json"
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a path with a null character
        raise _fault(f"model config: {path} cannot be read: {_reason(error)}") from None
    if len(content) > MOST_BYTES:
        raise _fault(f"model config: {path} is over 4 MiB; a config.json is a few kB")
    try:
        return json.loads(content)
    except RecursionError:
        raise _fault(f"model config: {path} is nested too deeply to be a config.json") from None
    except ValueError as error:  # not JSON, not UTF-8, or a number of too many digits
        raise _fault(f"model config: {path} is not JSON: {str(error)[:120]}") from None


def _reason(error: Exception) -> str:
    return error.strerror or "unknown reason" if isinstance(error, OSError) else str(error)


def _config_name(path: Path) -> str:
    """Return what to call the model: the folder of a config.json, else the file."""
    given = path.resolve()
    named = given.parent.name if given.name == "config.json" else given.stem
    return re.sub(r"[^a-z0-9.-]+", "-", named.lower()).strip("-.")[:NAME_CHARS] or "config"


def _fault(message: str) -> RequestError:
    return RequestError("invalid_value", message, field="model_config")
