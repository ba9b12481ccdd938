"""What the whole answer must warn of, beyond the caveats of one pick."""

from engine.core.job import are_of_a_request
from engine.core.limits import gave_limits_up
from engine.core.question import Question
from engine.core.result import Recommendation
from engine.core.usual_limits import general_limits
from engine.pick.cost import DAYS_PER_WEEK, HOURS_PER_DAY, PAID_ALWAYS
from engine.pick.explain import nearest
from engine.pick.recommend import Evaluation

FAR_LONGER = 200  # times the usual prompt: what is said of so long a context is its ceiling
STATED_READING = {
    "ttft": "time to first token (TTFT)",
    "per_token": "time per output token (TPOT)",
    "e2e": "the whole request (end to end)",
}


def warnings(
    question: Question, evaluated: Evaluation, result: Recommendation, *, moved_from: str | None
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return (codes, sentences) in the order they matter.

    `moved_from` is the usual region, where another was taken that has what was asked for.
    """
    found: dict[str, str] = {}
    if moved_from is not None:
        found["not_offered_here"] = (
            f"Not offered in {moved_from}: {question.region} is the nearest region that has it."
        )
    _warn_reading(question, found)
    _unknown_model(question, found)
    _warn_asked_type(result, found)
    _warn_unpriced(question, result, found)
    _warn_machines(question, evaluated, found)
    _warn_limits_given_up(question, result, found)
    _warn_duty(question, result, found)
    _warn_unused(question, found)
    _warn_of_ceiling(question, result, found)
    holding = (*evaluated.meeting, *evaluated.missing)
    _warn_guides(result, frozenset(option.instance.family for option in holding), found)
    return tuple(found), tuple(found.values())


def _warn_reading(question: Question, found: dict[str, str]) -> None:
    said, workload = question.said, question.workload
    if said.latency_ms is not None and said.latency_kind is None and workload.latency_kind:
        words = STATED_READING[workload.latency_kind]
        found["ambiguous_latency"] = f"Read the {said.latency_ms:g} ms latency as {words}."


def _unknown_model(question: Question, found: dict[str, str]) -> None:
    if question.model is not None and question.said.model is None and not question.said.params_b:
        example = next(m.id for m in question.catalog.models.values() if m.stands_for == "example")
        found["model_not_named"] = (
            f"No model or parameter count was named: sized for a {question.model.id}. "
            f"Add one, such as {example} or 70B."
        )


def _warn_asked_type(result: Recommendation, found: dict[str, str]) -> None:
    rejection = result.asked_rejection
    if rejection is not None:
        found["asked_rejected"] = f"{rejection.instance_type}: {rejection.detail}."


def _warn_unpriced(question: Question, result: Recommendation, found: dict[str, str]) -> None:
    prices = [pick.quote.usd_per_hour for pick in result.picks]
    if question.market != "on_demand" and prices and not any(prices):
        found["market_unpriced"] = (
            f"No {question.market.replace('_', ' ')} figure is known in {question.region}: "
            "on-demand prices are shown as the ceiling."
        )


def _warn_machines(question: Question, evaluated: Evaluation, found: dict[str, str]) -> None:
    """Warn where the number of machines that was said does not do."""
    best, asked = evaluated.best, question.workload.nodes
    if best is not None and asked is not None and best.instances > asked:
        does = "finish in time" if question.trains else "carry the load within the limits"
        found["more_machines_needed"] = (
            f"{asked} × {best.instance.instance_type} would not {does}: it takes {best.instances}."
        )


def _warn_limits_given_up(
    question: Question, result: Recommendation, found: dict[str, str]
) -> None:
    """Say by how much the first pick is slower than people put up with, where nothing is not."""
    performance = result.picks[0].estimate.performance if result.picks else None
    if performance is None or not gave_limits_up(question.workload, question.said):
        return
    usual, first, each = general_limits(question.workload), performance.ttft_ms, performance.tpot_ms
    if first is not None and each is not None:
        found["limits_given_up"] = (
            f"Nothing that may be picked is as fast as people put up with: a first token in"
            f" {first.value / 1000:.2g} s against {usual.first_token_ms / 1000:.2g} s,"
            f" {each.value:.0f} ms a token against {usual.per_token_ms:.0f} ms."
        )


def _warn_of_ceiling(question: Question, result: Recommendation, found: dict[str, str]) -> None:
    """Say that a very long context is a ceiling, and of which prompts the speeds are."""
    said, prompt = question.said, question.workload.input_tokens or 0
    if said.context is None or said.input_tokens is not None or not result.picks:
        return
    if prompt and said.context >= FAR_LONGER * prompt:
        found["context_ceiling"] = (
            f"The memory has room for {said.context:,} tokens of one sequence; speeds and loads are"
            f" of prompts of {prompt:,}. For prompts that fill it say in={said.context}."
        )


def _warn_duty(question: Question, result: Recommendation, found: dict[str, str]) -> None:
    """Say that what is committed to is paid for the whole week, however little of it is used."""
    hours = question.workload.duty_h_per_day
    pick = result.picks[0] if result.picks else None
    if pick is None or hours is None or not 0 < hours < HOURS_PER_DAY:
        return
    if pick.quote.market in PAID_ALWAYS:
        found["duty"] = (
            f"It runs {hours * DAYS_PER_WEEK:.3g} of the week's {HOURS_PER_DAY * DAYS_PER_WEEK:g}"
            " hours, but what is committed to is paid for all of them."
        )


def _warn_unused(question: Question, found: dict[str, str]) -> None:
    """Name what was said of a load and changes nothing here."""
    said = question.said
    if said.steps is not None and (question.model is None or question.model.task != "diffusion"):
        found["steps_unused"] = f"{said.steps} steps are not used: only image models have them."
    if said.offload is not None and not question.trains:
        found["offload_unused"] = "Off-loading is not used: plans keep weights on the accelerator."
    counted = said.concurrency or said.batch or said.mode == "batch" or question.model is None
    if said.users and question.workload.rps is None and counted and not question.trains:
        found["users_unused"] = f"{said.users:,} users are not used: the load was said otherwise."
    flows = (said.concurrency, said.users, said.rps)
    at_once = said.items is not None and any(load is not None for load in flows)
    if at_once and not are_of_a_request(said):
        found["items_unused"] = (
            f"{said.items:,.0f} items are not used: the load was said otherwise."
        )


def _asked_by_a_guide(result: Recommendation) -> str | None:
    """Return where a guide names the family of the type asked about, which cannot hold this."""
    asked = result.asked_rejection
    if asked is None or asked.reason != "does_not_fit":
        return None
    family = asked.instance_type.split(".")[0]
    named = next((advice for advice in result.guides if family in advice.suggests), None)
    if named is None:
        return None
    return f"Guide {named.source} says {family}, but {asked.instance_type} {asked.detail}."


def _warn_guides(result: Recommendation, holding: frozenset[str], found: dict[str, str]) -> None:
    """Warn where a guide's families cannot hold the model in any size; the first guide speaks.

    `holding` are the families of which some size holds it: asking those why not is left out.
    """
    if conflict := _asked_by_a_guide(result):
        found["guide_conflicts_with_memory_model"] = conflict
        return
    for advice in result.guides:
        if holding.intersection(advice.suggests):
            continue
        of_family = [r for r in result.rejected if r.instance_type.split(".")[0] in advice.suggests]
        too_small = [r for r in of_family if r.reason == "does_not_fit"]
        picked = any(pick.instance.family in advice.suggests for pick in result.picks)
        closest = nearest(too_small)
        if closest is not None and len(too_small) == len(of_family) and not picked:
            found["guide_conflicts_with_memory_model"] = (
                f"Guide {advice.source} says {' or '.join(advice.suggests)}, which cannot hold "
                f"this: {closest.instance_type} {closest.detail}."
            )
            return
