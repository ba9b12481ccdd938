"""What an alert says: old → new, the percent, what it means a month, and the best pick."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.cards.blocks import BlockMessage, rendered
from bot.core.figures import counted, plain_line, usd, usd_per_hour
from bot.core.wording import machines, price_note
from bot.store.alert_changes import Alert, is_another
from catalog.facts.schema import Quote

MOST_SHOWN: Final = 40  # Slack takes 50 blocks a message
SAME_USD: Final = 0.5  # a month: less is nothing to speak of


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeView:
    """One change, worded."""

    subject: str  # "p5.48xlarge in us-east-2"
    change: str  # "$98.32/h → $88.29/h (−10.2 %)"
    meaning: str  # "−$29,287/month at 730 h for …"
    best: str  # "The best pick is now …", or ""
    source: str  # "AWS list price of 2026-11-28, AWS Pricing API; before: 2026-11-01"

    @property
    def lines(self) -> tuple[str, ...]:
        """Everything below the subject."""
        return tuple(line for line in (self.change, self.meaning, self.best, self.source) if line)


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertView:
    """One message: a change, or those that a digest gathered. `rest` are not shown."""

    title: str
    changes: tuple[ChangeView, ...]
    is_digest: bool = False  # each change then needs a heading of its own
    rest: int = 0

    @property
    def more(self) -> str:
        """The line about those that are not shown."""
        return f"And {counted(self.rest, 'more change')}." if self.rest else ""


def alert_view(alerts: Sequence[Alert]) -> AlertView:
    """Return alerts as they are told: one by itself, or all of a digest."""
    changes = tuple(map(_change_view, alerts))
    if not alerts[0].every:
        return AlertView(title=_title(alerts[0], changes[0]), changes=changes)
    title = f"Your {alerts[0].every} digest: {counted(len(changes), 'change')}"
    rest = max(0, len(changes) - MOST_SHOWN)
    return AlertView(title=title, changes=changes[:MOST_SHOWN], is_digest=True, rest=rest)


def alert_message(view: AlertView) -> BlockMessage:
    """Return the view as Slack shows it.

    Raises:
        CardError: the blocks break a Block Kit rule that cutting cannot mend.
    """
    blocks = rendered("alert.json.j2", {"alert": view})
    lines = [view.title]
    for change in view.changes:
        lines += [f"{change.subject}:", *change.lines] if view.is_digest else change.lines
    return {"text": "\n".join([*lines, view.more]).rstrip(), "blocks": blocks}


def _title(alert: Alert, change: ChangeView) -> str:
    if is_another(alert):
        return f"New best pick: {change.subject}"
    what = change.subject if alert.watches == "price" else f"The best pick, {change.subject},"
    percent = alert.percent or 0.0
    return f"{what} costs {abs(percent):.1f} % {'less' if percent < 0 else 'more'}"


def _change_view(alert: Alert) -> ChangeView:
    quote = Quote(
        alert.new_type, alert.region, alert.market, alert.new_usd_per_hour, alert.source,
        alert.as_of,
    )  # fmt: skip
    before = f"; before: {alert.old_on}" if alert.old_on else ""
    term = f", {counted(alert.term_years, 'year')}" if alert.term_years else ""
    return ChangeView(
        subject=f"{machines(alert.new_type, alert.new_instances)} in {alert.region}",
        change=_change_line(alert),
        meaning=_meaning(alert),
        best=_best_line(alert),
        source=f"{price_note(quote)}{term}{before}.",
    )


def _change_line(alert: Alert) -> str:
    """Return old → new; of a pick that is another one with both names or regions."""
    old = "no known price"
    if alert.old_usd_per_hour is not None:
        old = usd_per_hour(alert.old_usd_per_hour * alert.old_instances)
    new = usd_per_hour(alert.new_usd_per_hour * alert.new_instances)
    before = machines(alert.old_type, alert.old_instances)
    now = machines(alert.new_type, alert.new_instances)
    if alert.old_region != alert.region:
        before, now = f"{before} in {alert.old_region}", f"{now} in {alert.region}"
    if before != now:
        old, new = f"{before} {old}", f"{now} {new}"
    if alert.percent is None:
        return f"{old} → {new}"
    return f"{old} → {new} ({_sign(alert.percent)}{abs(alert.percent):.1f} %)"


def _meaning(alert: Alert) -> str:
    """Return what the change comes to a month."""
    if alert.monthly_usd is None:
        return ""
    whom = f"for “{plain_line(alert.request, 200)}”" if alert.request else "around the clock"
    if abs(alert.monthly_usd) < SAME_USD:
        return f"About the same cost a month, {whom}."
    return f"{_sign(alert.monthly_usd)}{usd(abs(alert.monthly_usd))}/month at 730 h, {whom}."


def _best_line(alert: Alert) -> str:
    """Return what the price does to the best pick for the workload it was watched for."""
    if not alert.new_best:
        return ""
    if alert.old_best and alert.old_best != alert.new_best:
        return f"The best pick for it is now {alert.new_best}; it was {alert.old_best}."
    return f"The best pick for it is {'still ' if alert.old_best else ''}{alert.new_best}."


def _sign(value: float) -> str:
    return "−" if value < 0 else "+"
