"""Algorithm: a name, a function that trains and scores, the space of its configurations; and what comes out of a trial."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ogive.algorithms._estimator import Fitted, estimator_name
from ogive.arguments import as_printable
from ogive.canonical import Frozen, function_definition
from ogive.errors import InputError, InvalidScores
from ogive.metric import Metric
from ogive.notes import Note, said
from ogive.schema import RESERVED
from ogive.spaces import Space, as_space

SCORE = "score"  # the name of a bare number
BATCH = 64  # trials that are handed over at once where a function that takes many does not say
_BROKEN = re.compile("[\x00\ud800-\udfff]")  # NUL, and half a character


class Series:
    """A curve of one trial (a loss for each epoch), kept beside the scores: `Trials.series` gives it back."""

    __slots__ = ("values",)

    values: NDArray[np.float64]

    def __init__(self, values: ArrayLike) -> None:
        try:
            array = np.array(values, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"a Series must hold numbers; got {type(values).__name__}.") from None
        if array.ndim != 1:
            raise InputError(f"a Series must be one row of numbers; got shape {array.shape}.")
        array.flags.writeable = False
        self.values = array

    def __repr__(self) -> str:
        return f"Series({len(self.values)} values)"

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A configuration that a search tried: its score in each fold (NaN where none), and their mean."""

    params: dict[str, Any]
    scores: tuple[float, ...]
    mean: float
    status: str = "ok"
    message: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came out of one trial.

    Attributes
    ----------
    scores : dict
        Metric to number; NaN says that there is none.
    params : dict, optional
        The configuration that was chosen inside, by `tuned`.
    inner : tuple of Candidate
        Every configuration that was tried inside.
    series : dict
        Name to `Series`.
    """

    scores: dict[str, float]
    params: dict[str, Any] | None = None
    inner: tuple[Candidate, ...] = ()
    series: dict[str, Series] = field(default_factory=dict)


class Referee(Protocol):
    """What a drawn object can do that keeps the score of a trial itself, as an environment with a budget does.

    It is known by an attribute `keeps_score` of its class that is true. What the function returns is then
    nothing, or metrics and series beside those of the referee.
    """

    def begin(self, rng: np.random.Generator) -> None:
        """The function is about to be called with this generator."""

    def ended(self, error: BaseException) -> bool:
        """Whether an exception of the function says only that the trial is over."""

    def outcome(self, algorithm: str) -> Outcome:
        """What the trial was worth; raises `InvalidScores` where that cannot be said."""

    def close(self) -> None:
        """The trial is over."""


def referee_of(draw: Sequence[Any]) -> Referee | None:
    """The drawn object that keeps the score; None where the function does."""
    for part in draw:
        if getattr(type(part), "keeps_score", None) is True:
            return part  # type: ignore[no-any-return]
    return None


METRIC_NAMES = f"text that is not blank, of whole characters, other than {', '.join(RESERVED)}"


def is_metric_name(name: object) -> bool:
    """Whether a table can have a column of this name; the same rule as a store's."""
    return isinstance(name, str) and bool(name.strip()) and name not in RESERVED and not _BROKEN.search(name)


def as_outcome(result: Any, algorithm: str, single: str = SCORE) -> Outcome:
    """The outcome that a function meant by a number, a dictionary or an Outcome."""
    if isinstance(result, Outcome):
        read = as_outcome({**result.scores, **result.series}, algorithm)
        return Outcome(read.scores, result.params, tuple(result.inner), read.series)
    if not isinstance(result, Mapping):
        return Outcome({single: _number(result, algorithm, None)})
    scores: dict[str, float] = {}
    series: dict[str, Series] = {}
    for name, value in result.items():
        if not is_metric_name(name):
            raise InvalidScores(f"{algorithm!r} must name its metrics with {METRIC_NAMES}; got {name!r}.")
        if isinstance(value, Series):
            series[name] = value
        else:
            scores[name] = _number(value, algorithm, name)
    if not scores and not series:
        raise InvalidScores(f"{algorithm!r} must return at least one score; got an empty dictionary.")
    return Outcome(scores, series=series)


def _number(value: Any, algorithm: str, metric: str | None) -> float:
    if hasattr(value, "__float__") and not isinstance(value, (str, bytes)) and np.ndim(value) == 0:
        return float(value)
    what = "" if metric is None else f" for {metric!r}"
    advice = " Wrap a curve: ogive.algorithms.Series(values)." if np.ndim(value) == 1 else ""
    raise InvalidScores(
        f"{algorithm!r} must return a number{what}, or a dictionary of metric to number; got {type(value).__name__}.{advice}"
    )


Function = Callable[..., Any]


class Algorithm(Frozen):
    """A function that trains and scores, with the space of its configurations; a value, like a number.

    Parameters
    ----------
    name : str
        Part of the random streams: another name, other configurations and seeds.
    function : callable
        `function(config, *draw, rng=rng)` returns a number (named by the one metric in `metrics`,
        or of the study, else "score"), a dictionary of metric to number or `Series`, or an
        `Outcome`. It may be an object with methods `definition()`, `warm_up()` and `notes()`; and with
        `evaluate_many(configs, draws, rngs)`, which does many trials at once, `batch` of them (64
        where it has no such attribute).
    space : optional
        What `ogive.spaces.as_space` reads: a Space, a dictionary of name to choices or distribution,
        a function of rng.
    metrics : mapping, optional
        Metric name to `Metric`, or to "maximize" or "minimize". Each must come out of every trial;
        others may. Where left out, those that the study declares must.

    Examples
    --------
    >>> coin = Algorithm("coin", lambda config, rng: rng.random() < config["p"], {"p": [0.5]})
    >>> coin.evaluate({"p": 0.5}, (), np.random.default_rng(0)).scores
    {'score': 0.0}
    """

    __slots__ = ("function", "metrics", "name", "space")

    name: str
    function: Function
    space: Space
    metrics: Mapping[str, Metric]

    def __init__(
        self,
        name: str,
        function: Function,
        space: Any = None,
        *,
        metrics: Mapping[str, Metric | str] | None = None,
    ) -> None:
        _check_function(as_printable(name, "an algorithm"), function)
        values = {"name": name, "function": function, "space": as_space(space), "metrics": as_metrics(metrics)}
        self.__setstate__(values)

    @classmethod
    def from_estimator(
        cls, estimator: Any, space: Any = None, *, name: str | None = None, scoring: Any = None
    ) -> Algorithm:
        """A scikit-learn estimator or pipeline, fitted on the training part and scored on the test part.

        Parameters
        ----------
        estimator : estimator
            Cloned for every trial. Each `random_state` of `get_params(deep=True)`, in sorted order
            of their names, gets a number from the trial's stream; an integer that was set is kept,
            and `notes` says so.
        space : optional
            Its names are parameters of the estimator (`svc__C` within a pipeline).
        name : str, optional
            The class of the estimator, or of a pipeline's last step, where left out.
        scoring : str, callable, list or dict, optional
            scikit-learn's scorers, all computed from one fit. Accuracy for a classifier and r2 for
            a regressor where left out. Direction and bounds come with the names.
        """
        space = as_space(space)
        function = Fitted.checked(estimator, space, scoring)
        return cls(
            estimator_name(estimator) if name is None else name, function, space, metrics=function.scoring.metrics()
        )

    def __repr__(self) -> str:
        shown = ", ".join(self.metrics)
        return f"Algorithm({self.name!r}, metrics {shown})" if shown else f"Algorithm({self.name!r})"

    def evaluate(self, config: Mapping[str, Any], draw: tuple[Any, ...], rng: np.random.Generator) -> Outcome:
        """Train with a configuration on a draw and score; raises whatever the function raises."""
        referee = referee_of(draw)
        if referee is None:
            return as_outcome(self.function(dict(config), *draw, rng=rng), self.name, self._single)
        try:
            referee.begin(rng)
            result: Any = None
            try:
                result = self.function(dict(config), *draw, rng=rng)
            except BaseException as error:
                if not referee.ended(error):
                    raise
            return self._beside(referee, result)
        finally:
            referee.close()

    @property
    def _single(self) -> str:
        """The name of a bare number."""
        return next(iter(self.metrics)) if len(self.metrics) == 1 else SCORE

    def _beside(self, referee: Referee, result: Any) -> Outcome:
        """What the referee says, with what the function returned."""
        kept = referee.outcome(self.name)
        if result is None:
            return kept
        own = as_outcome(result, self.name, self._single)
        for name in (*own.scores, *own.series):
            if name in kept.scores or name in kept.series:
                raise InvalidScores(
                    f"{self.name!r} must leave {name!r} to its environment, which counts it; return nothing, or another name."
                )
        return Outcome({**kept.scores, **own.scores}, own.params, own.inner, {**kept.series, **own.series})

    @property
    def batch(self) -> int:
        """How many trials its function likes to be given at once; 1 where it takes them one by one."""
        if not callable(getattr(self.function, "evaluate_many", None)):
            return 1
        wanted = getattr(self.function, "batch", BATCH)
        if isinstance(wanted, bool) or not isinstance(wanted, (int, np.integer)) or wanted < 1:
            raise InputError(f"`batch` of {self.name!r} must be a whole number of at least 1; got {wanted!r}.")
        return int(wanted)

    def evaluate_many(
        self,
        configs: Sequence[Mapping[str, Any]],
        draws: Sequence[tuple[Any, ...]],
        rngs: Sequence[np.random.Generator],
    ) -> list[Outcome | Exception]:
        """What came out of each of many trials: what `evaluate` gives, or the exception that it would raise.

        The function's `evaluate_many` gets a configuration, a draw and a generator for each trial, and returns as
        many results, each what the function itself may return, or an exception where that trial failed.
        Numbers of a trial must not depend on which others come with it.
        """
        referees = [referee_of(draw) for draw in draws]
        try:
            for referee, rng in zip(referees, rngs, strict=True):
                if referee is not None:
                    referee.begin(rng)
            results = list(self.function.evaluate_many([dict(c) for c in configs], list(draws), list(rngs)))  # type: ignore[attr-defined]
            if len(results) != len(configs):
                raise InvalidScores(
                    f"{self.name!r} must return a result for each of {len(configs)} trials; got {len(results)}."
                )
            return [self._outcome_or_error(result, referee) for result, referee in zip(results, referees, strict=True)]
        finally:
            for referee in referees:
                if referee is not None:
                    referee.close()

    def _outcome_or_error(self, result: Any, referee: Referee | None) -> Outcome | Exception:
        if isinstance(result, BaseException) and referee is not None and referee.ended(result):
            result = None
        if isinstance(result, Exception):
            return result
        try:
            return as_outcome(result, self.name, self._single) if referee is None else self._beside(referee, result)
        except InvalidScores as error:
            return error

    def named(self, name: str) -> Algorithm:
        """The same algorithm under another name, and so with other configurations and seeds."""
        other = object.__new__(type(self))
        other.__setstate__({**self.__getstate__(), "name": as_printable(name, "an algorithm")})
        return other

    def held_to(self, declared: Mapping[str, Metric]) -> Algorithm:
        """The algorithm in a study that declares these metrics.

        Its own metrics stay its own, with the study's directions and bounds; one that names none is
        held to all that the study declares. What other algorithms of the study measure is nothing to it.
        """
        own = {name: declared.get(name, metric) for name, metric in self.metrics.items()}
        inner = getattr(self.function, "held_to", None)
        function = inner(declared) if callable(inner) else self.function
        other = object.__new__(type(self))
        other.__setstate__({**self.__getstate__(), "function": function, "metrics": own or dict(declared)})
        return other

    @property
    def searched(self) -> Space:
        """The space that chosen and tried configurations belong to: the own one, or for `tuned` the inner one."""
        inner = getattr(self.function, "searched", None)
        return inner if isinstance(inner, Space) else self.space

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the results should know."""
        asked = getattr(self.function, "notes", None)
        found = asked() if callable(asked) else ()
        return tuple(note if isinstance(note, Note) else said(str(note)) for note in found)

    def fingerprint(self) -> dict[str, Any]:
        """What defines the algorithm: its space, and class and parameters or a digest of the function's source."""
        own = getattr(self.function, "definition", None)
        content: dict[str, Any] = own() if callable(own) else function_definition(self.function)
        return {**content, "space": self.space.definition()}

    def warm_up(self) -> None:
        """Do once what should not count as part of the first trial."""
        ready = getattr(self.function, "warm_up", None)
        if callable(ready):
            ready()


def as_metrics(metrics: Mapping[str, Metric | str] | None) -> dict[str, Metric]:
    """Metric name to `Metric`, checked."""
    if metrics is None:
        return {}
    if not isinstance(metrics, Mapping):
        raise InputError(f"`metrics` must map names to ogive.Metric; got {type(metrics).__name__}.")
    out: dict[str, Metric] = {}
    for name, metric in metrics.items():
        if not is_metric_name(name):
            raise InputError(f"`metrics` must be named with {METRIC_NAMES}; got {name!r}.")
        if not isinstance(metric, Metric) and metric not in ("maximize", "minimize"):
            raise InputError(f"metric {name!r} must be an ogive.Metric, 'maximize' or 'minimize'; got {metric!r}.")
        out[name] = metric if isinstance(metric, Metric) else Metric.toward(metric)
    return out


def _check_function(name: str, function: object) -> None:
    if not callable(function):
        raise InputError(
            f"`function` of {name!r} must be callable as f(config, *draw, rng=rng); got {type(function).__name__}. "
            "For an estimator use Algorithm.from_estimator."
        )
    if isinstance(function, type) or (hasattr(function, "fit") and hasattr(function, "get_params")):
        raise InputError(f"`function` of {name!r} must be a function; for an estimator use Algorithm.from_estimator.")
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):  # some builtins have no signature
        return
    if not any(p.name == "rng" or p.kind is p.VAR_KEYWORD for p in parameters):
        raise InputError(f"`function` of {name!r} must accept the keyword rng: f(config, *draw, rng).")
