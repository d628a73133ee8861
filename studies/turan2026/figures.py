"""The pictures of Turan, Loog and Tax (2026) on the same data sets: Figures 1a, 1b, 2b and 3.

    python studies/turan2026/figures.py 1a --data DIR --out results/turan2026
    python studies/turan2026/figures.py 1b --data DIR --repetitions 20

DIR holds the data sets as CSV files with a column `target`: openml_46597_obesity_levels.csv and
openml_1063_kc2.csv. The paper's Figure 1b names OpenML-1046; its database and its other figures use
OpenML-1063, which is taken here. Finished repetitions are kept under --out, so that the same command
goes on where it stopped and a larger --repetitions adds to what is there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import pandas as pd
from sklearn.neural_network import MLPClassifier

from ogive import plots
from ogive.curves import learning_curves, repeated_cv

SEED = 2026
OBESITY, KC2 = "openml_46597_obesity_levels.csv", "openml_1063_kc2.csv"
SIZES = [10, 14, 20, 28, 40, 56, 80, 113, 160, 226, 320, 453, 640, 905, 1280]
RATES = [1e-5, 1e-4, 1e-3, 1e-2, 1e-1]


def load(folder: Path, file: str) -> tuple[pd.DataFrame, pd.Series]:
    """Features and target of a data set."""
    table = pd.read_csv(folder / file)
    return table.drop(columns="target"), table["target"]


def figure_1a(data: Path, out: Path, repetitions: int) -> None:
    """Quadratic discriminant against logistic regression: who leads, and by which statistic."""
    X, y = load(data, OBESITY)
    curves = learning_curves(
        ["qda", "logistic"], X, y, sizes=SIZES, n_repetitions=repetitions, metrics="accuracy", name="obesity", seed=SEED,
        store=out / "figure-1a", progress=True,
    )  # fmt: skip
    plots.learning_fan(curves).save(out / "figure-1a.png")
    leaders = curves.leaders()
    plots.leading(leaders).save(out / "figure-1a-leaders.png")
    plots.normality_strips(curves.normality()).save(out / "figure-3a.png")
    print(leaders)
    for statistic in ("mean", "q0.05", "q0.95"):
        print(curves.crossings("qda", "logistic", statistic))


def figure_1b(data: Path, out: Path, repetitions: int) -> None:
    """A network of five layers of 16 neurons by 20-fold cross-validation: one mode or two, by learning rate."""
    X, y = load(data, KC2)
    # Few epochs on raw features, as the paper's spread of results suggests; scikit-learn's solver and weights.
    network = MLPClassifier(hidden_layer_sizes=(16,) * 5, solver="adam", max_iter=10)
    cv = repeated_cv(
        network, X, y, {"learning_rate_init": RATES}, k=20, n_repeats=repetitions, metrics="accuracy", name="kc2", seed=SEED,
        store=out / "figure-1b", progress=True,
    )  # fmt: skip
    plots.cross_validation(cv).save(out / "figure-1b.png")
    print(cv)


def figure_2b(data: Path, out: Path, repetitions: int) -> None:
    """The quadratic discriminant at several training-set sizes, with its fan (Figure 3b)."""
    X, y = load(data, KC2)
    curves = learning_curves(
        "qda", X, y, sizes=[1, 2, 4, 8, 16, 32, 64, 100, 180, 365], n_repetitions=repetitions, metrics="accuracy", name="kc2",
        seed=SEED, store=out / "figure-2b", progress=True,
    )  # fmt: skip
    plots.slices(curves, curves.sizes.tolist()).save(out / "figure-2b.png")
    plots.learning_fan(curves).save(out / "figure-3b.png")
    print(curves)


FIGURES = {"1a": figure_1a, "1b": figure_1b, "2b": figure_2b}

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("figure", choices=sorted(FIGURES))
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("results/turan2026"))
    parser.add_argument("--repetitions", type=int, default=100)
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    FIGURES[arguments.figure](arguments.data, arguments.out, arguments.repetitions)
