"""A summary as a LaTeX table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ogive.errors import InputError
from ogive.statistics import Statistic
from ogive.words import latex, latex_math, number

if TYPE_CHECKING:
    from ogive.answers._summary import Row, Summary


def latex_table(
    summary: Summary,
    layout: str,
    *,
    statistic: str | None,
    metric: str | None,
    task: str | None,
    bold: Mapping[str, Sequence[str]] | None,
    note: str | None,
) -> str:
    """What `Summary.to_latex` returns."""
    if layout not in ("methods-by-tasks", "methods-by-statistics"):
        raise InputError(f"`layout` must be 'methods-by-tasks' or 'methods-by-statistics'; got {layout!r}.")
    by_task, first = layout == "methods-by-tasks", summary.rows[0]
    metric = metric or first.metric
    rows = _chosen(summary, by_task, statistic or first.statistic, metric, task)
    across = list(dict.fromkeys(r.task if by_task else r.statistic for r in rows))
    cells = {(r.algorithm, r.task if by_task else r.statistic): r for r in rows}
    heads = [latex(a if by_task else Statistic.parse(a).label) for a in across]
    lines = [
        r"\begin{tabular}{l" + "c" * len(across) + "}",
        r"\toprule",
        " & ".join(["Method", *heads]) + r" \\",
        r"\midrule",
    ]
    for method in dict.fromkeys(r.algorithm for r in rows):
        shown = [_cell(cells.get((method, a)), bold) for a in across]
        lines.append(" & ".join([latex(method), *shown]) + r" \\")
    what = f"{Statistic.parse(rows[0].statistic).label} of {metric}. " if by_task else f"{metric}. "
    told = "" if bold is None else "Bold: not separable from the best mean of the task. "
    below = latex(what + told + (summary.footnote(rows) if note is None else note))
    lines += [
        r"\bottomrule",
        rf"\multicolumn{{{len(across) + 1}}}{{p{{0.9\linewidth}}}}{{\footnotesize {below}}} \\",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _chosen(summary: Summary, by_task: bool, statistic: str, metric: str, task: str | None) -> list[Row]:
    """The rows of a table, refused where there are none or where they would hide each other."""
    rows = [r for r in summary.rows if r.metric == metric and task in (None, r.task)]
    if by_task:
        rows = [r for r in rows if r.statistic == statistic]
    if not rows:
        held = (", ".join(dict.fromkeys(getattr(r, name) for r in summary.rows)) for name in ("statistic", "metric"))
        where = "" if task is None else f" on {task!r}"
        raise InputError(f"there is no {statistic!r} of {metric!r}{where} in the summary of {' of '.join(held)}.")
    tasks = {r.task for r in rows}
    if not by_task and len(tasks) > 1:
        raise InputError(
            f"layout 'methods-by-statistics' shows one task; there are {len(tasks)}. Choose one with task=."
        )
    return rows


def _cell(row: Row | None, bold: Mapping[str, Sequence[str]] | None) -> str:
    if row is None:
        return "--"
    limited = math.isfinite(row.low) or math.isfinite(row.high)
    text = latex_math(str(row) if limited else number(row.estimate))
    if bold is not None and row.algorithm in bold.get(row.task, ()):
        return rf"$\mathbf{{{text}}}$"
    return f"${text}$"
