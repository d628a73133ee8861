"""Arguments that several commands share, and how they become a call of `read`.

A command that reads a table is decorated with `reading_options`: it then has all the options that
say which column is what and what the numbers mean, and gets them as one dictionary `roles`.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ogive.cli._output import waiting
from ogive.errors import InputError, OgiveError, UnwritableFile
from ogive.stages import during
from ogive.words import quoted
from ogive.writing import write

if TYPE_CHECKING:
    from ogive.trials import Trials

COLUMNS = "Which column is what (guessed from its name where not given)"
ROWS = "Which rows count"
MEANING = "What the numbers mean"
STDIN = "-"
LONGEST_STEM = 200  # bytes of a name that Ogive makes up

# fmt: off
_column = partial(typer.Option, metavar="COLUMN", rich_help_panel=COLUMNS)
_rows = partial(typer.Option, rich_help_panel=ROWS)
_meaning = partial(typer.Option, rich_help_panel=MEANING)
Names = list[str] | None

Sources = Annotated[list[str], typer.Argument(metavar="SOURCE…", help="A store, CSV, Parquet, JSON lines or Optuna storage, or - for standard input; several are put under each other.")]
Score = Annotated[Names, _column("--score", help="The score; may be given several times.")]
Algorithm = Annotated[Names, _column("--algorithm", help="The method (model, agent, solver …); several columns make one name together.")]
Task = Annotated[Names, _column("--task", help="The task (data set, environment, problem …); several columns make one name together.")]
Repeat = Annotated[str | None, _column("--repeat", help="The run or seed.")]
Item = Annotated[str | None, _column("--item", help="A question or test point scored on its own.")]
Group = Annotated[str | None, _column("--group", help="Rows that belong together and count once.")]
Fold = Annotated[str | None, _column("--fold", help="The fold of a cross-validation.")]
Pair = Annotated[str | None, _column("--pair", help="What joins rows of two methods, or both tables of a check: an item, a split, or a seed that really is shared.")]
Status = Annotated[str | None, _column("--status", help="Whether a run counts: ok, error, timeout …, or yes and no (found, solved, converged); none: no column says so.")]
Step = Annotated[str | None, _column("--step", help="Steps of a run (frame, iteration, epoch): its rows are one run with a curve.")]
Params = Annotated[Names, _column("--param", help="A hyper-parameter; may be given several times.")]
Wide = Annotated[bool, _column("--wide", metavar=None, help="Each column of numbers is a method.")]
Where = Annotated[Names, _rows("--where", metavar="COLUMN=VALUE", help="Only these rows; also !=, <, <=, >, >= (in quotes). May be given several times.")]
Without = Annotated[Names, _rows("--without", metavar="NAME", help="Leave this method out; may be given several times.")]
TimeLimit = Annotated[float | None, _rows("--time-limit", metavar="SECONDS", help="A run that reaches it has failed.")]
Budget = Annotated[float | None, _meaning("--budget", metavar="STEP", help="Of runs with a curve: the score is the last value at or before this step.")]
Area = Annotated[bool, _meaning("--area", metavar=None, help="Of runs with a curve: the score is the mean over the steps, to the budget or the end.")]
Unit = Annotated[str | None, _meaning("--unit", metavar="WORD", help="What one independent draw is: 'row' or a column.")]
Varied = Annotated[Names, _meaning("--varied", metavar="WORD", help="What was drawn anew for each run: seed, split, configuration …")]
Goal = Annotated[str | None, _meaning("--goal", metavar="maximize|minimize", help="Which scores are good.")]
BoundsText = Annotated[str | None, _meaning("--bounds", metavar="LOW,HIGH", help="What the score cannot leave, e.g. 0,1; a side may be empty.")]
Independent = Annotated[bool | None, _meaning("--independent/--adaptive", help="Whether runs were drawn at random or chosen by a tuner.")]
Looks = Annotated[int, typer.Option("--looks", help="How often the growing table will be judged; the error is divided among the looks.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Of every interval and band.")]
Failures = Annotated[str, typer.Option("--failures", metavar="RULE", help="How failed runs count: refuse, exclude, worst, like:NAME or a number.")]
MetricName = Annotated[str | None, typer.Option("--metric", metavar="NAME", help="Only this score, where several were read.")]
Methods = Annotated[list[str] | None, typer.Option("--method", metavar="NAME", help="Only this method; may be given several times.")]
Tasks = Annotated[list[str] | None, typer.Option("--on", metavar="TASK", help="Only this task; may be given several times.")]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable, with a schema number.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Neither progress nor how the table was read; answers, and why an exit code is not 0, are always said.")]
# fmt: on


# Name in `read` -> type and option, and what it is where it is not given.
READING: dict[str, tuple[Any, Any]] = {
    "score": (Score, None), "algorithm": (Algorithm, None), "task": (Task, None), "repeat": (Repeat, None),
    "item": (Item, None), "group": (Group, None), "fold": (Fold, None), "pair": (Pair, None), "status": (Status, None),
    "step": (Step, None), "params": (Params, None), "wide": (Wide, False), "unit": (Unit, None), "varied": (Varied, None), "goal": (Goal, None),
    "bounds": (BoundsText, None), "independent": (Independent, None), "where": (Where, None), "without": (Without, None),
    "time_limit": (TimeLimit, None), "budget": (Budget, None), "area": (Area, False),
}  # fmt: skip


def reading_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options of `read` to a command, which gets them as `roles`."""

    # `ogive sources` has a budget of runs.
    own = inspect.signature(command).parameters
    shared = {name: option for name, option in READING.items() if name not in own}
    rest = {name: default for name, (_, default) in READING.items() if name in own}

    def call(roles: dict[str, Any], arguments: dict[str, Any]) -> None:
        with waiting(command.__name__, quiet=bool(arguments.get("quiet"))):
            command(**arguments, roles={**roles, **rest})

    return with_options(command, "roles", shared, call)


def with_options(
    command: Callable[..., None],
    gathered: str,
    options: dict[str, tuple[Any, Any]],
    call: Callable[[dict[str, Any], dict[str, Any]], None],
) -> Callable[..., None]:
    """A command with more options in place of its parameter `gathered`; `call` gets what was said of them, and the rest.

    typer reads a command's options off its signature, so the signature is what is extended.
    """
    own = [p for p in inspect.signature(command, eval_str=True).parameters.values() if p.name != gathered]
    kind = inspect.Parameter.KEYWORD_ONLY
    added = [inspect.Parameter(n, kind, default=value, annotation=how) for n, (how, value) in options.items()]

    def extended(**arguments: Any) -> None:
        call({name: arguments.pop(name) for name in options}, arguments)

    parameters = [*(p.replace(kind=kind) for p in own), *added]
    extended.__signature__ = inspect.Signature(parameters, return_annotation=None)  # type: ignore[attr-defined]
    extended.__annotations__ = {p.name: p.annotation for p in parameters}
    # Paragraphs without line breaks: in a terminal narrower than the source, typer would break each line again.
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    extended.__name__, extended.__doc__ = command.__name__, "\n\n".join(" ".join(part.split()) for part in paragraphs)
    return extended


def read_sources(source: list[str], roles: dict[str, Any]) -> Trials:
    """The trials that the shared arguments describe."""
    several = {
        name: roles[name] or None for name in ("score", "params", "varied", "algorithm", "task", "where", "without")
    }
    said = {**roles, **several, "bounds": parse_bounds(roles["bounds"])}
    from ogive.reading import read

    with during("reading the table"):
        if STDIN not in source:
            return read(list(source), **said)
        if sys.stdin is None or sys.stdin.isatty():  # None: it is closed
            raise InputError(f"`{STDIN}` reads a table from standard input; pipe one into it, or name a file.")
    with during("reading the table"), tempfile.TemporaryDirectory() as folder:
        kept = Path(folder) / "stdin"
        try:
            write(kept, sys.stdin.buffer.read())
        except UnwritableFile as error:
            raise InputError(
                f"standard input cannot be kept while it is read; set TMPDIR to a folder with room for it: {error}"
            ) from None
        try:
            return read([str(kept) if one == STDIN else one for one in source], **said)
        except OgiveError as error:
            raise type(error)(str(error).replace(str(kept), "standard input")) from None


def note_looks(source: list[str], trials: Trials) -> None:
    """Record in a store that its table was judged, so that a larger one says so; a store that cannot be written stays as it is."""
    for one in filter(os.path.isdir, source):
        from ogive.notes import NoteKind
        from ogive.store import Store, StoreError, is_store

        if is_store(one):
            # All that the store held, before any row was chosen: a later reader cannot know which were chosen here.
            held = (int(note.values["n"]) for note in trials.notes if note.kind is NoteKind.FROM_STORE)
            with contextlib.suppress(StoreError):
                Store(one).note_look(next(held, len(trials)) if len(source) == 1 else Store(one).table().num_rows)


def only(trials: Trials, methods: list[str] | None, tasks: list[str] | None) -> Trials:
    """The rows of these methods on these tasks; of all where none is named."""
    for name in tasks or ():
        refuse_unknown_task(trials, name)
    for name in methods or ():
        if name not in trials.algorithms:
            raise InputError(
                f"`--method` must name a method of the table; got {name!r}. It has {quoted(trials.algorithms)}."
            )
    return trials.select(algorithms=methods or None, tasks=tasks or None) if methods or tasks else trials


def refuse_unknown_task(trials: Trials, on: str | None) -> None:
    """Refuse `--on` with a name that is none of the table's tasks."""
    from ogive.schema import ONE_TASK

    if on is None or on in trials.tasks:
        return
    if trials.tasks == (ONE_TASK,):
        raise InputError(
            f"`--on` {on!r} chooses a task, and this table names none; leave it out, or name the column of tasks with --task."
        )
    raise InputError(f"`--on` must name a task of the table; got {on!r}. It has {quoted(trials.tasks)}.")


def refuse_format(output: str, *, as_json: bool) -> None:
    """Refuse a `--format` that there is not, or one beside `--json`."""
    if output not in ("text", "markdown", "latex", "csv"):
        raise InputError(f"`--format` must be text, markdown, latex or csv; got {output!r}.")
    if as_json and output != "text":
        raise InputError(f"`--format` {output} and --json are two ways to print one result; choose one.")


def named_statistics(said: list[str] | None) -> dict[str, Any]:
    """What was said with `--statistic`, several times or with commas, as an argument; none where nothing was said."""
    names = [name.strip() for one in said or () for name in one.split(",")]
    return {"statistics": names} if names else {}


def parse_bounds(text: str | None) -> tuple[float | None, float | None] | None:
    """`0,1`, `0,` or `,1` as a pair."""
    if text is None:
        return None
    parts = [part.strip() for part in text.replace(":", ",").split(",")]
    try:
        low, high = (float(part) if part else None for part in parts)
        if low is None and high is None:
            raise ValueError
    except ValueError:
        raise InputError(f"`--bounds` must be LOW,HIGH, for example 0,1; got {text!r}.") from None
    return low, high


def beside(source: list[str], ending: str) -> Path:
    """A name for an output in this folder, made from the first source's."""
    name = "stdin" if source[0] == STDIN else Path(source[0]).name.split(".")[0]
    while len(os.fsencode(name)) > LONGEST_STEM:
        name = name[:-1]
    return Path(name + ending)
