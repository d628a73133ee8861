"""`ogive run`."""

from __future__ import annotations

import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ogive.cli._options import Json, Quiet
from ogive.cli._output import complain, say, show
from ogive.cli._target import as_page
from ogive.errors import InputError, OgiveError, StoreError, UnwritableFile
from ogive.notes import sentences

if TYPE_CHECKING:
    from ogive.study import Study
    from ogive.trials import Trials

MOST_GROUPS = 10
PAGE = "report.html"
LONGEST = 160  # characters of a message on the terminal; the store keeps more

# fmt: off
StudyFile = Annotated[str, typer.Argument(metavar="FILE[:NAME]", help="A Python file with a Study at its top level. It is code: it is run.")]
TrialCount = Annotated[int, typer.Option("--trials", "-n", min=1, help="Of each method on each task.")]
# fmt: on


def _folder(name: str | Path) -> Path:
    if not str(name):
        raise typer.BadParameter("'--out' must name a directory; got an empty name. For this directory: --out .")
    return Path(name)


# fmt: off
_engine_option = partial(typer.Option, rich_help_panel="Where it runs")
_slicing = partial(typer.Option, rich_help_panel="Configurations at percentiles")
_limit = partial(typer.Option, rich_help_panel="What a trial may use")

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="DIR", parser=_folder, help="Keeps finished trials; run again to go on. Where left out: results/ and the name of the study file.")]
Workers = Annotated[int | None, _engine_option("--workers", "-w", min=0, help="Processes; all cores where left out; 0: this process.")]
EngineName = Annotated[str, _engine_option("--engine", metavar="local|dask", help="local or dask.")]
Address = Annotated[str | None, _engine_option("--address", metavar="URL", help="A Dask scheduler, such as tls://10.0.0.5:8786, with --tls-ca, --tls-cert and --tls-key; where left out, a cluster of --workers is started here that takes nobody else.")]
Insecure = Annotated[bool, _engine_option("--insecure-network", help="Talk to other machines without TLS.")]
TlsCa = Annotated[Path | None, _engine_option("--tls-ca", metavar="FILE", help="Who signed the cluster's certificates (PEM); where left out, what Dask's configuration says.")]
TlsCert = Annotated[Path | None, _engine_option("--tls-cert", metavar="FILE", help="Our certificate for the cluster (PEM).")]
TlsKey = Annotated[Path | None, _engine_option("--tls-key", metavar="FILE", help="Its key, where that is a file of its own (PEM).")]
Patience = Annotated[float | None, _engine_option("--patience", metavar="SECONDS", help="How long to wait for a worker while the cluster has none; 300 where left out.")]
Gpus = Annotated[str | None, _engine_option("--gpus", metavar="0,1", help="Each worker sees one.")]
Shard = Annotated[str | None, _engine_option("--shard", metavar="I/N", help="Only every Nth trial, for array jobs; no report.")]
WallLimit = Annotated[float | None, _limit("--wall-limit", metavar="SECONDS", help="Depends on load.")]
CpuLimit = Annotated[float | None, _limit("--cpu-limit", metavar="SECONDS", help="Does not depend on load.")]
MemoryLimit = Annotated[str | None, _limit("--memory-limit", metavar="SIZE", help="Such as 2GB.")]
Retry = Annotated[str, typer.Option("--retry", metavar="STATUS,…", help="Run again: error, timeout, memory, crashed, invalid.")]
Accept = Annotated[bool, typer.Option("--accept-change", help="Go on although the study was changed; recorded.")]
FailedOk = Annotated[bool, typer.Option("--failed-ok", help="Exit code 0 although trials failed.")]
At = Annotated[str | None, _slicing("--percentiles", metavar="1,50,99", help="Run the configurations at these percentiles of the scores of --of, worst to best, --trials times each with new draws.")]
Of = Annotated[Path | None, _slicing("--of", metavar="SOURCE", help="The trials of this study that configurations are taken from: its DIR, or a table of it.")]
OfMetric = Annotated[str | None, _slicing("--metric", metavar="NAME", help="Whose percentiles; the first where left out.")]
OfFailures = Annotated[str | None, _slicing("--failures", metavar="RULE", help="How failed trials of --of count: refuse, exclude, worst, like:NAME or a number.")]
Statistic = Annotated[str, typer.Option("--statistic", "-s", metavar="NAME", help="Shown meanwhile: mean, median, q0.1 or worst_0.1.")]
# fmt: on


def run(
    context: typer.Context, study: StudyFile, trials: TrialCount, out: Out = None, workers: Workers = None, engine: EngineName = "local",
    address: Address = None, tls_ca: TlsCa = None, tls_cert: TlsCert = None, tls_key: TlsKey = None,
    insecure_network: Insecure = False, patience: Patience = None, gpus: Gpus = None, shard: Shard = None,
    wall_limit: WallLimit = None, cpu_limit: CpuLimit = None, memory_limit: MemoryLimit = None, retry: Retry = "",
    accept_change: Accept = False, failed_ok: FailedOk = False, percentiles: At = None, of: Of = None, metric: OfMetric = None,
    failures: OfFailures = None, statistic: Statistic = "mean", as_json: Json = False, quiet: Quiet = False,
) -> None:  # fmt: skip
    """Run the trials of a study that DIR does not hold yet, then write its report: exit code 3 if trials failed."""
    from ogive.runner import RunStopped
    from ogive.runner import run as start

    where = {"address": address, "tls_ca": tls_ca, "tls_cert": tls_cert, "tls_key": tls_key, "patience": patience}
    chosen = _engine(engine, insecure_network, where)
    if out is None:
        out = _own_folder(study, sliced=percentiles is not None)
    if shard is None:
        as_page(out / PAGE, follow=False)
    what = study if percentiles is None and of is None else _slices(study, percentiles, of, metric, failures)
    if what is study and (metric or failures):
        raise InputError(
            f"`--{'metric' if metric else 'failures'}` belongs to `--percentiles`; the table is judged by `ogive report`."
        )
    try:
        done = start(
            what, trials, out, workers=workers, engine=chosen, progress=not quiet, wall_limit=wall_limit, cpu_limit=cpu_limit,
            memory_limit=memory_limit, retry=retry, shard=shard, accept_change=accept_change, statistic=statistic, gpus=gpus,
        )  # fmt: skip
    except KeyboardInterrupt as stopped:
        say(f"ogive: {stopped or 'interrupted.'}")
        say(f"To go on: {same_command(context)}")
        raise typer.Exit(130) from None
    except RunStopped as stopped:
        raise typer.Exit(complain(str(stopped), 1)) from None
    if not quiet:
        for note in done.notes:
            if note.is_doubtful:
                say(note.words("cli"))
    failed, written = _conclude(done, out, as_json=as_json, report=shard is None)
    raise typer.Exit(2 if not written else 3 if failed and not failed_ok else 0)


def _own_folder(study: str, *, sliced: bool) -> Path:
    """Where the trials of a study file are kept unless told otherwise: a folder for each of its studies."""
    from ogive.runner import split_name

    path, name = split_name(study)
    return Path("results", "-".join([Path(path).stem, *([name] if name else []), *(["percentiles"] if sliced else [])]))


def _slices(study: str, percentiles: str | None, of: Path | None, metric: str | None, failures: str | None) -> Study:
    """The study of the configurations at percentiles of trials that were run before."""
    from ogive.reading import read
    from ogive.runner import study_in

    if percentiles is None or of is None:
        raise InputError("`--percentiles` and `--of` go together: which percentiles, and of which trials.")
    try:
        levels = [float(part) for part in percentiles.split(",")]
    except ValueError:
        raise InputError(
            f"`--percentiles` must be numbers with commas between them, for example 1,50,95,99; got {percentiles!r}."
        ) from None
    return study_in(study).at_percentiles(read(of), levels, metric=metric, failures=failures or "refuse")


def same_command(context: typer.Context) -> str:
    """This command as a line for the shell, without what was left at its default."""
    words: list[str] = []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if parameter.param_type_name == "argument":
            words.insert(0, str(value))
        elif value != parameter.default and value is not None:
            words += [parameter.opts[0]] if value is True else [parameter.opts[0], str(value)]
    return shlex.join(["ogive", "run", *words])


def _engine(engine: str, insecure: bool, where: dict[str, Any]) -> Any:
    if engine not in ("local", "dask"):
        raise InputError(f"`--engine` must be local or dask; got {engine!r}.")
    given = {name: value for name, value in where.items() if value is not None} | (
        {"insecure_network": True} if insecure else {}
    )
    if engine == "local":
        if given:
            raise InputError(f"`--{next(iter(given)).replace('_', '-')}` belongs to `--engine dask`.")
        return None
    from ogive.runner import Dask

    return Dask(**given)


def _conclude(trials: Trials, out: Path, *, as_json: bool, report: bool) -> tuple[int, bool]:
    """Say what failed, write the report, and say how to go on; how many trials failed, and whether all was written."""
    from ogive.runner import failure_groups, status

    groups = failure_groups(trials)
    failed = sum(group["count"] for group in groups)
    page, written = _report(trials, out) if report else (None, True)
    if as_json:
        state = status(out)
        more = {"notes": sentences(trials.notes), "failures": groups, "report": page and str(page)}
        show({**state.to_dict(), **more}, as_json=True)
        if failed:
            say(f"ogive: {failed:,} of {len(trials):,} trials failed; the JSON says which and why.")
        return failed, written
    for group in groups[:MOST_GROUPS]:
        example = group["example"]
        where = f"{example['algorithm']} on {example['task']}, trial {example['trial']}"
        message = group["message"] if len(group["message"]) <= LONGEST else f"{group['message'][:LONGEST]}…"
        status_words = f"{group['status']}{' in part' if group['partly'] else ''}"
        say(f"{group['count']:,} {status_words}: {message} (for example {where})")
    if len(groups) > MOST_GROUPS:
        say(f"and {len(groups) - MOST_GROUPS} other messages")
    if groups:
        statuses = ",".join(dict.fromkeys(group["status"] for group in groups))
        say(f"To run them again, once what made them fail is mended: the same command with --retry {statuses}")
    say(f"{len(trials):,} trials in {out}. For more of them: the same command with a larger --trials.")
    print(out if page is None else page)
    return failed, written


def _report(trials: Trials, out: Path) -> tuple[Path | None, bool]:
    """The page, if there is one, and whether everything could be written; the trials are in the store in any case."""
    from ogive.report import write
    from ogive.store import Store

    page = out / PAGE
    try:
        if page.is_symlink():  # whoever made the folder chose where it leads, not whoever runs the study
            page.unlink()
        write(trials, page)
    except OgiveError as error:
        say(f"no report: {error}")
        _tell_how(trials, out)
        return None, not isinstance(error, UnwritableFile)
    except BaseException:  # interrupted, or a fault of ours
        _tell_how(trials, out)
        raise
    try:
        Store(out).note_look(len(trials))
    except StoreError as error:
        say(f"ogive: that these trials were judged could not be noted, and later verdicts will not count it: {error}")
        return page, False
    return page, True


def _tell_how(trials: Trials, out: Path) -> None:
    command = shlex.join(["ogive", "report", str(out), "--out", str(out / PAGE)])
    say(f"All {len(trials):,} trials are kept in {out}. To write the page: {command}")
    if (out / PAGE).exists():
        say(f"{out / PAGE} is the page of an earlier run.")
