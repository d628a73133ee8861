"""scikit-learn's cv_results_ and fitted searches become plain Arrow tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from ogive.errors import InputError
from ogive.importers._columns import refuse_reserved

PREFIX = "mean_test_"


def is_cv_results(source: object) -> bool:
    """Whether `source` is a `cv_results_` dictionary."""
    return isinstance(source, Mapping) and "params" in source and any(str(k).startswith(PREFIX) for k in source)


def is_search(source: object) -> bool:
    """Whether `source` is a fitted search with `cv_results_`."""
    return is_cv_results(getattr(source, "cv_results_", None))


def is_search_or_results(source: object) -> bool:
    """Whether `source` is a fitted search, or the `cv_results_` of one."""
    return is_cv_results(source) or is_search(source)


def search_scores(columns: Sequence[str]) -> tuple[str, ...]:
    """The scores of a table of search results, by its columns; none where it is another table."""
    chosen = "params" in columns or any(c.startswith("rank_test_") for c in columns)
    return tuple(c for c in columns if c.startswith(PREFIX)) if chosen else ()


def search_params(columns: Sequence[str]) -> tuple[str, ...] | None:
    """The parameters in a table of search results: a column each.

    `params` holds all of them, but as Python writes them, `{'C': np.float64(1.96)}`, where the table was a file: nothing
    reads that, and a search over C and gamma was said to vary no hyper-parameter.
    """
    each = tuple(c for c in columns if c.startswith("param_"))
    return each or (("params",) if "params" in columns else None)


def refuse_cross_validation(source: Mapping[Any, Any]) -> None:
    """What cross_validate returns looks like names and their scores."""
    for one in (source, *source.values()):
        if isinstance(one, Mapping):
            refuse_folds([str(k) for k in one], "the dictionary")


def refuse_folds(columns: Sequence[str], source: str) -> None:
    """The folds of cross_validate do not say which they are, nor how often they were drawn."""
    if {"fit_time", "score_time"} <= {*columns} and any(c.startswith("test_") for c in columns):
        raise InputError(
            f"{source} is what cross_validate returns, whose scores are folds that share training data; pass a table with "
            "the columns model, fold and score, and repeat where the folds were drawn again."
        )


def is_random(search: Any) -> bool:
    """Whether a search drew its configurations independently: not from a grid, not by earlier results."""
    if not any(t.__name__ == "RandomizedSearchCV" for t in type(search).__mro__):
        return False
    spaces = search.param_distributions
    spaces = [spaces] if isinstance(spaces, Mapping) else list(spaces)
    # Lists are drawn from without replacement: as many draws as there are configurations are the grid.
    drawn = any(hasattr(values, "rvs") for space in spaces for values in space.values())
    grid = sum(math.prod(len(values) for values in space.values()) for space in spaces) if not drawn else math.inf
    return len(search.cv_results_["params"]) < grid


def search_name(search: Any) -> str:
    """The class of the estimator that was searched."""
    estimator = getattr(search, "estimator", None)
    return type(estimator if estimator is not None else search).__name__


def from_cv_results(results: Mapping[str, Any]) -> tuple[pa.Table, tuple[str, ...]]:
    """One row for each configuration: its mean score over the folds, its parameters, its time.

    Returns the table and the names of its metrics.
    """
    scores = {
        str(k).removeprefix(PREFIX): np.asarray(v, dtype=np.float64)
        for k, v in results.items()
        if str(k).startswith(PREFIX)
    }
    refuse_reserved(tuple(scores))
    n = len(results["params"])
    columns: dict[str, Any] = {
        "trial": list(range(n)),
        "params": [
            json.dumps({k: _plain(v) for k, v in sorted(p.items())}, separators=(",", ":")) for p in results["params"]
        ],
        **scores,
    }
    if "mean_fit_time" in results:
        columns["wall_s"] = np.asarray(results["mean_fit_time"], dtype=np.float64)
    return pa.table(columns), tuple(scores)


def _plain(value: Any) -> Any:
    """A parameter as JSON: numbers and text as they are, objects by their text."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else repr(value)
