"""Study: algorithms × tasks and one root seed. A value, not a process.

Trial i of a cell (an algorithm on a task) draws data, a configuration and a seed, each from a
stream of its own that depends on names, root seed and trial number only. The data stream does not
know the algorithm, so trial i has the same data for all of them and comparisons are paired. Each of
the three can be held: at one trial's draw, at values, at a new draw every k trials, or at k draws
in turn. Configurations can also be those at percentiles of the scores of trials that were run before,
each an algorithm of its own; what is drawn with them comes from another root, and so is new.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeVar

import numpy as np

from ogive.algorithms import Algorithm, as_metrics
from ogive.arguments import as_integer
from ogive.canonical import Frozen, plain
from ogive.errors import InputError
from ogive.metric import Bounds, Metric
from ogive.notes import Note
from ogive.seeding import Streams, other_root, stream
from ogive.spaces import Space, as_space
from ogive.tasks import Task
from ogive.trials import Trials
from ogive.words import listed, plural, quoted

SCHEMA = 1
TRIALS = 2**63  # the number of a trial is below this
SOURCES = {"config": "configuration", "data": "data", "seed": "seed"}
_NAME = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,63}")

Named = TypeVar("Named", Algorithm, Task)


@dataclass(frozen=True, slots=True)
class Hold:
    """Which draw a trial uses: the one of trial `k`, or one that `every` k or `cycle` of k gives."""

    rule: str
    k: int

    def counter(self, trial: int) -> int:
        """The trial whose draw is used."""
        if self.rule == "at":
            return self.k
        return trial // self.k if self.rule == "every" else trial % self.k

    @property
    def single(self) -> bool:
        """Whether every trial has the same draw."""
        return self.rule == "at" or (self.rule == "cycle" and self.k == 1)

    @property
    def fresh(self) -> bool:
        """Whether every trial has a draw of its own."""
        return self.rule == "every" and self.k == 1


FRESH = Hold("every", 1)


def every(k: int) -> Hold:
    """A new draw every k trials: trials 0 to k − 1 share one, and so on."""
    return Hold("every", as_integer(k, "k", at_least=1))


def cycle(k: int) -> Hold:
    """k draws in turn: trials 0, k, 2k, … share one."""
    return Hold("cycle", as_integer(k, "k", at_least=1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """The configuration at a percentile of the scores of an algorithm on a task.

    Attributes
    ----------
    method : str
        The algorithm that has it in the study of slices.
    algorithm, task : str
        Whose scores they were.
    percentile : float
        Of the scores from the worst to the best.
    trial : int
        The trial that had this score.
    score : float
        Not finite where the trial failed and no bound stands for it.
    n_trials : int
        How many scores there were.
    config : dict
        The configuration of that trial.
    """

    method: str
    algorithm: str
    task: str
    percentile: float
    trial: int
    score: float
    n_trials: int
    config: dict[str, Any]


class StudyCell:
    """One algorithm on one task: what each trial draws.

    `roots` are those of data, config and seed. Generators are reset, not rebuilt: what `rng` returns is
    valid until its next call. `trained_as` is the name in the streams of training.
    """

    __slots__ = (
        "_config", "_data", "_fixed", "_holds", "_space", "_train", "algorithm", "roots", "task", "trained_as",
    )  # fmt: skip

    def __init__(
        self, algorithm: Algorithm, task: Task, roots: Mapping[str, int], holds: Mapping[str, Hold], values: Mapping[str, Any],
        fixed: Mapping[str, Any] | None = None, trained_as: str | None = None,
    ) -> None:  # fmt: skip
        self.algorithm = algorithm
        self.task = task
        self.roots = dict(roots)
        self._holds = {source: holds.get(source, FRESH) for source in SOURCES}
        self._space = _held_space(algorithm.space, values)
        self._fixed = fixed
        self._data = Streams(roots["data"], task.purpose, task.name)
        self._config = Streams(roots["config"], "config", task.name, algorithm.name)
        self.trained_as = algorithm.name if trained_as is None else trained_as
        self._train = Streams(roots["seed"], "train", task.name, self.trained_as)

    def __repr__(self) -> str:
        return f"StudyCell({self.algorithm.name!r} on {self.task.name!r})"

    def draw(self, trial: int) -> tuple[Any, ...]:
        """What the algorithm works on; the same for every algorithm of the study."""
        return self.task.hand_out(self._data.at(self._holds["data"].counter(trial)))

    def config(self, trial: int) -> dict[str, Any]:
        """The configuration."""
        if self._fixed is not None:
            return self._space.handed_out(self._fixed)
        return self._space.sample(self._config.at(self._holds["config"].counter(trial)))

    def rng(self, trial: int) -> np.random.Generator:
        """The generator of training."""
        return self._train.at(self._holds["seed"].counter(trial))

    def own_rng(self, trial: int) -> np.random.Generator:
        """The same numbers from a generator that stays valid."""
        counter = self._holds["seed"].counter(trial)
        return stream(self.roots["seed"], "train", self.task.name, self.trained_as, counter)

    def counters(self, trial: int) -> dict[str, int]:
        """For configuration, data and seed, the trial whose draw this one uses."""
        return {word: self._holds[source].counter(trial) for source, word in SOURCES.items()}


class Study(Frozen):
    """Algorithms × tasks, one root seed, and what is held; a value, like a number.

    Parameters
    ----------
    name : str
        Letters, digits, `.`, `_` and `-`, at most 64; names the results, never enters a stream.
    algorithms : Algorithm or list of them
        With different names.
    tasks : Task or list of them
        With different names.
    seed : int
        The root of all streams.
    metrics : mapping, optional
        Metric name to `ogive.Metric`: what functions return that declare no metrics of their own
        (all of these, or the trial failed by the one that is missing; a bare number where there is
        one), and the direction and bounds where scorers say something else. Algorithms with metrics
        of their own need not have these; those that a task counts itself (the returns of an
        environment) come before theirs. A metric that nobody declares has the direction that its
        name tells (`cross_entropy` is to be small), and a note says so. The first metric is the
        default of every question.

    Examples
    --------
    >>> from ogive.tasks import none
    >>> coin = Algorithm("coin", lambda config, rng: rng.random() < config["p"], {"p": [0.4, 0.6]})
    >>> study = Study("coins", coin, none(), seed=1)
    >>> study
    Study('coins', 1 algorithms x 1 tasks, seed 1)
    >>> study.hold(config=0).varied
    ('seed',)
    """

    __slots__ = (
        "_declared", "_holds", "_origin", "_slices", "_values", "algorithms", "metrics", "name", "seed", "tasks",
    )  # fmt: skip

    name: str
    algorithms: tuple[Algorithm, ...]
    tasks: tuple[Task, ...]
    seed: int
    metrics: dict[str, Metric]
    _declared: dict[str, Metric]
    _holds: dict[str, Hold]
    _values: dict[str, Any]
    _slices: tuple[Slice, ...]
    _origin: dict[str, Any]  # of slices: the study and the question that they came from

    def __init__(
        self,
        name: str,
        algorithms: Algorithm | Iterable[Algorithm],
        tasks: Task | Iterable[Task],
        *,
        seed: int = 0,
        metrics: Mapping[str, Metric | str] | None = None,
    ) -> None:
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise InputError(
                "`name` of a study must be 1 to 64 letters, digits, '.', '_' or '-', not starting with '.'; "
                f"got {name!r}."
            )
        methods = _several("algorithms", algorithms, Algorithm, "Algorithm.from_estimator makes one of an estimator")
        declared = as_metrics(metrics)
        places = _several("tasks", tasks, Task, "tasks.arrays(X, y) makes one of data")
        self.__setstate__(
            {
                "name": name,
                "algorithms": methods,
                "tasks": places,
                "seed": as_integer(seed, "seed", at_least=0),
                "metrics": _union((*places, *methods), declared),
                "_declared": declared,
                "_holds": {},
                "_values": {},
                "_slices": (),
                "_origin": {},
            }
        )

    def __repr__(self) -> str:
        held = "".join(f", {source} held {_hold_words(hold)}" for source, hold in self.holds.items())
        return (
            f"Study({self.name!r}, {len(self.algorithms)} algorithms x {len(self.tasks)} tasks, seed {self.seed}{held})"
        )

    def hold(
        self, config: int | Hold | Mapping[str, Any] | None = None, data: int | Hold | None = None,
        seed: int | Hold | None = None,
    ) -> Study:  # fmt: skip
        """The same study with some sources of variation held; what is left out stays as it is.

        Parameters
        ----------
        config, data, seed : int, every(k) or cycle(k)
            An integer: that trial's draw for every trial. `every(k)`: a new draw every k trials.
            `cycle(k)`: k draws in turn. `every(1)` releases a hold. A configuration can also be held
            at values, `{"C": 1.0}`: in every algorithm that has such a parameter; the others are
            drawn as before.
        """
        holds, values = dict(self._holds), dict(self._values)
        if self._slices and config is not None:
            raise InputError(
                "`config` cannot be held in a study at percentiles, which holds each configuration already; hold it in the study before."
            )
        if isinstance(config, Mapping):
            values = _checked_values(self.algorithms, config)
            holds.pop("config", None)
        elif config is not None:
            values = {}
        for source, asked in {"config": config, "data": data, "seed": seed}.items():
            if asked is not None and not isinstance(asked, Mapping):
                holds[source] = _as_hold(source, asked)
            elif isinstance(asked, Mapping) and source != "config":
                raise InputError(f"`{source}` must be held at a trial number, every(k) or cycle(k); got a dictionary.")
        other = object.__new__(Study)
        kept = {source: hold for source, hold in holds.items() if not hold.fresh}
        other.__setstate__({**self.__getstate__(), "_holds": kept, "_values": values})
        return other

    def at_percentiles(
        self,
        trials: Trials,
        percentiles: Sequence[float],
        *,
        metric: str | None = None,
        failures: str | float = "refuse",
    ) -> Study:
        """A study of the configurations at these percentiles of the scores of trials that were run.

        Each is held in an algorithm of its own, named `SVM at 99 %`, for every algorithm and task that both the
        study and the trials have; `trials.select` chooses some. Data and seeds come from streams of their own: the draw
        that put a configuration at its percentile is never drawn again. What this study holds, by a trial number or
        `cycle`, stays at the same draws, for all configurations alike. Run it as any study.

        Parameters
        ----------
        trials : Trials
            With the configurations that were drawn; `ogive.read(store)`, or what `ogive.run` returned.
        percentiles : sequence of float
            Between 0 and 100, from the worst score to the best in either direction: at 99, of 1,000 trials, the one
            that 10 others are as good as or better. Equal scores stand in the order of their trials.
        metric : str, optional
            The first where left out.
        failures : str or float
            How failed trials count: "refuse", "exclude", "worst", "like:NAME" or a number; one that counts can be chosen.

        Examples
        --------
        >>> import ogive
        >>> guess = Algorithm("guess", lambda config, rng: config["x"] + rng.random(), {"x": [0, 1, 2, 3]})
        >>> study = Study("guesses", guess, ogive.tasks.none())
        >>> trials = ogive.run(study, n_trials=40, workers=0, progress=False)
        >>> slices = study.at_percentiles(trials, [10, 90])
        >>> [a.name for a in slices.algorithms], slices.varied
        (['guess at 10 %', 'guess at 90 %'], ('seed',))
        >>> [one.config for one in slices.slices]
        [{'x': 0}, {'x': 3}]
        """
        if not isinstance(trials, Trials):
            raise InputError(f"`trials` must be ogive.Trials, such as ogive.read(store); got {type(trials).__name__}.")
        if "configuration" not in self.varied:
            raise InputError(
                "`at_percentiles` needs a study that draws configurations; this one has the same one in every trial."
            )
        levels, name = _percentiles(percentiles), trials.metric_name(metric)
        methods = [a for a in self.algorithms if a.name in trials.algorithms]
        places = [t for t in self.tasks if t.name in trials.tasks]
        if not methods or not places:
            raise InputError(
                f"`trials` must be of this study; they are of {quoted(trials.algorithms)} on {quoted(trials.tasks)}, and it has "
                f"{quoted([a.name for a in self.algorithms])} on {quoted([t.name for t in self.tasks])}."
            )
        still = [a.name for a in methods if not _is_free(_held_space(a.space, self._values), self._values)]
        if still:
            raise InputError(
                f"{quoted(still)} draw{'s' if len(still) == 1 else ''} no configuration of its own; leave it out with "
                "trials.select(algorithms=…), or take the algorithm inside a tuned one."
            )
        self._refuse_the_same_draw(places)
        found = [
            one
            for algorithm in methods
            for task in places
            for one in _slices(trials, self.cell(algorithm.name, task.name), levels, name, failures)
        ]
        other = object.__new__(Study)
        other.__setstate__(
            {
                **self.__getstate__(),
                "name": f"{self.name[: 64 - len(PERCENTILES)]}{PERCENTILES}",
                "algorithms": tuple(a.named(_slice_name(a.name, p)) for a in methods for p in levels),
                "tasks": tuple(places),
                "seed": other_root(self.seed, "percentiles"),
                "_holds": {source: hold for source, hold in self._holds.items() if source != "config"},
                "_values": {},
                "_slices": tuple(found),
                "_origin": {"study": self.name, "seed": self.seed, "metric": name, "failures": failures},
            }
        )
        return other

    @property
    def slices(self) -> tuple[Slice, ...]:
        """The configurations of a study at percentiles, and where they come from; empty for any other study."""
        return self._slices

    def _refuse_the_same_draw(self, tasks: Sequence[Task]) -> None:
        """Refuse where nothing would be drawn anew: each trial would be the one that was chosen."""
        drawn = ["seed"] if all(task.empty for task in tasks) else ["data", "seed"]
        if all(self._keeps(source) for source in drawn):
            raise InputError(
                f"`at_percentiles` needs something to draw anew; the study holds {listed([SOURCES[s] for s in drawn])}. "
                "Release a hold: study.hold(seed=ogive.study.every(1))."
            )

    def _keeps(self, source: str) -> bool:
        """Whether a source has only draws that were chosen once for all."""
        return self._holds.get(source, FRESH).rule in ("at", "cycle")

    @property
    def _roots(self) -> dict[str, int]:
        """The root of each source; of slices, what was held before stays at the same draws."""
        kept = {source for source in SOURCES if self._slices and self._keeps(source)}
        return {source: self._origin["seed"] if source in kept else self.seed for source in SOURCES}

    @property
    def holds(self) -> dict[str, Any]:
        """What is held, in JSON's own types; empty where everything is drawn anew."""
        said: dict[str, Any] = {}
        for source in SOURCES:
            if source == "config" and self._slices:
                said[source] = {"percentiles": {**self._origin, "slices": [self._written(one) for one in self._slices]}}
            elif source == "config" and self._values:
                said[source] = {"values": _labels(self.algorithms, self._values)}
            elif source in self._holds:
                said[source] = {self._holds[source].rule: self._holds[source].k}
        return said

    def _written(self, one: Slice) -> dict[str, Any]:
        """A slice in JSON's own types."""
        space = _find("algorithm", one.method, self.algorithms).space
        score = one.score if math.isfinite(one.score) else None
        return {**asdict(one), "score": score, "config": json.loads(space.encode(one.config))}

    @property
    def varied(self) -> tuple[str, ...]:
        """Which of configuration, data and seed are not the same in every trial."""
        single = {source: self._holds.get(source, FRESH).single for source in SOURCES}
        spaces = [_held_space(algorithm.space, self._values) for algorithm in self.algorithms]
        if self._slices or not any(_is_free(space, self._values) for space in spaces):
            single["config"] = True
        if all(task.empty for task in self.tasks):
            single["data"] = True
        return tuple(word for source, word in SOURCES.items() if not single[source])

    def group(self, trial: int) -> str | None:
        """What a trial shares with others, where draws are held by `every` or `cycle`; None where nothing."""
        shared = {source: hold for source, hold in self._holds.items() if not hold.single}
        parts = [f"{SOURCES[source]} {hold.counter(trial)}" for source, hold in sorted(shared.items())]
        return ", ".join(parts) or None

    @property
    def notes(self) -> tuple[Note, ...]:
        """What a reader of the results should know of the algorithms."""
        return tuple(note.about(a.name) for a in self.algorithms for note in a.held_to(self._declared).notes)

    def record(self) -> dict[str, Any]:
        """What defines the study, in JSON's own types; loads data for their digests."""
        return {
            "schema": SCHEMA,
            "name": self.name,
            "seed": self.seed,
            "holds": self.holds,
            "metrics": {name: {"goal": m.goal, "bounds": list(m.bounds)} for name, m in self.metrics.items()},
            "algorithms": {a.name: plain(a.held_to(self._declared).fingerprint()) for a in self.algorithms},
            "tasks": {
                task.name: {"fingerprint": plain(task.fingerprint()), "scope": task.scope, "n_rows": task.n_rows}
                | ({"counted_by": task.counted_by} if task.counted_by else {})
                for task in self.tasks
            },
            "varied": list(self.varied),
        }

    def cell(self, algorithm: str, task: str) -> StudyCell:
        """What the trials of one algorithm on one task draw."""
        one = next((s for s in self._slices if (s.method, s.task) == (algorithm, task)), None)
        return StudyCell(
            _find("algorithm", algorithm, self.algorithms).held_to(self._declared),
            _find("task", task, self.tasks),
            self._roots,
            self._holds,
            self._values,
            None if one is None else one.config,
            one.algorithm if one is not None and self._keeps("seed") else None,
        )


PERCENTILES = "-percentiles"


def _percentiles(given: Sequence[float]) -> list[float]:
    """Percentiles in the order given, checked."""
    if isinstance(given, (str, bytes)) or not isinstance(given, Iterable):
        raise InputError(f"`percentiles` must be numbers between 0 and 100, such as [1, 50, 95, 99]; got {given!r}.")
    found = []
    for p in given:
        fine = isinstance(p, (int, float, np.integer, np.floating)) and not isinstance(p, bool)
        if not fine or not 0.0 <= p <= 100.0:
            raise InputError(f"`percentiles` must be numbers between 0 and 100, such as [1, 50, 95, 99]; got {p!r}.")
        found.append(float(p))
    if not found:
        raise InputError("`percentiles` must hold at least one number between 0 and 100; got none.")
    names = [f"{p:g}" for p in found]
    twice = [name for i, name in enumerate(names) if name in names[:i]]
    if twice:
        raise InputError(f"`percentiles` must differ; {twice[0]} comes twice.")
    return found


def _slice_name(algorithm: str, percentile: float) -> str:
    return f"{algorithm} at {percentile:g} %"


def _slices(
    trials: Trials, cell: StudyCell, percentiles: Sequence[float], metric: str, failures: str | float
) -> list[Slice]:
    """The configuration at each percentile of one algorithm on one task."""
    rows_of = trials.cell(cell.algorithm.name, cell.task.name)
    scores, rows = trials.resolve_failures(rows_of, metric, failures)
    where = f"{cell.algorithm.name!r} on {cell.task.name!r}"
    if not scores.size:
        raise InputError(
            f"`trials` must hold scores of {where}; there {'is none' if not rows_of.rows.size else 'are only failed ones'}."
        )
    numbers = trials.table["trial"].chunk(0).to_numpy()[rows]
    # From the worst to the best; the smallest share of trials that is not below the percentile.
    order = np.lexsort((numbers, trials.definitions[metric].turned(scores)))
    places = [max(math.ceil(p * scores.size / 100.0 - 1e-9), 1) - 1 for p in percentiles]
    if len(set(places)) < len(places):
        raise InputError(
            f"`percentiles` must lie at different trials; {listed([f'{p:g}' for p in percentiles])} of {plural(scores.size, 'trial')} "
            f"of {where} do not. Take fewer of them, or run more trials first."
        )
    found = []
    for percentile, place in zip(percentiles, places, strict=True):
        at = int(order[place])
        config = _config_of(trials, cell, int(rows[at]), int(numbers[at]))
        name = _slice_name(cell.algorithm.name, percentile)
        found.append(
            Slice(
                method=name, algorithm=cell.algorithm.name, task=cell.task.name, percentile=percentile, trial=int(numbers[at]),
                score=float(scores[at]), n_trials=int(scores.size), config=config,
            )
        )  # fmt: skip
    return found


def _config_of(trials: Trials, cell: StudyCell, row: int, trial: int) -> dict[str, Any]:
    """The configuration of a row: that of the study's own draw, objects and all, where the table says the same."""
    space, text = cell.algorithm.space, trials.table["params"][row].as_py()
    if text is None:
        raise InputError(
            f"`trials` must say the configurations; trial {trial} of {cell.algorithm.name!r} has none. Read them: ogive.read(…, params=[…])."
        )
    drawn = cell.config(trial)
    if json.loads(space.encode(drawn)) == json.loads(text):
        return drawn
    config = space.decode(text)
    _held_space(space, config)  # refuses what the space does not have
    return config


def _several(what: str, given: Any, kind: type[Named], advice: str) -> tuple[Named, ...]:
    items = (given,) if isinstance(given, kind) else tuple(given) if isinstance(given, Iterable) else (given,)
    if not items:
        raise InputError(f"`{what}` of a study must name at least one; got none.")
    for item in items:
        if not isinstance(item, kind):
            raise InputError(f"`{what}` must hold ogive.{kind.__name__}; got {type(item).__name__}. {advice}.")
    names = [item.name for item in items]
    repeated = [name for i, name in enumerate(names) if name in names[:i]]
    if repeated:
        raise InputError(f"`{what}` must have different names; {repeated[0]!r} comes twice. Give one another name=.")
    return items


def _union(members: tuple[Task | Algorithm, ...], declared: dict[str, Metric]) -> dict[str, Metric]:
    """Declared metrics first, then those of tasks and algorithms in order; directions must agree unless declared."""
    found = dict(declared)
    owner: dict[str, str] = {}
    for member in members:
        for name, metric in member.metrics.items():
            if name in declared:
                continue
            known = found.setdefault(name, metric)
            if known.goal != metric.goal:
                raise InputError(
                    f"metric {name!r} must have one direction; {owner[name]!r} says {known.goal} and {member.name!r} "
                    f"{metric.goal}. Declare it: metrics={{{name!r}: ogive.Metric(…)}}."
                )
            owner.setdefault(name, member.name)
            found[name] = Metric(known.goal, _wider(known.bounds, metric.bounds))
    return found


def _wider(one: Bounds, other: Bounds) -> Bounds:
    low = None if one[0] is None or other[0] is None else min(one[0], other[0])
    high = None if one[1] is None or other[1] is None else max(one[1], other[1])
    return low, high


def _as_hold(source: str, asked: object) -> Hold:
    if isinstance(asked, Hold):
        return asked
    if isinstance(asked, (int, np.integer)) and not isinstance(asked, bool) and 0 <= asked < TRIALS:
        return Hold("at", int(asked))
    allowed = "a trial number below 2 ** 63, every(k), cycle(k)" + (
        " or a dictionary of values" if source == "config" else ""
    )
    raise InputError(f"`{source}` must be held at {allowed}; got {asked!r}.")


def _hold_words(hold: Mapping[str, Any]) -> str:
    rule, k = next(iter(hold.items()))
    return {
        "at": f"at trial {k}",
        "every": f"for {k} trials",
        "cycle": f"at {k} draws in turn",
        "percentiles": "at percentiles",
    }.get(rule, "at values")


def _checked_values(algorithms: tuple[Algorithm, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of which each belongs to a parameter of some algorithm, and is allowed there."""
    known = {name for algorithm in algorithms for name in algorithm.space.names}
    silent = any(not a.space.names and a.space != as_space(None) for a in algorithms)  # functions name nothing
    for name in values:
        if name not in known and not silent:
            raise InputError(
                f"`config` holds {name!r}, which no algorithm of the study has; there are {', '.join(sorted(known)) or 'none'}."
            )
    for algorithm in algorithms:
        _held_space(algorithm.space, values)
    return dict(values)


def _held_space(space: Space, values: Mapping[str, Any]) -> Space:
    if not values or space == as_space(None):
        return space
    own = {name: value for name, value in values.items() if not space.names or name in space.names}
    return space.fix(own) if own else space


def _is_free(space: Space, values: Mapping[str, Any]) -> bool:
    """Whether a space still has something to draw."""
    if not space.names:
        return space != as_space(None)
    return any(name not in values for name in space.names)


def _labels(algorithms: tuple[Algorithm, ...], values: Mapping[str, Any]) -> dict[str, Any]:
    """Held values in JSON's own types, objects by the label that a space knows them by."""
    written: dict[str, Any] = {}
    for name, value in values.items():
        owners = [a.space for a in algorithms if name in a.space.names]
        try:
            written[name] = json.loads(owners[0].encode({name: value}))[name] if owners else plain(value)
        except InputError:  # the value is itself a label
            written[name] = plain(value)
    return written


def _find(what: str, name: str, items: tuple[Named, ...]) -> Named:
    for item in items:
        if item.name == name:
            return item
    raise InputError(f"`{what}` {name!r} is not in the study; there are {', '.join(repr(i.name) for i in items)}.")
