"""Whole learning curves by kernels, against scikit-learn fitted at each size; compiling; growth with the rows.

    python benchmarks/curve_kernels.py [DATA]          about two minutes

DATA is a folder with openml_61_iris.csv and openml_37_diabetes.csv, the class in the last column; where left out,
shared/data beside the repository.
One thread on both sides, the same rows, the same four metrics.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from _measure import Claim, circumstances, cpu_seconds, in_turns, number, report
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.metrics import accuracy_score, brier_score_loss, log_loss, roc_auc_score
from sklearn.neighbors import NearestCentroid
from threadpoolctl import threadpool_limits

from ogive.curves import MODELS
from ogive.curves._data import CurveData
from ogive.curves._designs import Design, Repetition, as_sizes
from ogive.curves._fitting import CurveFit
from ogive.curves._metrics import CLASSIFICATION, Answer
from ogive.curves._whole import Known, Shelf, WholeCurve, recognized
from ogive.seeding import stream

ROUNDS = 3
FILES = {"iris": ("openml_61_iris.csv", 4), "diabetes": ("openml_37_diabetes.csv", 32)}
THEIRS: dict[str, Callable[[], Any]] = {
    **MODELS,
    "nmc": NearestCentroid,
    "lda": lambda: LinearDiscriminantAnalysis(solver="lsqr"),
    "qda": QuadraticDiscriminantAnalysis,
}
WANTED = {
    "nmc": (2000, 500), "knn": (1000, 500), "lda": (500, 150), "qda": (300, 80), "logistic": (100, 80),
    "linear_svm": (200, 40), "rbf_svm": (100, 20), "tree": (100, 15), "forest": (80, 10), "adaboost": (300, 60),
}  # fmt: skip
TOGETHER = (300, 80)
GROWTH_ROWS = (250, 500, 1000)
# Every size of a curve times the rows that are tested is a square; what a size costs beside that is learned from n rows.
GROWTH_MOST = {"rbf_svm": 3.5}

NOTES = """\
CPU seconds, best of three in turns, another repetition in each round; additive design, fixed test set
of a fifth, every size from the number of classes to 0.7 of the rows. Our side is one call of the
kernel; what is computed of the data once (codes of columns, neighbors, kernel matrix) and compiling are
not counted. The opponent is a fit and one prediction at every 4th (iris) or 32nd (diabetes) size, times
the number of sizes: `NearestCentroid`, `LinearDiscriminantAnalysis(solver="lsqr")`,
`QuadraticDiscriminantAnalysis`, and otherwise the estimator that the name stands for, which wraps
scikit-learn's; its scores by `accuracy_score`, `roc_auc_score`, `brier_score_loss` and `log_loss`. With
metrics in NumPy: the same fits, scored as by `fit="each"`. Ten together is the sum of all ten on either
side. Compiling: a new process with an empty cache, imports included. Growth: the slope of log seconds over log rows, normal data of 8 columns and 3 classes."""


def load(folder: Path, name: str) -> CurveData:
    table = pd.read_csv(folder / FILES[name][0])
    y = np.unique(table.iloc[:, -1], return_inverse=True)[1]
    return CurveData(table.iloc[:, :-1].to_numpy(np.float64), y, "classification", name, np.arange(y.max() + 1))


def synthetic(n_rows: int) -> CurveData:
    rng = np.random.default_rng(n_rows)
    y = rng.integers(3, size=n_rows)
    return CurveData(rng.normal(size=(n_rows, 8)) + 0.5 * y[:, None], y, "classification", "made", np.arange(3))


def repetitions(data: CurveData, rounds: int = ROUNDS) -> Iterator[Repetition]:
    design = Design.of("additive", "fixed", data.n_rows, 0.2, 0, data.name)
    sizes = as_sizes(None, design, data.n_classes, every=True)
    for number_ in range(rounds):
        yield design.repetition(stream(0, design.purpose, data.name, trial=number_), sizes)


def whole_curve(model: str, data: CurveData) -> Callable[[Repetition], object]:
    """The kernel's way, everything that is done once already done."""
    first = next(repetitions(data))
    fit = CurveFit(MODELS[model](), tuple(CLASSIFICATION), "zero", "")
    (known,) = recognized({model: MODELS[model]()}, data, first.design, "kernel").values()
    function = WholeCurve(fit, known, Shelf())
    key = np.array([1, 2], dtype=np.uint64)
    function.curve(data, Repetition(first.design, first.key, first.sizes[:3]), key)
    return lambda repetition: function.curve(data, repetition, key)


def each_size(model: str, data: CurveData, step: int, scores: Callable[..., object]) -> Callable[[Repetition], object]:
    """A fit of scikit-learn at every `step`-th size, and scores of one prediction."""
    fit = CurveFit(THEIRS[model](), tuple(CLASSIFICATION), "zero", "")
    labels, rng = data.labels, np.random.default_rng(0)

    def run(repetition: Repetition) -> None:
        some = Repetition(repetition.design, repetition.key, repetition.sizes[step // 2 :: step])
        for _, train, test in some.splits():
            if np.unique(data.y[train]).size > 1:
                try:
                    scores(fit.fitted({}, data.X[train], data.y[train], rng), data.X[test], data.y[test], labels)
                except ValueError:  # too few rows for a covariance
                    continue

    return run


def their_scores(model: Any, X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> tuple[float, ...]:
    """By the functions of scikit-learn."""
    shares = np.zeros((len(y), len(labels)))
    shares[:, model.classes_] = model.predict_proba(X)
    if len(labels) == 2:
        area = roc_auc_score(y, shares[:, 1])
    else:
        area = float(np.mean([roc_auc_score(y == k, shares[:, k]) for k in labels]))
    brier = brier_score_loss(y, shares, labels=labels)
    return accuracy_score(y, model.predict(X)), area, brier, log_loss(y, shares, labels=labels)


def our_scores(model: Any, X: np.ndarray, y: np.ndarray, labels: np.ndarray) -> object:
    """In NumPy, as where Ogive fits anew at each size."""
    return Answer.of(model, X, labels, tuple(CLASSIFICATION)).scores(y, tuple(CLASSIFICATION))


def against_scikit_learn(folder: Path) -> list[Claim]:
    claims = []
    for place, name in enumerate(FILES):
        data, step = load(folder, name), FILES[name][1]
        n_sizes = len(next(repetitions(data)).sizes)
        times = n_sizes / len(range(step // 2, n_sizes, step))
        total = np.zeros(3)
        for model, wanted in WANTED.items():
            others = [each_size(model, data, step, scores) for scores in (their_scores, our_scores)]
            seconds = np.array(in_turns(repetitions(data), whole_curve(model, data), *others)) * [1.0, times, times]
            total += seconds
            claims.append(faster(f"{model}, {name}, {n_sizes} sizes", seconds, wanted[place]))
        claims.append(faster(f"ten together, {name}", total, TOGETHER[place]))
    return claims


def faster(what: str, seconds: np.ndarray, limit: float) -> Claim:
    ours, theirs, fits = map(float, seconds)
    detail = (
        f"{number(ours * 1e3)} ms against {number(theirs)} s a curve; {number(fits / ours)} × with metrics in NumPy"
    )
    text = f"{what}: times faster than scikit-learn"
    return Claim(text=text, measured=theirs / ours, limit=limit, unit="×", at_least=True, detail=detail)


def compiling() -> list[Claim]:
    claims = []
    for what, models, limit in (("the four cheapest", list(MODELS)[:4], 20.0), ("all ten", list(MODELS), 60.0)):
        with tempfile.TemporaryDirectory() as cache:
            start = cpu_seconds()
            command = [sys.executable, __file__, "--warm-up", *models]
            subprocess.run(command, check=True, env={**os.environ, "OGIVE_CACHE": cache})
            took = cpu_seconds() - start
        claims.append(Claim(text=f"compiling {what} from an empty cache", measured=took, limit=limit))
    return claims


def growth() -> list[Claim]:
    claims = []
    for model in MODELS:
        seconds = []
        for n_rows in GROWTH_ROWS:
            data = synthetic(n_rows)
            seconds.append(in_turns(repetitions(data, 2), whole_curve(model, data))[0])
        power = float(np.polyfit(np.log(GROWTH_ROWS), np.log(seconds), 1)[0])
        detail = ", ".join(f"{number(s * 1e3)} ms" for s in seconds)
        rows = ", ".join(f"{n:,}" for n in GROWTH_ROWS)
        claims.append(
            Claim(text=f"{model}, a curve of {rows} rows grows as the power", measured=power,
                  limit=GROWTH_MOST.get(model, 3.0), unit="", detail=detail)
        )  # fmt: skip
    return claims


def warm_up(models: list[str]) -> None:
    data = synthetic(30)
    design = next(repetitions(data)).design
    known: dict[str, Known] = recognized({m: MODELS[m]() for m in models}, data, design, "kernel")
    for model in models:
        WholeCurve(CurveFit(MODELS[model](), tuple(CLASSIFICATION), "zero", ""), known[model], Shelf()).warm_up()


def main() -> int:
    if sys.argv[1:2] == ["--warm-up"]:
        warm_up(sys.argv[2:])
        return 0
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "shared" / "data"
    if not all((folder / file).is_file() for file, _ in FILES.values()):
        print(f"give a folder that holds {' and '.join(file for file, _ in FILES.values())}", file=sys.stderr)
        return 2
    header = circumstances("numpy", "scikit-learn", "numba")
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        claims = [*against_scikit_learn(folder), *compiling(), *growth()]
    return report("Whole curves (`benchmarks/curve_kernels.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
