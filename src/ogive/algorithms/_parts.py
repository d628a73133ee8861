"""(train, test) as pairs of X and y, whatever arrays they hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError
from ogive.tasks import Data


def as_parts(draw: tuple[Any, ...], who: str) -> tuple[Data, Data]:
    """The training and the test part of a draw; refused in one sentence where it has another shape."""
    pairs = [_pair(part) for part in draw]
    if len(pairs) != 2 or pairs[0] is None or pairs[1] is None:
        got = f"{len(draw)} of {', '.join(type(part).__name__ for part in draw)}" if draw else "nothing"
        raise InputError(f"{who} needs a task that draws (train, test), each of which unpacks as X, y; it drew {got}.")
    return pairs[0], pairs[1]


def take(part: Data, rows: NDArray[np.intp]) -> Data:
    """Some rows of a part, in the container they came in."""
    return Data(_rows(part.X, rows), _rows(part.y, rows))


def n_rows(part: Data) -> int:
    """Rows of a part."""
    shape = getattr(part.y, "shape", None)
    return int(shape[0]) if shape else len(part.y)


def _rows(values: Any, rows: NDArray[np.intp]) -> Any:
    if hasattr(values, "iloc"):
        return values.iloc[rows]
    if hasattr(values, "shape"):
        return values[rows]
    return [values[i] for i in rows.tolist()]


def _pair(part: Any) -> Data | None:
    """Whatever unpacks as X, y, except arrays and names that happen to have two rows or letters."""
    if isinstance(part, (str, bytes, Mapping)) or hasattr(part, "shape"):
        return None
    try:
        X, y = part
    except (TypeError, ValueError):
        return None
    return Data(X, y)
