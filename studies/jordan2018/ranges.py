"""Do the ranges that `ogive.sources` suggests for the SVM hold on trials that it has never seen?

    python studies/jordan2018/ranges.py                # from the committed trials
    python studies/jordan2018/ranges.py --trials 200   # runs them

The committed trials of the random half suggest, for every task, which kernels to keep so that the worst
tenth of the runs gets better. Fresh trials (another root seed: other data, other configurations) are then
run with the whole space and with the suggested one, and compared by the mean of their worst tenth.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import study
from sklearn.svm import SVC

import ogive
from ogive.spaces import choice, loguniform, when

HERE = Path(__file__).parent
FRESH_SEED = 2019
WHOLE = "SVM"
TARGET = "worst_0.1"


def suggested() -> dict[str, tuple[str, ...]]:
    """The kernels to keep, by task, as far as the held-out half of the committed trials bears it out."""
    found = ogive.sources(ogive.read(HERE / "results" / "random.parquet"), algorithm=WHOLE)
    return {
        cell.task: r.values
        for cell in found.cells for r in cell.ranges
        if r.parameter == "kernel" and r.target == TARGET and r.shown
    }  # fmt: skip


def narrowed(kernels: Sequence[str]) -> ogive.Algorithm:
    """The SVM of the study with fewer kernels."""
    space = {"C": loguniform(0.01, 100), "kernel": choice(kernels)}
    if "poly" in kernels:
        space["degree"] = when(choice([2, 3, 4, 5]), kernel="poly")
    return ogive.Algorithm.from_estimator(SVC(gamma="auto"), space, name=f"SVM, {' or '.join(kernels)}")


def fresh(task: ogive.Task, kernels: Sequence[str], n_trials: int, out: Path, workers: int | None) -> ogive.Trials:
    """Trials of the whole space and of the narrowed one on one task; those already in the store are kept."""
    whole = next(a for a in study.ALGORITHMS if a.name == WHOLE)
    both = ogive.Study(f"jordan2018-ranges-{task.name}", [whole, narrowed(kernels)], task, seed=FRESH_SEED)
    return ogive.run(both, n_trials=n_trials, store=out / task.name, workers=workers)


def row(trials: ogive.Trials, kernels: Sequence[str], n_tasks: int) -> dict[str, object]:
    """Worst tenth with the whole space and with the suggested one, and their difference."""
    whole, narrow = trials.algorithms
    worst = {r.algorithm: r for r in ogive.summarize(trials, statistics=[TARGET], metric=trials.metrics[0]).rows}
    # The error is divided among the tasks, so that all intervals hold together.
    found = ogive.compare(trials, narrow, whole, criterion=TARGET, confidence=1.0 - 0.05 / n_tasks)
    gain = found.primary
    return {
        "task": trials.tasks[0], "kernels": " or ".join(kernels), "trials": worst[whole].n,
        "whole": round(worst[whole].estimate, 3), "suggested": round(worst[narrow].estimate, 3),
        "gain": round(gain.estimate, 3), "low": round(gain.low, 3), "high": round(gain.high, 3),
        "conclusion": found.conclusion,
    }  # fmt: skip


def main() -> None:
    """Suggest, run or read, compare, print."""
    parser = argparse.ArgumentParser(description="Check the ranges that sources suggests for the SVM on fresh trials.")
    parser.add_argument("--trials", type=int, help="run so many of each; else the committed ones are read")
    parser.add_argument("--out", type=Path, default=Path("results/jordan2018-ranges"))
    parser.add_argument("--workers", type=int, default=None)
    asked = parser.parse_args()
    kept = suggested()
    if asked.trials is None:
        together = ogive.read(HERE / "results" / "ranges.parquet")
        found = {name: together.select(tasks=[name]) for name in kept}
    else:
        tasks = {task.name: task for task in study.TASKS}
        found = {n: fresh(tasks[n], kernels, asked.trials, asked.out, asked.workers) for n, kernels in kept.items()}
    print(pd.DataFrame([row(found[name], kernels, len(kept)) for name, kernels in kept.items()]).to_string(index=False))


if __name__ == "__main__":
    main()
