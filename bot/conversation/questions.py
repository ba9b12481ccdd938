"""Which answer answers which question: by the intent of a turn, and by its topic before that.

Each row imports its answer when it is asked: a turn pays for its own kind only.
"""

from collections.abc import Callable
from typing import Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.understanding import Understanding

Answering = Callable[[Turn], Reply]


def _pick(turn: Turn) -> Reply:
    from bot.answers.pick import pick_turn

    return pick_turn(turn)


def _explain(turn: Turn) -> Reply:
    from bot.answers.picks.explain import explain_turn

    return explain_turn(turn)


def _compare(turn: Turn) -> Reply:
    from bot.answers.picks.compare import compare_turn

    return compare_turn(turn)


def _deploy(turn: Turn) -> Reply:
    from bot.answers.picks.deploy import deploy_turn

    return deploy_turn(turn)


def _price(turn: Turn) -> Reply:
    from bot.answers.costs.price import price_turn

    return price_turn(turn)


def _migrate(turn: Turn) -> Reply:
    from bot.answers.advice.migrate import migrate_turn

    return migrate_turn(turn)


def _alert(turn: Turn) -> Reply:
    from bot.answers.costs.alert import alert_turn

    return alert_turn(turn)


def _help(turn: Turn) -> Reply:
    from bot.answers.picks.help import help_turn

    return help_turn(turn)


def _what_would(turn: Turn) -> Reply:
    from bot.answers.picks.what_would import what_would_turn

    return what_would_turn(turn)


def _price_change(turn: Turn) -> Reply:
    from bot.answers.costs.price_change import price_change_turn

    return price_change_turn(turn)


def _growth(turn: Turn) -> Reply:
    from bot.answers.costs.growth import growth_turn

    return growth_turn(turn)


def _derivation(turn: Turn) -> Reply:
    from bot.answers.picks.derivation import derivation_turn

    return derivation_turn(turn)


def _crossover(turn: Turn) -> Reply:
    from bot.answers.costs.crossover import crossover_turn

    return crossover_turn(turn)


def _fleet(turn: Turn) -> Reply:
    from bot.answers.costs.fleet import fleet_turn

    return fleet_turn(turn)


def _metrics(turn: Turn) -> Reply:
    from bot.answers.picks.metrics import metrics_turn

    return metrics_turn(turn)


def _energy(turn: Turn) -> Reply:
    from bot.answers.costs.energy import energy_turn

    return energy_turn(turn)


def _guide(turn: Turn) -> Reply:
    from bot.answers.advice.guide import guide_turn

    return guide_turn(turn)


def _claim(turn: Turn) -> Reply:
    from bot.answers.advice.claim import claim_turn

    return claim_turn(turn)


def _define(turn: Turn) -> Reply:
    from bot.answers.advice.define import define_turn

    return define_turn(turn)


def _superlative(turn: Turn) -> Reply:
    from bot.answers.advice.define import superlative_turn

    return superlative_turn(turn)


def _table(turn: Turn) -> Reply:
    from bot.answers.guide_table import table_turn

    return table_turn(turn)


def _history(turn: Turn) -> Reply:
    from bot.answers.costs.history import history_turn

    return history_turn(turn)


def _scaling(turn: Turn) -> Reply:
    from bot.answers.advice.scaling import scaling_turn

    return scaling_turn(turn)


def _practices(turn: Turn) -> Reply:
    from bot.answers.advice.practices import practices_turn

    return practices_turn(turn)


def _monitoring(turn: Turn) -> Reply:
    from bot.answers.advice.monitoring import monitoring_turn

    return monitoring_turn(turn)


def _handoff(turn: Turn) -> Reply:
    from bot.answers.advice.handoff import handoff_turn

    return handoff_turn(turn)


def _strategy(turn: Turn) -> Reply:
    from bot.answers.advice.strategy import strategy_turn

    return strategy_turn(turn)


def _choose(turn: Turn) -> Reply:
    from bot.answers.picks.choose import choose_turn

    return choose_turn(turn)


def _more(turn: Turn) -> Reply:
    from bot.answers.picks.more import more_turn

    return more_turn(turn)


def _bill(turn: Turn) -> Reply:
    from bot.answers.costs.bill import bill_turn

    return bill_turn(turn)


def _recap(turn: Turn) -> Reply:
    from bot.answers.picks.recap import recap_turn

    return recap_turn(turn)


def _cheaper(turn: Turn) -> Reply:
    from bot.answers.costs.cheaper import cheaper_turn

    return cheaper_turn(turn)


def _risks(turn: Turn) -> Reply:
    from bot.answers.picks.risks import risks_turn

    return risks_turn(turn)


def _regions(turn: Turn) -> Reply:
    from bot.answers.costs.regions import regions_turn

    return regions_turn(turn)


INTENT_TURNS: Final[dict[str, Answering]] = {
    "pick": _pick,
    "explain": _explain,
    "estimate": _explain,
    "compare": _compare,
    "manifest": _deploy,
    "price": _price,
    "migrate": _migrate,
    "alert": _alert,
    "help": _help,
    "reset": _help,
}
TOPIC_TURNS: Final[dict[str, Answering]] = {
    "what_would": _what_would,
    "price_change": _price_change,
    "growth": _growth,
    "derivation": _derivation,
    "crossover": _crossover,
    "fleet": _fleet,
    "metrics": _metrics,
    "energy": _energy,
    "guide": _guide,
    "claim": _claim,
    "define": _define,
    "superlative": _superlative,
    "table": _table,
    "history": _history,
    "scaling": _scaling,
    "practices": _practices,
    "monitoring": _monitoring,
    "handoff": _handoff,
    "strategy": _strategy,
    "choose": _choose,
    "more": _more,
    "bill": _bill,
    "recap": _recap,
    "cheaper": _cheaper,
    "risks": _risks,
    "regions": _regions,
}
# What is answered whatever the thread is about: intents and topics.
UNSIZED: Final = frozenset(
    {"help", "reset", "define", "claim", "table", "guide", "history", "practices", "handoff"}
)
# Fields of which several values ask for a comparison, whatever the words around them.
COMPARED: Final = frozenset({"instance", "gpu"})


def answering(understanding: Understanding) -> Answering:
    """Return what answers this kind of turn; several models or types are always a comparison."""
    workload = understanding.workload
    several = workload.models is not None and workload.model is None
    several = several or bool(COMPARED & understanding.alternatives.keys())
    if understanding.topic in TOPIC_TURNS:
        return TOPIC_TURNS[understanding.topic]
    if several and understanding.intent in {"pick", "explain", "estimate"}:
        return _compare
    return INTENT_TURNS[understanding.intent]


def is_sized(understanding: Understanding) -> bool:
    """Return whether the answer is worked out for the workload."""
    return understanding.intent not in UNSIZED and understanding.topic not in UNSIZED
