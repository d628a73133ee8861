"""Arguments that several commands share, and how they become a call of `read`."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ogive.errors import InputError

if TYPE_CHECKING:
    from ogive.trials import Trials

COLUMNS = "Which column is what (guessed from its name where not given)"
MEANING = "What the numbers mean"

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SOURCE…", help="CSV, Parquet, JSON lines or Optuna storage; several are put under each other."
    ),
]
Score = Annotated[
    list[str] | None,
    typer.Option("--score", metavar="COLUMN", help="The score; may be given several times.", rich_help_panel=COLUMNS),
]
Algorithm = Annotated[
    str | None,
    typer.Option("--algorithm", metavar="COLUMN", help="The method (model, agent, solver …).", rich_help_panel=COLUMNS),
]
Task = Annotated[
    str | None,
    typer.Option(
        "--task", metavar="COLUMN", help="The task (data set, environment, problem …).", rich_help_panel=COLUMNS
    ),
]
Repeat = Annotated[
    str | None, typer.Option("--repeat", metavar="COLUMN", help="The run or seed.", rich_help_panel=COLUMNS)
]
Item = Annotated[
    str | None,
    typer.Option(
        "--item", metavar="COLUMN", help="A question or test point scored on its own.", rich_help_panel=COLUMNS
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        "--group", metavar="COLUMN", help="Rows that belong together and count once.", rich_help_panel=COLUMNS
    ),
]
Fold = Annotated[
    str | None,
    typer.Option("--fold", metavar="COLUMN", help="The fold of a cross-validation.", rich_help_panel=COLUMNS),
]
Pair = Annotated[
    str | None, typer.Option("--pair", metavar="COLUMN", help="The key that joins methods.", rich_help_panel=COLUMNS)
]
Status = Annotated[
    str | None,
    typer.Option("--status", metavar="COLUMN", help="ok, error, timeout, memory, crashed.", rich_help_panel=COLUMNS),
]
Params = Annotated[
    list[str] | None,
    typer.Option(
        "--param", metavar="COLUMN", help="A hyper-parameter; may be given several times.", rich_help_panel=COLUMNS
    ),
]
Wide = Annotated[bool, typer.Option("--wide", help="Each column of numbers is a method.", rich_help_panel=COLUMNS)]
Unit = Annotated[
    str | None,
    typer.Option(
        "--unit", metavar="WORD", help="What one independent draw is: 'row' or a column.", rich_help_panel=MEANING
    ),
]
Varied = Annotated[
    list[str] | None,
    typer.Option(
        "--varied",
        metavar="WORD",
        help="What was drawn anew for each run: seed, split, configuration …",
        rich_help_panel=MEANING,
    ),
]
Goal = Annotated[
    str | None,
    typer.Option("--goal", metavar="maximize|minimize", help="Which scores are good.", rich_help_panel=MEANING),
]
BoundsText = Annotated[
    str | None,
    typer.Option(
        "--bounds",
        metavar="LOW,HIGH",
        help="What the score cannot leave, e.g. 0,1; a side may be empty.",
        rich_help_panel=MEANING,
    ),
]
Independent = Annotated[
    bool | None,
    typer.Option(
        "--independent/--adaptive",
        help="Whether runs were drawn at random or chosen by a tuner.",
        rich_help_panel=MEANING,
    ),
]
Looks = Annotated[int, typer.Option("--looks", help="How often the growing table will be judged.")]
Confidence = Annotated[float, typer.Option("--confidence", help="Of every interval and band.")]
Failures = Annotated[
    str,
    typer.Option(
        "--failures", metavar="RULE", help="How failed runs count: refuse, exclude, worst, like:NAME or a number."
    ),
]
MetricName = Annotated[
    str | None, typer.Option("--metric", metavar="NAME", help="Only this score, where several were read.")
]
Json = Annotated[bool, typer.Option("--json", help="Machine-readable, with a schema number.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Do not say how the table was read.")]


def read_sources(
    source: list[str], *, bounds: str | None, score: list[str] | None, varied: list[str] | None, **roles: Any
) -> Trials:
    """The trials that the shared arguments describe."""
    from ogive.reading import read

    return read(list(source), score=score or None, bounds=parse_bounds(bounds), varied=varied or None, **roles)


def note_looks(source: list[str], trials: Trials) -> None:
    """Record in a store that its table was judged, so that a larger one says so; a store that cannot be written stays as it is."""
    for one in filter(os.path.isdir, source):
        from ogive.store import Store, StoreError, is_store

        if is_store(one):
            with contextlib.suppress(StoreError):
                Store(one).note_look(len(trials))


def refuse_unknown_task(trials: Trials, on: str | None) -> None:
    """Refuse `--on` with a name that is none of the table's tasks."""
    from ogive.schema import ONE_TASK

    tasks, most = trials.tasks, 8
    if on is None or on in tasks:
        return
    if tasks == (ONE_TASK,):
        raise InputError(
            f"`--on` {on!r} chooses a task, and this table names none; leave it out, or name the column of tasks with --task."
        )
    more = f" and {len(tasks) - most} more" if len(tasks) > most else ""
    raise InputError(
        f"`--on` must name a task of the table; got {on!r}. It has {', '.join(map(repr, tasks[:most]))}{more}."
    )


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
    return Path(Path(source[0]).name.split(".")[0] + ending)
