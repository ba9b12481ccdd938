"""The four metrics of a pick, and every candidate's cost per inference under one load."""

from typing import Any

from bot.answers.pick import recommendation_of
from bot.answers.question_asked import (
    compared,
    computed_reply,
    notes_of,
    serving_question,
    short,
    told,
)
from bot.answers.reply import Reply
from bot.answers.turn import Turn
from bot.cards.table import table_view
from bot.core.examples import example
from bot.core.figures import ms, ms_range, percent, quantity, usd_estimated, usd_per_hour
from engine.core.estimate import Figure
from engine.core.option import Option
from engine.core.question import Question
from engine.core.result import Number, Pick, Recommendation, Rejection
from engine.pick.explain import Explanation
from engine.pick.rank import ranked
from engine.pick.reasons import misses_limit
from engine.pick.recommend import evaluate
from engine.pick.serving import ServingEvaluator
from engine.what_if.capacity import contenders
from engine.what_if.metrics import Metrics, metrics_of

COLUMNS = (
    "instances",
    "usd_per_hour",
    "e2e_ms",
    "load_share",
    "usd_per_million",
    "usd_per_million_full",
    "verdict",
)
# What the document that works the BERT example through compares, beside what wins today.
DOCUMENT_002 = tuple(example("document_002").split("; "))
FAMILIES_SHOWN = 10


def metrics_turn(turn: Turn) -> Reply:
    """Return the pick's metrics where a machine is named, else the table of all candidates."""
    result = recommendation_of(turn)
    question = serving_question(turn, result, "Metrics")
    if turn.workload.instance is None and turn.workload.rps is not None and result.picks:
        return _candidates_reply(turn, result, question)
    shown = (result.asked, *result.picks, *result.closest)
    pick = next((pick for pick in shown if pick is not None), None)
    if pick is None:
        from bot.answers.picks.explain import explain_turn

        return explain_turn(turn)
    return _pick_reply(turn, result, question, pick)


def _pick_reply(turn: Turn, result: Recommendation, question: Question, pick: Pick) -> Reply:
    found = metrics_of(pick, question)
    machines = f"{pick.instances}x {pick.instance.instance_type}"
    rows = _metric_rows(found)
    view = table_view(
        f"Metrics of {machines} for {short(result)}",
        f"{told(result)}.",
        ("metric", "at the asked load", "at full load within the limits"),
        rows,
        notes_of(turn, result, "Full load counts requests a second; a request is one inference."),
    )
    explanation = Explanation(
        machines, "computed", _metric_numbers(found), _metrics_aloud(machines, rows)
    )
    return computed_reply(turn, view, result, explanation=explanation)


def _metric_rows(found: Metrics) -> list[tuple[str, str, str]]:
    rate, full = found.requests_per_s, found.requests_per_s_full
    first, token = found.ttft_ms, found.tpot_ms
    return [
        ("Throughput", _rate_cell(rate), _rate_cell(full)),
        ("Output", _tokens_cell(found.tokens_per_s), ""),
        ("Latency, whole request", _duration_cell(found.e2e_ms), ""),
        *([("Latency, first token", _duration_cell(first), "")] if first else []),
        *([("Latency, per token", _duration_cell(token), "")] if token else []),
        ("Utilisation, of full load", _share(found.load_share), "100 %"),
        ("Utilisation, memory bandwidth", _share(found.bandwidth_share), ""),
        ("Utilisation, arithmetic (MFU)", _share(found.mfu), ""),
        (
            "Cost per 1M inferences",
            _money_cell(found.usd_per_million),
            _money_cell(found.usd_per_million_full),
        ),
    ]


def _rate_cell(rate: float | None) -> str:
    return "unknown" if rate is None else f"{quantity(rate)} requests/s"


def _tokens_cell(figure: Figure | None) -> str:
    return "writes no tokens" if figure is None else f"{quantity(figure.value)} tokens/s"


def _duration_cell(figure: Figure | None) -> str:
    return "unknown" if figure is None else f"{ms(figure.value)} {ms_range(figure)}"


def _share(share: float | None) -> str:
    return "not known here" if share is None else percent(share)


def _money_cell(amount: float | None) -> str:
    return "unpriced" if amount is None else usd_estimated(amount)


def _metrics_aloud(machines: str, rows: list[tuple[str, str, str]]) -> str:
    said = "; ".join(f"{name} {asked}" for name, asked, _ in rows)
    return f"{machines}: {said}."


def _metric_numbers(found: Metrics) -> tuple[Number, ...]:
    e2e = found.e2e_ms.value if found.e2e_ms else None
    figures = (
        ("throughput", found.requests_per_s, "1/s", found.requests_per_s_full),
        ("whole request", e2e, "ms", None),
        ("utilisation of full load", found.load_share, "", 1.0),
        ("memory bandwidth used", found.bandwidth_share, "", 1.0),
        ("MFU", found.mfu, "", 1.0),
        ("cost per 1M inferences", found.usd_per_million, "USD", found.usd_per_million_full),
    )
    return tuple(Number(n, value, unit, limit) for n, value, unit, limit in figures if value)


# --- every candidate -----------------------------------------------------------------------------


def _candidates_reply(turn: Turn, result: Recommendation, question: Question) -> Reply:
    outcomes = _family_candidates(question)
    rows = [(name, outcome, _metrics(outcome, question)) for name, outcome in outcomes]
    best = result.picks[0]
    found = metrics_of(best, question)
    machines = f"{best.instances}x {best.instance.instance_type}"
    text = f"{machines} serves {told(result)} at {_money_cell(found.usd_per_million)} per 1M"
    text += f" inferences; it is at {_share(found.load_share)} of its full load."
    view = table_view(
        f"Cost per inference: {short(result)}",
        text,
        ("type", "machines", "$/h", "latency", "of full load", "$/1M", "at full load", ""),
        [_candidate_row(*row) for row in rows],
        notes_of(
            turn,
            result,
            "A line a family, none of the same speed for more money; encoders: also those of 002.",
        ),
    )
    comparison = compared(
        "cost_per_inference",
        COLUMNS,
        ((name, _metric_values(one, its)) for name, one, its in rows),
    )
    explanation = Explanation(machines, "cheapest per inference", _metric_numbers(found), text)
    return computed_reply(turn, view, result, explanation=explanation, comparison=comparison)


def _family_candidates(question: Question) -> list[tuple[str, Option | Rejection]]:
    """Return each family's best type, the cheapest families first, and the document's types."""
    evaluated = evaluate(question)
    works = evaluated.works
    if not isinstance(works, ServingEvaluator):
        return []
    found: dict[str, Option | Rejection] = {}
    families: set[str] = set()
    for option in ranked(contenders(evaluated.meeting), question):
        if option.instance.family not in families and len(families) < FAMILIES_SHOWN:
            families.add(option.instance.family)
            found[option.instance.instance_type] = works.at_full_load(option)
    for name in () if question.workload.output_tokens else DOCUMENT_002:
        if name in question.catalog.instances and name not in found:
            outcome = works.evaluate(question.catalog.instances[name])
            kept = works.at_full_load(outcome) if isinstance(outcome, Option) else outcome
            found[name] = kept
    return list(found.items())


def _metrics(outcome: Option | Rejection, question: Question) -> Metrics | None:
    return metrics_of(outcome, question) if isinstance(outcome, Option) else None


def _candidate_row(
    name: str, outcome: Option | Rejection, found: Metrics | None
) -> tuple[str, ...]:
    if found is None or isinstance(outcome, Rejection):
        detail = outcome.detail if isinstance(outcome, Rejection) else ""
        return (name, "", "", "", "", "", "", detail)
    price = outcome.usd_per_hour
    return (
        name,
        str(outcome.instances),
        "unpriced" if price is None else usd_per_hour(price),
        "" if found.e2e_ms is None else ms(found.e2e_ms.value),
        _share(found.load_share),
        _money_cell(found.usd_per_million),
        _money_cell(found.usd_per_million_full),
        _limit_verdict(outcome),
    )


def _limit_verdict(option: Option) -> str:
    return "meets" if option.carries_load else misses_limit(option).detail


def _metric_values(outcome: Option | Rejection, found: Metrics | None) -> list[Any]:
    if found is None or isinstance(outcome, Rejection):
        detail = outcome.detail if isinstance(outcome, Rejection) else ""
        return [None, None, None, None, None, None, detail]
    return [
        outcome.instances,
        outcome.usd_per_hour,
        None if found.e2e_ms is None else found.e2e_ms.value,
        found.load_share,
        found.usd_per_million,
        found.usd_per_million_full,
        _limit_verdict(outcome),
    ]
