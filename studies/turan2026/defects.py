"""What three defects in the public versions of the published tool do to the share of non-normal distributions.

    python studies/turan2026/defects.py --data DIR

The tool (lcpp, its public versions up to February 2026) differs from what the paper describes in three ways that
bear on normality. Each is put into our curves, alone and together, and the same shares are counted:

A. The fixed test set is scored on the rows that training sets are drawn from.
B. Seeds of the 1000 repetitions are drawn with replacement from 1001 values: about 632 of them are different.
C. Brier score and cross-entropy number the classes by their first appearance in the test set, while the columns of
   probabilities stay in the order of the model. With a fixed test set that is one wrong order for all repetitions
   (C), with a test set drawn anew it is another in each of them (C, a new order each time).

Curves are additive, ten models, 20 sizes, as in the unit `iris-additive-fixed`: the same training sets. What depends
on luck is averaged: over 20 drawings of seeds for B, over all orders of classes, weighed by their probability, for C.
"""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path

import database
import numpy as np
import pandas as pd

from ogive import curves, statistics
from ogive.seeding import stream

DATA = ("iris", "diabetes")
TARGET = database.RESULTS / "defects.csv"
TEST_SHARE = 0.2
SEEDS = database.REPETITIONS + 1
DRAWINGS, AWARE_DRAWINGS = 20, 3
LOSSES = ("brier", "cross_entropy")
TIES = "accuracy, tie-aware"
Scores = dict[str, np.ndarray]  # by metric: [model, size, repetition]


def run(
    data: str, X: np.ndarray, y: np.ndarray, test: str, order: tuple[int, ...], work: Path, workers: int | None
) -> tuple[Scores, list[int]]:
    """Scores of all models on the held-out rows or on the pool, with the classes of the test rows in another order."""
    classes, codes = np.unique(y, return_inverse=True)
    pool, held_out = split(data, len(y))
    tested = pool if test == "pool" else held_out
    place, rows = places(data, len(pool), len(tested)), np.empty(len(pool) + len(tested), dtype=np.intp)
    rows[place], rows[~place] = tested, pool
    labels = codes[rows]
    labels[place] = np.array(order)[labels[place]]
    sizes = database.Unit(data, every=False).sizes(len(y))
    plain = order == tuple(range(len(classes)))
    found = curves.learning_curves(
        list(curves.MODELS), X[rows], classes[labels], sizes=sizes, test_size=len(tested), n_repetitions=SEEDS,
        metrics=None if plain else list(LOSSES), name=data, seed=database.SEED, workers=workers, max_cost=np.inf,
        store=work / f"{data}-{test.replace(' ', '-')}-{''.join(map(str, order))}", progress=True,
    )  # fmt: skip
    return {metric: np.stack([found.scores(m, metric) for m in found.models]) for metric in found.metrics}, sizes


def split(data: str, n_rows: int) -> tuple[np.ndarray, np.ndarray]:
    """The pool and the fixed test set that `learning_curves` makes of so many rows."""
    place = places(data, n_rows - math.ceil(TEST_SHARE * n_rows), math.ceil(TEST_SHARE * n_rows))
    return np.flatnonzero(~place), np.flatnonzero(place)


def places(data: str, n_pool: int, n_test: int) -> np.ndarray:
    """Which rows of a table `learning_curves` sets aside: rows put there are tested, whatever they are."""
    order = stream(database.SEED, "design:fixed test", data).permutation(n_pool + n_test)
    place = np.zeros(n_pool + n_test, dtype=bool)
    place[order[:n_test]] = True
    return place


def appearances(counts: np.ndarray) -> Iterator[tuple[tuple[int, ...], float]]:
    """Each order of classes with its probability: class c is called order[c], the place of its first appearance."""
    for classes in permutations(range(len(counts))):
        probability, left = 1.0, float(counts.sum())
        for c in classes:
            probability *= counts[c] / left
            left -= counts[c]
        yield tuple(classes.index(c) for c in range(len(counts))), probability


def share(scores: np.ndarray, weights: np.ndarray, step: float | None = None) -> float:
    """Percentage of sizes at which scores are not normal, averaged over models; constants count as normal."""
    shares = []
    for curve in scores:
        ready = curve if step is None else np.round(curve / step) * step
        found = statistics.normality(ready, test="shapiro", lattice=step, seed=database.SEED, **BOUNDED[step is None])
        shares.append(np.average(found.rejected(database.LEVEL), weights=weights))
    return 100.0 * float(np.mean(shares))


BOUNDED = {True: {}, False: {"bounds": (0.0, 1.0), "n_resamples": 999}}


def explained(data: str, folder: Path | None, work: Path, workers: int | None) -> pd.DataFrame:
    """Shares of one data set, clean and with each defect."""
    X, y = database.load(data, folder)
    codes = np.unique(y, return_inverse=True)[1]
    pool, held_out = split(data, len(y))
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}  # by defects and metric: shares and their weights

    def note(defects: str, metric: str, value: float, weight: float = 1.0) -> None:
        found.setdefault((defects, metric), []).append((value, weight))

    rng = np.random.default_rng(database.SEED)
    drawings = [rng.integers(0, SEEDS, size=database.REPETITIONS) for _ in range(DRAWINGS)]
    first = np.arange(database.REPETITIONS)
    for test, rows, letters in (("held out", held_out, ""), ("pool", pool, "A")):
        mixed: list[tuple[Scores, float]] = []
        for order, probability in appearances(np.bincount(codes[rows])):
            scores, sizes = run(data, X, y, test, order, work, workers)
            weights = database.weights(np.array(sizes))
            plain = order == tuple(sorted(order))
            mixed.append((scores, probability))
            for metric, values in scores.items():
                if plain:
                    note(letters, metric, share(values[..., first], weights))
                    for drawn in drawings:
                        note(letters + "B", metric, share(values[..., drawn], weights))
                        if metric not in LOSSES:  # their values know no order of classes
                            note(letters + "BC", metric, share(values[..., drawn], weights))
                    if metric not in LOSSES:
                        note(letters + "C", metric, share(values[..., first], weights))
                if metric in LOSSES:
                    note(letters + "C", metric, share(values[..., first], weights), probability)
                    for drawn in drawings:
                        note(letters + "BC", metric, share(values[..., drawn], weights), probability)
            if plain:
                note(letters, TIES, share(scores["accuracy"][..., first], weights, 1.0 / len(rows)))
                for drawn in drawings[:AWARE_DRAWINGS]:
                    note(letters + "B", TIES, share(scores["accuracy"][..., drawn], weights, 1.0 / len(rows)))
        chosen = rng.choice(len(mixed), size=SEEDS, p=[p for _, p in mixed])
        for metric in LOSSES:
            anew = np.choose(chosen, [scores[metric] for scores, _ in mixed])
            note(letters + "C, a new order each time", metric, share(anew[..., first], weights))
    table = pd.DataFrame(
        [
            {"data": data, "defects": defects or "none", "metric": metric,
             "share": float(np.average([v for v, _ in values], weights=[w for _, w in values])),
             "sd": spread(values)}
            for (defects, metric), values in found.items()
        ]
    )  # fmt: skip
    clean = table[table["defects"] == "none"].set_index("metric")["share"]
    table["points"] = table["share"] - table["metric"].map(clean)
    return table


def spread(values: list[tuple[float, float]]) -> float:
    """Standard deviation of the shares, by luck of seeds and orders."""
    shares, weights = (np.array(column) for column in zip(*values, strict=True))
    return float(np.sqrt(np.average((shares - np.average(shares, weights=weights)) ** 2, weights=weights)))


def of_normal_numbers(drawings: int = 4000) -> pd.DataFrame:
    """How often Shapiro and Wilk's test rejects 1000 normal numbers, with and without defect B."""
    rng = np.random.default_rng(database.SEED)
    numbers = rng.normal(size=(drawings, SEEDS))
    again = np.take_along_axis(numbers, rng.integers(0, SEEDS, size=(drawings, database.REPETITIONS)), axis=1)
    rows = []
    for defects, sample in (("none", numbers[:, : database.REPETITIONS]), ("B", again)):
        rejected = statistics.normality(sample, test="shapiro").rejected(database.LEVEL).mean()
        rows.append(
            {"data": "normal numbers", "defects": defects, "metric": "any", "share": 100.0 * float(rejected), "sd": 0.0}
        )
    table = pd.DataFrame(rows)
    table["points"] = table["share"] - table["share"].iloc[0]
    return table


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("results/turan2026"))
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    if arguments.data is not None:
        os.environ["OGIVE_CACHE"] = str((arguments.work / "cache").resolve())
    parts = [of_normal_numbers()]
    parts += [explained(data, arguments.data, arguments.work / "defects", arguments.workers) for data in DATA]
    database.RESULTS.mkdir(exist_ok=True)
    pd.concat(parts, ignore_index=True).round(3).to_csv(TARGET, index=False)
    print(pd.concat(parts, ignore_index=True).round(1).to_string(index=False))
