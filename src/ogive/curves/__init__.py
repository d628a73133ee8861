"""A distribution of scores for each training-set size, and what can be read off it.

Start here
  learning_curves(models, X, y, design=, test=, tuned=, n_repetitions=)   runs, in parallel, resumable
  repeated_cv(model, X, y, {"alpha": [...]}, k=20, n_repeats=)    the same over a hyper-parameter
  read(path)                                                      what was written, or a store; holds_curves(path) looks

Then, of LearningCurves
  .scores .mean .quantile             [size, repetition], and curves with intervals
  .leaders .crossings .disagreements  who leads at which n, by mean and by quantile
  .required_size                      from which n on a quantile reaches a target
  .normality .densities .differences  the shape of the distribution at each n

Inside
  _designs     which rows are for training and testing; _data: what may come in
  _models      models by name, with _estimators and _searched (of ogive.tuned); _metrics: scores of one fit
  _fitting     one repetition of one model, a fit at each size; _whole: by a kernel, which models have one
  _study       repetitions as a study; _cost: what they will take; _tuned: a value chosen at each size
  _engine      learning_curves; _gather: stores and files to arrays; _cv: repeated_cv
  _curves      LearningCurves; _stored: scores that stay in their store; _statistics: curves with intervals, required sizes; _shape: normality, densities
  _leaders     who is ahead at which size, by joint resampling, and these findings in sentences
All of it is about these rows: sizes of one repetition depend on each other, and near the largest
size all training sets share most of their rows. Nothing is extrapolated.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ogive.curves._curves import LearningCurves
    from ogive.curves._cv import CrossValidation, repeated_cv
    from ogive.curves._engine import learning_curves
    from ogive.curves._gather import holds_curves, read
    from ogive.curves._leaders import Crossings, Disagreements, Leaders, Range
    from ogive.curves._metrics import as_metrics
    from ogive.curves._models import MODELS
    from ogive.curves._shape import NormalityCurves, Slice
    from ogive.curves._statistics import RequiredSize, StatisticCurve, StatisticCurves

# A child process imports this package too, and needs neither the store nor the answers.
_HOME = {
    "CrossValidation": "_cv",
    "Crossings": "_leaders",
    "Disagreements": "_leaders",
    "Leaders": "_leaders",
    "LearningCurves": "_curves",
    "MODELS": "_models",
    "NormalityCurves": "_shape",
    "Range": "_leaders",
    "RequiredSize": "_statistics",
    "Slice": "_shape",
    "StatisticCurve": "_statistics",
    "StatisticCurves": "_statistics",
    "as_metrics": "_metrics",
    "holds_curves": "_gather",
    "learning_curves": "_engine",
    "read": "_gather",
    "repeated_cv": "_cv",
}

__all__ = [
    "MODELS",
    "CrossValidation",
    "Crossings",
    "Disagreements",
    "Leaders",
    "LearningCurves",
    "NormalityCurves",
    "Range",
    "RequiredSize",
    "Slice",
    "StatisticCurve",
    "StatisticCurves",
    "as_metrics",
    "holds_curves",
    "learning_curves",
    "read",
    "repeated_cv",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'ogive.curves' has no attribute {name!r}")
    value = getattr(import_module(f"ogive.curves.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
