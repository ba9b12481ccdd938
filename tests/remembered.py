"""The engine's answers, each worked out once: `ask` is pure, and threads ask the same again."""

from collections import OrderedDict
from functools import wraps

from bot.answers.world import load_world

KEPT = 64  # an answer holds what became of 1,400 types


def remembered(ask):
    """Return `ask` with a memory of what was last asked of the embedded facts."""
    answers = OrderedDict()

    @wraps(ask)
    def asked(said, catalog, *facts, **more):
        if catalog is not load_world().catalog:
            return ask(said, catalog, *facts, **more)
        key = (said, repr(sorted(more.items())))
        if key not in answers:
            answers[key] = ask(said, catalog, *facts, **more)
        answers.move_to_end(key)
        while len(answers) > KEPT:
            answers.popitem(last=False)
        return answers[key]

    return asked
