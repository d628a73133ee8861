"""The page of learning curves."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.report._write import as_target, write_page
from ogive.report.curves._findings import find
from ogive.report.curves._sections import compose
from ogive.words import printable

if TYPE_CHECKING:
    from ogive.curves import LearningCurves


def write_curves(
    curves: LearningCurves,
    path: str | Path,
    *,
    metric: str | None = None,
    confidence: float = 0.95,
    failures: str | float | None = None,
    sizes: Sequence[int] | None = None,
) -> Path:
    """Write a report of learning curves: one HTML file that needs no network.

    Parameters
    ----------
    curves : LearningCurves
        From `ogive.curves.learning_curves` or `ogive.curves.read`.
    metric : str, optional
        The metric that is judged; the first where not given.
    failures : {"worst"} or float, optional
        How fits without a score count. By default they are gaps: at a size where a repetition of a
        model has no score the model has no mean and no quantile, and cannot lead. The page says
        whether its first sentence would change if they counted as the worst possible score.
    sizes : list of int, optional
        At which the distributions are drawn, all of the grid; a few spread over it where left out.

    Notes
    -----
    Who is certainly ahead rests on one band for each of three statistics; together they hold for all pairs and
    sizes (see `ogive.curves.Leaders`); with fewer than 20 repetitions, or one model, the curves are
    described without a verdict. Nothing is said about other rows, between the sizes or beyond them.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> from ogive.curves import learning_curves
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(60, 2)); y = X[:, 0] + 0.5 * rng.normal(size=60) > 0
    >>> curves = learning_curves(["nmc", "lda"], X, y, sizes=[5, 20], n_repetitions=20, workers=0)
    >>> write_curves(curves, Path(tempfile.mkdtemp()) / "curves.html").name
    'curves.html'
    """
    from ogive.curves import LearningCurves

    if not isinstance(curves, LearningCurves):
        raise InputError(
            f"`report.write_curves` takes learning curves; got {type(curves).__name__}. A table of runs is written by report.write."
        )
    target = as_target(path)
    found = find(curves, metric=metric, confidence=as_confidence(confidence), failures=failures, sizes=sizes)
    title = "Ogive report: learning curves" + (f" on {printable(curves.name)}" if curves.name != "data" else "")
    return write_page(target, title, found.opening, compose(found))
