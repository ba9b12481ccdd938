"""What prefix caching, smaller chunks and speculative decoding change in a replica's costs."""

from dataclasses import replace
from math import inf

from engine.core.plan import ServingOptions
from engine.performance.decode import DecodeCosts
from engine.performance.links import LinkTime
from engine.performance.replica import Replica


def with_options(replica: Replica, options: ServingOptions) -> Replica:
    """Return the replica as these options make it; every default leaves it as it is."""
    prefill = replace(
        replica.prefill,
        cached_share=options.cached_share,
        chunk_tokens=options.chunk_tokens or inf,
    )
    return replace(replica, decode=speculated(replica.decode, options), prefill=prefill)


def tokens_per_step(options: ServingOptions) -> float:
    """Return how many tokens a step yields on average: the drafts accepted in a row, and one more.

    (1 - a^(k+1)) / (1 - a) for k drafts, each accepted with chance a: Leviathan, Kalman and Matias,
    "Fast Inference from Transformers via Speculative Decoding" (2023), equation 1.
    """
    accepted, drafts = options.draft_acceptance, options.draft_tokens
    return float(sum(accepted**n for n in range(drafts + 1)))


def speculated(costs: DecodeCosts, options: ServingOptions) -> DecodeCosts:
    """Return the costs of one output token where a step verifies drafts.

    A step multiplies, attends and sends for every draft beside the last token, and its drafts meet
    more experts; weights and cache are read once. All of it, and the drafts' own making, is shared
    by the tokens that the step yields.
    """
    positions = options.draft_tokens + 1
    share = (1 + options.draft_tokens * options.draft_cost) / tokens_per_step(options)
    each = positions * share
    return replace(
        costs,
        weights_s=costs.weights_s * share,
        expert_s=costs.expert_s * share,
        experts_per_token=_experts_met(costs, positions),
        sequence_flops_s=costs.sequence_flops_s * each,
        cache_full_s=costs.cache_full_s * share,
        cache_window_s=costs.cache_window_s * share,
        state_s=costs.state_s * share,
        attention_full_s=costs.attention_full_s * each,
        attention_window_s=costs.attention_window_s * each,
        host_s=costs.host_s * share,
        host_sequence_s=costs.host_sequence_s * share,
        links=_links(costs.links, fixed=share, each=each),
        hop_s=costs.hop_s * share,
    )


def _experts_met(costs: DecodeCosts, positions: int) -> float:
    """Return the distinct experts that some positions of one sequence meet, routed at random."""
    if positions == 1 or not costs.experts:
        return costs.experts_per_token
    missed = (1 - costs.experts_per_token / costs.experts) ** positions
    return costs.experts * (1 - missed)


def _links(links: LinkTime, *, fixed: float, each: float) -> LinkTime:
    return LinkTime(fixed_s=links.fixed_s * fixed, token_s=links.token_s * each)
