"""What the whole answer must warn of, beyond the caveats of one pick."""

from engine.question import Question
from engine.result import Recommendation

STATED_READING = {
    "ttft": "time to first token (TTFT)",
    "per_token": "time per output token (TPOT)",
    "e2e": "the whole request (end to end)",
}


def warnings(question: Question, result: Recommendation) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (codes, sentences) in the order they matter."""
    found: dict[str, str] = {}
    _reading(question, found)
    _unknown_model(question, found)
    _asked(result, found)
    _prices(question, result, found)
    return tuple(found), tuple(found.values())


def _reading(question: Question, found: dict[str, str]) -> None:
    said, workload = question.said, question.workload
    if said.latency_ms is not None and said.latency_kind is None and workload.latency_kind:
        words = STATED_READING[workload.latency_kind]
        found["ambiguous_latency"] = f"Read the {said.latency_ms:g} ms latency as {words}."


def _unknown_model(question: Question, found: dict[str, str]) -> None:
    if question.model is not None and question.said.model is None and not question.said.params_b:
        found["model_not_named"] = (
            f"No model or parameter count was named: sized for a {question.model.id}. "
            "Add one, such as llama-3.1-8b or 70B."
        )


def _asked(result: Recommendation, found: dict[str, str]) -> None:
    rejection = result.asked_rejection
    if rejection is not None:
        found["asked_rejected"] = f"{rejection.instance_type}: {rejection.detail}."


def _prices(question: Question, result: Recommendation, found: dict[str, str]) -> None:
    prices = [pick.quote.usd_per_hour for pick in result.picks]
    if question.market != "on_demand" and prices and not any(prices):
        found["market_unpriced"] = (
            f"No {question.market.replace('_', ' ')} figure is known in {question.region}: "
            "on-demand prices are shown as the ceiling."
        )
