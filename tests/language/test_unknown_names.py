"""A name of which a part was not understood is an unknown model, never its family's usual one."""

import pytest

from bot.core.errors import RequestError
from bot.language.parse import parse


@pytest.mark.parametrize(
    "text",
    [
        "mistral-small-4 for 20 users",
        "mistral small 4 for 20 users",
        "llama guard 4 on g6e.xlarge",
        "hunyuan-a13b for 20 users",
        "parakeet for 20 users",
        "serve parakeet for 20 users",
        "kokoro 5 rps",
        "lfm2.5 für 20 Nutzer",
        "smolvlm2 para 20 usuarios",
        "hy3 pour 20 utilisateurs",
    ],
)
def test_an_unknown_name_is_asked_about(catalog, text):
    with pytest.raises(RequestError) as refused:
        parse(text, catalog)
    assert refused.value.code == "unknown_model"


@pytest.mark.parametrize(
    ("text", "model"),
    [
        ("mistral small 4 gpus", "mistral-small"),
        ("qwen3-8b 4 bit for 20 users", "qwen3-8b"),
        ("phi-4 for 20 users", "phi-4"),
        ("chatbot for 20 users", None),
        ("startup for 20 users", None),
        ("comitting for 1yr worth it?", None),
        ("nemotron-3-super for 20 users", "nemotron-3-super"),
        ("qwen3.8-27b for 20 users", "qwen3.8-27b"),
        ("devstral-2 for 20 users", "devstral-2"),
    ],
)
def test_what_is_known_or_no_name_is_read_on(catalog, text, model):
    assert parse(text, catalog).workload.model == model
