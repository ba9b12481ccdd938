"""What is preferred is held where it costs little, else left out with what it would cost."""

import pytest

from bot.answers.world import load_world
from bot.conversation.conversation import answer

# text -> the family of the first pick, what is said
WISHES = [
    ("llama 3.1 8b, 20 users at once, preferably graviton", "g5", "wish for graviton is left out"),
    ("llama 3.3 70b, not on nvidia if you can avoid it", "g7e", "wish for no nvidia is left out"),
    ("llama 3.1 8b for 20 at once, möglichst auf Graviton", "g5", "wish for graviton is left out"),
    ("llama 3.1 8b, de préférence sur g6e", "g6e", "Without the wish for g6e"),
    ("llama 3.1 8b, si es posible en g6e", "g6e", "Without the wish for g6e"),
]


@pytest.mark.parametrize(("text", "family", "says"), WISHES, ids=lambda one: one[:40])
def test_a_wish_is_weighed(text: str, family: str, says: str):
    reply = answer(text, load_world())
    assert reply.recommendation is not None
    assert reply.recommendation.best is not None
    assert reply.recommendation.best.instance.family == family
    assert says in reply.text


def test_what_is_asked_for_is_no_wish():
    reply = answer("llama 3.1 8b on graviton, 20 users at once", load_world())
    assert reply.workload is not None
    assert reply.workload.allow == ("graviton",)
