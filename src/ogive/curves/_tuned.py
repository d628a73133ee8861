"""Curves of models that are tuned at each size, inside their training sets: `tuned=20`, or values of one's own.

At every size a fifth of the training rows is held out, every value of one hyper-parameter is fitted to the others, the
value with the best accuracy on the fifth is taken, and the model is fitted with it to all training rows. The test set has
no part in the choice.

Training rows stand in random order, so the fifth is a matter of places: the 5th, 10th, 15th … different row is held out,
with all its copies where it was drawn several times. In the additive design what is fitted and what is held out are then
both nested in n, and a kernel computes a whole curve of a value as it does of an untuned model. Of values that are equally
good the first of the list is taken. The lists of `PATHS` begin with the smoothest model: a tie, of which
small training sets are full, is no evidence for a rougher one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.arguments import is_integer, shown
from ogive.curves._data import CurveData
from ogive.curves._designs import Design, Repetition, Rows, at_size, words
from ogive.curves._fitting import CurveFit
from ogive.curves._metrics import CHOSEN, CLASSIFICATION
from ogive.curves._searched import Searched
from ogive.curves._whole import LEARNERS, VERSION, Arrays, Parameters, Shelf, WholeCurve
from ogive.errors import InputError
from ogive.notes import Note, NoteKind, either

FOLD = 5  # every fifth row is held out
FEWEST = 10  # training rows, so that there are two rows to choose by
MOST = 1000  # values of a model
LARGEST = 2**31  # number of neighbors, trees, rounds or rows
OWN_SPACE = (
    ", or put ogive.tuned(ogive.Algorithm.from_estimator(estimator, space), n_configs=20) in its place, which searches a space "
    "of your own"
)
RULE = 1  # part of what defines a tuned model: raised when its numbers change


def _penalties(count: int) -> tuple[float, ...]:
    """Those of Turan, Loog and Tax (2026), from the largest on."""
    return tuple(np.logspace(-1, -8, count).tolist())


def _costs(count: int) -> tuple[float, ...]:
    """As many decades as penalties have, around C = 1; where no multiplier is at C, a larger one changes nothing."""
    return tuple(np.logspace(-3, 4, count).tolist())


def _numbers(count: int) -> tuple[float, ...]:
    """At most 100 of them."""
    return tuple(np.unique(np.linspace(1, 100, count).round()).tolist())


def _numbers_down(count: int) -> tuple[float, ...]:
    return _numbers(count)[::-1]


@dataclass(frozen=True, slots=True)
class Path:
    """How a learner of `LEARNERS` is tuned.

    Attributes
    ----------
    parameter : str
        Of the estimator, or of the one inside `OneVsRestClassifier`.
    grid : function of a number of values
        The values, from the smoothest model to the roughest.
    inverse : bool
        Whether the parameter is one over the value.
    whole : bool
        Whether values are numbers of something.
    within_rows : bool
        Whether a value is at most the number of rows that are fitted.
    together : str, optional
        The kernel that finds the accuracies of all values in one run; where left out each has a run of its own.
    """

    parameter: str
    grid: Callable[[int], tuple[float, ...]]
    inverse: bool = False
    whole: bool = False
    within_rows: bool = False
    together: str | None = None

    def place(self, estimator: Any) -> str | None:
        """The parameter as the estimator names it; None where it has none."""
        known = estimator.get_params(deep=True)
        return next((name for name in (self.parameter, f"estimator__{self.parameter}") if name in known), None)

    def setting(self, value: float) -> Any:
        """What the parameter is set to for a value."""
        if self.whole and value == int(value):
            return int(value)
        if self.inverse:
            return 1.0 / value if value else math.inf
        return value


PATHS = {
    "knn": Path("n_neighbors", _numbers_down, whole=True, within_rows=True, together="_neighbors:neighbors_choices"),
    "lda": Path("jitter", _penalties),
    "qda": Path("jitter", _penalties),
    "logistic": Path("C", _penalties, inverse=True),
    "linear_svm": Path("penalty", _penalties),
    "rbf_svm": Path("C", _costs),
    "tree": Path("min_samples_leaf", _numbers_down, whole=True),
    "forest": Path("n_estimators", _numbers_down, whole=True, together="_forest:forest_choices"),
    "adaboost": Path("n_estimators", _numbers, whole=True, together="_boosting:boosting_choices"),
}


@dataclass(frozen=True, slots=True)
class Tuning:
    """The values that a model is tuned over, in order of preference.

    Attributes
    ----------
    learner : str
        In `LEARNERS` and `PATHS`.
    place : str
        The parameter that is set.
    parameters : tuple of dict
        Of the kernel, for each value.
    """

    learner: str
    place: str
    values: tuple[float, ...]
    parameters: tuple[Parameters, ...]

    @property
    def path(self) -> Path:
        """How the learner is tuned."""
        return PATHS[self.learner]

    def config(self, value: float) -> dict[str, Any]:
        """Parameters of the estimator for a value."""
        return {self.place: self.path.setting(value)}

    def possible(self, value: float, n_fitted: int) -> bool:
        """Whether so many rows can be fitted with a value."""
        return not self.path.within_rows or value <= n_fitted

    def name(self, model: str) -> str:
        """A tuned model is another one than the untuned."""
        return f"{model} (tuned, {len(self.values)})"

    def definition(self) -> dict[str, Any]:
        """In JSON's own types."""
        rule = {"holdout": f"every {FOLD}th row", "metric": "accuracy", "ties": "first", "rule": RULE}
        return {"parameter": self.place, "inverse": self.path.inverse, "values": list(self.values), **rule}


def as_tunings(tuned: Any, estimators: Mapping[str, Any], n_classes: int | None) -> dict[str, Tuning]:
    """The models that are to be tuned, with their values; refuses models that have no path of values."""
    if tuned is None:
        return {}
    if isinstance(tuned, Mapping):
        for model in tuned:
            if model not in estimators:
                raise InputError(f"`tuned` names {model!r}, but the models are {', '.join(map(repr, estimators))}.")
        return {model: _tuning(model, estimators[model], asked, n_classes) for model, asked in tuned.items()}
    if not is_integer(tuned) and len(estimators) > 1:
        raise InputError(
            "`tuned` is a list of values for one model; for several give a dictionary, tuned={model: values}, or how many "
            f"values each has, tuned=20; got {shown(tuned)}."
        )
    return {
        model: _tuning(model, estimator, tuned, n_classes)
        for model, estimator in estimators.items()
        if not (is_integer(tuned) and (nothing_to_tune(estimator) or isinstance(estimator, Searched)))
    }


def nothing_to_tune(estimator: Any) -> bool:
    """Whether it is the nearest mean, which has no hyper-parameter."""
    from ogive.curves._estimators import NearestMean

    return isinstance(estimator, NearestMean)


def nothing_tuned_notes(tuned: Any, estimators: Mapping[str, Any]) -> list[Note]:
    """Which models were to be tuned and have nothing to tune."""
    asked = [model for model, estimator in estimators.items() if is_integer(tuned) and nothing_to_tune(estimator)]
    return [Note(NoteKind.NOTHING_TO_TUNE, "tuned", {"models": asked})] if asked else []


def refuse_one_vs_rest(tunings: Collection[str], wrapped: Collection[str]) -> None:
    """Refuse to tune models that are to be fitted once for each class."""
    both = next((model for model in tunings if model in wrapped), None)
    if both is not None:
        raise InputError(
            f"`{either('tuned', '--tuned')}` and `{either('multi_class', '--one-vs-rest')}` do not go together for {both!r}, which is "
            "tuned as one model of all classes. Leave one of them out."
        )


def _tuning(model: str, estimator: Any, asked: Any, n_classes: int | None) -> Tuning:
    from sklearn.base import clone

    learner, place = _path_of(estimator, n_classes)
    if learner is None or place is None:
        why = "has nothing to tune" if nothing_to_tune(estimator) else "has no path of values"
        raise InputError(
            f"`{either('tuned', '--tuned')}` works for {', '.join(PATHS)} and the estimators that go by their kernels; {model!r} {why}. "
            f"Leave it out{either(OWN_SPACE, '')}."
        )
    path = PATHS[learner]
    values, parameters = _values(model, asked, path), []
    for value in values:
        made = clone(estimator).set_params(**{place: path.setting(value)})
        found = LEARNERS[learner].recognize(made, n_classes or 0)
        if found is None or (path.whole and value > LARGEST):
            rule = f"whole numbers from 1 to {LARGEST}" if path.whole else "positive numbers"
            raise InputError(f"`tuned` values of {model!r} ({path.parameter}) must be {rule}; got {value:g}.")
        parameters.append(found)
    return Tuning(learner, place, values, tuple(parameters))


def _path_of(estimator: Any, n_classes: int | None) -> tuple[str | None, str | None]:
    for name, learner in LEARNERS.items() if n_classes else ():
        if name in PATHS and learner.recognize(estimator, n_classes or 0) is not None:
            return name, PATHS[name].place(estimator)
    return None, None


def _values(model: str, asked: Any, path: Path) -> tuple[float, ...]:
    if is_integer(asked):
        if not 2 <= asked <= MOST:
            raise InputError(f"`tuned` must be 2 to {MOST} values to choose from, or a list of them; got {asked!r}.")
        return path.grid(int(asked))
    try:
        several = not isinstance(asked, (str, bool, Mapping))
        values = tuple(float(value) for value in asked) if several else ()
    except (TypeError, ValueError):
        values = ()
    if not values or len(set(values)) < len(values) or not all(map(math.isfinite, values)) or min(values) < 0.0:
        raise InputError(
            f"`tuned` must be a number of values, such as 20, or a list of different ones for {model!r} ({path.parameter}); "
            f"got {shown(asked)}."
        )
    return values


def held_out(rows: Rows) -> NDArray[np.bool_]:
    """Which training rows are held out: every fifth different row in order of first appearance, with its copies."""
    _, first, same = np.unique(rows, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return np.asarray(number[same] % FOLD == FOLD - 1)


def best(accuracies: NDArray[np.float64]) -> NDArray[np.int64]:
    """For each line the first of the largest, -1 where all are NaN."""
    known = np.where(np.isnan(accuracies), -1.0, accuracies)
    return np.where(known.max(axis=1) < 0.0, -1, known.argmax(axis=1))


@dataclass(frozen=True, slots=True, eq=False)
class TunedFit(CurveFit):
    """The slow way: every value is fitted at every size, by the estimator itself."""

    tuning: Tuning

    @property
    def series(self) -> tuple[str, ...]:
        """The scores, and the value that was chosen."""
        return (*self.metrics, CHOSEN)

    def scores(
        self, config: Mapping[str, Any], data: CurveData, train: Rows, test: Rows, rng: np.random.Generator
    ) -> dict[str, float]:
        """Every metric of a fit to all training rows with the value that was best on those held out."""
        if self.missing_class == "undefined" and np.unique(data.y[train]).size < len(data.labels):
            return dict.fromkeys(self.series, math.nan)
        key, held = words(rng), held_out(train)
        inner = CurveFit(self.estimator, ("accuracy",), "zero", self.last)
        accuracies, error = np.full((1, len(self.tuning.values)), math.nan), None
        for j, value in enumerate(self.tuning.values):
            if self.tuning.possible(value, int(np.count_nonzero(~held))):
                try:
                    # The same numbers for every value: prefixes of one forest, as in the kernels.
                    tried = inner.scores(self.tuning.config(value), data, train[~held], train[held], at_size(key, 0))
                    accuracies[0, j] = tried["accuracy"] if held.any() else 0.0
                except MemoryError:
                    raise
                except Exception as problem:
                    error = problem
        chosen = int(best(accuracies)[0])
        if chosen < 0:
            raise error or InputError(
                f"none of the values can be fitted to {np.count_nonzero(~held)} rows; the smallest is {min(self.tuning.values):g}."
            )
        value = self.tuning.values[chosen]
        found = CurveFit.scores(self, self.tuning.config(value), data, train, test, at_size(key, 1))
        return {**found, CHOSEN: value}

    def definition(self) -> dict[str, Any]:
        """As untuned, and the values."""
        return {**CurveFit.definition(self), "tuned": self.tuning.definition()}


@dataclass(frozen=True, slots=True, eq=False)
class TunedCurve(WholeCurve):
    """Kernels in place of the slow way: one pass over all values to choose, one at each size with the value chosen."""

    tuning: Tuning

    @property
    def columns(self) -> tuple[str, ...]:
        """The scores, and the value that was chosen."""
        return (*CLASSIFICATION, CHOSEN)

    def functions(self) -> tuple[Any, ...]:
        """The kernels that are called."""
        return (*WholeCurve.functions(self), *([self._together()] if self.tuning.path.together else []))

    def curve(self, data: CurveData, repetition: Repetition, key: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Scores and the value chosen, [size, column]; NaN where the kernel leaves a size out."""
        found = np.full((len(repetition.sizes), len(self.columns)), math.nan)
        values = np.array(self.tuning.values)
        for first, end, order in repetition.sequences():
            sizes = np.array(repetition.sizes[first:end], dtype=np.int64)
            chosen = best(self._accuracies(data, repetition.design, order, sizes, key))
            for j in np.unique(chosen[chosen >= 0]):
                places = np.flatnonzero(chosen == j)
                scores = np.full((len(places), len(CLASSIFICATION)), math.nan)
                self.run(data, repetition.design, order, sizes[places], self.tuning.parameters[j], key, scores)
                found[first + places, :-1] = scores
                found[first + places, -1] = values[j]
        return found

    def _accuracies(
        self, data: CurveData, design: Design, order: NDArray[np.int64], sizes: NDArray[np.int64], key: NDArray[np.uint64]
    ) -> NDArray[np.float64]:  # fmt: skip
        """Of the rows held out, [size, value]."""
        held = held_out(order)
        fitted, rows = order[~held], order[held]
        tested: NDArray[np.int64] = np.cumsum(held, dtype=np.int64)[sizes - 1]
        numbers = sizes - tested
        accuracies = np.full((len(sizes), len(self.tuning.values)), math.nan)
        if self.tuning.path.together:
            wanted = np.array(self.tuning.values, dtype=np.int64)
            if self.tuning.path.within_rows:  # what is more than all rows need not be counted to
                wanted = np.minimum(wanted, len(fitted) + 1)
            values, places = np.unique(wanted, return_inverse=True)
            found = np.full((len(sizes), len(values)), math.nan)
            with np.errstate(over="ignore"):
                self._together()(
                    self.codes(data), len(data.labels), fitted, numbers, rows, tested,
                    *self._arguments(data, design, values, key), found,
                )  # fmt: skip
            return found[:, places]
        for j, parameters in enumerate(self.tuning.parameters):
            column = np.full((len(sizes), 1), math.nan)
            self.run(data, design, fitted, numbers, parameters, key, column, rows, tested)
            accuracies[:, j] = column[:, 0]
        return accuracies

    def _arguments(
        self, data: CurveData, design: Design, numbers: NDArray[np.int64], key: NDArray[np.uint64]
    ) -> Arrays:
        """What a kernel of all values takes beside the rows."""
        if not self.tuning.path.within_rows:
            return (*self.kept(data, design, self.tuning.parameters[0]), numbers, key)
        if design.test == "varying":
            return (numbers, *self.kept(data, design, self.tuning.parameters[0]))
        x, every = self.features(data), np.arange(data.n_rows)
        size = self.learner.bytes_kept(len(x), len(every), x.shape[1])
        return (numbers, *self.shelf.of("all neighbors", lambda: self.learner.keep(x, every, {}), size))

    def _together(self) -> Any:
        file, name = str(self.tuning.path.together).split(":")
        return getattr(import_module(f"ogive.kernels.{file}"), name)

    def definition(self) -> dict[str, Any]:
        """As of the slow way, and that it was not taken."""
        return {**self.fit.definition(), "kernel": {"learner": self.known.learner, "version": VERSION}}

    def warm_up(self) -> None:
        """Compile the kernels, or load them, by a curve of twelve rows."""
        rng = np.random.default_rng(0)
        data = CurveData(rng.normal(size=(12, 2)), np.arange(12) % 2, "classification", "warm", np.arange(2))
        design = Design("additive", "fixed", 12, np.arange(10), np.arange(10, 12))
        key = words(rng)
        replace(self, shelf=Shelf()).curve(data, Repetition(design, key, (10,)), key)


def refuse_few(sizes: Sequence[int]) -> None:
    """Refuse training sets that leave next to nothing to choose by."""
    if sizes[0] < FEWEST:
        raise InputError(
            f"`sizes` of tuned models begin at {FEWEST}, of which two rows are held out to choose by; got {sizes[0]}."
        )
