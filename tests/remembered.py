"""The engine's answers, each worked out once: `ask` is pure, and threads ask the same again."""

from collections import OrderedDict
from functools import wraps

from bot.answers.world import load_world
from engine.what_if.capacity import at_load

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


def remembered_units(units):
    """Return `units` with a memory: they are counted up from the least load, whichever is asked."""
    answers = {}

    @wraps(units)
    def counted(question, field):
        if question.catalog is not load_world().catalog:
            return units(question, field)
        alike = at_load(question, field, 1.0)
        said = alike.said  # of which these count, beside the load
        key = repr((field, alike.workload, said.allow, said.quant, said.latency_ms,
                    alike.compiled_ahead, alike.by_middle, id(alike.coefficients)))  # fmt: skip
        if key not in answers:
            answers[key] = units(question, field)
        return list(answers[key])

    return counted
