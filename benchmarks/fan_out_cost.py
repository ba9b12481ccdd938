"""What sweeps cost at a size: measured work times AWS's list prices (us-east-1, 2026-11)."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

from benchmarks.cpu_share import FULL_MB

MEMORY_MB = 1024
SWEEPS_A_MONTH = 730  # hourly
# What cannot be measured here, of AWS and Slack: a call to DynamoDB or SQS, and a post.
CALL_S, POST_S = 0.008, 0.3
SHARDS, PAGE, PAGES_AN_INVOCATION = 256, 100, 5  # SQS hands out batches of up to ten
CONCURRENCY = 5
# USD a million units: https://aws.amazon.com/{lambda,sqs,dynamodb}/pricing/
INVOCATIONS, GB_SECONDS, SQS_REQUESTS, READ_UNITS, WRITE_UNITS = 0.20, 13.3334, 0.40, 0.125, 0.625


@dataclass(frozen=True)
class Measured:
    """The work of a subscription of which nothing changed, and of an alert more; CPU at a core."""

    quiet_s: float
    quiet_read_units: float
    told_s: float
    told_read_units: float
    told_write_units: float


@dataclass(frozen=True)
class Scale:
    """How many workspaces with ten alerts each, and how many of them are told in a sweep.

    `picks` are worked out again: each different request once an invocation that holds a
    subscription of it, so at most as many as subscriptions watch one.
    """

    workspaces: int
    told_share: float = 0.001
    sweeps: int = SWEEPS_A_MONTH

    @property
    def subscriptions(self) -> int:
        """Ten a workspace."""
        return 10 * self.workspaces

    @property
    def told(self) -> int:
        """Alerts in one sweep."""
        return math.ceil(self.told_share * self.subscriptions)

    @property
    def picks(self) -> int:
        """One in ten subscriptions, no two of them the same."""
        return self.workspaces

    @property
    def pages(self) -> int:
        """Pages of a sweep: at least one a shard."""
        return SHARDS * max(1, math.ceil(self.subscriptions / SHARDS / PAGE))


# The last: a price that one in ten watches is cut.
SCALES = (Scale(1), Scale(1_000), Scale(100_000), Scale(100_000, told_share=0.1, sweeps=1))


def read_units(size: int) -> float:
    """Return the units of an eventually consistent read: half a one for each 4 KB begun."""
    return 0.5 * max(1, math.ceil(size / 4096))


def write_units(size: int) -> int:
    """Return the units of a write: one for each KB begun."""
    return max(1, math.ceil(size / 1024))


def gb_seconds(scale: Scale, work: Measured, pick_s: float) -> float:
    """Return the Lambda time of a sweep: CPU at the memory's share of a core, and waiting."""
    cpu_s = work.quiet_s * scale.subscriptions + work.told_s * scale.told + pick_s * scale.picks
    # A query and half the time a page sent on; a claim, a settling and what they read an alert.
    waiting_s = CALL_S * (1.5 * scale.pages + 3 * scale.told) + POST_S * scale.told
    return (cpu_s * FULL_MB / MEMORY_MB + waiting_s) * MEMORY_MB / 1024


def bill(scale: Scale, work: Measured, pick_s: float) -> dict[str, tuple[float, float]]:
    """Return the units of a sweep and what a million of them cost, by name."""
    sent_on = scale.pages - SHARDS
    invocations = scale.pages / PAGES_AN_INVOCATION
    read = 0.5 * SHARDS + work.quiet_read_units * scale.subscriptions
    read += work.told_read_units * scale.told + 0.5 * sent_on
    return {
        "Lambda invocations": (invocations, INVOCATIONS),
        "Lambda GB-s": (gb_seconds(scale, work, pick_s), GB_SECONDS),
        # The first pages are sent ten a call, the others one; each invocation receives and deletes.
        "SQS requests": (0.1 * SHARDS + sent_on + 2 * invocations, SQS_REQUESTS),
        "DynamoDB read units": (read, READ_UNITS),
        "DynamoDB write units": (work.told_write_units * scale.told + sent_on, WRITE_UNITS),
    }


def cost_lines(scale: Scale, work: Measured, pick_s: float) -> Iterator[str]:
    """Yield the bill of a month of hourly sweeps, or of the one sweep."""
    period = "month" if scale.sweeps > 1 else "sweep"
    seconds = gb_seconds(scale, work, pick_s) / CONCURRENCY
    yield (
        f"{scale.workspaces:,} workspaces, {scale.subscriptions:,} subscriptions:"
        f" {scale.pages:,} pages, {scale.told:,} told, {scale.picks:,} picks a sweep;"
        f" {seconds:,.0f} s at {CONCURRENCY} at once"
    )
    total = 0.0
    for name, (amount, usd_a_million) in bill(scale, work, pick_s).items():
        usd = amount * usd_a_million / 1e6 * scale.sweeps
        total += usd
        yield f"    {name:24s} {amount:12,.0f} a sweep  ${usd:9.2f} a {period}"
    yield f"    {'together':24s} {'':20s}  ${total:9.2f} a {period}"
