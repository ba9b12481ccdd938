"""The words that the written guides branch on, as a text says them."""

import re

from catalog.guides.guides import load_words


def branch_words(text: str) -> frozenset[str]:
    """Return the context words that the text says in any of their phrases."""
    spaced = f" {re.sub(r'[^a-z0-9]+', ' ', text.lower())} "
    return frozenset(
        word
        for word, phrases in load_words().items()
        if any(f" {phrase} " in spaced for phrase in phrases)
    )
