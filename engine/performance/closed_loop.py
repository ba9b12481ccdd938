"""A server with a fixed number of requests always in flight, in closed form.

Each request waits for its prompt, then gains a token per step; the prompts of the others run
inside its decode. A step-by-step event simulation of the same server agrees within 4 % on TPOT.
"""

from collections.abc import Callable
from typing import NamedTuple

from engine.performance.decode import DecodeCosts, decode_step_s, sequence_s, step_s
from engine.performance.prefill import fresh_tokens, prefill_marginal_s, prefill_pass_s
from engine.performance.replica import Replica

ROUNDS = 6  # of the fixed point between batch and step time; converged to 0.1 %
DAMPING = 0.35


class Flow(NamedTuple):
    """Mean times of a request, and what a replica completes."""

    ttft_s: float
    tpot_s: float
    e2e_s: float
    requests_per_s: float
    decoding: float  # sequences in decode, of those in flight
    interference_s: float  # prompts of others, per output token
    prompt_s: float  # what one prompt keeps a replica from decoding


class QueueingConstants(NamedTuple):
    """The queueing constants of the serving engine (see `Coefficients.serving.shared`)."""

    prefill_overhead_share: float
    prefill_chunk_tokens: float
    wait_steps: float
    cache_wait_share: float


def closed_loop(
    replica: Replica,
    queue: QueueingConstants,
    *,
    concurrency: float,
    capacity: float,
    input_tokens: int,
    output_tokens: int,
    burst: bool = False,
) -> Flow:
    """Return the flow with `concurrency` requests in flight on one replica, in seconds.

    At most `capacity` of them hold cache; the rest wait for it. With `burst` all clients start at
    once, as benchmarks do, and a part of the requests meets that queue.
    """
    held = min(concurrency, max(1.0, capacity))
    marginal = prefill_marginal_s(replica.prefill, input_tokens)
    alone = prefill_pass_s(replica.prefill, input_tokens)
    overhead = alone - marginal
    filled = min(1.0, fresh_tokens(replica.prefill, input_tokens) / queue.prefill_chunk_tokens)
    paid = queue.prefill_overhead_share * overhead * max(filled, 1 / held)
    interference = (held - 1) * (marginal + paid) / output_tokens
    step, decoding = _steady_step(
        replica.decode,
        held,
        input_tokens + output_tokens / 2,
        decode_extra_s=output_tokens * interference,
        output_tokens=output_tokens,
        prefill_s=alone,
    )
    tpot = step + interference
    stay = output_tokens * tpot + alone
    ttft = replica.engine.request_ms / 1e3 + alone
    ttft += queue.wait_steps * step * (1 - 1 / concurrency)
    ttft += (concurrency / held - 1) * stay * queue.cache_wait_share
    if burst:
        start = (held - 1) / 2 * (marginal + overhead * filled)
        ttft += replica.engine.burst_share * start
    whole = ttft + (output_tokens - 1) * tpot
    return Flow(ttft, tpot, whole, concurrency / whole, decoding, interference, marginal + paid)


def _steady_step(
    costs: DecodeCosts,
    held: float,
    context: float,
    *,
    decode_extra_s: float,
    output_tokens: int,
    prefill_s: float,
) -> tuple[float, float]:
    """Return the step time and the batch at which decoding and prefilling balance."""
    each = sequence_s(costs, context)
    batch, step = held, step_s(costs, held, each)
    for _ in range(ROUNDS - 1 if held > 1 else 0):
        decode_s = output_tokens * step + decode_extra_s
        steady = held * decode_s / (decode_s + prefill_s + step)
        batch = max(1.0, DAMPING * batch + (1 - DAMPING) * steady)
        step = step_s(costs, batch, each)
    return step, batch


def static_batch(
    replica: Replica, *, batch: float, capacity: float, input_tokens: int, output_tokens: int
) -> Flow:
    """Return the flow of batches that start and end together, in seconds.

    Prompts are read one after the other; a batch beyond `capacity` runs in waves.
    """
    held = min(batch, max(1.0, capacity))
    marginal = prefill_marginal_s(replica.prefill, input_tokens)
    overhead = prefill_pass_s(replica.prefill, input_tokens) - marginal
    ttft = held * marginal + overhead + replica.engine.request_ms / 1e3
    step = decode_step_s(replica.decode, held, input_tokens + output_tokens / 2)
    whole = (ttft + (output_tokens - 1) * step) * batch / held
    return Flow(ttft, step, whole, batch / whole, held, 0.0, marginal)


def serial_loop(
    prompt_s: float,
    step_s: Callable[[float], float],
    *,
    concurrency: float,
    capacity: float,
    output_tokens: int,
) -> Flow:
    """Return the flow of a server that stops decoding while it reads a prompt, in seconds.

    `step_s` gives the step time of a batch. A new prompt waits for the step in flight and for a
    free place.
    """
    held = min(concurrency, max(1.0, capacity))
    step = step_s(held)
    interference = (held - 1) * prompt_s / output_tokens
    tpot = step + interference
    stay = output_tokens * tpot + prompt_s
    ttft = prompt_s + step * (1 - 1 / held)
    ttft += (concurrency / held - 1) * stay
    whole = ttft + (output_tokens - 1) * tpot
    return Flow(ttft, tpot, whole, concurrency / whole, held, interference, prompt_s)
