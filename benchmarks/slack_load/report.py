"""What came of a load: acknowledged, answered, lost, doubled."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from benchmarks.slack_load.load import HELD_OFF, OK, Delivered, Load


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What came of a load. `answers` counts the answers of each command."""

    load: Load
    delivered: tuple[Delivered, ...]
    answers: Counter[str]
    waiting: int  # jobs in the queue when the last client stopped
    left: int  # and when the wait for it ended
    drained_s: float

    @property
    def commands(self) -> int:
        """Return how many different commands were sent."""
        return sum(not one.retry for one in self.delivered)

    @property
    def retries(self) -> int:
        """Return how many requests were doubles."""
        return sum(one.retry for one in self.delivered)

    @property
    def acknowledged(self) -> frozenset[str]:
        """Return the commands that Slack would take as received."""
        return frozenset(one.command for one in self.delivered if one.status == OK)

    @property
    def held_off(self) -> int:
        """Return how many requests came while their double was still being handed on."""
        return sum(one.status == HELD_OFF for one in self.delivered)

    @property
    def unacknowledged(self) -> int:
        """Return how many commands were refused or not responded to."""
        return self.commands - len(self.acknowledged)

    @property
    def ack_ms(self) -> list[float]:
        """Return the times of all acknowledgements, shortest first."""
        return sorted(one.ms for one in self.delivered if one.status == OK)

    @property
    def lost(self) -> int:
        """Return how many acknowledged commands have no answer."""
        return sum(not self.answers[command] for command in self.acknowledged)

    @property
    def doubled(self) -> int:
        """Return how many commands have more than one answer."""
        return sum(answers > 1 for answers in self.answers.values())

    @property
    def good(self) -> bool:
        """Return whether every command was acknowledged and answered once."""
        return bool(self.delivered) and not (self.lost or self.doubled or self.unacknowledged)

    def lines(self) -> Iterator[str]:
        """Give the report, a line at a time."""
        load, ms = self.load, self.ack_ms
        yield (
            f"offered       {load.clients} clients × 1 command / {load.think_s:g} s"
            f" = {load.rate:g} commands/s for {load.seconds:g} s"
        )
        yield (
            f"requests      {len(self.delivered)}"
            f" ({self.commands} commands, {self.retries} retries)"
        )
        yield f"acknowledged  {len(ms)} ({len(ms) / load.seconds:.1f}/s), {self.held_off} held off"
        yield (
            f"ack           p50 {quantile(ms, 0.5):.0f} ms, p99 {quantile(ms, 0.99):.0f} ms,"
            f" max {quantile(ms, 1):.0f} ms (Slack waits 3000)"
        )
        yield (
            f"queue         {self.waiting} waiting at the end, {self.left} left after"
            f" {self.drained_s:.1f} s (bound {load.drain_s:g})"
        )
        yield f"answers       {self.answers.total()} posted"
        yield (
            f"lost {self.lost}, doubled {self.doubled}, unacknowledged {self.unacknowledged}"
            f"{'' if self.good else '  FAILED'}"
        )


def quantile(ordered: Sequence[float], share: float) -> float:
    """Return the nearest-rank quantile; NaN where there is nothing."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)] if ordered else math.nan
