"""Whether this process has a language model to ask."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from bot.language.model_reading.bedrock import LanguageModel

MODEL: Final = "EC2_PICK_BEDROCK_MODEL"
REGION: Final = "EC2_PICK_BEDROCK_REGION"


def language_model_of(environ: Mapping[str, str]) -> "LanguageModel | None":
    """Return the model that the environment names, by id or by ARN; None where it names none."""
    model_id = environ.get(MODEL, "").strip()
    if not model_id:
        return None
    from bot.language.model_reading.bedrock import LanguageModel

    return LanguageModel(model_id, environ.get(REGION) or None)
