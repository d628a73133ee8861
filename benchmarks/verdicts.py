"""`compare` and `rank` with their sentences, on small tables and on large ones, and how they grow.

python benchmarks/verdicts.py        about four minutes
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from _measure import ROUNDS, Claim, circumstances, cpu_seconds, report

import ogive

NOTES = """\
From trials that were read to the verdict in words, by the default criterion and, for `rank`, by the mean;
normal scores, methods a fifth of a standard deviation apart. Best of five with a new table each; tables of more
than 100,000 runs: one. Four questions are answered in each. The last rows: the time of a table with twice as many
methods, or tasks, over that of the first; pairs grow with the square of the methods. No peer ranks with intervals
for all pairs and tasks at once, so there is no opponent."""


def table(n_methods: int, n_tasks: int, n_runs: int, seed: int, *, items: bool = False) -> ogive.Trials:
    """Trials of so many methods, tasks and runs, paired by item if asked for."""
    rng = np.random.default_rng(seed)
    size = n_methods * n_tasks * n_runs
    method = np.repeat([f"m{i:03d}" for i in range(n_methods)], n_tasks * n_runs)
    task = np.tile(np.repeat([f"t{i:03d}" for i in range(n_tasks)], n_runs), n_methods)
    run = np.tile(np.arange(n_runs), n_methods * n_tasks)
    score = rng.normal(size=size) + np.repeat(rng.normal(0.0, 0.2, n_methods), n_tasks * n_runs)
    frame = pd.DataFrame({"algorithm": method, "task": task, "item" if items else "seed": run, "score": score})
    return ogive.read(frame, item="item") if items else ogive.read(frame, unit="row")


def seconds(ask: Callable[[Any], str], n_methods: int, n_tasks: int, n_runs: int, *, items: bool = False) -> float:
    """The least CPU seconds to a verdict, over new tables."""
    best = float("inf")
    for seed in range(ROUNDS if n_methods * n_tasks * n_runs <= 100_000 else 1):
        trials = table(n_methods, n_tasks, n_runs, seed, items=items)
        start = cpu_seconds()
        if not ask(trials):
            raise RuntimeError("no verdict")
        best = min(best, cpu_seconds() - start)
    return best


def ranked(criterion: str | None = None) -> Callable[[Any], str]:
    return lambda trials: ogive.rank(trials, criterion=criterion).verdict


def compared(trials: Any) -> str:
    return str(ogive.compare(trials, *trials.algorithms[:2]))


def main() -> int:
    header = circumstances("numpy", "scipy")
    seconds(compared, 2, 1, 10)  # imports are not counted
    claims = [
        Claim(text="`compare`, 26 tasks × 100 runs", measured=seconds(compared, 2, 26, 100), limit=1.0),
        Claim(text="`rank`, 20 methods × 1,000 items", measured=seconds(ranked(), 20, 1, 1000, items=True), limit=8.0),
    ]
    for m, t, n in ((50, 100, 500), (500, 200, 1), (500, 200, 3)):
        for name, criterion in (("improvement", None), ("mean", "mean")):
            text = f"`rank` by {name}, {m} methods × {t} tasks × {n} run{'s' if n > 1 else ''}"
            claims.append(Claim(text=text, measured=seconds(ranked(criterion), m, t, n), limit=60.0))
    one = seconds(ranked(), 100, 50, 5)
    for what, m, t in (("methods", 200, 50), ("tasks", 100, 100)):
        text = f"`rank`, twice the {what} of 100 methods × 50 tasks × 5 runs ({one:.2f} s): times the time"
        claims.append(
            Claim(
                text=text, measured=seconds(ranked(), m, t, 5) / one, limit=5.0 if what == "methods" else 3.0, unit="×"
            )
        )
    return report("Verdicts (`benchmarks/verdicts.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
