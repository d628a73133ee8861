"""Models whose whole curve is computed at once, by compiled code, in place of a fit at each size.

`LEARNERS` is the table of them. A learner recognizes the estimators whose results it gives, by class and by
parameters: any other parameter that is not at its default sends the model the slow way. A kernel may leave
a size without scores (fewer rows than neighbors, a singular covariance): that size is fitted anew by
the estimator, which then says what it says there.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.algorithms import Outcome
from ogive.arguments import is_integer
from ogive.curves._data import CurveData
from ogive.curves._designs import Design, Repetition, at_size, words
from ogive.curves._fitting import CurveFit, outcome
from ogive.curves._metrics import CLASSIFICATION, FAILED
from ogive.errors import InputError
from ogive.notes import Note

COMPILING = "ogive.curves"  # the logger that says what is compiled, before it is

FITS = ("kernel", "each")
MOST_BYTES = 600e6  # of what is kept of the data in each process; a model that alone would keep more is fitted
FARTHEST = 50.0  # from 0, in ranges of the column; at 300, 3 of 480 logistic regressions had another accuracy
STEADIEST = 1e4  # a constant column, which is another intercept; from 1e6 on, labels differ
HIGHEST = 1.6e5  # values of a second column; beyond, probabilities of separated classes are off by 0.01 and more
VERSION = 1  # of the kernels, part of what defines a model: raised when their numbers change

Parameters = dict[str, Any]
Arrays = tuple[Any, ...]


def _nothing(x: NDArray[np.float64], tested: NDArray[np.int64], parameters: Parameters) -> Arrays:
    return ()


def _no_bytes(n_rows: int, n_tested: int, n_features: int) -> float:
    return 0.0


def _anything(x: NDArray[np.float64]) -> bool:
    return True


def _near_zero(x: NDArray[np.float64]) -> bool:
    """Whether sums of products of columns keep the digits in which rows differ, which are the last ones far from 0."""
    with np.errstate(over="ignore"):
        spread = np.ptp(x, axis=0)
    farthest = np.where(spread > 0.0, FARTHEST * spread, STEADIEST)
    return bool((np.abs(x).max(axis=0) <= farthest).all())


def _near_zero_and_low(x: NDArray[np.float64]) -> bool:
    """Whether the penalty, too, is not lost beside such sums; one column alone may be large."""
    return _near_zero(x) and bool((np.sort(np.abs(x).max(axis=0))[:-1] <= HIGHEST).all())


@dataclass(frozen=True, slots=True)
class Learner:
    """One line of the table.

    Attributes
    ----------
    kernel : str
        File in `ogive.kernels` and name of the function, "_nearest_mean:nearest_mean_curve".
    recognize : function of an estimator and the number of classes
        The parameters of the kernel, or None where it does not give this estimator's results.
    arguments : function of what is kept, parameters and key
        What stands between `varying` and `scores` in a call of the kernel.
    keep : function of rows, tested rows and parameters
        What depends on the data alone: computed once in a process.
    kept_for : tuple of str
        The parameters that it depends on.
    bytes_kept : function of the numbers of rows, tested rows and features
    largest : float
        Values beyond it are left to the estimator, which refuses them.
    takes : function of rows
        Whether the kernel keeps enough digits of these; other data are left to the estimator.
    """

    kernel: str
    recognize: Callable[[Any, int], Parameters | None]
    arguments: Callable[[Arrays, Parameters, NDArray[np.uint64]], Arrays] = lambda kept, parameters, key: ()
    keep: Callable[[NDArray[np.float64], NDArray[np.int64], Parameters], Arrays] = _nothing
    kept_for: tuple[str, ...] = ()
    bytes_kept: Callable[[int, int, int], float] = _no_bytes
    largest: float = math.inf
    takes: Callable[[NDArray[np.float64]], bool] = _anything

    def function(self) -> Any:
        """The kernel, loaded when it is needed: numba takes half a second."""
        file, name = self.kernel.split(":")
        return getattr(import_module(f"ogive.kernels.{file}"), name)


def _only(estimator: Any, default: Any, free: Iterable[str] = ()) -> Parameters | None:
    """The parameters of an estimator of this very class, if all that are not free are at their defaults."""
    if type(estimator) is not type(default):
        return None
    given, usual = estimator.get_params(deep=False), default.get_params(deep=False)
    same = all(name in free or _same(given[name], usual[name]) for name in usual)
    return given if same and _valid(estimator) else None


def _valid(estimator: Any) -> bool:
    """Whether scikit-learn takes the parameters: what it refuses, also of the free ones, is left for it to refuse."""
    try:
        estimator._validate_params()
    except ValueError:
        return False
    return True


def _same(a: Any, b: Any) -> bool:
    return a is b or (type(a) is type(b) and isinstance(a, (str, int, float)) and a == b)


def _count(value: Any) -> bool:
    return is_integer(value) and bool(value >= 1)


def _positive(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    return number and 0.0 < value < math.inf


def _as_nearest_mean(estimator: Any, n_classes: int) -> Parameters | None:
    from ogive.curves._estimators import NearestMean

    return {} if type(estimator) is NearestMean else None


def _as_neighbors(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.neighbors import KNeighborsClassifier

    # How neighbors are searched for changes nothing but which of equally distant ones are found.
    given = _only(estimator, KNeighborsClassifier(), ("n_neighbors", "algorithm", "leaf_size", "n_jobs"))
    return {"k": int(given["n_neighbors"])} if given and _count(given["n_neighbors"]) else None


def _as_linear_discriminant(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

    from ogive.curves._estimators import LinearDiscriminant

    if type(estimator) is LinearDiscriminant and _positive(estimator.jitter):
        return {"jitter": float(estimator.jitter), "least": -1.0}
    # Below this share of the trace, scikit-learn's least squares lose the digits that scores are made of.
    free = ("store_covariance", "tol")
    given = _only(estimator, LinearDiscriminantAnalysis(solver="lsqr"), free)
    return {"jitter": 0.0, "least": 1e-9} if given else None


def _as_quadratic_discriminant(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis

    from ogive.curves._estimators import QuadraticDiscriminant

    if type(estimator) is QuadraticDiscriminant and _positive(estimator.jitter):
        return {"jitter": float(estimator.jitter), "least": -1.0}
    given = _only(estimator, QuadraticDiscriminantAnalysis(), ("store_covariance",))
    if not given:
        return None
    # Earlier versions divide covariances by n - 1, and warn where this one refuses.
    probe = QuadraticDiscriminantAnalysis().fit([[0.0], [2.0], [5.0], [7.0]], [0, 0, 1, 1])
    variance = float(probe.scalings_[0][0])  # 1 but for rounding, which differs between machines; 2 in earlier versions
    return {"jitter": 0.0, "least": float(estimator.tol)} if abs(variance - 1.0) < 0.1 else None


def _as_logistic(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.linear_model import LogisticRegression
    from sklearn.multiclass import OneVsRestClassifier

    inner = estimator
    if type(estimator) is OneVsRestClassifier:
        given = _only(estimator, OneVsRestClassifier(estimator.estimator), ("n_jobs",))
        inner = estimator.estimator if given else None
    elif n_classes > 2:  # one model of all classes, which is not one class against the rest
        return None
    given = _only(inner, LogisticRegression(solver="newton-cholesky"), ("C", "n_jobs"))
    if not given or not (_positive(given["C"]) or given["C"] == math.inf):
        return None
    return {"penalty": 1.0 / float(given["C"])}


def _as_linear_svm(estimator: Any, n_classes: int) -> Parameters | None:
    from ogive.curves._estimators import LinearMachine

    known = type(estimator) is LinearMachine and _positive(estimator.penalty)
    return {"penalty": float(estimator.penalty)} if known else None


def _as_rbf_svm(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.svm import SVC

    from ogive.curves._estimators import KernelMachine

    if type(estimator) is KernelMachine:
        known = _positive(estimator.C) and _positive(estimator.bandwidth)
        return {"C": float(estimator.C), "bandwidth": float(estimator.bandwidth)} if known else None
    given = _only(estimator, SVC(), ("C", "gamma", "cache_size"))
    if not given or not _positive(given["C"]) or not _positive(given["gamma"]):
        return None  # "scale" and "auto" are of the training rows
    bandwidth = math.sqrt(0.5 / float(given["gamma"]))
    return {"C": float(given["C"]), "bandwidth": bandwidth, "shares": False}


def _as_tree(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.tree import DecisionTreeClassifier

    given = _only(estimator, DecisionTreeClassifier(), ("min_samples_leaf",))
    return {"least": int(given["min_samples_leaf"])} if given and _count(given["min_samples_leaf"]) else None


def _as_forest(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.ensemble import RandomForestClassifier

    # Equal in law, which is all that two forests of scikit-learn have in common unless their state is set.
    given = _only(estimator, RandomForestClassifier(), ("n_estimators", "n_jobs"))
    return {"n_trees": int(given["n_estimators"])} if given and _count(given["n_estimators"]) else None


def _as_adaboost(estimator: Any, n_classes: int) -> Parameters | None:
    from sklearn.ensemble import AdaBoostClassifier
    from sklearn.tree import DecisionTreeClassifier

    given = _only(estimator, AdaBoostClassifier(), ("estimator", "n_estimators"))
    if not given or not _count(given["n_estimators"]):
        return None
    stump = given["estimator"] is None or _only(given["estimator"], DecisionTreeClassifier(max_depth=1))
    return {"n_rounds": int(given["n_estimators"])} if stump else None


def _keep_neighbors(x: NDArray[np.float64], tested: NDArray[np.int64], parameters: Parameters) -> Arrays:
    from ogive.kernels._neighbors import neighbor_lists

    return (neighbor_lists(x, tested),)  # type: ignore[no-untyped-call]


def _keep_codes(x: NDArray[np.float64], tested: NDArray[np.int64], parameters: Parameters) -> Arrays:
    from ogive.kernels._tree import column_codes

    codes: Arrays = column_codes(x)  # type: ignore[no-untyped-call]
    return codes


def _keep_gaussian(x: NDArray[np.float64], tested: NDArray[np.int64], parameters: Parameters) -> Arrays:
    from ogive.kernels._kernel_svm import gaussian_kernel

    values = np.empty((len(x), len(x)))
    gaussian_kernel(x, parameters["bandwidth"], values)  # type: ignore[no-untyped-call]
    return (values,)


def _jitter(kept: Arrays, parameters: Parameters, key: NDArray[np.uint64]) -> Arrays:
    return (parameters["jitter"], parameters["least"])


def _penalty(kept: Arrays, parameters: Parameters, key: NDArray[np.uint64]) -> Arrays:
    return (parameters["penalty"],)


def _cost(kept: Arrays, parameters: Parameters, key: NDArray[np.uint64]) -> Arrays:
    from ogive.kernels._kernel_svm import TOLERANCE

    return (*kept, parameters["C"], TOLERANCE)


def _grown(kernel: str, recognize: Callable[[Any, int], Parameters | None], parameter: str) -> Learner:
    """A learner of trees: it keeps the codes of columns, and decides between equal cuts by the key."""
    return Learner(
        kernel,
        recognize,
        lambda kept, parameters, key: (*kept, parameters[parameter], key),
        _keep_codes,
        bytes_kept=lambda n_rows, n_tested, n_features: 16.0 * n_rows * n_features,
        largest=float(np.finfo(np.float32).max),
    )


LEARNERS: dict[str, Learner] = {
    "nmc": Learner("_nearest_mean:nearest_mean_curve", _as_nearest_mean),
    "knn": Learner(
        "_neighbors:neighbors_curve",
        _as_neighbors,
        lambda kept, parameters, key: (parameters["k"], *kept),
        _keep_neighbors,
        bytes_kept=lambda n_rows, n_tested, n_features: 4.0 * n_rows * n_tested,
    ),
    "lda": Learner("_discriminant:linear_discriminant_curve", _as_linear_discriminant, _jitter),
    "qda": Learner("_discriminant:quadratic_discriminant_curve", _as_quadratic_discriminant, _jitter),
    "logistic": Learner("_logistic:logistic_curve", _as_logistic, _penalty, takes=_near_zero),
    "linear_svm": Learner("_linear_svm:linear_svm_curve", _as_linear_svm, _penalty, takes=_near_zero_and_low),
    "rbf_svm": Learner(
        "_kernel_svm:kernel_svm_curve",
        _as_rbf_svm,
        _cost,
        _keep_gaussian,
        ("bandwidth",),
        lambda n_rows, n_tested, n_features: 8.0 * n_rows**2,
    ),
    "tree": _grown("_tree:tree_curve", _as_tree, "least"),
    "forest": _grown("_forest:forest_curve", _as_forest, "n_trees"),
    "adaboost": _grown("_boosting:boosting_curve", _as_adaboost, "n_rounds"),
}


def as_fit(fit: Any) -> str | None:
    """How models are to be fitted: by kernels, at each size, or (None) by kernels where there are any."""
    if fit is None or (isinstance(fit, str) and fit in FITS):
        return fit
    raise InputError(f"`fit` must be 'kernel', 'each' or None; got {fit!r}.")


def recognized(
    estimators: Mapping[str, Any], data: CurveData, design: Design, fit: str | None, tuned: Collection[str] = ()
) -> dict[str, Known]:
    """The models that have kernels, with them; refuses what has none where kernels were asked for.

    Where a model is tuned, any row may be tested.
    """
    if fit == "each":
        return {}
    found = {}
    takes = data.kind == "classification" and bool(np.isfinite(data.X).all())
    most = float(np.abs(data.X).max()) if takes else math.inf
    held_out = data.n_rows if design.test == "varying" else len(design.held_out)
    for model, estimator in estimators.items() if takes else ():
        for name, learner in LEARNERS.items():
            parameters = learner.recognize(estimator, len(data.labels))
            if parameters is not None:
                tested = data.n_rows + held_out if model in tuned else held_out
                kept = learner.bytes_kept(data.n_rows, tested, data.X.shape[1])
                if kept <= MOST_BYTES and most <= learner.largest and learner.takes(data.X):
                    found[model] = Known(name, parameters)
                break
    without = [model for model in estimators if model not in found]
    if fit == "kernel" and without:
        raise InputError(
            f"`fit` is 'kernel', but {without[0]!r} has no kernel for these data and settings; leave fit out, or name "
            f"models that have one: {', '.join(LEARNERS)}."
        )
    return found


@dataclass(frozen=True, slots=True)
class Known:
    """A learner of the table, and the parameters that were recognized."""

    learner: str
    parameters: Parameters


class Shelf:
    """What was computed of the data alone, shared by the models of a study; every process fills its own.

    What has a size is at most `MOST_BYTES` together: what was used longest ago makes room, and is made again if asked for.
    """

    def __init__(self) -> None:
        self._kept: dict[Any, tuple[float, Any]] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {"_kept": {}}

    def of(self, key: Any, make: Callable[[], Any], size: float = 0.0) -> Any:
        """What is kept under a key, made the first time; `size` in bytes where it is large."""
        if key in self._kept:
            self._kept[key] = found = self._kept.pop(key)  # now the last one used
            return found[1]
        for old in [key for key, (bytes_, _) in self._kept.items() if bytes_]:
            if sum(bytes_ for bytes_, _ in self._kept.values()) + size > MOST_BYTES:
                del self._kept[old]
        self._kept[key] = size, make()
        return self._kept[key][1]

    def clear(self) -> None:
        """Keep nothing."""
        self._kept.clear()


@dataclass(frozen=True, slots=True, eq=False)
class WholeCurve:
    """The function of an algorithm like `CurveFit`, whose repetitions are computed by a kernel.

    Attributes
    ----------
    fit : CurveFit
        The slow way, for sizes that the kernel leaves out.
    """

    fit: CurveFit
    known: Known
    shelf: Shelf

    @property
    def metrics(self) -> tuple[str, ...]:
        """As of the slow way."""
        return self.fit.metrics

    @property
    def last(self) -> str:
        """As of the slow way."""
        return self.fit.last

    @property
    def learner(self) -> Learner:
        """The line of the table."""
        return LEARNERS[self.known.learner]

    @property
    def columns(self) -> tuple[str, ...]:
        """What `curve` gives of every size."""
        return tuple(CLASSIFICATION)

    def functions(self) -> tuple[Any, ...]:
        """The kernels that are called."""
        return (self.learner.function(),)

    def __call__(
        self, config: Mapping[str, Any], data: CurveData, repetition: Repetition, rng: np.random.Generator
    ) -> Outcome:
        key = words(rng)
        found = self.curve(data, repetition, key)
        failed, error = np.zeros(len(found)), None
        left_out = np.flatnonzero(np.isnan(found[:, 0]))
        chosen = tuple(repetition.sizes[i] for i in left_out)
        slow = replace(repetition, sizes=chosen).splits() if chosen else ()
        for i, (number, train, test) in zip(left_out, slow, strict=True):
            try:
                scores = self.fit.scores(config, data, train, test, at_size(key, number))
                found[i] = [scores.get(name, math.nan) for name in self.columns]
            except MemoryError:
                raise
            except Exception as problem:
                error, failed[i] = problem, 1.0
        if self.fit.missing_class == "undefined":
            found[~repetition.complete(self.codes(data), len(data.labels))] = math.nan
        curves = {name: found[:, self.columns.index(name)].tolist() for name in self.fit.series}
        return outcome({**curves, FAILED: failed.tolist()}, self.metrics, self.last, error)

    def curve(self, data: CurveData, repetition: Repetition, key: NDArray[np.uint64]) -> NDArray[np.float64]:
        """Scores [size, metric] of a repetition; NaN where the kernel leaves a size out."""
        scores = np.full((len(repetition.sizes), len(CLASSIFICATION)), math.nan)
        for first, end, order in repetition.sequences():
            sizes = np.array(repetition.sizes[first:end], dtype=np.int64)
            self.run(data, repetition.design, order, sizes, self.known.parameters, key, scores[first:end])
        return scores

    def run(
        self, data: CurveData, design: Design, order: NDArray[np.int64], sizes: NDArray[np.int64], parameters: Parameters,
        key: NDArray[np.uint64], scores: NDArray[np.float64], *rows: NDArray[np.int64],
    ) -> None:  # fmt: skip
        """Let the kernel write scores of some sizes of one order of training rows.

        Of the rows that the design tests; or of other `rows`, and how many of them from the first on count at each size.
        """
        test = rows[0] if rows else self._tested(data, design)
        varying = design.test == "varying" and not rows
        arguments = self.learner.arguments(self.kept(data, design, parameters), parameters, key)
        with np.errstate(over="ignore"):  # unsigned numbers wrap around on purpose where nothing is compiled
            self.learner.function()(
                self.features(data), self.codes(data), len(data.labels), order, sizes, test, varying, *arguments, scores,
                *rows[1:],
            )  # fmt: skip
        if not parameters.get("shares", True):  # the estimator has none
            scores[:, 2:] = math.nan

    def kept(self, data: CurveData, design: Design, parameters: Parameters) -> Arrays:
        """What depends on the data alone."""
        what = (self.learner.keep.__name__, *(parameters[name] for name in self.learner.kept_for))
        x, tested = self.features(data), self._tested(data, design)
        size = self.learner.bytes_kept(len(x), len(tested), x.shape[1])
        found: Arrays = self.shelf.of(what, lambda: self.learner.keep(x, tested, parameters), size)
        return found

    def _tested(self, data: CurveData, design: Design) -> NDArray[np.int64]:
        rows: NDArray[np.int64] = self.shelf.of(
            "tested", lambda: np.arange(data.n_rows) if design.test == "varying" else design.held_out.astype(np.int64)
        )
        return rows

    def features(self, data: CurveData) -> NDArray[np.float64]:
        """As kernels take them."""
        x: NDArray[np.float64] = self.shelf.of(
            "X", lambda: np.array(data.X, dtype=np.float64, order="C")
        )  # read-only is another type
        return x

    def codes(self, data: CurveData) -> NDArray[np.int64]:
        """Classes as kernels take them, from 0 on."""
        codes: NDArray[np.int64] = self.shelf.of(
            "y", lambda: np.searchsorted(data.labels, data.y).astype(np.int64, copy=False)
        )
        return codes

    def definition(self) -> dict[str, Any]:
        """As of the slow way, and that it was not taken."""
        kernel = {"learner": self.known.learner, "version": VERSION, **self.known.parameters}
        return {**self.fit.definition(), "kernel": kernel}

    def notes(self) -> tuple[Note, ...]:
        """As of the slow way: the scores mean the same."""
        return self.fit.notes()

    def warm_up(self) -> None:
        """Compile the kernel, or load it, by a curve of six rows."""
        rng = np.random.default_rng(0)
        data = CurveData(rng.normal(size=(6, 2)), np.array([0, 1, 0, 1, 0, 1]), "classification", "warm", np.arange(2))
        design = Design("additive", "fixed", 6, np.arange(4), np.arange(4, 6))
        key = words(rng)
        replace(self, shelf=Shelf()).curve(data, Repetition(design, key, (2, 4)), key)


def announce_compiling(functions: Iterable[Any]) -> None:
    """Say in one line of the log what has to be compiled, before it is."""
    from ogive.jit import is_compiled

    whole = [f for f in functions if isinstance(f, WholeCurve)]
    names = dict.fromkeys(f.known.learner for f in whole if not all(map(is_compiled, f.functions())))
    if names:
        logging.getLogger(COMPILING).info("compiling %s; this takes up to a minute, once", ", ".join(names))
