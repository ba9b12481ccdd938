"""How far the estimates are from the measured rows: the figures, their table and their picture."""

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from math import log
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.calibration.fit import Fit
from benchmarks.calibration.ranges import Key, Range, name_of, of_row
from benchmarks.calibration.rows import LEFT_OUT_BY, Row

Array = NDArray[np.float64]
Summary = dict[str, Any]

FOLDER = Path(__file__).resolve().parents[1]
SUMMARY, TABLE, PICTURE = (FOLDER / f"accuracy.{end}" for end in ("json", "md", "png"))
WAYS = ("in_sample", *LEFT_OUT_BY)
TITLES = {
    "in_sample": "In sample",
    "model_accelerator": "(Model, accelerator) left out",
    "model": "Model left out",
    "source": "Source left out",
    "accelerator": "Accelerator left out",
}
DIFFERENT = log(1.15)  # two measurements that differ by less say nothing about their order


def family_summary(fit: Fit, residuals: Mapping[str, Array], found: Mapping[Key, Range]) -> Summary:
    """Return the figures of one family: by class and by way of leaving rows out."""
    rows = fit.problem.family.rows
    classes: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        classes[row.class_name].append(number)
    return {
        "fitted_coefficients": len(fit.problem.parameters),
        "rows": len(rows),
        "answered": int(np.isfinite(fit.residuals).sum()),
        "group_weighted_median": {
            way: _percent(_group_median(rows, residuals[way])) for way in WAYS
        },
        "order": _orders(rows, residuals["model_accelerator"]),
        "ranges": [_range_figures(key, value) for key, value in sorted(found.items(), key=str)],
        "classes": {
            name: _class_figures([rows[n] for n in chosen], chosen, residuals, found)
            for name, chosen in sorted(classes.items())
        },
    }


def _class_figures(
    rows: Sequence[Row],
    chosen: Sequence[int],
    residuals: Mapping[str, Array],
    found: Mapping[Key, Range],
) -> Summary:
    held = [of_row(found, row) for row in rows]
    figures: Summary = {
        "rows": len(rows),
        "groups": len({row.group("model_accelerator") for row in rows}),
        "sources": len({row.source for row in rows}),
        "answered": int(sum(np.isfinite(residuals["in_sample"][chosen]))),
    }
    for way in WAYS:
        missed = residuals[way][chosen]
        inside = _inside_unseen(rows, held) if way == "source" else _inside(missed, held)
        figures[way] = spread(missed) | {"inside": inside} | _by_group(rows, missed)
    return figures


def spread(residuals: Array) -> dict[str, float]:
    """Return median and 90th percentile of the absolute error, and the median error, in %."""
    errors = np.expm1(residuals)
    return {
        "median": _percent(float(np.median(np.abs(errors)))),
        "p90": _percent(float(np.quantile(np.abs(errors), 0.9))),
        "bias": _percent(float(np.median(errors))),
    }


def _by_group(rows: Sequence[Row], residuals: Array) -> dict[str, float]:
    """Return median and 90th percentile with every (source, model, accelerator) counted once."""
    errors = np.abs(np.expm1(residuals))
    groups = [(row.source, row.model, row.accelerator) for row in rows]
    sizes = Counter(groups)
    order = np.argsort(errors)
    share = np.cumsum(np.array([1 / sizes[group] for group in groups])[order]) / len(sizes)
    found = [errors[order][np.searchsorted(share, wanted)] for wanted in (0.5, 0.9)]
    return dict(zip(("group_median", "group_p90"), map(_percent, map(float, found)), strict=True))


def _inside(residuals: Array, held: Sequence[Range | None]) -> float | None:
    pairs = [(-r, h) for r, h in zip(residuals, held, strict=True) if h is not None]
    if not pairs:
        return None
    return _percent(sum(h.low <= r <= h.high for r, h in pairs) / len(pairs))


def _inside_unseen(rows: Sequence[Row], held: Sequence[Range | None]) -> float | None:
    """Return the share of rows inside the range that was made without their source."""
    flags = [h.held_unseen[name_of(row)] for row, h in zip(rows, held, strict=True) if h]
    return _percent(sum(flags) / len(flags)) if flags else None


def _range_figures(key: Key, value: Range) -> Summary:
    return key._asdict() | {"rows": value.rows, "inside_left_out": _percent(value.inside)}


def _group_median(rows: Sequence[Row], residuals: Array) -> float:
    """Return the median over groups (source x model x accelerator) of their median errors."""
    groups: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row, residual in zip(rows, residuals, strict=True):
        groups[row.source, row.model, row.accelerator].append(abs(float(np.expm1(residual))))
    return float(np.median([np.median(errors) for errors in groups.values()]))


def _orders(rows: Sequence[Row], residuals: Array) -> Summary:
    """Return the share of pairs in the right order: first tokens, everything else, all pairs."""
    first = np.array([row.metric == "ttft" for row in rows])
    return {
        name: order_share([row for row, k in zip(rows, kept, strict=True) if k], residuals[kept])
        for name, kept in (
            ("first token", first),
            ("other figures", ~first),
            ("all", first | ~first),
        )
    }


def order_share(rows: Sequence[Row], residuals: Array) -> Summary:
    """Return how often the better of two machines for one workload is predicted to be better.

    Only pairs whose measurements differ by more than 15 % count; each row's group is left out.
    """
    same: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        if row.workload:
            same[row.workload, row.metric].append(number)
    pairs = right = 0
    for chosen in same.values():
        for one, two in combinations(chosen, 2):
            apart = log(rows[one].measured / rows[two].measured)
            if rows[one].machine != rows[two].machine and abs(apart) > DIFFERENT:
                pairs += 1
                right += (apart > 0) == (apart + residuals[one] - residuals[two] > 0)
    return {"pairs": pairs, "right": _percent(right / pairs) if pairs else None}


def _percent(share: float) -> float:
    return round(100 * share, 1)


def read_summary() -> Summary:
    """Return the stored figures by family."""
    stored: Summary = json.loads(SUMMARY.read_text(encoding="utf-8")) if SUMMARY.exists() else {}
    return stored


def write_summary(summary: Summary) -> None:
    """Write the figures and their table."""
    SUMMARY.write_text(json.dumps(summary, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    TABLE.write_text(markdown(summary), encoding="utf-8")


def markdown(summary: Summary) -> str:
    """Return the table of `benchmarks/accuracy.md`."""
    parts = [HEAD]
    for name, family in sorted(summary.items()):
        order, weighted = family["order"], family["group_weighted_median"]
        parts.append(f"## {name.capitalize()}\n")
        parts.append(
            f"{family['rows']} rows, {family['answered']} of them answered; "
            f"{family['fitted_coefficients']} fitted coefficients. "
            f"Median error with every (source, model, accelerator) counted once: "
            f"{weighted['in_sample']} % in sample, {weighted['model_accelerator']} % left out."
        )
        parts += [
            f"Order, {kind}: the better of two machines under one workload is the one predicted in "
            f"{share['right']} % of {share['pairs']} pairs that differ by more than 15 %."
            for kind, share in sorted(order.items())
            if share["pairs"]
        ]
        parts.extend(_way_table(way, family["classes"]) for way in WAYS)
        if family["ranges"]:
            parts.append(_range_table(family["ranges"]))
    return "\n".join(parts) + "\n"


HEAD = """# How far the estimates are from measurements

Written by `make accuracy`. Errors are |predicted / measured - 1| in %: median, 90th percentile and
the signed median (bias). "By group" is median / 90th percentile with every (source, model,
accelerator) counted once. "Inside" is the share of rows inside the 80 % range printed on cards;
where a source is left out, it is left out of the range too. Left out means that the rows of a
group had no part in the coefficients that predict it. The loads are the benchmarks' own, start-up
burst included; cards show steady arrivals.

![Predicted against measured](accuracy.png)
"""


def _way_table(way: str, classes: Mapping[str, Summary]) -> str:
    lines = [
        f"\n### {TITLES[way]}\n",
        "| class | rows | groups | answered | median | p90 | by group | bias | inside |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for name, figures in classes.items():
        here = figures[way]
        inside = "–" if here["inside"] is None else f"{here['inside']}"
        lines.append(
            f"| {name} | {figures['rows']} | {figures['groups']} | "
            f"{100 * figures['answered'] / figures['rows']:.0f} % | {here['median']} | "
            f"{here['p90']} | {here['group_median']} / {here['group_p90']} | "
            f"{here['bias']:+} | {inside} |"
        )
    return "\n".join(lines)


def _range_table(found: Sequence[Summary]) -> str:
    lines = [
        "\n### Ranges: share of rows inside, their source left out of fit and range\n",
        "| population | figure | load | experts | rows | inside |",
        "|---|---|---|---|---|---|",
    ]
    kinds = {None: "any", False: "no", True: "yes"}
    lines += [
        f"| {one['population']} | {one['figure']} | {one['load']} | {kinds[one['moe']]} | "
        f"{one['rows']} | {one['inside_left_out']} |"
        for one in found
    ]
    return "\n".join(lines)


def printed(summary: Summary) -> str:
    """Return the tables as the terminal shows them: the Markdown without its head."""
    return markdown(summary).removeprefix(HEAD).strip()
