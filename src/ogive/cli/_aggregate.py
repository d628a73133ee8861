"""`ogive aggregate`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ogive.cli._options import (
    Confidence,
    Json,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    only,
    read_sources,
    reading_options,
)
from ogive.cli._output import show, show_text, tell
from ogive.cli._picture import picture_options, save_picture
from ogive.cli._profile import MissingRule, RunsRule, read_baselines
from ogive.cli._target import as_picture
from ogive.errors import InputError

if TYPE_CHECKING:
    from ogive.profiles import Baselines, MinMax, Reference

SCALE = "How tasks come to one scale; one of them"
Statistics = Annotated[
    list[str] | None,
    typer.Option("--statistic", "-s", metavar="NAME", help="iqm, mean, median, optimality_gap; several times, or with commas."),
]  # fmt: skip
BaselineFile = Annotated[
    Path | None,
    typer.Option(
        "--baselines",
        metavar="FILE",
        help="CSV with a column of tasks, then the score that counts as 0 and the one that counts as 1.",
        rich_help_panel=SCALE,
    ),
]
MinMaxFlag = Annotated[
    bool, typer.Option("--min-max", help="0 at the worst run of any method on the task, 1 at the best.", rich_help_panel=SCALE)
]  # fmt: skip
ReferenceName = Annotated[
    str | None,
    typer.Option(
        "--reference", metavar="METHOD", help="A score is the share of this method's runs that it beats.", rich_help_panel=SCALE
    ),
]  # fmt: skip
Geometric = Annotated[
    float | None,
    typer.Option("--geometric", metavar="SHIFT", help="Instead: shifted geometric means of times; 10 is usual for seconds."),
]  # fmt: skip
FailureRule = Annotated[
    str,
    typer.Option(
        "--failures",
        metavar="RULE",
        help="How failed runs count: refuse, exclude, like:NAME, or a score on the final scale (worst with --reference); with --geometric as --time-limit.",
    ),
]
TasksRule = Annotated[
    str, typer.Option("--tasks", metavar="fixed|random", help="About these tasks, or about other tasks too.")
]
Gamma = Annotated[
    float | None,
    typer.Option("--gamma", help="The score from which on nothing is missing to the optimality gap; 1 on a scale."),
]
Format = Annotated[str, typer.Option("--format", metavar="text|markdown|latex|csv", help="How the table is printed.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A picture: .png, .pdf, .svg or .eps.")]


@reading_options
@picture_options
def aggregate(
    source: Sources, statistic: Statistics = None, geometric: Geometric = None, tasks: TasksRule = "fixed", gamma: Gamma = None,
    failures: FailureRule = "refuse", missing: MissingRule = "refuse", runs: RunsRule = None, method: Methods = None, on: Tasks = None,
    metric: MetricName = None, confidence: Confidence = 0.95, output: Format = "text", out: Out = None, as_json: Json = False,
    quiet: Quiet = False, baselines: BaselineFile = None, min_max: MinMaxFlag = False, reference: ReferenceName = None,
    *, roles: dict[str, Any], drawing: dict[str, Any],
) -> None:  # fmt: skip
    """One number for many tasks: IQM, mean, median and optimality gap of every method, or its shifted geometric mean, with intervals."""
    if output not in ("text", "markdown", "latex", "csv"):
        raise InputError(f"`--format` must be text, markdown, latex or csv; got {output!r}.")
    if as_json and output != "text":
        raise InputError(f"`--format` {output} and --json are two ways to print one result; choose one.")
    scales = {"--baselines": baselines is not None, "--min-max": min_max, "--reference": reference is not None}
    said = [name for name, given in scales.items() if given]
    if geometric is not None:
        beside = {"--statistic": statistic, "--out": out, "--failures": failures != "refuse", "--tasks": tasks != "fixed", "--gamma": gamma is not None}  # fmt: skip
        _refuse_beside_geometric([*said, *(name for name, given in beside.items() if given)])
        roles = {**roles, "goal": roles["goal"] or "minimize"}  # times, whatever they are called
    elif runs is not None:
        raise InputError("`--runs` joins times for --geometric; other aggregates take every run. Leave it out.")
    if len(said) > 1:
        raise InputError(f"{' and '.join(said)} are two scales; choose one.")
    if tasks not in ("fixed", "random"):
        raise InputError(f"`--tasks` must be fixed or random; got {tasks!r}.")
    if reference is not None and tasks == "random":
        raise InputError(
            "`--reference` speaks of these tasks alone; leave --tasks random out, or take --baselines or --min-max."
        )
    target = None if out is None else as_picture(out, [*source, *([baselines] if baselines is not None else [])])
    trials = only(read_sources(source, roles), method, on)
    if not quiet:
        tell(trials.notes)
    from ogive import profiles

    result: profiles.Aggregates | profiles.GeometricMeans
    if geometric is not None:
        result = profiles.shifted_geometric_mean(
            trials,
            shift=geometric,
            time_limit=roles["time_limit"],
            runs=runs,
            missing=missing,
            confidence=confidence,
            metric=metric,
        )
    else:
        names = [name.strip() for one in statistic or () for name in one.split(",")]
        chosen: dict[str, Any] = {"statistics": names} if names else {}
        result = profiles.aggregates(
            trials, normalize=_scale(baselines, min_max, reference), tasks=cast(Any, tasks), gamma=gamma, missing=missing,
            failures=failures, confidence=confidence, metric=metric, **chosen,
        )  # fmt: skip
    if output == "text":
        show(result, as_json=as_json)
    else:
        (table,) = result.as_tables()
        show_text({"markdown": table.to_markdown, "latex": table.to_latex, "csv": table.to_csv}[output]().rstrip("\n"))
    if target is not None:
        from ogive import plots

        print(save_picture(plots.of(result), target, drawing), file=sys.stderr if as_json else sys.stdout)


def _scale(baselines: Path | None, min_max: bool, reference: str | None) -> Baselines | MinMax | Reference | None:
    from ogive.profiles import MinMax, Reference

    if baselines is not None:
        return read_baselines(baselines)
    return MinMax() if min_max else Reference(reference) if reference is not None else None


def _refuse_beside_geometric(said: list[str]) -> None:
    if said:
        raise InputError(
            f"`--geometric` is about times, which it takes as they are and does not draw; leave {said[0]} out."
        )
