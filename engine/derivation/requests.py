"""The steps from one decode step and one prompt to what requests see: TTFT, TPOT, throughput."""

from engine.core.plan import Load
from engine.derivation.gpu_serving import ServingDerivation
from engine.derivation.step import Step, Value, fact, fitted
from engine.performance.closed_loop import Flow
from engine.performance.loads import DeploymentFlow, prompt_queue_s
from engine.performance.prefill import prefill_marginal_s


def request_steps(of: ServingDerivation, step: Step, prompt: Step) -> list[Step]:
    """Return TPOT, TTFT, the whole request and the rates of a GPU plan, at the asked load.

    `step` is one decode step and `prompt` one prompt alone.
    """
    outcome, load = of.outcome, of.run.timed
    if load.output_tokens == 0:
        return _single_shot(of, prompt)
    if load.kind == "batch":
        static = _static(of, step, prompt)
        return [*static, *rate_steps(outcome, load, static[-1])]
    interference = _interference(of)
    token = Step(
        "time per token (TPOT)", "s + i",
        (step.as_value("s"), interference.as_value("i")), outcome.flow.tpot_s, "s",
    )  # fmt: skip
    first = _first_token(of, step, prompt, token)
    whole = whole_step(outcome.flow, load.output_tokens, first, token)
    return [interference, token, first, whole, *rate_steps(outcome, load, whole)]


def _holding(of: ServingDerivation) -> float:
    """Return how many of the requests in flight on one copy hold cache."""
    return min(of.outcome.per_copy, max(1.0, of.run.room))


def _interference(of: ServingDerivation) -> Step:
    flow, load = of.outcome.flow, of.run.timed
    values = (
        fact("c", _holding(of), "requests in flight on one copy that hold cache", "load, memory"),
        fact("p", flow.prompt_s, "s that one prompt keeps the others from decoding",
             "from gpu.shared.prefill_overhead_share"),
        fact("O", load.output_tokens, "output tokens", "load"),
    )  # fmt: skip
    return Step("prompts of the others", "(c - 1) × p / O", values, flow.interference_s, "s")


def _first_token(of: ServingDerivation, step: Step, prompt: Step, token: Step) -> Step:
    outcome, load = of.outcome, of.run.timed
    shared, engine = of.coefficients.serving.shared, of.run.replica.engine
    count, held = outcome.per_copy, _holding(of)
    values = [
        fitted("q", engine.request_ms, f"{of.fitted_engine}.request_ms", "ms for each request"),
        prompt.as_value("P"),
        fitted("w", shared.wait_steps, "gpu.shared.wait_steps", "steps a new prompt waits"),
        step.as_value("s"),
        fact("c", count, "requests in flight on one copy", "load"),
        fact("d", held, "… that hold cache", "memory"),
        fact("O", load.output_tokens, "output tokens", "load"),
        token.as_value("t"),
        fitted("k", shared.cache_wait_share, "gpu.shared.cache_wait_share",
               "share of a stay spent waiting for cache"),
    ]  # fmt: skip
    formula = "q/1000 + P + w×s×(1 - 1/c) + (c/d - 1)×(O×t + P)×k"
    if load.kind == "open":
        formula += " + Q"
        values.append(_queue(of))
    return Step("first token (TTFT)", formula, tuple(values), outcome.flow.ttft_s, "s")


def _queue(of: ServingDerivation) -> Value:
    outcome, copies = of.outcome, of.copies
    shared = of.coefficients.serving.shared
    rate = outcome.requests_per_s / copies
    wait = prompt_queue_s(outcome.flow.prompt_s, rate, shared.queue_share)
    return fact("Q", wait, "s a prompt waits for those before it", "from gpu.shared.queue_share")


def whole_step(flow: Flow, output_tokens: int, first: Step, token: Step) -> Step:
    """Return the whole request from its first token and the others."""
    return Step(
        "whole request", "T + (O - 1) × t",
        (first.as_value("T"), fact("O", output_tokens, "output tokens", "load"),
         token.as_value("t")),
        flow.e2e_s, "s",
    )  # fmt: skip


def _static(of: ServingDerivation, step: Step, prompt: Step) -> list[Step]:
    """Return TTFT and the whole of a static batch, whose prompts are read one after the other."""
    outcome, load = of.outcome, of.run.timed
    engine, flow = of.run.replica.engine, outcome.flow
    first = Step(
        "first token (TTFT)", "q/1000 + P + (n - 1) × m",
        (fitted("q", engine.request_ms, f"{of.fitted_engine}.request_ms", "ms for each request"),
         prompt.as_value("P"), fact("n", flow.decoding, "sequences of a batch", "load, memory"),
         fact("m", flow.prompt_s, "s that each further prompt adds", "above: work of the prompt")),
        flow.ttft_s, "s",
    )  # fmt: skip
    whole = Step(
        "whole request", "(T + (O - 1) × s) × c/n",
        (first.as_value("T"), fact("O", load.output_tokens, "output tokens", "load"),
         step.as_value("s"), fact("c", outcome.per_copy, "requests asked of one copy", "load"),
         fact("n", flow.decoding, "sequences of a batch", "load, memory")),
        flow.e2e_s, "s",
    )  # fmt: skip
    token = Step("time per token (TPOT)", "s", (step.as_value("s"),), flow.tpot_s, "s")
    return [token, first, whole]


def _single_shot(of: ServingDerivation, prompt: Step) -> list[Step]:
    """Return the whole of a request that generates nothing: passes of several requests."""
    outcome, engine = of.outcome, of.run.replica.engine
    flow = outcome.flow
    whole = Step(
        "whole request", "(q/1000 + P + (n - 1) × m) × c/n",
        (fitted("q", engine.request_ms, f"{of.fitted_engine}.request_ms", "ms for each request"),
         prompt.as_value("P"), fact("n", flow.decoding, "requests of a pass", "load"),
         fact("m", prefill_marginal_s(of.prefill, of.tokens),
              "s that each further request adds", "above: work of the prompt"),
         fact("c", outcome.per_copy, "requests in flight on one copy", "load")),
        flow.e2e_s, "s",
    )  # fmt: skip
    return [whole, *rate_steps(outcome, of.run.timed, whole)]


def rate_steps(outcome: DeploymentFlow, load: Load, whole: Step) -> list[Step]:
    """Return requests and output tokens a second of the whole deployment."""
    if load.kind == "open":
        formula: str = "min(a, m)"
        values: tuple[Value, ...] = (
            fact("a", load.rps or 0.0, "requests that arrive a second", "load"),
            fact("m", outcome.capacity_per_s, "most that are completed", "the same at full load"),
        )
    else:
        formula = "c / E"
        values = (
            fact("c", outcome.concurrency, "requests in flight, whole deployment", "load"),
            whole.as_value("E"),
        )
    requests = Step("requests a second", formula, values, outcome.requests_per_s, "1/s")
    if not load.output_tokens:
        return [requests]
    tokens = Step(
        "output tokens a second", "r × O",
        (requests.as_value("r"), fact("O", load.output_tokens, "output tokens", "load")),
        outcome.requests_per_s * load.output_tokens, "1/s",
    )  # fmt: skip
    return [requests, tokens]
