"""Task: a name and a way to draw."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ogive.arguments import as_printable
from ogive.canonical import Frozen, function_definition, plain
from ogive.errors import InputError
from ogive.metric import Metric

SCOPES = ("generator", "these rows")
KINDS = ("classification", "regression")
LARGE = 1_000_000  # bytes; a kept array beyond this is handed out read-only instead of copied

_PLAIN = (int, float, str, bool, type(None))

Draw = Callable[[np.random.Generator], tuple[Any, ...]]


class Data(NamedTuple):
    """A part of a data set: rows of features, and what is to be predicted for each."""

    X: Any
    y: Any


class Task(Frozen):
    """A name and a function that draws what an algorithm works on; a value, like a number.

    Parameters
    ----------
    name : str
        Part of the random streams: another name, another draw.
    draw : callable
        `draw(rng)` returns a tuple, which is handed on as `f(config, *draw, rng=rng)`. Tasks with
        data return `(train, test)`, each of which unpacks as `X, y`. It may be an object with
        methods `definition()`, `warm_up()`, `n_rows()` and `kind()`, asked when they are needed; and, where what
        it draws keeps the score itself (`keeps_score = True`, see `ogive.algorithms.Referee`), `metrics()`. What
        it returns may be kept for the next draw: algorithms get copies, or read-only arrays above 1 MB.
    scope : {"generator", "these rows"}, optional
        What more trials tell about: fresh data each time, or fresh splits of one data set.
    definition : mapping, optional
        What else defines the task, kept in its fingerprint (a data version, a size).
    n_rows : int, optional
        Rows of the data set, for "these rows".
    kind : {"classification", "regression"}, optional
        What is predicted.

    Examples
    --------
    >>> coin = Task("coin", lambda rng: (int(rng.integers(2)),))
    >>> coin.draw(np.random.default_rng(0))
    (1,)
    """

    __slots__ = ("_definition", "_kind", "_n_rows", "draw", "name", "scope")

    name: str
    draw: Draw
    scope: str | None
    _definition: Any
    _n_rows: int | None
    _kind: str | None

    def __init__(
        self,
        name: str,
        draw: Draw,
        *,
        scope: str | None = None,
        definition: Mapping[str, Any] | None = None,
        n_rows: int | None = None,
        kind: str | None = None,
    ) -> None:
        if not callable(draw):
            raise InputError(
                f"`draw` of task {name!r} must be a function draw(rng) that returns a tuple; got {type(draw).__name__}."
            )
        state = {
            "name": as_printable(name, "a task"),
            "draw": draw,
            "scope": one_of("scope", scope, SCOPES),
            "_definition": None if definition is None else plain(definition),
            "_n_rows": None if n_rows is None else as_count("n_rows", n_rows),
            "_kind": one_of("kind", kind, KINDS),
        }
        self.__setstate__(state)

    def __repr__(self) -> str:
        return f"Task({self.name!r})" if self.scope is None else f"Task({self.name!r}, scope={self.scope!r})"

    @property
    def purpose(self) -> str:
        """What the stream of the draw is for: `data`, or the design that the drawing object names, `design:additive`."""
        said = getattr(self.draw, "purpose", None)
        return said if isinstance(said, str) and said.startswith("design:") else "data"

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw."""
        return self.draw is nothing

    def hand_out(self, rng: np.random.Generator) -> tuple[Any, ...]:
        """A draw that its receiver may change without changing the next one.

        Arrays that the task keeps (or has made of others that it keeps) are copied; above 1 MB they
        are read-only. Frames, sparse matrices and tensors are copied. Objects of other classes are
        handed out as they are.
        """
        box = [self.draw(rng)]
        if not isinstance(box[0], tuple):
            raise InputError(
                f"`draw` of task {self.name!r} must return a tuple, handed on as f(config, *draw, rng=rng); "
                f"got {type(box[0]).__name__}. Write `return (value,)` for a single one."
            )
        apart: tuple[Any, ...] = _apart(box, fresh=True)[0]
        return apart

    @property
    def n_rows(self) -> int | None:
        """Rows of the data set; loads it where it is not loaded yet."""
        count: int | None = self._ask("n_rows") if self._n_rows is None else self._n_rows
        return count

    @property
    def metrics(self) -> dict[str, Metric]:
        """What every trial on it has, whoever works on it; empty where algorithms alone say what they measure."""
        found = self._ask("metrics") if getattr(self.draw, "keeps_score", None) is True else None
        return dict(found or {})

    @property
    def counted_by(self) -> dict[str, str]:
        """What the values of its own series are counted by: {"returns": "episode"}."""
        found = self._ask("counted_by") if getattr(self.draw, "keeps_score", None) is True else None
        return dict(found or {})

    @property
    def kind(self) -> str | None:
        """What is predicted; loads the data where only they can tell."""
        kind: str | None = self._ask("kind") if self._kind is None else self._kind
        return kind

    def fingerprint(self) -> dict[str, Any]:
        """What defines the task: parameters and a digest of its data, or of the source of `draw`."""
        own = self._ask("definition")
        content: dict[str, Any] = function_definition(self.draw) if own is None else own
        return content if self._definition is None else {**content, "definition": self._definition}

    def warm_up(self) -> None:
        """Load what the first draw would load."""
        self._ask("warm_up")

    def _ask(self, what: str) -> Any:
        answer = getattr(self.draw, what, None)
        return answer() if callable(answer) else answer


def none(name: str = "none") -> Task:
    """A task that draws nothing, for algorithms whose only inputs are a configuration and a seed."""
    return Task(name, nothing)


def nothing(rng: np.random.Generator) -> tuple[()]:
    """Draw nothing."""
    return ()


def _apart(parts: Any, fresh: bool) -> list[Any]:
    """The parts of a list or tuple without what somebody else keeps; `fresh` says that nobody keeps the whole."""
    out = []
    for i in range(len(parts)):
        if type(parts[i]) in _PLAIN:
            out.append(parts[i])
            continue
        alone = fresh and sys.getrefcount(parts[i]) == 2  # the whole, and this call
        out.append(_separate(parts[i], alone))
    return out


def _separate(value: Any, fresh: bool) -> Any:
    if isinstance(value, tuple):
        parts = _apart(value, fresh)
        make = getattr(type(value), "_make", None)
        return tuple(parts) if make is None else make(parts)
    if isinstance(value, list):
        return _apart(value, fresh)
    if isinstance(value, dict):
        return dict(zip(value, _apart(list(value.values()), fresh=False), strict=True))
    if isinstance(value, np.ndarray):
        return value if fresh and value.flags.owndata else _array(value)
    if hasattr(value, "shape"):
        again = getattr(value, "copy", None) or getattr(value, "clone", None)
        return again() if callable(again) else value
    return value


def _array(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    if value.dtype.hasobject:
        return copy.deepcopy(value)
    if value.nbytes <= LARGE:
        return value.copy(order="K")
    view = value.view()
    view.flags.writeable = False
    return view


def one_of(what: str, value: Any, allowed: tuple[str, ...]) -> Any:
    """None or one of the allowed words."""
    if value is not None and value not in allowed:
        raise InputError(f"`{what}` must be {' or '.join(map(repr, allowed))}; got {value!r}.")
    return value


def as_count(what: str, value: object, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise InputError(f"`{what}` must be a whole number of at least {least}; got {value!r}.")
    return int(value)


def as_amount(what: str, value: object, low: float = 0.0, high: float = np.inf) -> float:
    """A finite number from `low` to `high`."""
    fine = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    if not fine or not low <= float(value) <= high or not np.isfinite(float(value)):  # type: ignore[arg-type]
        span = f"of at least {low:g}" if high == np.inf else f"from {low:g} to {high:g}"
        raise InputError(f"`{what}` must be a number {span}; got {value!r}.")
    return float(value)  # type: ignore[arg-type]
