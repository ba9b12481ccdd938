"""Numbers as people read them. Rounding happens here and nowhere else; unknown is never 0."""

import unicodedata

from engine.core.estimate import Figure


def usd(amount: float) -> str:
    """Return money at the precision it is compared at: `$1.861`, `$98.32`, `$1,359`."""
    if amount >= 99.995:
        return f"${amount:,.0f}"
    if amount >= 10:
        return f"${amount:,.2f}"
    if amount >= 0.1:
        return f"${_trimmed_usd(amount, 3)}"
    return f"${_trimmed_usd(amount, 4)}" if amount >= 0.0001 else "under $0.0001"


def usd_per_hour(amount: float) -> str:
    """Return an hourly price; cents are kept below $1,000 because bills add them up."""
    return f"${amount:,.2f}/h" if amount >= 10 else f"{usd(amount)}/h"


def usd_estimated(amount: float) -> str:
    """Return money that rests on an estimate: whole cents, more only where they would read 0."""
    return f"${amount:,.2f}" if 0.1 <= amount < 99.995 else usd(amount)


def _trimmed_usd(amount: float, decimals: int) -> str:
    """Return `amount` without trailing zeros, but never with fewer than two decimals."""
    text = f"{amount:.{decimals}f}"
    while text.endswith("0") and len(text.rsplit(".", 1)[1]) > 2:
        text = text[:-1]
    return text


def quantity(value: float) -> str:
    """Return a bare number with two or three significant digits: `0.42`, `5.1`, `48`, `1,450`."""
    if value == 0:
        return "0"
    if value < 0.095:
        return f"{value:.2g}"
    if value < 0.995:
        return f"{value:.2f}"
    if value < 9.95:
        return f"{value:.1f}"
    if value < 999.5:
        return f"{value:.0f}"
    return f"{_significant(value, 3):,.0f}"


def _significant(value: float, digits: int) -> float:
    return float(f"{value:.{digits}g}")


def duration_ms(value_ms: float) -> tuple[str, str]:
    """Return a duration given in milliseconds as number and unit."""
    if value_ms < 1000:
        return quantity(value_ms), "ms"
    return quantity(value_ms / 1000), "s"


def ms(value_ms: float) -> str:
    """Return a duration as text: `48 ms`, `2.3 s`."""
    return " ".join(duration_ms(value_ms))


def ms_range(figure: Figure) -> str:
    """Return the 80 % range in the unit of the value: `(38–61)`."""
    seconds = figure.value >= 1000
    low, high = (v / 1000 if seconds else v for v in (figure.low, figure.high))
    return f"({quantity(low)}–{quantity(high)})"


def plain_range(figure: Figure) -> str:
    """Return the 80 % range of a figure whose unit is said beside it."""
    return f"({quantity(figure.low)}–{quantity(figure.high)})"


def hours(value_h: float) -> str:
    """Return a length of time: minutes below an hour, days above three."""
    if value_h < 1:
        return f"{quantity(value_h * 60)} min"
    return f"{quantity(value_h)} h" if value_h < 72 else f"{quantity(value_h / 24)} days"


def hours_range(figure: Figure) -> str:
    """Return the 80 % range in the unit that `hours` gives the value."""
    scale = 60.0 if figure.value < 1 else 1.0 if figure.value < 72 else 1 / 24
    return f"({quantity(figure.low * scale)}–{quantity(figure.high * scale)})"


def gib(value: float) -> str:
    """Return GiB without the unit; a part too small to show reads `<0.1`."""
    if 0 < value < 0.05:
        return "<0.1"
    return f"{value:.1f}" if value < 999.5 else f"{value:,.0f}"


def tokens(count: float) -> str:
    """Return a token count as people say it: `512`, `47k`, `2.0M`, `15B`."""
    for size, suffix in ((1e12, "T"), (1e9, "B"), (1e6, "M")):
        if count >= size * 0.9995:
            return f"{quantity(count / size)}{suffix}"
    return f"{quantity(count / 1000)}k" if count >= 10_000 else f"{count:,.0f}"


def count(value: float) -> str:
    """Return how many of something there are: `4`, `32`, `1,450`; halves are kept below 10."""
    return f"{value:.2g}" if value < 9.95 else quantity(value)


def times(ratio: float) -> str:
    """Return a ratio: `2.1×`."""
    return f"{ratio:.2f}×" if ratio < 1.095 else f"{quantity(ratio)}×"


def percent(share: float) -> str:
    """Return a share of one as `24.6 %`: a decimal where it tells something."""
    value = 100 * share
    return f"{value:.1f} %" if abs(value) < 99.95 and value != round(value) else f"{value:.0f} %"


def counted(number: int, noun: str) -> str:
    """Return `1 replica`, `4 replicas`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def plain_line(text: str, limit: int = 300) -> str:
    """Return outside text as one harmless line: no control, format or line characters, bounded."""
    spaced = "".join(" " if c in "\t\r\n\v\f\x85\u2028\u2029" else c for c in text)
    kept = "".join(c for c in spaced if unicodedata.category(c) not in {"Cc", "Cf", "Cs", "Co"})
    line = " ".join(kept.split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"
