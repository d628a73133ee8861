"""Learning curves as a study: one trial is one repetition of one model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ogive.algorithms import Algorithm
from ogive.curves._data import CurveData
from ogive.curves._fitting import CurveFit
from ogive.curves._metrics import definition
from ogive.curves._whole import WholeCurve
from ogive.metric import Metric
from ogive.study import Study
from ogive.tasks import Task

STUDY = "learning-curves"


class CurveDraw:
    """The draw of a task of learning curves: the data, and the rows of a repetition."""

    def __init__(self, data: CurveData, design: Any, numbers: Sequence[int]) -> None:
        self.data = data
        self.design = design
        self.numbers = tuple(numbers)

    @property
    def purpose(self) -> str:
        """What the stream of the rows is for."""
        return str(self.design.purpose)

    def __call__(self, rng: np.random.Generator) -> tuple[CurveData, Any]:
        return self.data, self.design.repetition(rng, self.numbers)

    def definition(self) -> dict[str, Any]:
        """Design, sizes and a digest of the arrays."""
        return {
            **self.design.definition(),
            "sizes": list(self.numbers),
            "kind": self.data.kind,
            "classes": list(self.data.names),
            "rows": self.data.n_rows,
            "features": int(self.data.X.shape[1]),
            "sha256": self.data.digest(),
        }

    def n_rows(self) -> int:
        """Rows of the data set."""
        return self.data.n_rows

    def kind(self) -> str:
        """What is predicted."""
        return self.data.kind


def curve_study(draw: CurveDraw, functions: Mapping[str, CurveFit | WholeCurve], seed: int) -> Study:
    """The study of several models on one data set."""
    task = Task(draw.data.name, draw, scope="these rows", n_rows=draw.data.n_rows, kind=draw.data.kind)
    algorithms = [
        Algorithm(name, function, metrics={metric: definition(metric) for metric in function.metrics})
        for name, function in functions.items()
    ]
    first = next(iter(functions.values()))
    # The score at the last size stands first: it is what progress and a summary of the store show.
    metrics: dict[str, Metric | str] = {f"{metric} {first.last}": definition(metric) for metric in first.metrics}
    metrics.update({metric: definition(metric) for metric in first.metrics})
    return Study(STUDY, algorithms, task, seed=seed, metrics=metrics)
