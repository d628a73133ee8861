"""What the reader of a result should know, as facts; words are made of them at the very end, here.

A `Note` holds a kind, the argument that overrules it, and values. Programs look at these. People read
`note.words()`, which names arguments (`unit='row'`) for Python and options (`--unit row`) for the command line,
which says once, with `naming`, who reads. Other sentences of results name an argument by `argument`.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, TypeAlias

from ogive.words import duration, listed, number, percent_sure, plural, printable, quoted, runs_each, verb

Names: TypeAlias = Literal["python", "cli"]
OPTIONS = {
    "params": "--param",
    "time_limit": "--time-limit",
    "wall_limit": "--wall-limit",
}  # where the option is not called as the argument
_READER: ContextVar[Names] = ContextVar("reader", default="python")


@contextmanager
def naming(names: Names) -> Iterator[None]:
    """Name arguments so in all words that are made within."""
    before = _READER.set(names)
    try:
        yield
    finally:
        _READER.reset(before)


def argument(name: str, value: str | bool | int | tuple[str, ...] | None = None) -> str:
    """An argument as whoever reads this calls it.

    Examples
    --------
    >>> argument("looks", 2), argument("unit", "row"), argument("bounds", ("low", "high"))
    ('looks=2', "unit='row'", 'bounds=(low, high)')
    >>> with naming("cli"):
    ...     argument("looks", 2), argument("unit", "row"), argument("bounds", ("low", "high"))
    ('--looks 2', '--unit row', '--bounds LOW,HIGH')
    """
    return _Naming(_READER.get())(name, value)


def command(name: str) -> str:
    """What answers another question, as whoever reads this calls it: `ogive.compare`, `ogive compare`."""
    return f"ogive{'.' if _READER.get() == 'python' else ' '}{name}"


def either(python: str, cli: str) -> str:
    """What whoever reads this would write: a call, or a line for the shell."""
    return python if _READER.get() == "python" else cli


class NoteKind(Enum):
    """What a note is about; the value is how files name it."""

    SAID = "said"

    # How a table was read
    ROLE = "role"
    NOT_USED = "not used"
    EMPTY_COLUMNS = "empty columns"
    NOT_REPORTED = "not reported"
    STATUS_NOT_USED = "status not used"
    OUTCOME = "outcome"
    PROVEN = "proven"
    STEP_GRID = "steps of a grid"
    ENDED_EARLY = "ended early"
    GOES_ON = "goes on"
    ONE_RUN = "one run"
    REACHES = "reaches a target"
    CURVES_READ = "rows are steps of runs"
    CURVE_SCORE = "score of a curve"
    STEPS_EMPTY = "steps empty"
    CURVES_INFINITE = "infinite values of curves"
    VALUE_KEPT = "value kept"
    STEPS_TWICE = "steps twice"
    TIMEOUTS_READ = "timeouts read"
    NUMBERS_WRITTEN = "numbers written"
    WORDS_READ = "words read as numbers"
    INEXACT = "inexact"
    MIXED_SCALES = "mixed scales"
    NEGATIVE_TIMES = "negative times"
    ROWS_CHOSEN = "rows chosen"
    METHODS_LEFT_OUT = "methods left out"
    SEED_OF_FOLD = "seed of a fold"
    ONE_METHOD = "one method"
    EMPTY_CELL = "empty cell"
    GOAL_GUESSED = "goal guessed"
    GOAL_ASSUMED = "goal assumed"
    GOAL_UNKNOWN = "goal unknown"
    VARIED_GUESSED = "varied guessed"
    ASSUMES_INDEPENDENCE = "assumes independence"
    NOT_INDEPENDENT = "not independent"
    SHARED_UNIT = "shared unit"
    UNIT_SAID = "unit said"
    FOLDS_OVERRULED = "folds overruled"
    HELD = "held"
    PAIRED = "paired"
    PAIRED_TRIALS = "paired trials"
    NOT_PAIRED = "not paired"
    NOT_PAIRED_DATA = "not paired: data held"
    NOT_PAIRED_TABLES = "not paired: tables"
    ALIKE_NAMES = "alike names"
    LEFT_OUT = "left out"
    TOTALS_LEFT_OUT = "totals left out"
    TRIALS_LEFT_OUT = "trials left out"
    ENQUEUED = "enqueued"
    SELECTED = "selected"
    NOT_STATED_FOR_BOTH = "not stated for both"

    # Why rows cannot be counted before somebody answers
    ASKS_GROUP = "asks: group across folds"
    ASKS_CONFIGURATION = "asks: configurations repeat"
    ASKS_REPEAT = "asks: repeats repeat"
    ASKS_METHOD = "asks: which column is the method"
    ASKS_PLANNED = "asks: values as in a plan"
    ASKS_HOLDS = "asks: shared in several ways"
    ASKS_SPLIT = "asks: a column splits the runs"
    ASKS_CURVES = "asks: rows are steps of runs"
    ASKS_TOTAL = "asks: a row may sum up the others"
    ASKS_PERCENT = "asks: percent beside fractions"

    # Why no method may be called better before somebody answers
    ASKS_GOAL = "asks: which scores are good"

    # A store, a study, a run
    FROM_STORE = "from store"
    RUN_TWICE = "run twice"
    DAMAGED = "damaged"
    CHANGE_ACCEPTED = "change accepted"
    SET_ASIDE = "set aside"
    UNFINISHED = "unfinished"
    LIMITS = "limits"
    NEAR_LIMIT = "near limit"
    CUT_BY_MEMORY = "cut by memory"
    AT_PERCENTILE = "at percentile"
    SEED_KEPT = "seed kept"
    TUNED_BY_NAME = "tuned by name"
    ORDER_OF_SETS = "order of sets"
    RUNS_LONG = "runs long"

    # Learning curves
    SIZES_AS_TASKS = "sizes as tasks"
    NO_SCORE = "no score"
    FITS_FAILED = "fits failed"
    UNUSED_REPETITIONS = "unused repetitions"
    CLASSES_ABSENT = "classes absent"
    MISSING_COUNT_AS = "missing count as"
    NOT_CALIBRATED = "not calibrated"
    NO_PROBABILITIES = "no probabilities"
    PAIRWISE_DECISIONS = "pairwise decisions"
    CURVE_PATHS = "curve paths"
    TUNED_AT_SIZES = "tuned at sizes"
    NOTHING_TO_TUNE = "nothing to tune"
    ONE_VS_REST = "one class against the rest"

    # Profiles and aggregates
    VARIED = "varied"
    SPREAD_NOT_USED = "spread not used"
    UNEQUAL_MEANS = "unequal means"
    PROBLEMS_DROPPED = "problems dropped"
    MISSING_FAILED = "missing failed"
    FAILED_RUNS = "failed runs"
    NO_SUCCESS = "no success"
    UNSOLVED = "unsolved"
    AT_TIME_LIMIT = "at time limit"
    MAYBE_TIME_LIMIT = "maybe a time limit"
    BELOW_CLOCK = "below clock"
    FIRST_RUNS = "first runs"
    DRAWN_RUNS = "drawn runs"
    UNEQUAL_RUNS = "unequal runs"
    EQUAL_COUNTS = "equal counts"
    UNEVEN_COUNTS = "uneven counts"
    EVIDENCE = "evidence"
    NO_SPREAD = "no spread"
    RUNS_JOINED = "runs joined"
    SPLIT_SAMPLE = "split sample"
    ESTIMATED = "estimated"
    ONLY_MEANS = "only means"
    RELATIVE = "relative"
    COMMON_SCALE = "common scale"
    NORMALIZED = "normalized"
    NO_BANDS = "no bands"
    OTHER_BAND = "other band"
    FEW_TASKS = "few tasks"
    RUNS_INDEPENDENT = "runs independent"
    RUNS_ARE_FOLDS = "runs are folds"
    GEOMETRIC = "geometric"
    FAILED_AT_LIMIT = "failed at limit"


MOST_NAMED = 20
MOST_LACKING = 6  # methods with missing trials

# What somebody must answer, what may be wrong, and what nobody said: the command line says these unasked.
QUESTIONS = frozenset({
    NoteKind.ASKS_GROUP, NoteKind.ASKS_CONFIGURATION, NoteKind.ASKS_REPEAT, NoteKind.ASKS_METHOD,
    NoteKind.ASKS_PLANNED, NoteKind.ASKS_HOLDS, NoteKind.ASKS_SPLIT, NoteKind.ASKS_CURVES,
    NoteKind.ASKS_GOAL, NoteKind.ASKS_TOTAL, NoteKind.ASKS_PERCENT,
})  # fmt: skip
WARNINGS = frozenset({
    NoteKind.FOLDS_OVERRULED, NoteKind.LEFT_OUT, NoteKind.TOTALS_LEFT_OUT, NoteKind.TRIALS_LEFT_OUT, NoteKind.ENQUEUED, NoteKind.RUN_TWICE,
    NoteKind.DAMAGED, NoteKind.CHANGE_ACCEPTED, NoteKind.NEAR_LIMIT, NoteKind.CUT_BY_MEMORY,
    NoteKind.UNFINISHED, NoteKind.INEXACT, NoteKind.MIXED_SCALES, NoteKind.NEGATIVE_TIMES, NoteKind.STEPS_TWICE,
    NoteKind.CURVES_INFINITE,
})  # fmt: skip
DOUBTS = frozenset({
    NoteKind.NOT_USED, NoteKind.EMPTY_COLUMNS, NoteKind.NOT_REPORTED, NoteKind.STATUS_NOT_USED, NoteKind.GOAL_GUESSED, NoteKind.GOAL_ASSUMED,
    NoteKind.VARIED_GUESSED, NoteKind.ASSUMES_INDEPENDENCE, NoteKind.NOT_INDEPENDENT, NoteKind.HELD,
    NoteKind.NOT_PAIRED, NoteKind.NOT_PAIRED_DATA, NoteKind.ALIKE_NAMES, NoteKind.OUTCOME, NoteKind.NUMBERS_WRITTEN, NoteKind.WORDS_READ,
    NoteKind.SEED_OF_FOLD, NoteKind.ONE_METHOD, NoteKind.GOAL_UNKNOWN,
    NoteKind.PROVEN, NoteKind.TIMEOUTS_READ, NoteKind.CURVES_READ, NoteKind.CURVE_SCORE, NoteKind.STEPS_EMPTY,
    NoteKind.VALUE_KEPT,
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader of a result should know.

    Attributes
    ----------
    kind : NoteKind
    argument : str or None
        What overrules it: "unit". Python says `unit=`, the command line `--unit`.
    values : mapping
        Text, numbers and tuples of them. `of` names the method or model that it is about, where it is one.

    Examples
    --------
    >>> note = Note(NoteKind.ASSUMES_INDEPENDENCE, "unit")
    >>> print(note)
    unit: every row is taken for one independent run (assumed; declare it with unit='row')
    >>> print(note.words("cli"))
    unit: every row is taken for one independent run (assumed; declare it with --unit row)
    """

    kind: NoteKind
    argument: str | None = None
    values: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        # Tuples for lists: what comes back from JSON equals what went there.
        object.__setattr__(self, "values", {name: _settled(value) for name, value in self.values.items()})

    def __str__(self) -> str:
        return self.words()

    @property
    def is_warning(self) -> bool:
        """Whether something may be wrong with the rows."""
        return self.kind in WARNINGS

    @property
    def is_question(self) -> bool:
        """Whether somebody must answer it before rows count."""
        return self.kind in QUESTIONS

    @property
    def is_doubtful(self) -> bool:
        """Whether something may be wrong, was guessed or is not used: what should be said unasked."""
        return self.is_warning or self.kind in DOUBTS or bool(self.values.get("guessed"))

    @property
    def subject(self) -> str | None:
        """The method or model that it is about, None where it is about the whole."""
        return self.values.get("of")

    def about(self, name: str) -> Note:
        """The same note, of one method or model."""
        return replace(self, values={**self.values, "of": name})

    def words(self, names: Names | None = None) -> str:
        """The note in words: whom it is about first, and a warning called so."""
        subject = "" if self.subject is None else f"{self.subject}: "
        # A table that an answer read by itself: whoever is to say something about it must read it first.
        first = " Read the table first: ogive.read(source, …)." if self.values.get("unread") else ""
        return f"{'warning: ' if self.is_warning else ''}{subject}{self.sentence(names)}{first}"

    def sentence(self, names: Names | None = None) -> str:
        """What it says, of whomever it is about."""
        saying = _SAYINGS[self.kind]
        if isinstance(saying, str):
            return saying.format_map(self.values)
        return saying(self.values, _Naming(names or _READER.get()))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; with the words, for readers that do not know the kind."""
        return {
            "kind": self.kind.value,
            "argument": self.argument,
            "values": dict(self.values),
            "words": self.words(),
        }

    @classmethod
    def from_dict(cls, held: Mapping[str, Any] | str) -> Note:
        """What `to_dict` gave; plain words, and kinds of a later version, as what was said."""
        if isinstance(held, str):
            return said(held)
        try:
            return cls(NoteKind(held["kind"]), held["argument"], held["values"])
        except ValueError:
            return said(held["words"])


def said(text: str) -> Note:
    """A note in somebody else's words."""
    return Note(NoteKind.SAID, values={"text": text})


def sentences(notes: Iterable[Note], names: Names | None = None) -> list[str]:
    """The words of notes, each once."""
    return list(dict.fromkeys(note.words(names) for note in notes))


def capitalized(note: Note, names: Names | None = None) -> str:
    """A note as a sentence of a paragraph."""
    text = note.words(names)
    return f"{text[:1].upper()}{text[1:]}."


def unfinished_words(cells: Iterable[tuple[str, str, int, int]]) -> str:
    """How many of the trials of a study are there and which are missing, of cells (method, task, there, asked for).

    Nothing where all are there.

    Examples
    --------
    >>> unfinished_words([("svm", "moons", 80, 160), ("svm", "circles", 90, 160), ("knn", "moons", 160, 160)])
    '330 of 480 trials; 150 are missing (svm)'
    """
    lacking: dict[str, int] = {}
    there = asked = 0
    for method, _, n, of in cells:
        there, asked = there + n, asked + of
        if n < of:
            lacking[method] = lacking.get(method, 0) + of - n
    if not lacking:
        return ""
    missing = asked - there
    most = sorted(lacking.items(), key=lambda one: -one[1])
    named = [printable(name) if len(most) == 1 else f"{n:,} of {printable(name)}" for name, n in most[:MOST_LACKING]]
    named += [f"the rest of {plural(len(most) - MOST_LACKING, 'other method')}"] if len(most) > MOST_LACKING else []
    return f"{there:,} of {plural(asked, 'trial')}; {missing:,} {verb(missing, 'are')} missing ({', '.join(named)})"


def narrowed(
    notes: Iterable[Note], methods: Iterable[str] | None = None, tasks: Iterable[str] | None = None
) -> tuple[Note, ...]:
    """Notes on a part of a study: trials that are missing of other methods and tasks are nothing to it."""
    kept = [None if names is None else set(names) for names in (methods, tasks)]
    out = []
    for note in notes:
        if note.kind is NoteKind.UNFINISHED:
            cells = [
                c for c in note.values["cells"] if all(k is None or name in k for k, name in zip(kept, c, strict=False))
            ]
            if not unfinished_words(cells):
                continue
            note = replace(note, values={"cells": cells})
        out.append(note)
    return tuple(out)


def _settled(value: Any) -> Any:
    return tuple(map(_settled, value)) if isinstance(value, (list, tuple)) else value


@dataclass(frozen=True, slots=True)
class _Naming:
    """How arguments are called by those who read."""

    names: Names

    def __call__(self, argument: str, value: str | bool | int | tuple[str, ...] | None = None) -> str:
        """`unit=`, `unit='row'` and `wide=True`; `--unit`, `--unit row` and `--wide`. A tuple is said name by name."""
        if argument == "bounds" and isinstance(value, tuple):
            return f"bounds=({', '.join(value)})" if self.names == "python" else f"--bounds {','.join(value).upper()}"
        if isinstance(value, tuple) and len(value) == 1:
            value = value[0]
        if self.names == "python":
            return f"{argument}={'' if value is None else repr(list(value) if isinstance(value, tuple) else value)}"
        option = OPTIONS.get(argument, f"--{argument}")
        if isinstance(value, tuple):
            return " ".join(f"{option} {shlex.quote(one)}" for one in value)
        if value is None or isinstance(value, bool):
            return option
        return f"{option} {shlex.quote(str(value))}"

    def where_not(self, column: str, value: str) -> str:
        """`where='step!=100'`; `--where 'step!=100'`."""
        condition = f"{column}!={value}"
        return f"where={condition!r}" if self.names == "python" else f"--where {shlex.quote(condition)}"

    def where_none(self, column: str, values: Sequence[str]) -> str:
        """`where=['status!=a', 'status!=b']`; `--where 'status!=a' --where 'status!=b'`."""
        if self.names == "python" and len(values) > 1:
            return f"where={[f'{column}!={value}' for value in values]!r}"
        return " ".join(self.where_not(column, value) for value in values)

    def where(self, column: str, value: str) -> str:
        """`where={'step': '100'}`; `--where step=100`."""
        if self.names == "python":
            return f"where={{{column!r}: {value!r}}}"
        return f"--where {shlex.quote(f'{column}={value}')}"


_Values: TypeAlias = Mapping[str, Any]


def _quoted(names: Iterable[str]) -> str:
    return ", ".join(map(repr, names))


def _first_of(names: Sequence[str]) -> str:
    """Names of columns, of which a table may have ten thousand."""
    return quoted(names, MOST_NAMED)


def _empty_columns(v: _Values, o: _Naming) -> str:
    return f"empty in every row and not used: {_first_of(v['columns'])}; all rows count as one {' and one '.join(v['pooled'])}"


def _guess(v: _Values) -> str:
    return " (guessed)" if v.get("guessed") else ""


def _goal_guessed(v: _Values, o: _Naming) -> str:
    way = " from its name" if v["by_name"] else ""
    return f"goal of {v['metric']!r}: {v['goal']} (guessed{way}; say {o('goal')} to decide)"


def _goal_unknown(v: _Values, o: _Naming) -> str:
    why = "nothing says" if v.get("unnamed") else "nothing in its name says"
    return f"goal of {v['metric']!r}: {v['goal']} (assumed: {why} whether large or small is good; say {o('goal')} to decide)"


def _asks_goal(v: _Values, o: _Naming) -> str:
    why = "nothing says what the numbers are, nor" if v.get("unnamed") else f"nothing in the name {v['metric']!r} says"
    return (
        f"{why} whether large or small ones are good, and numbers from {v['low']:g} to {v['high']:g} may be times, costs or counts "
        f"as well as scores; say {o('goal', 'minimize')} if small ones are good, {o('goal', 'maximize')} if large ones are."
    )


def _proven(v: _Values, o: _Naming) -> str:
    return (
        f"status: {_quoted(v['words'])} in {plural(v['n'], 'row')} of {v['column']!r} {verb(v['n'], 'count')} as solved, by a proof of what "
        f"the problem is ({o.where_none(v['column'], v['words'])} leaves such rows out)"
    )


def _timeouts_read(v: _Values, o: _Naming) -> str:
    return f"{_quoted(v['words'])} in {plural(v['n'], 'row')} of {v['column']!r} {verb(v['n'], 'count')} as the time limit of {v['limit']:.15g}"


def _mixed(v: _Values) -> str:
    fractions, percents = (_some(v[what]) for what in ("fractions", "percents"))
    return f"every {v['column']!r} of {fractions} lies between 0 and 1, and every one of {percents} between 1 and 100"


def _asks_percent(v: _Values, o: _Naming) -> str:
    return (
        f"{_mixed(v)}, as where one is written as fractions and the other in percent; write them alike in the table, or say "
        f"{o('bounds', ('0', '100'))} if all are percent."
    )


def _totals_left_out(v: _Values, o: _Naming) -> str:
    rows = f"{plural(v['n'], 'row')} {verb(v['n'], 'are')} left out"
    return f"{rows}: {_quoted(v['names'])} in {v['column']!r} {verb(len(v['names']), 'sum')} up the other rows, and {verb(len(v['names']), 'are')} no further task"


def _asks_total(v: _Values, o: _Naming) -> str:
    name = v["names"][0]
    return (
        f"{name!r} in column {v['column']!r} is called as what sums up the other rows, and its numbers are not simply their mean; "
        f"say {o.where_not(v['column'], name)} to leave it out, or give it another name in the table if it is a task like the others."
    )


def _folds_overruled(v: _Values, o: _Naming) -> str:
    of = f" of {v['column']!r}" if v.get("column") else ""
    return f"folds{of} are not corrected for: {o('unit')} says what is independent"


def _held(v: _Values, o: _Naming) -> str:
    unit, repeat = v["unit"], v["repeat"]
    return (
        f"{repeat!r} is held: rows of one {unit!r} are averaged, and intervals speak of others under the same "
        f"{repeat!r} (guessed; {o('unit', repeat)} asks about new ones)"
    )


def _left_out(v: _Values, o: _Naming) -> str:
    gone = f"; nothing is left of {_quoted(v['gone'])}" if v["gone"] else ""
    of_all = plural(v["of_rows"], v.get("what", "row"))
    return f"{v['n']} of {of_all} {verb(v['n'], 'are')} left out: {v['column']!r} says that {'it is' if v['n'] == 1 else 'they are'} still running or waiting{gone}"


def _asks_group(v: _Values, o: _Naming) -> str:
    return (
        f"column {v['column']!r} repeats across the folds of {v['fold']!r}, so rows may belong together; "
        f"say {o('unit', v['column'])} to count each once, or {o('unit', 'fold')} if it names repeats of one cross-validation."
    )


def _asks_configuration(v: _Values, o: _Naming) -> str:
    if v.get("fold"):  # rows that are folds are no runs, whoever drew their configurations
        return (
            f"{v['n']} rows share {v['n_configurations']} configurations, each over the folds of {v['fold']!r}, so they are not "
            f"independent; say {o('unit', 'configuration')} to count each configuration once."
        )
    return (
        f"{v['n']} rows share {v['n_configurations']} configurations, so they are not independent; "
        f"say {o('unit', 'configuration')} to count each once, or {o('unit', 'row')} if every row drew its own."
    )


def _asks_repeat(v: _Values, o: _Naming) -> str:
    column, apart = v["column"], v.get("apart")
    shared = f" {apart!r} is not used: where rows that share it are one draw, say {o('unit', apart)}." if apart else ""
    step = v.get("step")
    curve = f" If {step!r} counts the steps of one run, say {o('step', step)}." if step else ""
    return (
        f"column {column!r} repeats within a method and task, so rows may belong together; "
        f"say {o('unit', column)} to count each once, {o('unit', 'row')} if every row is an independent run, "
        f"or name what tells them apart with {o('item')} or {o('group')}.{shared}{curve}"
    )


def _asks_method(v: _Values, o: _Naming) -> str:
    column = v["column"]
    return (
        f"no column is called a method, and {column!r} may name it; say {o('algorithm', column)}, {o('params', column)} "
        f"if it is a hyper-parameter, or {o('unit', 'row')} if every row is an independent run of one method."
    )


def _asks_planned(v: _Values, o: _Naming) -> str:
    column = v["column"]
    # Pairs see what varies from value to value taken away, so that way comes first where it is open.
    joined = f"{o('item', column)} if the methods were compared on the same ones, " if v.get("joins") else ""
    return (
        f"each value of {column!r} stands equally often within a method and task, as in a plan, so rows that share one may "
        f"belong together; say {joined}{o('unit', column)} to count each value once, or {o('unit', 'row')} if every row is "
        "an independent run."
    )


def _asks_split(v: _Values, o: _Naming) -> str:
    column = v["column"]
    if v.get("sampled"):
        return (
            f"rows of a method on a task share a value of {column!r} ({_some(v['values'])}: {v['n']} in all), and may belong together; "
            f"say {o('item', column)} if the methods were compared on the same ones, {o('unit', column)} to count each value once, "
            f"{o('task', (v['task'], column) if v['task'] else column)} to make each a task of its own, or "
            f"{o('varied', column)} if it was drawn anew for each run."
        )
    ways = [f"{o.where(column, v['value'])} to choose one"]
    if v["algorithm"]:
        ways.append(f"{o('algorithm', (v['algorithm'], column))} to make each a method of its own")
    ways.append(f"{o('task', (v['task'], column) if v['task'] else column)} to make each a task of its own")
    return (
        f"column {column!r} splits the runs of a method on a task into {v['n']} sets ({_some(v['values'])}), which are not "
        f"runs of one thing; say {', '.join(ways)}, {o('params', column)} if it is a hyper-parameter, or {o('varied', column)} if it was "
        "drawn anew for each run."
    )


def _asks_curves(v: _Values, o: _Naming) -> str:
    column = v["column"]
    return (
        f"column {column!r} holds {plural(v['n'], 'step')} of a run ({v['low']} to {v['high']}), as in a table of curves; say {o('step', column)} if they are, "
        f"{o('params', column)} if it is a hyper-parameter"
        + (f", or {o('repeat', column)} if it numbers independent runs." if v["numbers_runs"] else ".")
    )


def _curves_read(v: _Values, o: _Naming) -> str:
    held = f"{v['least']:,}" if v["least"] == v["most"] else f"{v['least']:,} to {v['most']:,}"
    doubt = f"; {o('params', v['column'])} if it is a hyper-parameter" if v["guessed"] else ""
    return (
        f"step: {v['column']!r}{_guess(v)} holds {held} {'step' if v['most'] == 1 else 'steps'} of a run: {plural(v['n_rows'], 'row')} {verb(v['n_rows'], 'are')} "
        f"{plural(v['n_runs'], 'run')}{doubt}"
    )


def _curve_score(v: _Values, o: _Naming) -> str:
    step, budget = v["step"], v["budget"]
    first, last = (f"{v[end]:,.15g}" for end in ("first_end", "last_end"))
    if budget is not None:
        what = (
            f"its mean up to {step} {budget:,.15g}"
            if v["how"] == "area"
            else f"its last value at or before {step} {budget:,.15g}"
        )
        early = (
            f"; {v['n_early']} of {plural(v['n'], 'run')} ended before, the first at {first}, and keep their last value"
            if v["n_early"]
            else ""
        )
        n = v.get("n_later", 0)  # tables written before had none
        later = f"; {plural(n, 'run')} that failed after it {verb(n, 'count')} as good there" if n else ""
        return f"the score of a run is {what}{early}{later}"
    what = "its mean over all its steps" if v["how"] == "area" else "its last value"
    if not v["n_early"]:
        return f"the score of a run is {what} (runs end at {step} {first if first == last else f'{first} to {last}'})"
    near = 2.0 * v["first_end"] >= v["last_end"] and float(v["first_end"]).is_integer()
    return (
        f"the score of a run is {what}, and runs end between {step} {first} and {last}; {o('budget', int(v['first_end']) if near else None)} takes "
        "all of them at the same step"
    )


def _step_grid(v: _Values, o: _Naming) -> str:
    first, last = f"{v['first']:,.15g}", f"{v['last']:,.15g}"
    where = {"shared": "which all runs have", "even": "evenly placed", "said": "as said"}[v["how"]]
    span = (
        f"at {v['step']} {first}" if v["n"] == 1 else f"at {v['n']:,} steps from {v['step']} {first} to {last}, {where}"
    )
    return f"runs are compared {span}: each has its last value at or before a step"


def _ended_early(v: _Values, o: _Naming) -> str:
    return (
        f"{v['n']} of {plural(v['of_runs'], 'run')} {verb(v['n'], 'end')} before {v['step']} {v['last']:,.15g}, the first at "
        f"{v['first_end']:,.15g}, and {'keeps its' if v['n'] == 1 else 'keep their'} last value"
    )


def _goes_on(v: _Values, o: _Naming) -> str:
    return (
        f"{v['n']} of {plural(v['of_runs'], 'run')} {verb(v['n'], 'go')} on far beyond {v['step']} {v['last']:,.15g}, "
        f"{'' if v['n'] == 1 else 'the last '}to {v['last_end']:,.15g}, which is not shown: choose steps with {o('grid')}"
    )


def _reaches(v: _Values, o: _Naming) -> str:
    sign = "at least" if v["goal"] == "maximize" else "at most"
    n = v["n"]
    return f"{n} of {plural(v['of_runs'], 'run')} never {verb(n, 'reach')} {v['metric']} of {sign} {v['target']:g}, and count as failed"


def _some(names: Iterable[str], most: int = 4) -> str:
    shown = list(names)
    return ", ".join(map(repr, shown[:most])) + (", …" if len(shown) > most else "")


def _outcome(v: _Values, o: _Naming) -> str:
    failed = (
        f"{v['n_failed']} of {v['of_rows']} rows {verb(v['n_failed'], 'count')} as failed"
        if v["n_failed"]
        else "no row failed"
    )
    n = v.get("n_empty", 0)
    because = f", {n} of them because it is empty" if n and v["empty_failed"] else ""
    empty = because or (f"; the {n} where it is empty {verb(n, 'do')} not" if n else "")
    return (
        f"status: column {v['column']!r}{_guess(v)} says whether a run counts; {failed}{empty} "
        f"({o('status', 'none')} if it is about something else)"
    )


def _numbers_written(v: _Values, o: _Naming) -> str:
    words = {
        "percent": "percent signs", "commas": "decimal commas", "thousands": "separated thousands", "minus": "a typographic minus",
    }  # fmt: skip
    ways = listed([words[way] for way in v["ways"]]) if v["ways"] else "signs of its own"
    return f"column {v['column']!r} is written with {ways}: {v['text']!r} is read as {v['value']:g}"


def _words_read(v: _Values, o: _Naming) -> str:
    said = [f"{_quoted(words)} as {value}" for words, value in ((v["right"], 1), (v["wrong"], 0)) if words]
    return f"column {v['column']!r} is in words: {listed(said)}"


def _one_method(v: _Values, o: _Naming) -> str:
    found = f"column {v['column']!r} names" if v["column"] else "no column is called a method, so there is"
    return (
        f"{found} one method only, {v['method']!r}; {_quoted(v['columns'])} could name methods too: say "
        f"{o('algorithm', v['columns'][0])} to take it"
    )


def _common_scale(v: _Values, o: _Naming) -> str:
    if not v.get("averaged"):
        return f"{v['values']} are taken as they are: {v['over']} must share a scale"
    ways = "normalize=Baselines(…), MinMax()" if o.names == "python" else "--baselines, --min-max"
    ways = (
        ways.replace(", ", " or ")
        if v.get("steps")
        else f"{ways} or {'Reference(…)' if o.names == 'python' else '--reference'}"
    )
    return (
        f"nothing says that {v['over']} share a scale, and {v['values']} of all are averaged as they are, so that those with "
        f"the largest numbers decide: bring them to one with {ways}, or declare {o('bounds')} if they share one"
    )


def _empty_cell(v: _Values, o: _Naming) -> str:
    further = f" ({v['n']} such cells)" if v["n"] > 1 else ""
    ways = [f"leave the method out with {o('without', v['method'])}"]
    if v["tasks"]:
        chosen = f"trials.select(tasks={list(v['tasks'])!r})" if o.names == "python" else o("on", v["tasks"])
        ways.insert(0, f"keep the tasks that every method has with {chosen}")
    return f"{v['method']!r} has no run on {v['task']!r}{further}; {', or '.join(ways)}."


def _asks_holds(v: _Values, o: _Naming) -> str:
    ways = ", ".join(f"{what} by {how}({k})" for what, how, k in v["holds"])
    return (
        f"rows share draws in {len(v['holds'])} ways ({ways}), so neither trials nor groups of them are independent; run the "
        "study with only one of them held for several trials."
    )


def _run_twice(v: _Values, o: _Naming) -> str:
    n = v["n"]
    shown = f" (for example {', '.join(v['examples'])})" if v["examples"] else ""
    why = "library versions changed in between" if v["versions_changed"] else "the algorithm is not deterministic"
    return f"{plural(n, 'trial')} {verb(n, 'were')} run twice with different results{shown}: {why}"


def _damaged(v: _Values, o: _Naming) -> str:
    rows, unknown = v["rows"], v["unknown"]
    count = f"{rows} rows are missing" if not unknown else "the number of missing rows is unknown"
    if unknown and rows:
        count = f"{rows} rows and an unknown number more are missing"
    return f"{v['n']} of {v['n_parts']} parts cannot be read: {count}"


def _near_limit(v: _Values, o: _Naming) -> str:
    so = {
        "wall": "under another load these may be others (a limit on CPU time does not depend on load)",
        "CPU": "on a faster or slower machine these may be others",
    }[v["limit"]]
    return f"trials that ended within {100 * v['share']:.0f} % of the {v['limit']} limit: {v['near']}, cut by it: {v['cut']}; {so}"


def _selected(v: _Values, o: _Naming) -> str:
    return f"selected: {' and '.join(f'{now} of {before} {what}' for now, before, what in v['counts'])}"


def _fits_failed(v: _Values, o: _Naming) -> str:
    where = ", ".join(map(str, v["sizes"])) + (", …" if v["more"] else "")
    return f"{v['n']} of {v['of_fits']} fits failed, at n = {where}; there is no score there"


def _counted(v: _Values) -> str:
    return f"{plural(v['n'], 'run')} of every cell {verb(v['n'], 'are')} counted, as many as the smallest has"


def _unequal_runs(v: _Values, o: _Naming) -> str:
    return (
        f"methods have unequal numbers of runs on {plural(v['n'], 'problem')} ({v['least']} to {v['most']} in all): as many are "
        "counted of each as the poorest method has there, drawn by a fixed stream, since more runs are better placed to hold the best"
    )


def _estimated(v: _Values, o: _Naming) -> str:
    best = "" if v["split"] else ", from the best method by the same runs"
    return (
        f"distances are as estimated from {runs_each(v['least'], v['most'])}{best}: with more runs the curves would lie elsewhere, "
        "and the band is heuristic (it is for distances estimated in this way)"
    )


def _uneven(v: _Values, o: _Naming) -> str:
    return (
        f"cells have {v['least']} to {v['most']} runs: a method with few runs is never far from the best, so numbers of runs are "
        f"compared with methods ({o('equalize', 'min-n')} counts equally many)"
    )


def _normalized(v: _Values, o: _Naming) -> str:
    beaten = f"a score is the share of {v.get('method')}'s runs that it beats on the task; these runs are "
    return {
        "baselines": "scores are 0 at the low baseline of their task and 1 at the high one",
        "ends": "0 is the worst and 1 the best run of any method on the task; these ends are taken as fixed, and an interval may pass them, as further runs may",
        "ends of steps": "0 is the worst and 1 the best value that any run has on the task at any step; these ends are taken as fixed, and an interval may pass them, as further runs may",
        "reference": f"{beaten}taken as fixed",
        "resampled reference": f"{beaten}resampled together with the method's",
    }[v["by"]]


def _at_time_limit(v: _Values, o: _Naming) -> str:
    n, failed, unknown = v["n"], v["n_failed"], v.get("n_unknown", 0)
    of = f" of {v['column']!r}" if v.get("column") else ""
    said = f"{plural(n, 'value')}{of} {verb(n, 'reach')} the time limit of {v['limit']:g}"
    if failed:
        which = "its run" if n == 1 else "all of their runs" if failed == n else f"{failed} of their runs"
        said = f"{said}; {which} had failed already"
    return (
        f"{said}; {plural(unknown, 'run')} without a time {verb(unknown, 'are')} not judged by it" if unknown else said
    )


def _unsolved(v: _Values, o: _Naming) -> str:
    n = v["n"]
    if v["counted"]:
        return f"{plural(n, 'problem')} that no method solves {verb(n, 'are')} counted ({o('unsolved', 'drop')} leaves them out)"
    return f"{plural(n, 'problem')} that no method solves {verb(n, 'are')} left out"


# A form that its values fill, or a function where grammar or an argument's name depends on them.
_SAYINGS: dict[NoteKind, str | Callable[[_Values, _Naming], str]] = {
    NoteKind.SAID: "{text}",
    NoteKind.ROLE: lambda v, o: (
        f"{v['role']}: column {_quoted(v['columns'])}"
        + (f" (guessed from its name, rather than {_first_of(v['rather_than'])})" if v.get("rather_than") else _guess(v))
    ),
    NoteKind.NOT_USED: lambda v, o: f"not used: {_first_of(v['columns'])}",
    NoteKind.EMPTY_COLUMNS: _empty_columns,
    NoteKind.NOT_REPORTED: lambda v, o: f"not used: {_quoted(v['metrics'])}, declared but reported by no trial",
    NoteKind.STATUS_NOT_USED: "column {column!r} is not used: {word!r} is no status",
    NoteKind.OUTCOME: _outcome,
    NoteKind.NUMBERS_WRITTEN: _numbers_written,
    NoteKind.PROVEN: _proven,
    NoteKind.TIMEOUTS_READ: _timeouts_read,
    NoteKind.WORDS_READ: _words_read,
    NoteKind.INEXACT: lambda v, o: (
        f"{plural(v['n'], 'value')} of {v['column']!r} {verb(v['n'], 'are')} rounded: floats hold whole numbers exactly up to 2**53"
    ),
    NoteKind.NEGATIVE_TIMES: lambda v, o: (
        f"{plural(v['n'], 'value')} of {v['column']!r} {verb(v['n'], 'are')} below 0, which no time is, and {verb(v['n'], 'count')} as very good"
    ),
    NoteKind.ROWS_CHOSEN: lambda v, o: (
        f"{v['n']} of {v['of_rows']} rows are read: {', '.join(v['conditions'])}"
    ),
    NoteKind.METHODS_LEFT_OUT: lambda v, o: f"left out, as asked: {_quoted(v['methods'])}",
    NoteKind.SEED_OF_FOLD: "column {column!r} is another for every fold, so it numbers no repeat of the cross-validation",
    NoteKind.ONE_METHOD: _one_method,
    NoteKind.EMPTY_CELL: _empty_cell,
    NoteKind.GOAL_GUESSED: _goal_guessed,
    NoteKind.GOAL_UNKNOWN: _goal_unknown,
    NoteKind.ASKS_GOAL: _asks_goal,
    NoteKind.GOAL_ASSUMED: lambda v, o: (
        f"goal of {v['metric']!r}: {v['goal']}, without bounds (guessed from its name; declare it in Study(metrics=…), "
        f"or say {o('goal')})"
    ),
    NoteKind.VARIED_GUESSED: lambda v, o: f"varied: {', '.join(v['varied'])} (guessed)",
    NoteKind.ASSUMES_INDEPENDENCE: lambda v, o: (
        f"unit: every row is taken for one independent run (assumed; declare it with {o('unit', 'row')})"
    ),
    NoteKind.NOT_INDEPENDENT: lambda v, o: (
        "a grid or an adaptive sampler chose the trials, or may have: they are described, not judged "
        f"(say {o('independent', True)} if they were drawn at random)"
    ),
    NoteKind.SHARED_UNIT: "unit: {unit!r}; rows that share it count once",
    NoteKind.UNIT_SAID: "unit: {unit!r} (said when the table was read again)",
    NoteKind.FOLDS_OVERRULED: _folds_overruled,
    NoteKind.HELD: _held,
    NoteKind.PAIRED: lambda v, o: (
        f"paired by {v['column']!r}{_guess(v)}: {v['matched']} of {v['of_rows']} rows have a partner"
    ),
    NoteKind.PAIRED_TRIALS: "paired by 'trial': trial i has the same data for every method",
    NoteKind.NOT_PAIRED: "not paired: no value of {column!r} occurs in two methods of a task",
    NoteKind.NOT_PAIRED_DATA: "not paired: the data were held fixed, so methods share no draw from trial to trial",
    NoteKind.NOT_PAIRED_TABLES: "methods are compared unpaired: across tables the same number may have been another draw",
    NoteKind.ALIKE_NAMES: lambda v, o: (
        f"guessed: {_quoted(v['names'])} are different methods, though they differ only in case or spaces"
    ),
    NoteKind.LEFT_OUT: _left_out,
    NoteKind.TOTALS_LEFT_OUT: _totals_left_out,
    NoteKind.ASKS_TOTAL: _asks_total,
    NoteKind.ASKS_PERCENT: _asks_percent,
    NoteKind.MIXED_SCALES: lambda v, o: f"{_mixed(v)}, about a hundred times as large: one of them may be in percent",
    NoteKind.TRIALS_LEFT_OUT: lambda v, o: (
        f"{plural(v['n'], 'trial')} of {v['study']!r} still running or waiting {verb(v['n'], 'are')} left out"
    ),
    NoteKind.ENQUEUED: lambda v, o: (
        f"{plural(v['n'], 'trial')} of {v['study']!r} {verb(v['n'], 'were')} enqueued by hand, not drawn"
    ),
    NoteKind.SELECTED: _selected,
    NoteKind.NOT_STATED_FOR_BOTH: "{fact}: not stated for both, since new says {new} and the baseline {baseline}",
    NoteKind.ASKS_GROUP: _asks_group,
    NoteKind.ASKS_CONFIGURATION: _asks_configuration,
    NoteKind.ASKS_REPEAT: _asks_repeat,
    NoteKind.ASKS_METHOD: _asks_method,
    NoteKind.ASKS_PLANNED: _asks_planned,
    NoteKind.ASKS_HOLDS: _asks_holds,
    NoteKind.ASKS_SPLIT: _asks_split,
    NoteKind.ASKS_CURVES: _asks_curves,
    NoteKind.CURVES_READ: _curves_read,
    NoteKind.STEP_GRID: _step_grid,
    NoteKind.ENDED_EARLY: _ended_early,
    NoteKind.GOES_ON: _goes_on,
    NoteKind.ONE_RUN: lambda v, o: f"no interval for {listed(list(v['methods']))}: one run on a task says nothing about spread",
    NoteKind.REACHES: _reaches,
    NoteKind.CURVE_SCORE: _curve_score,
    NoteKind.STEPS_EMPTY: lambda v, o: (
        f"{plural(v['n'], 'row')} without a score {verb(v['n'], 'are')} left out: {v['column']!r} is empty there"
    ),
    NoteKind.CURVES_INFINITE: lambda v, o: (
        f"{v['column']!r} is infinite in {v['n']} of {plural(v['of_runs'], 'run')}, which {verb(v['n'], 'count')} as failed from that "
        "step on" + (f", {v['n_again']} of them though finite values follow" if v["n_again"] else "")
    ),
    NoteKind.VALUE_KEPT: lambda v, o: (
        f"{v['n']} of {plural(v['of_runs'], 'run')} {verb(v['n'], 'have')} rows after the last value of {v['column']!r}, and "
        f"{verb(v['n'], 'keep')} that value to {'its' if v['n'] == 1 else 'their'} end"
    ),
    NoteKind.STEPS_TWICE: lambda v, o: (
        f"{plural(v['n'], 'row')} {verb(v['n'], 'repeat')} a {v['column']!r} of the same run, as where it went on from a "
        f"checkpoint: the later row counts"
    ),
    NoteKind.FROM_STORE: "{n} trials from the store {store}",
    NoteKind.RUN_TWICE: _run_twice,
    NoteKind.DAMAGED: _damaged,
    NoteKind.CHANGE_ACCEPTED: "the study was changed and the change accepted, rows before and after it count together: {change}",
    NoteKind.SET_ASIDE: lambda v, o: (
        f"{plural(v['n'], 'file')} {verb(v['n'], 'are')} set aside in quarantine/; what {'it' if v['n'] == 1 else 'they'} held counts as not done"
    ),
    NoteKind.UNFINISHED: lambda v, o: (
        f"{unfinished_words(v['cells'])}, not yet or no longer there; a further run makes them"
    ),
    NoteKind.LIMITS: lambda v, o: f"limits: {' or '.join(v['limits'])}",
    NoteKind.NEAR_LIMIT: _near_limit,
    NoteKind.CUT_BY_MEMORY: "trials cut by the memory limit: {n}; how close others came to it is not recorded",
    NoteKind.AT_PERCENTILE: lambda v, o: (
        f"{v['method']!r} on {v['task']!r} has the configuration of trial {v['trial']} of {v['algorithm']!r}"
        + (", which failed" if v["score"] is None else f", whose {v['metric']} was {number(v['score'])}")
        + f": the {v['percentile']:g} % mark of {plural(v['n_trials'], 'trial')}, worst to best"
    ),
    NoteKind.SEED_KEPT: "{parameter}={value} was set, and is the same in every {draw}",
    NoteKind.TUNED_BY_NAME: lambda v, o: (
        f"tuning {v['algorithm']!r} "
        + ("goes by its first metric, whose name tells whether larger or smaller is better" if v["metric"] is None else
           f"takes {'larger' if v['goal'] == 'maximize' else 'smaller'} {v['metric']!r} as better, as its name tells")
        + "; declare metrics= to say which"
    ),
    NoteKind.ORDER_OF_SETS: "ran in this process, whose sets of text have an order of their own: scores that depend on such an order are those of worker processes only under PYTHONHASHSEED=0",
    NoteKind.RUNS_LONG: lambda v, o: (
        f"trial {v['trial']} of {v['algorithm']!r} on {v['task']!r} has been running for {duration(v['seconds'])}; the longest of "
        f"{v['n']:,} others took {duration(v['longest'])} ({o('wall_limit', v['limit'])} ends such trials as timeouts)"
    ),
    NoteKind.SIZES_AS_TASKS: "tasks are training-set sizes; those of one repetition depend on each other",
    NoteKind.NO_SCORE: lambda v, o: (
        f"{plural(v['n'], 'repetition')} without a score ({v['status']}: {v['message']})"
    ),
    NoteKind.FITS_FAILED: _fits_failed,
    NoteKind.UNUSED_REPETITIONS: "of {n} repetitions the {used} that every model has are used",
    NoteKind.CLASSES_ABSENT: lambda v, o: (
        f"no row of {_quoted(v['classes'][:3])}{'…' if len(v['classes']) > 3 else ''} is {v['part']} on: the split left none"
    ),
    NoteKind.MISSING_COUNT_AS: "missing scores count as {rule}",
    NoteKind.NOT_CALIBRATED: "brier and cross_entropy are of the logistic function of decision values, which is not calibrated",
    NoteKind.NO_PROBABILITIES: lambda v, o: (
        f"has no predict_proba, so there is no {' and no '.join(v['metrics'])}"
    ),
    NoteKind.PAIRWISE_DECISIONS: "decision values are of pairs of classes, so there is no auc for more than two classes",
    NoteKind.CURVE_PATHS: lambda v, o: "; ".join(
        f"{words}: {', '.join(v[path])}"
        for path, words in (("kernel", "whole curves by compiled code"), ("each", "fitted anew at each size"))
        if v[path]
    ),
    NoteKind.TUNED_AT_SIZES: lambda v, o: (
        "tuned at each size by the accuracy on every fifth training row, then fitted to all of them: "
        + "; ".join(
            f"{model}, {'1/' if d['inverse'] else ''}{d['parameter'].removeprefix('estimator__')} from {d['least']:g} to {d['most']:g}"
            for model, d in v["models"].items()
        )
    ),
    NoteKind.NOTHING_TO_TUNE: lambda v, o: (
        f"{listed(list(v['models']))} "
        + ("has nothing to tune: its curve is the untuned one" if len(v["models"]) == 1 else "have nothing to tune: their curves are the untuned ones")
    ),
    NoteKind.ONE_VS_REST: lambda v, o: (
        f"{listed(list(v['models']))} learned one class against the rest, a fit for each class; their probabilities are normalized"
    ),
    NoteKind.VARIED: lambda v, o: f"{listed(list(v['varied']))} varied between runs",
    NoteKind.SPREAD_NOT_USED: "each cell is a mean; its spread is not used",
    NoteKind.UNEQUAL_MEANS: "the means stand on {least} to {most} runs and are compared as they are: a mean of few runs is further off, to either side",
    NoteKind.PROBLEMS_DROPPED: lambda v, o: f"{plural(v['n'], 'problem')} with missing {v['what']} dropped",
    NoteKind.MISSING_FAILED: lambda v, o: (
        f"{plural(v['n'], 'missing value')} counted as {'a failure' if v['n'] == 1 else 'failures'}"
    ),
    NoteKind.FAILED_RUNS: lambda v, o: (
        f"{plural(v['n'], 'failed run')} of {v['of_runs']} "
        + (f"{verb(v['n'], 'are')} left out" if v["counted"] is None else f"{verb(v['n'], 'count')} as {v['counted']}")
    ),
    NoteKind.NO_SUCCESS: lambda v, o: (
        f"{listed(list(v['methods']))} {verb(len(v['methods']), 'have')} no success on any problem"
    ),
    NoteKind.UNSOLVED: _unsolved,
    NoteKind.AT_TIME_LIMIT: _at_time_limit,
    NoteKind.MAYBE_TIME_LIMIT: lambda v, o: (
        f"{v['n']} of {v['of_runs']} values equal the largest one, {v['limit']:g}, and count as solved; if that is a time limit, say "
        f"{o('time_limit', int(v['limit']) if v['limit'] == int(v['limit']) else v['limit'])}"
    ),
    NoteKind.BELOW_CLOCK: lambda v, o: (
        f"{plural(v['n'], 'value')} below the clock's resolution of {v['floor']:g} {verb(v['n'], 'count')} as {v['floor']:g}"
    ),
    NoteKind.FIRST_RUNS: lambda v, o: f"the first {_counted(v)}",
    NoteKind.DRAWN_RUNS: lambda v, o: f"{_counted(v)}, drawn by a fixed stream",
    NoteKind.UNEQUAL_RUNS: _unequal_runs,
    NoteKind.EQUAL_COUNTS: "every mean counts as if it stood on {n} runs",
    NoteKind.UNEVEN_COUNTS: _uneven,
    NoteKind.EVIDENCE: "evidence, not size: with {n} runs each, other numbers of runs would give other distances",
    NoteKind.NO_SPREAD: lambda v, o: (
        f"{v['n']} of {v['of_cells']} cells {verb(v['n'], 'have')} a standard deviation of 0, and the test believes "
        f"{'it' if v['n'] == 1 else 'them'}"
    ),
    NoteKind.RUNS_JOINED: "several runs of a cell count by their {by}",
    NoteKind.SPLIT_SAMPLE: "half of the runs chose the best method, the other half measured the distance, and the other way round",
    NoteKind.ESTIMATED: _estimated,
    NoteKind.ONLY_MEANS: "numbers of runs differ and only means are known: who is best depends on them, and the band is heuristic",
    NoteKind.RELATIVE: "differences are shares of the best score's size",
    NoteKind.COMMON_SCALE: _common_scale,
    NoteKind.NORMALIZED: _normalized,
    NoteKind.NO_BANDS: "no bands: a grid or an adaptive sampler chose the runs, or may have",
    NoteKind.OTHER_BAND: "the {band} band stands in for {asked}, whose table ends below this confidence",
    NoteKind.FEW_TASKS: "too few tasks to generalize: {n}, where {wanted} are wanted",
    NoteKind.RUNS_INDEPENDENT: "runs are taken as independent",
    NoteKind.RUNS_ARE_FOLDS: "the runs are folds of a cross-validation and not independent: the band is heuristic",
    NoteKind.GEOMETRIC: lambda v, o: (
        f"shift {v['shift']:g}; {percent_sure(v['confidence'])} intervals, approximate, {plural(v['n'], 'problem')} taken as a random sample"
    ),
    NoteKind.FAILED_AT_LIMIT: lambda v, o: (
        f"{plural(v['n'], 'failure')} {verb(v['n'], 'count')} as the time limit of {v['limit']:.15g}"
    ),
}  # fmt: skip
