"""`python -m benchmarks.slack_load`: the load that the command line asks for."""

import argparse
import sys
from collections.abc import Callable, Sequence

from benchmarks.slack_load.load import Load
from benchmarks.slack_load.measure import measure


def within(low: float, high: float) -> Callable[[str], float]:
    """Return a reader of numbers between two bounds, for argparse."""

    def number(text: str) -> float:
        value = float(text)
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"{text} is not between {low:g} and {high:g}")
        return value

    return number


def load_of(argv: Sequence[str] | None = None) -> Load:
    """Return the load that the command line asks for."""
    usual = Load()
    parser = argparse.ArgumentParser(prog="python -m benchmarks.slack_load")
    parser.add_argument("--clients", type=within(1, 500), default=usual.clients)
    parser.add_argument("--seconds", type=within(1, 300), default=usual.seconds)
    parser.add_argument("--rate", type=within(0.1, 200), default=usual.rate, help="commands/s")
    parser.add_argument("--retry-share", type=within(0, 1), default=usual.retry_share)
    parser.add_argument("--drain-s", type=within(1, 600), default=usual.drain_s)
    options = vars(parser.parse_args(argv))
    return Load(**{**options, "clients": int(options["clients"])})


def main() -> int:
    """Measure and print; 1 where a command was lost, doubled or refused."""
    report = measure(load_of())
    for line in report.lines():
        print(line)
    return 0 if report.good else 1


if __name__ == "__main__":
    sys.exit(main())
