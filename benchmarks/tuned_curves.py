"""Curves of models that are tuned at every size, against the same curves untuned.

    python benchmarks/tuned_curves.py [DATA]          under a minute

DATA is a folder with openml_61_iris.csv and openml_53_heart_statlog.csv, the class in the last column; where left out,
shared/data beside the repository.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
from _measure import Claim, circumstances, in_turns, number, report
from curve_kernels import FILES, load, repetitions, whole_curve
from threadpoolctl import threadpool_limits

from ogive.curves import MODELS
from ogive.curves._data import CurveData
from ogive.curves._designs import Repetition
from ogive.curves._fitting import CurveFit
from ogive.curves._metrics import CLASSIFICATION
from ogive.curves._tuned import FEWEST, TunedCurve, TunedFit, as_tunings
from ogive.curves._whole import Shelf, recognized

FILES["heart"] = ("openml_53_heart_statlog.csv", 8)
DATA = ("iris", "heart")
VALUES = 20
MOST = 12.0
# Of one model alone; all numbers of neighbors stand against one, which is the cheapest curve of all.
MOST_ALONE = {"nmc": 1.5, "knn": 80.0, "adaboost": 3.0, "forest": 12.0}

NOTES = """\
CPU seconds, best of three in turns, another repetition in each round; additive design, fixed test set of a fifth, every
size from 10 to 0.7 of the rows on both sides. Tuned: 20 values of one hyper-parameter, chosen at each size by a
fifth of the training rows, then a fit to all of them and four metrics. What is computed of the data once and compiling
are not counted. The nearest mean has nothing to tune and counts once on either side."""


def tuned_curve(model: str, data: CurveData) -> Callable[[Repetition], object]:
    """The kernels' way, everything that is done once already done."""
    first, estimators = next(repetitions(data)), {model: MODELS[model]()}
    tunings = as_tunings(VALUES, estimators, len(data.labels))
    if not tunings:
        return whole_curve(model, data)
    (known,) = recognized(estimators, data, first.design, "kernel", tunings).values()
    metrics = tuple(CLASSIFICATION)
    slow: CurveFit = TunedFit(estimators[model], metrics, "zero", "", tunings[model])
    function, key = TunedCurve(slow, known, Shelf(), tunings[model]), np.array([1, 2], dtype=np.uint64)
    function.curve(data, replace(first, sizes=first.sizes[FEWEST : FEWEST + 2]), key)
    return lambda repetition: function.curve(data, repetition, key)


def factors(folder: Path, name: str) -> list[Claim]:
    data, claims, total = load(folder, name), [], np.zeros(2)
    for model in MODELS:
        inputs = (replace(r, sizes=tuple(n for n in r.sizes if n >= FEWEST)) for r in repetitions(data))
        seconds = np.array(in_turns(inputs, tuned_curve(model, data), whole_curve(model, data)))
        total += seconds
        claims.append(costs(f"{model}, {name}", seconds, MOST_ALONE.get(model, 25.0)))
    return [*claims, costs(f"ten together, {name}", total, MOST)]


def costs(what: str, seconds: np.ndarray, limit: float) -> Claim:
    tuned, untuned = map(float, seconds)
    detail = f"{number(tuned * 1e3)} ms against {number(untuned * 1e3)} ms a curve"
    text = f"{what}: tuned over {VALUES} values, times the cost of untuned"
    return Claim(text=text, measured=tuned / untuned, limit=limit, unit="×", detail=detail)


def main() -> int:
    folder = Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parents[2] / "shared" / "data"
    if not all((folder / FILES[name][0]).is_file() for name in DATA):
        print(f"give a folder that holds {' and '.join(FILES[name][0] for name in DATA)}", file=sys.stderr)
        return 2
    header = circumstances("numpy", "scikit-learn", "numba")
    with threadpool_limits(1):
        claims = [claim for name in DATA for claim in factors(folder, name)]
    return report("Tuned curves (`benchmarks/tuned_curves.py`)", header, NOTES, claims)


if __name__ == "__main__":
    sys.exit(main())
