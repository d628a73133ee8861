"""Repeated k-fold cross-validation over the values of hyper-parameters: every fold's score is kept."""

from __future__ import annotations

import contextlib
import itertools
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.curves._cost import Cost, as_max_cost
from ogive.curves._data import as_data, refuse_missing
from ogive.curves._designs import Rows
from ogive.curves._engine import HOUR, missing
from ogive.curves._fitting import CurveFit
from ogive.curves._gather import arrays, failure_notes, refuse_hopeless
from ogive.curves._metrics import as_metrics, definition
from ogive.curves._models import as_models
from ogive.curves._shape import Slice, slice_of, spread_within_steps
from ogive.curves._study import CurveDraw, curve_study
from ogive.errors import InputError
from ogive.metric import Metric
from ogive.notes import Note
from ogive.seeding import stream
from ogive.store import Store, place_for
from ogive.study import Study
from ogive.trials import FloatArray
from ogive.words import aligned, number, plural, printable


@dataclass(frozen=True, slots=True)
class Folds:
    """A random partition of n_rows rows into k folds of nearly equal size, each tested once."""

    n_rows: int
    k: int

    @property
    def purpose(self) -> str:
        """What the stream of a repeat is for."""
        return "design:cv"

    def repetition(self, rng: np.random.Generator, numbers: Sequence[int]) -> FoldSplits:
        """The folds of one repeat."""
        return FoldSplits(rng.permutation(self.n_rows), self.k)

    def definition(self) -> dict[str, Any]:
        """In JSON's own types."""
        return {"design": "cv", "test": "folds", "k": self.k, "n_test": 0}


@dataclass(frozen=True, slots=True, eq=False)
class FoldSplits:
    """One repeat: training and test rows, fold after fold."""

    order: NDArray[np.intp]
    k: int

    def splits(self) -> Iterator[tuple[int, Rows, Rows]]:
        """For each fold: its number, training rows and test rows."""
        folds = np.array_split(self.order, self.k)
        for i, test in enumerate(folds):
            yield i, np.concatenate([fold for j, fold in enumerate(folds) if j != i]), test


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class CrossValidation:
    """Scores of every fold of every repeat, for each setting of the hyper-parameters.

    Attributes
    ----------
    values : array [setting, metric, fold, repeat]
    settings : tuple of str
        Such as "alpha=0.1".

    Notes
    -----
    Repeats are independent given the rows; folds of a repeat share training rows. A dip test over all
    folds takes them for independent and is called heuristic for that.
    """

    values: FloatArray
    settings: tuple[str, ...]
    definitions: Mapping[str, Metric]
    k: int
    n_rows: int
    name: str
    seed: int
    notes: tuple[Note, ...] = ()

    def __repr__(self) -> str:
        shape = self.values.shape
        return (
            f"CrossValidation({shape[0]} settings, {shape[3]} repeats of {self.k} folds, on these {self.n_rows} rows)"
        )

    def __str__(self) -> str:
        metric = self.metrics[0]
        rows = [["setting", f"mean {metric}", "worst 5 % of folds", "best 5 %", "one mode?"]]
        worst, best = self.definitions[metric].worst_first(0.05, 0.95)
        for one in self.slices(metric):
            p = "–" if one.dip is None else f"p = {one.dip.p_value:.2g}"
            known = one.scores if one.scores.size else np.array([np.nan])
            ends = [number(float(np.quantile(known, q, method="inverted_cdf"))) for q in (worst, best)]
            rows.append([printable(one.model), number(float(known.mean())), *ends, p])
        tail = f"Single folds: {plural(self.values.shape[3], 'repeat')} of {self.k} folds, {self.scope}."
        return "\n".join([*aligned(rows), tail])

    @property
    def metrics(self) -> tuple[str, ...]:
        """Names; the first is the default."""
        return tuple(self.definitions)

    @property
    def scope(self) -> str:
        """What the scores are about."""
        return f"on these {self.n_rows} rows, over random folds"

    def scores(self, setting: str, metric: str | None = None) -> FloatArray:
        """Scores [repeat, fold]."""
        if setting not in self.settings:
            raise InputError(f"`setting` {setting!r} is not there; there are {', '.join(map(repr, self.settings))}.")
        name = self.metrics[0] if metric is None else metric
        if name not in self.definitions:
            raise InputError(f"`metric` {name!r} is not there; there are {', '.join(map(repr, self.metrics))}.")
        return np.asarray(self.values[self.settings.index(setting), self.metrics.index(name)].T)

    def means(self, setting: str, metric: str | None = None) -> FloatArray:
        """The mean over the folds of each repeat: what one cross-validation reports."""
        return np.asarray(self.scores(setting, metric).mean(axis=1))

    def slices(self, metric: str | None = None) -> tuple[Slice, ...]:
        """The distribution of fold scores of every setting, with a test for several modes."""
        name = self.metrics[0] if metric is None else metric
        # Folds differ by one row, so accuracies lie on two lattices; each is moved within the wider step.
        step = 1.0 / (self.n_rows // self.k) if name == "accuracy" else None
        found = []
        for setting in self.settings:
            scores = self.scores(setting, name).reshape(-1)
            scores = scores[~np.isnan(scores)]
            moved = scores if step is None else spread_within_steps(scores, step, self.seed)
            drawn = slice_of(setting, None, name, moved, None, self.definitions[name].bounds, self.seed)
            if scores.size < 2 or float(np.ptp(scores)) == 0.0:
                drawn = replace(drawn, grid=np.empty(0), density=np.empty(0), dip=None)
            elif drawn.dip is not None:
                drawn = replace(drawn, dip=replace(drawn.dip, guarantee="heuristic"))
            found.append(replace(drawn, scores=scores))
        return tuple(found)

    def share_below(self, threshold: float, setting: str, metric: str | None = None) -> float:
        """The share of folds that score below a threshold, among those that have a score."""
        scores = self.scores(setting, metric)
        known = scores[~np.isnan(scores)]
        return float(np.mean(known < threshold)) if known.size else math.nan


def repeated_cv(
    model: Any, X: Any, y: Any, parameters: Mapping[str, Sequence[Any]], *, k: int = 20, n_repeats: int = 100, metrics: Any = None,
    name: str = "data", seed: int = 0, store: str | Path | Store | None = None, workers: int | None = None, max_cost: float = HOUR,
    progress: bool | Callable[..., None] = False,
) -> CrossValidation:  # fmt: skip
    """k-fold cross-validation, repeated, for every combination of values of hyper-parameters.

    Parameters
    ----------
    model : str or estimator
        A name of `MODELS`, or any classifier, regressor or pipeline of scikit-learn.
    parameters : dict of name to values
        Parameters of the estimator (`mlpclassifier__alpha` within a pipeline).
    k, n_repeats : int
        Folds, and how often the rows are divided anew, without regard to classes (not stratified).
        Repeat r has the same folds for all settings.
    metrics, name, seed, store, workers, max_cost
        As in `learning_curves`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)); y = X[:, 0] + rng.normal(size=60) > 0
    >>> cv = repeated_cv("knn", X, y, {"n_neighbors": [1, 9]}, k=5, n_repeats=4, workers=0)
    >>> cv.settings, cv.scores("n_neighbors=9").shape
    (('n_neighbors=1', 'n_neighbors=9'), (4, 5))
    """
    settings = _settings(model, parameters)
    data = as_data(X, y, name, settings)
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)) or not 2 <= k <= data.n_rows:
        raise InputError(f"`k` must be a whole number from 2 to the number of rows, {data.n_rows}; got {k!r}.")
    if isinstance(n_repeats, bool) or not isinstance(n_repeats, (int, np.integer)) or n_repeats < 1:
        raise InputError(f"`n_repeats` must be a whole number of at least 1; got {n_repeats!r}.")
    wanted = as_metrics(metrics, data.kind)
    refuse_missing(data, settings)
    draw = CurveDraw(data, Folds(data.n_rows, int(k)), range(int(k)))
    functions = {s: CurveFit(estimator, wanted, "zero", "of the last fold") for s, estimator in settings.items()}
    study = curve_study(draw, functions, seed)
    with place_for(store) as kept:
        _run(study, draw, int(n_repeats), kept, workers, max_cost, progress)
        values, failed = arrays(kept, tuple(settings), wanted, int(k), int(n_repeats))
        failures = failure_notes(kept, tuple(settings), failed, range(int(k)))
    refuse_hopeless([s for s, own in zip(settings, values, strict=True) if np.isnan(own).all()], failures)
    return CrossValidation(
        values=values, settings=tuple(settings), definitions={m: definition(m) for m in wanted}, k=int(k), n_rows=data.n_rows,
        name=name, seed=seed, notes=(*failures, *study.notes),
    )  # fmt: skip


def _settings(model: Any, parameters: Any) -> dict[str, Any]:
    """Name to estimator for every combination."""
    from sklearn.base import clone

    ((_, estimator),) = as_models([model]).items()
    fine = isinstance(parameters, Mapping) and all(
        not isinstance(v, str) and np.iterable(v) for v in parameters.values()
    )
    wanted = {name: list(values) for name, values in parameters.items()} if fine else {}
    if not wanted or not all(wanted.values()):
        raise InputError(f"`parameters` must map names of parameters to lists of values; got {parameters!r}.")
    known = estimator.get_params(deep=True)
    for name in wanted:
        if name not in known:
            raise InputError(f"`parameters` names {name!r}, which is no parameter of {type(estimator).__name__}.")
    found = {}
    for values in itertools.product(*wanted.values()):
        chosen = dict(zip(wanted, values, strict=True))
        label = ", ".join(f"{name}={_value(value)}" for name, value in chosen.items())
        found[label] = clone(estimator).set_params(**chosen)
    return found


def _value(value: Any) -> str:
    """As short as it can be told from others."""
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return str(float(value)) if isinstance(value, float) and float(short) != value and value == value else short


def _run(
    study: Study, draw: CurveDraw, n_repeats: int, store: Store, workers: int | None, max_cost: float, progress: Any
) -> None:
    """Refuse what takes too long, by one timed fold of each setting; then run."""
    from ogive.runner import run

    most, seconds = as_max_cost(max_cost), {}
    rng = stream(0, "resample", "cost")
    _, train, test = next(iter(draw.design.repetition(rng, draw.numbers).splits()))
    todo = missing(study, draw, n_repeats, store)
    for algorithm in study.algorithms:
        with contextlib.suppress(Exception):  # a setting that cannot be fitted is told after the run
            for _ in range(2):  # what is loaded once must not count for every fit
                begin = time.process_time()
                algorithm.function.scores({}, draw.data, train, test, rng)  # type: ignore[attr-defined]
            seconds[algorithm.name] = (time.process_time() - begin) * todo[algorithm.name] * len(draw.numbers)
    Cost(seconds).refuse_above(most, f"fewer folds than {len(draw.numbers)} or fewer repeats than {n_repeats}")
    run(study, n_repeats, store, workers=workers, progress=progress)
