"""LearningCurves: scores of models at sizes over repetitions, and the questions that can be put to them."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ogive.curves._designs import DESIGNS, TESTS
from ogive.curves._leaders import FEWEST, Crossings, Disagreements, Leaders, crossings, disagreements, leaders
from ogive.curves._shape import NormalityCurves, Slice, densities, normality_along
from ogive.curves._statistics import (
    RequiredSize,
    StatisticCurves,
    level_of,
    required_size,
    statistic_curve,
    statistic_of,
    told,
)
from ogive.curves._stored import StoredChoices, StoredScores
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import Note, NoteKind
from ogive.statistics import Statistic
from ogive.tables import Table, Tabular
from ogive.trials import FloatArray, Trials, compact
from ogive.words import plural, printable

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LearningCurves(Tabular):
    """A distribution of scores for every model, metric and training-set size.

    Attributes
    ----------
    values : array [model, metric, size, repetition]
        NaN where there is no score. Of a store with more than 64 MB of scores they are read when asked for,
        one model and metric at a time (`scores`); numpy.asarray(values) reads all.
    models : tuple of str
    definitions : mapping
        Metric name to `Metric`, in order; the first is the default of every question.
    sizes : array
        Training-set sizes, increasing.
    design, test : str
        How rows were drawn.
    n_rows, n_test : int
        Of the data set, and of the fixed test set (0 where it varies).
    name, kind, seed
        Of the data; what is predicted; the root of the streams.
    notes : tuple of Note
        Fits that failed, and whatever else a reader should know.
    chosen : array [model, size, repetition], optional
        The value of the hyper-parameter that was tuned at each size; NaN where none was.
    """

    values: FloatArray | StoredScores
    models: tuple[str, ...]
    definitions: Mapping[str, Metric]
    sizes: NDArray[np.int64]
    design: str
    test: str
    n_rows: int
    n_test: int
    name: str = "data"
    kind: str = "classification"
    seed: int = 0
    notes: tuple[Note, ...] = ()
    chosen: FloatArray | StoredChoices | None = None

    def __post_init__(self) -> None:
        for array in (self.values, self.sizes, self.chosen):
            if isinstance(array, np.ndarray):
                array.flags.writeable = False

    def __repr__(self) -> str:
        shape = self.values.shape
        return (
            f"LearningCurves({shape[0]} models x {shape[1]} metrics x {shape[2]} sizes x {shape[3]} repetitions, "
            f"{self.design}, {self.test} test set, on these {self.n_rows} rows)"
        )

    def as_tables(self) -> tuple[Table, ...]:
        """The mean of every model at some sizes, for the first metric."""
        return self.mean().as_tables()

    def _repr_html_(self) -> str:
        return f"<code>{html.escape(repr(self))}</code>"

    def __str__(self) -> str:
        name = self.metric_name(None)
        share = self.definitions[name].level(0.05)
        parts = [self.headline, str(self.mean(name)), str(self.quantile(share, name))]
        if len(self.models) > 1 and self.n_repetitions >= FEWEST:
            parts.append(str(self.leaders(name)))
        if self.notes:
            parts.append("\n".join(f"note: {printable(note)}" for note in self.notes))
        return "\n\n".join(parts)

    @property
    def headline(self) -> str:
        """How the curves were made."""
        tested = f"{self.n_test} test rows set aside once" if self.test == "fixed" else f"test set: {TESTS['varying']}"
        return (
            f"{plural(len(self.models), 'model')} on {printable(self.name)} ({self.n_rows} rows), "
            f"{plural(self.n_repetitions, 'repetition')} at {plural(self.sizes.size, 'size')} from {int(np.min(self.sizes))} to {int(np.max(self.sizes))}; {self.design}: "
            f"{DESIGNS[self.design]}; {tested}."
        )

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names; the first is the default."""
        return tuple(self.definitions)

    @property
    def n_repetitions(self) -> int:
        """Repetitions of each curve."""
        return int(self.values.shape[3])

    @property
    def scope(self) -> str:
        """What the answers are about."""
        drawn = "random training sets, one test set" if self.test == "fixed" else "random splits"
        return f"on these {self.n_rows} rows, over {drawn}"

    def scores(self, model: str | None = None, metric: str | None = None) -> FloatArray:
        """Scores [size, repetition] of one model; NaN where there is none."""
        found: FloatArray = self.values[self.place(model), self.metrics.index(self.metric_name(metric))]
        return found

    def chosen_values(self, model: str | None = None) -> FloatArray:
        """Values [size, repetition] of the hyper-parameter of a tuned model; NaN where none was chosen.

        Of logistic regression the penalty, one over C; of the others the parameter itself.
        """
        place = self.place(model)
        found: FloatArray | None = None if self.chosen is None else self.chosen[place]
        if found is None or np.isnan(found).all():
            raise InputError(f"{self.models[place]!r} was not tuned; ask for it by learning_curves(…, tuned=20).")
        return found

    def of_metric(self, metric: str | None = None) -> LearningCurves:
        """The same curves with one metric alone."""
        name = self.metric_name(metric)
        place = self.metrics.index(name)
        values = self.values[:, [place]] if isinstance(self.values, np.ndarray) else self.values.of_metric(place)
        return replace(self, values=values, definitions={name: self.definitions[name]})

    def place(self, model: str | None) -> int:
        """The position of a model; None where there is one."""
        if model is None and len(self.models) == 1:
            return 0
        if model not in self.models:
            said = "must be named" if model is None else f"{model!r} is not among these curves"
            raise InputError(f"`model` {said}; there are {', '.join(map(repr, self.models))}.")
        return self.models.index(model)

    def metric_name(self, metric: str | None) -> str:
        """The metric of that name; the first where None."""
        if metric is None:
            return self.metrics[0]
        if metric not in self.definitions:
            raise InputError(
                f"`metric` {metric!r} is not among these curves; there are {', '.join(map(repr, self.metrics))}."
            )
        return metric

    def size_place(self, size: int) -> int:
        """The position of a size of the grid."""
        found = np.flatnonzero(self.sizes == size)
        if not found.size:
            near = int(self.sizes[np.argmin(np.abs(self.sizes - size))])
            raise InputError(
                f"`size` must be on the grid, since nothing is known between; got {size}, the nearest is {near}."
            )
        return int(found[0])

    def step(self, metric: str) -> tuple[float | None, ...]:
        """The step of the lattice that a metric lives on at each size: 1 / (test rows) for accuracy, else None."""
        if metric != "accuracy":
            return (None,) * len(self.sizes)
        if self.test == "fixed":
            return (1.0 / self.n_test,) * len(self.sizes)
        if self.design == "bootstrap":
            return (None,) * len(self.sizes)
        return tuple(1.0 / (self.n_rows - int(size)) for size in self.sizes)

    def statistic(
        self, statistic: Any, metric: str | None = None, *, confidence: float = 0.95, simultaneous: bool = False
    ) -> StatisticCurves:
        """A statistic ("mean", "median", "q0.05" or p) of every model at every size, with intervals.

        Notes
        -----
        Quantiles are bounded by order statistics: conservative for every distribution. Means have
        Student's interval: approximate; at sizes where all scores are equal, the exact band's within the
        metric's bounds: conservative. With `simultaneous` each of S sizes gets the error d/S, which
        is valid although the sizes of a repetition depend on each other. Repetitions are independent
        given the rows (and the fixed test set), so the intervals are about these.
        """
        chosen, name = statistic_of(statistic), self.metric_name(metric)
        level = level_of(confidence, len(self.sizes), simultaneous)
        return StatisticCurves(
            curves=tuple(
                statistic_curve(m, self.sizes, self.scores(m, name), chosen, level, self.definitions[name].bounds)
                for m in self.models
            ),
            metric=name, statistic=chosen.name, label=told(chosen, self.definitions[name]), confidence=confidence,
            simultaneous=simultaneous, method="Student's t" if chosen.p is None else "order statistics",
            guarantee="approximate" if chosen.p is None else "conservative", n=self.n_repetitions, scope=self.scope,
        )  # fmt: skip

    def mean(
        self, metric: str | None = None, *, confidence: float = 0.95, simultaneous: bool = False
    ) -> StatisticCurves:
        """The mean of every model at every size; see `statistic`."""
        return self.statistic("mean", metric, confidence=confidence, simultaneous=simultaneous)

    def quantile(
        self, p: float, metric: str | None = None, *, confidence: float = 0.95, simultaneous: bool = False
    ) -> StatisticCurves:
        """The p-quantile of every model at every size; see `statistic`."""
        return self.statistic(Statistic.quantile(p), metric, confidence=confidence, simultaneous=simultaneous)

    def crossings(
        self, a: str, b: str, statistic: Any = "mean", metric: str | None = None, *, confidence: float = 0.95, seed: int = 0
    ) -> Crossings:  # fmt: skip
        """At which sizes `a` is certainly better than `b`, worse, or neither; see `Crossings`."""
        return crossings(self, a, b, statistic, metric, confidence=confidence, seed=seed)

    def leaders(
        self, metric: str | None = None, *, share: float = 0.05, confidence: float = 0.95, seed: int = 0
    ) -> Leaders:
        """Which model leads at which size by the mean, by its bad runs and by its good ones, together; see `Leaders`."""
        return leaders(self, metric, share=share, confidence=confidence, seed=seed)

    def disagreements(self, metric: str | None = None, *, top: int = 3, share: float = 0.025) -> Disagreements:
        """Where rankings by the mean and by quantiles differ; see `Disagreements`."""
        return disagreements(self, metric, top=top, share=share)

    def required_size(
        self, model: str | None = None, metric: str | None = None, *, target: float, quantile: float | None = None, confidence: float = 0.95
    ) -> RequiredSize:  # fmt: skip
        """The size from which on a quantile reaches a target; see `RequiredSize`."""
        return required_size(self, model, metric, target=target, quantile=quantile, confidence=confidence)

    def normality(
        self, metric: str | None = None, *, test: str = "shapiro", pair: tuple[str, str] | None = None, lattice: bool = True, seed: int = 0
    ) -> NormalityCurves:  # fmt: skip
        """Whether scores (or paired differences) are normal at each size; see `NormalityCurves`."""
        return normality_along(self, metric, test=test, pair=pair, lattice=lattice, seed=seed)

    def densities(
        self, sizes: Sequence[int] | None = None, model: str | None = None, metric: str | None = None, *, seed: int = 0
    ) -> tuple[Slice, ...]:
        """The distribution at chosen sizes, with a test for several modes; see `Slice`."""
        return densities(self, sizes, model, metric, seed=seed)

    def differences(self, a: str, b: str, metric: str | None = None) -> FloatArray:
        """Scores of `a` minus those of `b` in the same repetition, [size, repetition]."""
        return self.scores(a, metric) - self.scores(b, metric)

    def with_failures(self, rule: str | float) -> LearningCurves:
        """The same curves with missing scores counted: "worst" puts the metric's worst bound, a number itself."""
        values = np.array(self.values)
        for i, (name, metric) in enumerate(self.definitions.items()):
            worst = metric.worst if rule == "worst" else rule
            if not isinstance(worst, (int, float)) or not math.isfinite(worst):
                raise InputError(
                    f"`rule` must be a number, or 'worst' for a bounded metric; got {rule!r} for {name!r}."
                )
            values[:, i] = np.where(np.isnan(values[:, i]), worst, values[:, i])
        return replace(self, values=values, notes=(*self.notes, Note(NoteKind.MISSING_COUNT_AS, values={"rule": rule})))

    def to_trials(self) -> Trials:
        """A table of trials: a method for each model, a task for each size, a trial for each repetition."""
        values = np.asarray(self.values)
        models, _, sizes, repetitions = values.shape
        n = models * sizes * repetitions
        model, size, trial = np.indices((models, sizes, repetitions)).reshape(3, -1)
        tasks = [f"{self.name}, n = {s}" for s in self.sizes]
        columns = {
            "algorithm": pa.array(np.array(self.models, dtype=object)[model], pa.string()),
            "task": pa.array(np.array(tasks, dtype=object)[size], pa.string()),
            "trial": pa.array(trial, pa.int64()),
            **{name: pa.nulls(n, pa.string()) for name in ("item", "group")},
            "status": pa.array(["ok"] * n, pa.string()).dictionary_encode(),
            **{name: pa.nulls(n, pa.string()) for name in ("message", "params")},
            **{name: pa.array(values[:, i].reshape(-1)) for i, name in enumerate(self.metrics)},
            **{name: pa.nulls(n, pa.float64()) for name in ("wall_s", "cpu_s")},
        }
        return Trials(
            table=compact(pa.table(columns)), definitions=dict(self.definitions), unit="repetition", varied=("training set",),
            pair="trial" if models > 1 else None, scope=f"these {self.n_rows} rows", source=self.name,
            notes=(Note(NoteKind.SIZES_AS_TASKS), *self.notes),
        )  # fmt: skip

    def to_pandas(self) -> pd.DataFrame:
        """Columns model, size, repetition and the metrics; where models were tuned also the value chosen."""
        import pandas as pd

        values = np.asarray(self.values)
        models, _, sizes, repetitions = values.shape
        model, size, repetition = np.indices((models, sizes, repetitions)).reshape(3, -1)
        return pd.DataFrame(
            {
                "model": np.array(self.models, dtype=object)[model],
                "size": self.sizes[size],
                "repetition": repetition,
                **{name: values[:, i].reshape(-1) for i, name in enumerate(self.metrics)},
                **({} if self.chosen is None else {"chosen": np.asarray(self.chosen).reshape(-1)}),
            }
        )

    def write(self, path: str | Path) -> None:
        """Write a Parquet file that `ogive.curves.read` gives back whole."""
        from ogive.curves._gather import write_file

        write_file(self, path)
