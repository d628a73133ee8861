"""Scores that the figures show one by one, which the summaries of the database do not hold: Figures 1a, 1b and 2.

    python studies/turan2026/slices.py --data DIR              what is not there yet
    python studies/turan2026/slices.py 1a --data DIR           one of them, again

Writes `results/figure-<name>….parquet`. Repetition r draws the same rows as in the database, whichever sizes are asked
for, so these are the scores behind its summaries, at few sizes. The paper's Figure 1b names OpenML-1046; its database
and its other figures use OpenML-1063, which is taken here.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import database
import numpy as np
import pandas as pd
from sklearn.neural_network import MLPClassifier

from ogive import curves

SIZE = 100  # of the training sets in Figures 2a, 2c and 2d
SIZES_1A = [10, 14, 20, 28, 40, 56, 80, 100, 113, 140, 160, 200, 226, 320, 453, 640, 905, 1280, 1477]
SIZES_2B = [1, 2, 4, 8, 16, 32, 64, 100, 180, 365]
RATES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]
FOLDS, REPEATS = 20, 50


@dataclass(frozen=True, slots=True)
class Place:
    """Where data sets come from and repetitions are kept."""

    data: Path | None
    work: Path
    workers: int | None


def curve(place: Place, file: str, models: Any, data: str, sizes: list[int], **more: Any) -> None:
    """Run learning curves of accuracy and keep them whole."""
    X, y = database.load(data, place.data)
    found = curves.learning_curves(
        models, X, y, sizes=sizes, n_repetitions=database.REPETITIONS, metrics="accuracy", name=data, seed=database.SEED,
        store=place.work / f"figure-{file}", workers=place.workers, max_cost=np.inf, progress=True, **more,
    )  # fmt: skip
    database.RESULTS.mkdir(exist_ok=True)
    found.write(database.RESULTS / f"figure-{file}.parquet")


def figure_1a(place: Place) -> None:
    """Quadratic discriminant against logistic regression on OpenML-46597."""
    curve(place, "1a", ["qda", "logistic"], "obesity", SIZES_1A)


def figure_1b(place: Place) -> None:
    """Folds of a network of five layers of 16 neurons, by learning rate."""
    X, y = database.load("kc2", place.data)
    # Few epochs on raw features, as the paper's spread of results suggests; scikit-learn's solver and weights.
    network = MLPClassifier(hidden_layer_sizes=(16,) * 5, solver="adam", max_iter=10)
    cv = curves.repeated_cv(
        network, X, y, {"learning_rate_init": RATES}, k=FOLDS, n_repeats=REPEATS, metrics="accuracy", name="kc2",
        seed=database.SEED, store=place.work / "figure-1b", workers=place.workers, max_cost=np.inf, progress=True,
    )  # fmt: skip
    parts = []
    for setting in cv.settings:
        repeat, fold = np.indices(cv.scores(setting).shape).reshape(2, -1)
        scores = cv.scores(setting).reshape(-1)
        parts.append(pd.DataFrame({"setting": setting, "repeat": repeat, "fold": fold, "accuracy": scores}))
    pd.concat(parts, ignore_index=True).to_parquet(
        database.RESULTS / "figure-1b.parquet", compression="zstd", index=False
    )


def figure_2a(place: Place) -> None:
    """AdaBoost by how training and test sets are drawn."""
    for design, test in database.DESIGNS:
        curve(place, f"2a-{design}-{test}", "adaboost", "kc2", [SIZE], design=design, test=test)


def figure_2b(place: Place) -> None:
    """The quadratic discriminant by training-set size."""
    curve(place, "2b", "qda", "kc2", SIZES_2B)


def figure_2c(place: Place) -> None:
    """All models at one size."""
    curve(place, "2c", list(curves.MODELS), "kc2", [SIZE])


def figure_2d(place: Place) -> None:
    """The quadratic discriminant with its hyper-parameter tuned; without, it is in Figure 2c."""
    curve(place, "2d", "qda", "kc2", [SIZE], tuned=database.VALUES)


FIGURES: dict[str, Callable[[Place], None]] = {
    "1a": figure_1a, "1b": figure_1b, "2a": figure_2a, "2b": figure_2b, "2c": figure_2c, "2d": figure_2d,
}  # fmt: skip

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figures", nargs="*", choices=[[], *FIGURES])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--work", type=Path, default=Path("results/turan2026"))
    parser.add_argument("--workers", type=int)
    arguments = parser.parse_args()
    if arguments.data is not None:
        os.environ["OGIVE_CACHE"] = str((arguments.work / "cache").resolve())
    for name, make in FIGURES.items():
        if name in arguments.figures or not (
            arguments.figures or list(database.RESULTS.glob(f"figure-{name}*.parquet"))
        ):
            print(f"figure {name}", flush=True)
            make(Place(arguments.data, arguments.work, arguments.workers))
