"""The picture of the accuracy report: predicted against measured, log-log, by class."""

from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.calibration.fit import Array
from benchmarks.calibration.rows import Row


def draw(path: Path, rows: Sequence[Row], residuals: Array) -> None:
    """Draw a panel per class: every row with its (model, accelerator) left out of the fit."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.ticker import NullFormatter

    classes: dict[str, list[int]] = defaultdict(list)
    for number, row in enumerate(rows):
        classes[row.class_name].append(number)
    columns = 4
    lines = -(-len(classes) // columns)
    figure = Figure(figsize=(3.4 * columns, 3.2 * lines), layout="constrained")
    FigureCanvasAgg(figure)
    measured = np.array([row.measured for row in rows])
    predicted = measured * np.exp(residuals)
    for place, (name, chosen) in enumerate(sorted(classes.items())):
        axes = figure.add_subplot(lines, columns, place + 1)
        x, y = measured[chosen], predicted[chosen]
        ends = np.array([min(x.min(), y.min()), max(x.max(), y.max())])
        axes.loglog(x, y, ".", markersize=3, alpha=0.5)
        axes.loglog(ends, ends, color="black", linewidth=0.8)
        for factor in (0.5, 2):
            axes.loglog(ends, ends * factor, color="grey", linewidth=0.5, linestyle=":")
        axes.set_title(f"{name} ({len(chosen)})", fontsize=9)
        axes.tick_params(labelsize=7)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_minor_formatter(NullFormatter())
    figure.supxlabel("measured (ms, or per second)", fontsize=9)
    figure.supylabel("predicted, group left out", fontsize=9)
    figure.savefig(path, dpi=110, metadata={"Software": None})
