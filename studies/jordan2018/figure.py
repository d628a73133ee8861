"""Figure 1: accuracies from the worst run to the best, tasks across, without tuning above and with it below."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import ogive
from ogive import writing

ROWS = {"random": "hyper-parameters at random", "tuned": "tuned in every run"}
LOOK = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
}


def draw(found: Mapping[str, ogive.Trials | None], path: Path) -> Path:
    """One panel for each task and mode; all panels of a task share the scores, so that the rows can be compared."""
    modes = [mode for mode in ROWS if found[mode] is not None]
    tasks = list(dict.fromkeys(task for mode in modes for task in found[mode].tasks))
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(2.2 * len(tasks) + 0.3, 2.2 * len(modes) + 0.7), layout="constrained")
        FigureCanvasAgg(figure)
        panels = figure.subplots(len(modes), len(tasks), sharey="col", squeeze=False)
        handles = {}
        for mode, row in zip(modes, panels, strict=True):
            row[0].set_ylabel(f"{ROWS[mode]}\naccuracy")
            for task, ax in zip(tasks, row, strict=True):
                if task not in found[mode].tasks:
                    ax.set_visible(False)
                    continue
                display = ogive.plots.distribution(found[mode].select(tasks=[task])).plot(ax)
                handles |= {method: line for (_, method), line in display.lines_.items()}
                ax.set_title(task if mode == modes[0] else "")
        # Shared scores: the last panel drawn has set the limits of its column to its own runs.
        for column in panels.T:
            spans = [line.get_ydata() for ax in column for line in ax.get_lines()]
            low, high = min(y.min() for y in spans), max(y.max() for y in spans)
            column[0].set_ylim(low - 0.03 * (high - low), high + 0.03 * (high - low))
        figure.legend(handles.values(), handles, loc="outside upper center", ncols=len(handles), frameon=False)
        figure.supxlabel(
            "share of runs, worst → best; shaded: 95 % band of the whole curve, paler where the runs limit one side only; dots: single runs",
            fontsize=8.5,
        )
        drawn = io.BytesIO()
        figure.savefig(drawn, dpi=200, format="png")
    writing.write(path, drawn.getvalue())
    return path
