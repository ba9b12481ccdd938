"""The rooms of each layer in their written order: a room imports only rooms before it."""

from typing import Final

ROOMS: Final = {
    "bot": (
        "core",
        "store",
        "aws",
        "manifests",
        "cards",
        "language",
        "answers",
        "conversation",
        "alerts",
        "slack",
        "cli",
        "lambdas",
        "playground",
    ),
    "engine": (
        "core",
        "shape",
        "memory",
        "performance",
        "derivation",
        "placement",
        "pick",
        "guides",
        "what_if",
        "plans",
    ),
    "catalog": ("facts", "prices", "guides", "huggingface", "collect"),
}
