"""Commands about many tasks together: `ogive profile` and `ogive aggregate`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from ogive.cli._options import (
    COLUMNS,
    MEANING,
    Algorithm,
    Area,
    Budget,
    Confidence,
    Goal,
    Json,
    Methods,
    MetricName,
    Quiet,
    Repeat,
    Sources,
    Status,
    Step,
    Task,
    Tasks,
    TimeLimit,
    Where,
    Without,
    named_statistics,
    only,
    read_sources,
    reading_options,
    refuse_format,
)
from ogive.cli._output import say, show, show_text, tell, waiting
from ogive.cli._target import as_picture, picture_options, save_picture
from ogive.errors import InputError
from ogive.notes import Names
from ogive.writing import refuse_same

if TYPE_CHECKING:
    from ogive.profiles import Baselines, Kind, MinMax, PairOfCurves, Profile, Reference


# fmt: off
Table = Annotated[str, typer.Argument(metavar="TABLE", help="CSV, Parquet or JSON lines: wide (methods as columns) or long.")]
KindName = Annotated[str, typer.Option("--kind", metavar="ratio|difference|improvement|score|welch|rank", help="What 'within τ of the best' means; ratio for times and costs.")]
FailureRule = Annotated[str, typer.Option("--failures", metavar="RULE", help="How failed runs count: worst (infinitely far from the best), refuse, exclude, like:NAME or a number.")]
Floor = Annotated[float | None, typer.Option("--floor", help="The clock's resolution: smaller times count as this.")]
RunsRule = Annotated[str | None, typer.Option("--runs", metavar="mean|median|best", help="How several runs of a cell become one number.")]
MissingRule = Annotated[str, typer.Option("--missing", metavar="refuse|fail|drop-problem", help="What an absent value means.")]
Unsolved = Annotated[str, typer.Option("--unsolved", metavar="keep|drop", help="Whether problems that nobody solves are counted.")]
Equalize = Annotated[str | None, typer.Option("--equalize", metavar="min-n", help="Count as many runs everywhere as the smallest cell has.")]
BandName = Annotated[str, typer.Option("--band", metavar="exact|ks|dkw|none", help="How the bands are made; none leaves them out.")]
OverRule = Annotated[str, typer.Option("--over", metavar="fixed|sample", help="For score: of what it speaks, these tasks or tasks like these.")]
Count = Annotated[int | None, typer.Option("--n", help="Runs behind each mean, for a table of means without that column.")]
BaselineFile = Annotated[Path | None, typer.Option("--baselines", metavar="FILE", help="For score: CSV with a column of tasks, then the low and the high score.")]
Pair = Annotated[str | None, typer.Option("--compare", metavar="A,B", help="Also say who is ahead of these two methods.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A picture: .png, .pdf, .svg or .eps.")]
PairsOut = Annotated[Path | None, typer.Option("--pairs", metavar="FILE", help="A picture of every method against every other: .png, .pdf, .svg or .eps.")]
ScoreColumn = Annotated[str | None, typer.Option("--score", metavar="COLUMN", help="The time, cost or score.", rich_help_panel=COLUMNS)]
WideTable = Annotated[bool | None, typer.Option("--wide/--long", help="Methods as columns, or a column that names them.", rich_help_panel=COLUMNS)]
Strict = Annotated[bool | None, typer.Option("--strict/--not-strict", help="Count below τ only, or τ itself too.", rich_help_panel=MEANING)]
# fmt: on


@picture_options
def profile(
    source: Table, kind: KindName = "ratio", time_limit: TimeLimit = None, floor: Floor = None, runs: RunsRule = None,
    missing: MissingRule = "refuse", unsolved: Unsolved = "keep", over: OverRule = "fixed", n: Count = None,
    equalize: Equalize = None, band: BandName = "exact", baselines: BaselineFile = None, compare: Pair = None, out: Out = None,
    pairs: PairsOut = None, confidence: Confidence = 0.95, as_json: Json = False, quiet: Quiet = False,
    metric: MetricName = None, score: ScoreColumn = None, algorithm: Algorithm = None, task: Task = None,
    repeat: Repeat = None, status: Status = None, wide: WideTable = None, goal: Goal = None, strict: Strict = None,
    where: Where = None, without: Without = None, failures: FailureRule = "worst", step: Step = None, budget: Budget = None,
    area: Area = False, *, drawing: dict[str, Any],
) -> None:  # fmt: skip
    """How often each method is within τ of the best, over many problems, with bands."""
    from ogive.plots import profile as draw
    from ogive.plots import profile_pairs as draw_pairs
    from ogive.profiles import performance_profile, profile_table

    read: list[str | Path] = [source, *([baselines] if baselines is not None else [])]
    target = None if out is None else as_picture(out, read)
    matrix = None if pairs is None else as_picture(pairs, read, option="--pairs")
    if target is not None and matrix is not None:
        refuse_same(matrix, "--pairs", {str(target): "what --out names"})
    with waiting("profile", quiet=quiet):
        result = performance_profile(
            profile_table(
                source, kind, goal=goal, n=n, metric=metric, score=score, algorithm=algorithm or None, task=task or None,
                repeat=repeat, status=status, wide=wide, where=where or None, without=without or None, time_limit=time_limit,
                floor=floor, step=step, budget=budget, **({"area": True} if area else {}),
            ),
            cast("Kind", kind), time_limit=time_limit, floor=floor, runs=cast(Any, runs), missing=cast(Any, missing),
            unsolved=cast(Any, unsolved), over=cast(Any, over), normalize=None if baselines is None else read_baselines(baselines),
            confidence=confidence, strict=strict, equalize=cast(Any, equalize), band=band, failures=failures,
        )  # fmt: skip
        if not quiet:
            tell(result.reading)
        show(result if compare is None else _With(result, _compared(result, compare)), as_json=as_json)
        if target is not None:
            say(f"picture: {save_picture(draw(result), target, drawing)}")
        if matrix is not None:
            say(f"picture: {save_picture(draw_pairs(result), matrix, drawing)}")


@dataclass(frozen=True)
class _With:
    """A profile, and two of its methods compared."""

    profile: Profile
    pair: PairOfCurves

    def text(self, names: Names) -> str:
        return f"{self.profile.text(names)}\n\n{self.pair}"

    def to_dict(self) -> dict[str, Any]:
        return {**self.profile.to_dict(), "comparison": self.pair.to_dict()}


def _compared(result: Profile, names: str) -> PairOfCurves:
    for cut in (i for i, sign in enumerate(names) if sign == ","):
        a, b = names[:cut].strip(), names[cut + 1 :].strip()
        if a in result.methods and b in result.methods:
            return result.compare(a, b)
    raise InputError(
        f"`--compare` must be two methods with a comma between, as they are called; got {names!r}. "
        f"There are {', '.join(result.methods)}."
    )


def read_baselines(path: Path) -> Baselines:
    """Low and high scores by task, from the first three columns of a CSV file."""
    from ogive.files import read_table
    from ogive.profiles import Baselines

    table = read_table(path, lambda header: header[:1], wide=True)
    names, *ends = (column.to_pylist() for column in table.columns[:3])
    if len(ends) < 2 or not all(isinstance(value, (int, float)) for column in ends for value in column):
        raise InputError(f"{path} must be a table with three columns: the task, its low score and its high score.")
    known = [str(name) for name in names]
    return Baselines(*(dict(zip(known, map(float, column), strict=True)) for column in ends))


SCALE = "How tasks come to one scale; one of them"
# fmt: off
Statistics = Annotated[list[str] | None, typer.Option("--statistic", "-s", metavar="NAME", help="iqm, mean, median, optimality_gap; several times, or with commas.")]
ScaleFile = Annotated[Path | None, typer.Option("--baselines", metavar="FILE", help="CSV with a column of tasks, then the score that counts as 0 and the one that counts as 1.", rich_help_panel=SCALE)]
MinMaxFlag = Annotated[bool, typer.Option("--min-max", help="0 at the worst run of any method on the task, 1 at the best.", rich_help_panel=SCALE)]
ReferenceName = Annotated[str | None, typer.Option("--reference", metavar="METHOD", help="A score is the share of this method's runs that it beats.", rich_help_panel=SCALE)]
Geometric = Annotated[float | None, typer.Option("--geometric", metavar="SHIFT", help="Instead: shifted geometric means of times; 10 is usual for seconds.")]
AggregateFailures = Annotated[str, typer.Option("--failures", metavar="RULE", help="How failed runs count: refuse, exclude, like:NAME, or a score on the final scale (worst with --reference); with --geometric as --time-limit.")]
AboutTasks = Annotated[str, typer.Option("--over", metavar="fixed|sample", help="Of what it speaks: these tasks, or tasks like these.")]
Gamma = Annotated[float | None, typer.Option("--gamma", help="The score from which on nothing is missing to the optimality gap; 1 on a scale.")]
Format = Annotated[str, typer.Option("--format", metavar="text|markdown|latex|csv", help="How the table is printed.")]
# fmt: on


@reading_options
@picture_options
def aggregate(
    source: Sources, statistic: Statistics = None, geometric: Geometric = None, over: AboutTasks = "fixed", gamma: Gamma = None,
    failures: AggregateFailures = "refuse", missing: MissingRule = "refuse", runs: RunsRule = None, method: Methods = None, on: Tasks = None,
    metric: MetricName = None, confidence: Confidence = 0.95, output: Format = "text", out: Out = None, as_json: Json = False,
    quiet: Quiet = False, baselines: ScaleFile = None, min_max: MinMaxFlag = False, reference: ReferenceName = None,
    *, roles: dict[str, Any], drawing: dict[str, Any],
) -> None:  # fmt: skip
    """One number for many tasks: IQM, mean, median and optimality gap of every method, or its shifted geometric mean, with intervals."""
    refuse_format(output, as_json=as_json)
    scales = {"--baselines": baselines is not None, "--min-max": min_max, "--reference": reference is not None}
    said = [name for name, given in scales.items() if given]
    if geometric is not None:
        beside = {"--statistic": statistic, "--out": out, "--failures": failures != "refuse", "--over": over != "fixed", "--gamma": gamma is not None}  # fmt: skip
        other = next((name for name, given in {**scales, **beside}.items() if given), None)
        if other is not None:
            raise InputError(
                f"`--geometric` is about times, which it takes as they are and does not draw; leave {other} out."
            )
        roles = {**roles, "goal": roles["goal"] or "minimize"}  # times, whatever they are called
    elif runs is not None:
        raise InputError("`--runs` joins times for --geometric; other aggregates take every run. Leave it out.")
    if len(said) > 1:
        raise InputError(f"{' and '.join(said)} are two scales; choose one.")
    if over not in ("fixed", "sample"):
        raise InputError(f"`--over` must be fixed (these tasks) or sample (tasks like these); got {over!r}.")
    if reference is not None and over == "sample":
        raise InputError(
            "`--reference` speaks of these tasks alone; leave --over sample out, or take --baselines or --min-max."
        )
    target = None if out is None else as_picture(out, [*source, *([baselines] if baselines is not None else [])])
    trials = only(read_sources(source, roles), method, on)
    if not quiet:
        tell(trials.notes)
    from ogive import profiles

    result: profiles.Aggregates | profiles.GeometricMeans
    if geometric is not None:
        result = profiles.shifted_geometric_mean(
            trials, shift=geometric, time_limit=roles["time_limit"], runs=runs, missing=missing, confidence=confidence, metric=metric
        )  # fmt: skip
    else:
        scale: Baselines | MinMax | Reference | None = None
        if baselines is not None:
            scale = read_baselines(baselines)
        elif min_max or reference is not None:
            scale = profiles.MinMax() if reference is None else profiles.Reference(reference)
        result = profiles.aggregates(
            trials, normalize=scale, over=cast(Any, over), gamma=gamma, missing=missing,
            failures=failures, confidence=confidence, metric=metric, **named_statistics(statistic),
        )  # fmt: skip
    if output == "text":
        show(result, as_json=as_json)
    else:
        (table,) = result.as_tables()
        show_text({"markdown": table.to_markdown, "latex": table.to_latex, "csv": table.to_csv}[output]().rstrip("\n"))
    if target is not None:
        from ogive import plots

        print(save_picture(plots.of(result), target, drawing), file=sys.stderr if as_json else sys.stdout)
