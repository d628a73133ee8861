"""learning_curves: check, predict the cost, run what is missing, gather."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ogive.curves._cost import Cost, as_max_cost, predict, whole_curve
from ogive.curves._curves import LearningCurves
from ogive.curves._data import CurveData, as_data, refuse_missing
from ogive.curves._designs import Design, as_sizes, words
from ogive.curves._fitting import MISSING_CLASS, CurveFit
from ogive.curves._gather import from_store
from ogive.curves._metrics import as_metrics
from ogive.curves._models import as_models, one_vs_rest
from ogive.curves._searched import Searched
from ogive.curves._study import CurveDraw, curve_study
from ogive.curves._tuned import (
    FEWEST,
    TunedCurve,
    TunedFit,
    as_tunings,
    nothing_tuned_notes,
    refuse_few,
    refuse_one_vs_rest,
)
from ogive.curves._whole import Shelf, WholeCurve, announce_compiling, as_fit, recognized
from ogive.errors import InputError, StoreConflict
from ogive.notes import Note, NoteKind, argument, either
from ogive.seeding import stream
from ogive.store import Store, place_for
from ogive.study import Study

if TYPE_CHECKING:
    from ogive.runner import Dask

HOUR = 3600.0
# Below this many fits nothing is timed: they are done before the user could wonder.
FEW_FITS = 60


def learning_curves(
    models: Any, X: Any, y: Any, *, design: str = "additive", test: str = "fixed", n_repetitions: int = 100, sizes: Any = None,
    metrics: Any = None, test_size: float = 0.2, missing_class: str = "zero", tuned: Any = None, fit: str | None = None, multi_class: str | None = None, name: str = "data",
    seed: int = 0, store: str | Path | Store | None = None, workers: int | None = None, engine: Dask | str | None = None, max_cost: float = HOUR,
    progress: bool | Callable[..., None] = False,
) -> LearningCurves:  # fmt: skip
    """Scores of every model at every training-set size, many times over.

    Parameters
    ----------
    models : str, estimator, list of them, or dict of name to either
        Any classifiers, regressors or pipelines of scikit-learn, or names: nmc, knn (k = 1), lda, qda,
        logistic, linear_svm, rbf_svm, tree, forest, adaboost, or "all" for these ten, with the settings of Turan,
        Loog and Tax (2026) on features as they are. Also what `ogive.tuned` makes of an estimator, which searches
        a space of your own by cross-validation, at each size anew.
    X, y : array-like
        Numbers, and one class (whole numbers or text) or quantity for each row.
    design : {"additive", "random", "bootstrap"}
        Additive: training sets of a repetition are nested, points are added. Random: a fresh draw
        without replacement for each size. Bootstrap: a fresh draw with replacement.
    test : {"fixed", "varying"}
        Fixed: one part of the rows is set aside once. Varying: all rows that were not trained on.
        Neither test nor training rows are stratified by class.
    n_repetitions : int
        Raising it later adds repetitions; the first ones stay as they are.
    sizes : list of int, optional
        Where left out, every size from the number of classes to 0.7 of the rows if all models have
        kernels (see `fit`); otherwise 20 of them, evenly spaced on a logarithmic scale.
    metrics : str or list, optional
        Some of accuracy, auc, brier, cross_entropy, or of r2, mae, rmse for regressors; all where left
        out. They come from one fit.
    test_size : float or int
        Share or number of rows of a fixed test set.
    missing_class : {"zero", "undefined"}
        What holds where a class is not in the training set: it gets probability 0 (and if there is one
        class only, that one is predicted), or there is no score.
    tuned : int, list of numbers, or dict of model to either, optional
        Tune one hyper-parameter at each size, inside the training set: every fifth of its rows is held out, the value
        with the best accuracy there is taken (the first of equal ones), and the model is fitted with it to all
        training rows. A number such as 20 takes so many values for each model, from 1e-1 to 1e-8 for
        penalties and jitters and from 1 to 100 for numbers of neighbors, trees, rounds and rows in a leaf; a list
        is of values for one model. Models are then named like "knn (tuned, 20)", sizes begin at 10, and
        `chosen_values` of the result says what was chosen.
    fit : {"kernel", "each"}, optional
        Compiled kernels compute a whole curve at once, hundreds of times faster than a fit at each size. A
        model has one by its name, or as the estimator of scikit-learn whose results it gives, such as
        `KNeighborsClassifier(5)`; where left out they are used where they exist, and `notes` says for which
        models. "each" fits every model anew at each size; "kernel" refuses models that have none.
    multi_class : {"one-vs-rest"}, optional
        Models that tell several classes apart at once (nmc, knn, lda, qda, tree, forest, adaboost, estimators
        of yours) are fitted once for each class against the rest, at each size: they have no kernels then.
        Machines and logistic regression are one class against the rest by themselves.
    name : str
        Of the data; part of the random streams.
    store : path, optional
        Keeps finished repetitions; the same call goes on where an interrupted one stopped.
    workers : int, optional
        Processes; all cores where left out, 0 for this process. Never changes a number.
    engine : ogive.runner.Dask or its name, optional
        A cluster in place of this machine, as of `ogive.run`. Never changes a number.
    max_cost : float
        Seconds of computing, all workers together; what is predicted to take longer is refused.

    Notes
    -----
    Repetition r draws the same rows for every model and for any number of repetitions, so that curves
    are paired. Warnings of fits are not shown. A fit that fails has no score at that size (NaN), and
    `notes` says how many. More repetitions tell more about these rows, not about other data.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(80, 2)); y = X[:, 0] + 0.5 * rng.normal(size=80) > 0
    >>> learning_curves(["nmc", "lda"], X, y, sizes=[4, 16, 50], n_repetitions=20, workers=0)
    LearningCurves(2 models x 4 metrics x 3 sizes x 20 repetitions, additive, fixed test set, on these 80 rows)
    """
    study, draw, said = prepare(
        models, X, y, design=design, test=test, sizes=sizes, metrics=metrics, test_size=test_size, missing_class=missing_class,
        tuned=tuned, fit=fit, multi_class=multi_class, name=name, seed=seed,
    )  # fmt: skip
    with place_for(store) as kept:
        carry_out(
            study, draw, n_repetitions, kept, workers=workers, engine=engine, max_cost=max_cost, progress=progress
        )
        curves = from_store(kept, n_repetitions, [a.name for a in study.algorithms], lasting=store is not None)
    said += one_vs_rest_note(study) if multi_class and draw.data.n_classes != 2 else ()
    return replace(curves, notes=(*curves.notes, *study.notes, *said))


def prepare(
    models: Any, X: Any, y: Any, *, design: str, test: str, sizes: Any, metrics: Any, test_size: float, missing_class: str,
    tuned: Any, fit: str | None, name: str, seed: int, multi_class: str | None = None,
) -> tuple[Study, CurveDraw, list[Note]]:  # fmt: skip
    """The study behind learning curves, everything checked; and what is to be said of data and models."""
    estimators = as_models(models)
    if missing_class not in MISSING_CLASS:
        raise InputError(f"`missing_class` must be 'zero' or 'undefined'; got {missing_class!r}.")
    if multi_class not in (None, "one-vs-rest"):
        raise InputError(f"`multi_class` must be 'one-vs-rest' or None; got {multi_class!r}.")
    data = as_data(X, y, name, estimators)
    if multi_class and data.kind != "classification":
        raise InputError("`multi_class` is about classes; a quantity has none. Leave it out.")
    given, wrapped = estimators, one_vs_rest(estimators, len(data.labels)) if multi_class else {}
    estimators = given | wrapped
    wanted = as_metrics(metrics, data.kind)
    refuse_missing(data, estimators)
    rows = Design.of(design, test, data.n_rows, test_size, seed, name)
    tunings = as_tunings(tuned, given, data.n_classes)
    refuse_one_vs_rest(tunings, wrapped)
    known = recognized(estimators, data, rows, as_fit(fit), tunings)
    least = FEWEST if tuned is not None or any(isinstance(e, Searched) for e in given.values()) else 2
    numbers = as_sizes(sizes, rows, data.n_classes, every=len(known) == len(estimators), fewest=least)
    if tuned is not None:
        refuse_few(numbers)
    draw = CurveDraw(data, rows, numbers)
    last, shelf = f"at n = {numbers[-1]}", Shelf()
    functions: dict[str, CurveFit | WholeCurve] = {}
    for model, estimator in estimators.items():
        if model in tunings:
            tuning = tunings[model]
            anew = TunedFit(estimator, wanted, missing_class, last, tuning)
            function = TunedCurve(anew, known[model], shelf, tuning) if model in known else anew
            functions[tuning.name(model)] = function
        else:
            slow = CurveFit(estimator, wanted, missing_class, last)
            functions[model] = WholeCurve(slow, known[model], shelf) if model in known else slow
    said = [*nothing_tuned_notes(tuned, given), *absent_classes(data, rows)]
    return curve_study(draw, functions, seed), draw, said


def carry_out(
    study: Study, draw: CurveDraw, n_repetitions: int, store: Store, *, workers: int | None, max_cost: float, progress: Any,
    engine: Dask | str | None = None,
) -> None:  # fmt: skip
    """Run what the store does not hold, unless that is predicted to take too long."""
    from ogive.runner import run

    if isinstance(n_repetitions, bool) or not isinstance(n_repetitions, (int, np.integer)) or n_repetitions < 1:
        raise InputError(f"`n_repetitions` must be a whole number of at least 1; got {n_repetitions!r}.")
    most = as_max_cost(max_cost)
    todo = missing(study, draw, int(n_repetitions), store)
    announce_compiling(a.function for a in study.algorithms if todo[a.name])
    if sum(todo.values()) * len(draw.numbers) > FEW_FITS:
        cost = predicted(study, draw, todo)
        cost.refuse_above(most, f"fewer sizes than {len(draw.numbers)} or fewer repetitions than {n_repetitions}")
    run(study, int(n_repetitions), store, workers=workers, engine=engine, progress=progress)


def missing(study: Study, draw: CurveDraw, n_repetitions: int, store: Store) -> dict[str, int]:
    """How many repetitions of each model the store does not hold; refuses a store of something else."""
    try:
        store.create(study.record())
    except StoreConflict as conflict:
        if not conflict.changed:
            raise
        raise StoreConflict(made_otherwise(study, store, conflict.changed), conflict.changed) from None
    done = store.finished()
    held = {a.name: done.get((a.name, draw.data.name)) for a in study.algorithms}
    return {
        name: n_repetitions - (0 if cell is None else int(np.count_nonzero(cell.trials < n_repetitions)))
        for name, cell in held.items()
    }


def made_otherwise(study: Study, store: Store, changed: Sequence[str]) -> str:
    """What differs from the curves that a store holds, and how they are asked for."""
    held, asked = store.records().merged["algorithms"], study.record()["algorithms"]
    kernels, here = (["kernel" in one[name] for name in asked if name in held] for one in (held, asked))
    way = ""
    if any(here) and not any(kernels):
        way = f": with {argument('fit', 'each')}, as they were fitted"
    elif any(kernels) and not any(here):
        way = f": without {argument('fit', 'each')}, as they were computed"
    return (
        f"{store.path} holds curves that were made otherwise: {'; '.join(changed)}. Ask for them as they were made{way}; or give "
        f"{either('another `store`', 'another folder, --out')}."
    )


def predicted(study: Study, draw: CurveDraw, todo: Mapping[str, int]) -> Cost:
    """Cost of the missing repetitions, from fits of the first one."""
    functions: dict[str, Any] = {a.name: a.function for a in study.algorithms}
    whole = {model: n for model, n in todo.items() if n and isinstance(functions[model], WholeCurve)}
    configs = {a.name: a.space.sample(stream(0, "resample", "cost")) for a in study.algorithms}

    def fit(model: str, position: int) -> None:
        rng = stream(0, "resample", "cost", model, position)
        _, train, test = next(iter(draw.design.repetition(rng, draw.numbers[position : position + 1]).splits()))
        functions[model].scores(configs[model], draw.data, train, test, rng)

    slow = predict(draw.numbers, {model: n for model, n in todo.items() if model not in whole}, fit)
    seconds = {model: n * seconds_of(functions[model], draw) for model, n in whole.items()}
    return Cost({**slow.seconds, **seconds})


def seconds_of(function: WholeCurve, draw: CurveDraw) -> float:
    """Seconds of one repetition that a kernel computes."""
    rng = stream(0, "resample", "cost")
    key = words(rng)
    function.warm_up()  # compiling is paid once, not for each repetition
    # Fresh draws cost as much at each size as that size does: sizes from small to large stand for all.
    compute = draw.design.repetition(rng, draw.numbers)
    function.curve(draw.data, replace(compute, sizes=draw.numbers[:1]), key)
    seconds = whole_curve(
        draw.numbers, lambda count: function.curve(draw.data, replace(compute, sizes=draw.numbers[:count]), key)
    )
    function.shelf.clear()  # workers fill shelves of their own
    return seconds


def one_vs_rest_note(study: Study) -> list[Note]:
    """Which models are fitted once for each class."""
    from sklearn.multiclass import OneVsRestClassifier

    functions: dict[str, Any] = {a.name: a.function for a in study.algorithms}
    fitted = {name: f.estimator for name, f in functions.items() if isinstance(f, CurveFit)}
    models = [name for name, estimator in fitted.items() if isinstance(estimator, OneVsRestClassifier)]
    return [Note(NoteKind.ONE_VS_REST, "multi_class", {"models": models})] if models else []


def absent_classes(data: CurveData, design: Design) -> list[Note]:
    """Classes that a fixed split leaves out of one of its parts."""
    if data.kind != "classification" or design.test != "fixed":
        return []
    notes = []
    for rows, what in ((design.held_out, "tested"), (design.pool, "trained")):
        absent = [data.names[i] for i in np.flatnonzero(~np.isin(data.labels, data.y[rows]))]
        if absent:
            notes.append(Note(NoteKind.CLASSES_ABSENT, values={"classes": list(map(str, absent)), "part": what}))
    return notes
