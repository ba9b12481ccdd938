"""Which answer answers which question: by the intent of a turn, and by its topic before that.

Each row imports its answer when it is asked: a turn pays for its own kind only.
"""

from collections.abc import Callable
from typing import Final

from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.core.understanding import Understanding

Answering = Callable[[Turn], Reply]


def _answer_pick(turn: Turn) -> Reply:
    from bot.answers.pick import pick_turn

    return pick_turn(turn)


def _answer_explain(turn: Turn) -> Reply:
    from bot.answers.picks.explain import explain_turn

    return explain_turn(turn)


def _answer_compare(turn: Turn) -> Reply:
    from bot.answers.picks.compare import compare_turn

    return compare_turn(turn)


def _answer_deploy(turn: Turn) -> Reply:
    from bot.answers.picks.deploy import deploy_turn

    return deploy_turn(turn)


def _answer_price(turn: Turn) -> Reply:
    from bot.answers.costs.price import price_turn

    return price_turn(turn)


def _answer_migrate(turn: Turn) -> Reply:
    from bot.answers.advice.migrate import migrate_turn

    return migrate_turn(turn)


def _answer_alert(turn: Turn) -> Reply:
    from bot.answers.costs.alert import alert_turn

    return alert_turn(turn)


def _answer_help(turn: Turn) -> Reply:
    from bot.answers.picks.help import help_turn

    return help_turn(turn)


def _answer_what_would(turn: Turn) -> Reply:
    from bot.answers.picks.what_would import what_would_turn

    return what_would_turn(turn)


def _answer_price_change(turn: Turn) -> Reply:
    from bot.answers.costs.price_change import price_change_turn

    return price_change_turn(turn)


def _answer_price_difference(turn: Turn) -> Reply:
    from bot.answers.costs.price_difference import price_difference_turn

    return price_difference_turn(turn)


def _answer_growth(turn: Turn) -> Reply:
    from bot.answers.costs.growth import growth_turn

    return growth_turn(turn)


def _answer_derivation(turn: Turn) -> Reply:
    from bot.answers.picks.derivation import derivation_turn

    return derivation_turn(turn)


def _answer_crossover(turn: Turn) -> Reply:
    from bot.answers.costs.crossover import crossover_turn

    return crossover_turn(turn)


def _answer_fleet(turn: Turn) -> Reply:
    from bot.answers.costs.fleet import fleet_turn

    return fleet_turn(turn)


def _answer_metrics(turn: Turn) -> Reply:
    from bot.answers.picks.metrics import metrics_turn

    return metrics_turn(turn)


def _answer_energy(turn: Turn) -> Reply:
    from bot.answers.costs.energy import energy_turn

    return energy_turn(turn)


def _answer_guide(turn: Turn) -> Reply:
    from bot.answers.advice.guide import guide_turn

    return guide_turn(turn)


def _answer_claim(turn: Turn) -> Reply:
    from bot.answers.advice.claim import claim_turn

    return claim_turn(turn)


def _answer_define(turn: Turn) -> Reply:
    from bot.answers.advice.define import define_turn

    return define_turn(turn)


def _answer_superlative(turn: Turn) -> Reply:
    from bot.answers.advice.define import superlative_turn

    return superlative_turn(turn)


def _answer_table(turn: Turn) -> Reply:
    from bot.answers.guide_table import table_turn

    return table_turn(turn)


def _answer_history(turn: Turn) -> Reply:
    from bot.answers.costs.history import history_turn

    return history_turn(turn)


def _answer_scaling(turn: Turn) -> Reply:
    from bot.answers.advice.scaling import scaling_turn

    return scaling_turn(turn)


def _answer_practices(turn: Turn) -> Reply:
    from bot.answers.advice.practices import practices_turn

    return practices_turn(turn)


def _answer_monitoring(turn: Turn) -> Reply:
    from bot.answers.advice.monitoring import monitoring_turn

    return monitoring_turn(turn)


def _answer_handoff(turn: Turn) -> Reply:
    from bot.answers.advice.handoff import handoff_turn

    return handoff_turn(turn)


def _answer_strategy(turn: Turn) -> Reply:
    from bot.answers.advice.strategy import strategy_turn

    return strategy_turn(turn)


def _answer_choose(turn: Turn) -> Reply:
    from bot.answers.picks.choose import choose_turn

    return choose_turn(turn)


def _answer_more(turn: Turn) -> Reply:
    from bot.answers.picks.more import more_turn

    return more_turn(turn)


def _answer_bill(turn: Turn) -> Reply:
    from bot.answers.costs.bill import bill_turn

    return bill_turn(turn)


def _answer_recap(turn: Turn) -> Reply:
    from bot.answers.picks.recap import recap_turn

    return recap_turn(turn)


def _answer_cheaper(turn: Turn) -> Reply:
    from bot.answers.costs.cheaper import cheaper_turn

    return cheaper_turn(turn)


def _answer_risks(turn: Turn) -> Reply:
    from bot.answers.picks.risks import risks_turn

    return risks_turn(turn)


def _answer_regions(turn: Turn) -> Reply:
    from bot.answers.costs.regions import regions_turn

    return regions_turn(turn)


def _answer_startup(turn: Turn) -> Reply:
    from bot.answers.facts.startup import startup_turn

    return startup_turn(turn)


def _answer_ami(turn: Turn) -> Reply:
    from bot.answers.facts.machine import ami_turn

    return ami_turn(turn)


def _answer_quota(turn: Turn) -> Reply:
    from bot.answers.facts.machine import quota_turn

    return quota_turn(turn)


def _answer_availability(turn: Turn) -> Reply:
    from bot.answers.facts.offered import availability_turn

    return availability_turn(turn) or _answer_explain(turn)


def _answer_records(turn: Turn) -> Reply:
    from bot.answers.facts.records import records_turn

    return records_turn(turn)


def _answer_spec(turn: Turn) -> Reply:
    from bot.answers.facts.machine import spec_turn

    return spec_turn(turn)


def _answer_spot_worth(turn: Turn) -> Reply:
    from bot.answers.costs.buying import spot_worth_turn

    return spot_worth_turn(turn)


def _answer_commit(turn: Turn) -> Reply:
    from bot.answers.costs.buying import commit_turn

    return commit_turn(turn)


def _answer_redundancy(turn: Turn) -> Reply:
    from bot.answers.costs.redundancy import redundancy_turn

    return redundancy_turn(turn)


def _answer_cheapest_monthly(turn: Turn) -> Reply:
    from bot.answers.costs.savings import cheapest_monthly_turn

    return cheapest_monthly_turn(turn)


def _answer_savings(turn: Turn) -> Reply:
    from bot.answers.costs.savings import savings_turn

    return savings_turn(turn)


def _answer_upgrade(turn: Turn) -> Reply:
    from bot.answers.costs.savings import upgrade_turn

    return upgrade_turn(turn)


INTENT_TURNS: Final[dict[str, Answering]] = {
    "pick": _answer_pick,
    "explain": _answer_explain,
    "estimate": _answer_explain,
    "compare": _answer_compare,
    "manifest": _answer_deploy,
    "price": _answer_price,
    "migrate": _answer_migrate,
    "alert": _answer_alert,
    "help": _answer_help,
    "reset": _answer_help,
}
TOPIC_TURNS: Final[dict[str, Answering]] = {
    "what_would": _answer_what_would,
    "price_change": _answer_price_change,
    "price_difference": _answer_price_difference,
    "growth": _answer_growth,
    "derivation": _answer_derivation,
    "crossover": _answer_crossover,
    "fleet": _answer_fleet,
    "metrics": _answer_metrics,
    "energy": _answer_energy,
    "guide": _answer_guide,
    "claim": _answer_claim,
    "define": _answer_define,
    "superlative": _answer_superlative,
    "table": _answer_table,
    "history": _answer_history,
    "scaling": _answer_scaling,
    "practices": _answer_practices,
    "monitoring": _answer_monitoring,
    "handoff": _answer_handoff,
    "strategy": _answer_strategy,
    "choose": _answer_choose,
    "more": _answer_more,
    "bill": _answer_bill,
    "recap": _answer_recap,
    "cheaper": _answer_cheaper,
    "risks": _answer_risks,
    "regions": _answer_regions,
    "startup": _answer_startup,
    "ami": _answer_ami,
    "quota": _answer_quota,
    "availability": _answer_availability,
    "records": _answer_records,
    "spec": _answer_spec,
    "spot_worth": _answer_spot_worth,
    "commit": _answer_commit,
    "redundancy": _answer_redundancy,
    "cheapest_monthly": _answer_cheapest_monthly,
    "savings": _answer_savings,
    "upgrade": _answer_upgrade,
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
        return _answer_compare
    return INTENT_TURNS[understanding.intent]


def is_sized(understanding: Understanding) -> bool:
    """Return whether the answer is worked out for the workload."""
    return understanding.intent not in UNSIZED and understanding.topic not in UNSIZED
