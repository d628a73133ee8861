"""Failed trials: how they count, and what is said of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from ogive.arguments import FloatArray, IntArray
from ogive.errors import FailedTrials, InputError
from ogive.schema import OK
from ogive.trials._rows import Cell, the_one
from ogive.words import listed, plural

if TYPE_CHECKING:
    from ogive.trials._trials import Trials

MOST_NAMED = 6  # methods in a refusal


def failure_rule(failures: str | float) -> str | float:
    """The rule, checked: refuse, exclude, worst, like:NAME or a finite number."""
    if not isinstance(failures, (str, Real)) or isinstance(failures, bool):
        raise InputError(f"`failures` must be 'refuse', 'exclude', 'worst', 'like:NAME' or a number; got {failures!r}.")
    if isinstance(failures, str):
        if failures in ("refuse", "exclude", "worst") or failures.startswith("like:"):
            return failures
        try:
            failures = float(failures)
        except ValueError:
            raise InputError(
                f"`failures` must be 'refuse', 'exclude', 'worst', 'like:NAME' or a number; got {failures!r}."
            ) from None
    if not math.isfinite(failures):
        raise InputError(f"`failures` as a number must be finite; got {failures}.")
    return float(failures)


def replacement(trials: Trials, cell: Cell, metric: str, rule: str | float) -> FloatArray:
    """What stands for each trial of a cell if it failed, by a rule."""
    if isinstance(rule, float):
        low, high = trials.definitions[metric].bounds
        if (low is not None and rule < low) or (high is not None and rule > high):
            raise InputError(f"`failures` must lie within the bounds ({low}, {high}) of {metric!r}; got {rule:g}.")
        return np.full(cell.rows.size, rule)
    if rule == "worst":
        return np.full(cell.rows.size, trials.definitions[metric].worst)
    other = trials.cell(the_one("algorithm", rule.removeprefix("like:"), trials.algorithms), cell.task)
    if other.algorithm == cell.algorithm:
        raise InputError(
            f"`failures` {rule!r} cannot count failed trials of {cell.algorithm!r} itself, for which its own successes would stand; "
            "name another method, or say 'worst', a number or 'exclude'."
        )
    usable = other.rows[~trials.failed(metric)[other.rows]]
    if not usable.size:
        raise FailedTrials(f"failures={rule!r}: {other.algorithm!r} has no score on {cell.task!r}.")
    return _scores_alike(trials, metric, usable, cell.rows)


def _scores_alike(trials: Trials, metric: str, usable: IntArray, rows: IntArray) -> FloatArray:
    """For each of `rows` the mean of those `usable` ones that share its item and trial; else its item; else of all.

    Where nothing joins the methods, a trial is the place of a row in the file, and says nothing.
    """
    values, item = trials.values(metric), trials.codes("item")
    out = np.full(rows.size, float(values[usable].mean()))
    keys = [item] if (item[rows] >= 0).all() else []
    for key in [*keys, trials.draws] if trials.pair is not None else keys:
        known, wanted = key[usable], key[rows]
        found, place = np.unique(known, return_inverse=True)
        means = np.bincount(place, weights=values[usable]) / np.bincount(place)
        there = np.searchsorted(found, wanted).clip(max=found.size - 1)
        out = np.where(found[there] == wanted, means[there], out)
    return out


def refuse_failures(trials: Trials, metric: str, algorithms: Sequence[str], tasks: Sequence[str]) -> None:
    """Refuse failed trials, with their number by algorithm, the most first."""
    cells = [cell for cell in trials.cells if cell.algorithm in algorithms and cell.task in tasks]
    failed = trials.failed(metric)
    counts: dict[str, list[int]] = {}
    for cell in cells:
        known = counts.setdefault(cell.algorithm, [0, 0])
        known[0] += int(np.count_nonzero(failed[cell.rows]))
        known[1] += cell.rows.size
    found = sorted(((n, of, name) for name, (n, of) in counts.items() if n), key=lambda one: -one[0])
    if not found:
        return
    said = [f"{n} of {of} of {name!r}" for n, of, name in found[:MOST_NAMED]]
    said += [f"some of {plural(len(found) - MOST_NAMED, 'other method')}"] if len(found) > MOST_NAMED else []
    raise FailedTrials(
        f"{sum(n for n, _, _ in found)} of {plural(sum(of for _, of in counts.values()), 'trial')} have no usable {metric!r} (NaN, "
        f"infinite or failed): {listed(said)}; say how to count them: failures='worst', a number, 'like:NAME' or "
        f"'exclude'.{trials.blame}"
    )


def count_failures(trials: Trials, metric: str) -> list[dict[str, Any]]:
    """Trials that failed by a metric, counted by algorithm, task, status and message."""
    chosen = trials.table.filter(pa.array(trials.failed(metric)))
    columns = ["algorithm", "task", "status", "message"]
    plain = pa.table({c: chosen[c].cast(pa.string()) for c in columns})
    # A row that has another score is no failed trial as a whole, but it has none here.
    said = [
        ("invalid", m or "no finite score") if s == OK else (s, m)
        for s, m in zip(*(plain[c].to_pylist() for c in columns[2:]), strict=True)
    ]
    for place, name in enumerate(columns[2:]):
        plain = plain.set_column(2 + place, name, pa.array([pair[place] for pair in said], pa.string()))
    counted = plain.group_by(columns, use_threads=False).aggregate([([], "count_all")])
    return [{**{c: row[c] for c in columns}, "count": row["count_all"]} for row in counted.to_pylist()]
