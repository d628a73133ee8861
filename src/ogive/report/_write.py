"""The page from the table."""

from __future__ import annotations

from pathlib import Path

from ogive.arguments import as_confidence
from ogive.errors import InputError
from ogive.reading import Source, as_trials
from ogive.report._findings import find
from ogive.report._page import page
from ogive.report._sections import Report, body, compose
from ogive.stages import during
from ogive.writing import as_path, ready
from ogive.writing import write as write_file

# What `read` calls a source that has no name.
IN_MEMORY = {"dictionary", "data frame", ""}
LEAST = 4_500_000  # bytes of a page, which holds plotly's script


def write(
    trials: Source,
    path: str | Path,
    *,
    confidence: float = 0.95,
    failures: str | float | None = None,
    criterion: str | None = None,
    margin: float | None = None,
    over: str | None = None,
    guaranteed: bool = False,
    metric: str | None = None,
    looks: int = 1,
) -> Path:
    """Write a report: one HTML file with verdicts, pictures, tables and caveats, that needs no network.

    Parameters
    ----------
    failures : {"exclude", "worst", "like:NAME"} or float, optional
        How failed runs count. By default they are left out; the first sentence counts them, and the
        report says whether the verdict would change if they counted as the worst possible score.
    criterion, margin, over, guaranteed
        As in `compare` and `rank`, with the same defaults.
    metric : str, optional
        The metric that is judged; the first where not given.
    looks : int
        How often the growing table will be judged; the error is divided among the looks.

    Notes
    -----
    Two methods get one verdict (on each task), more get a ranking in tiers, both by the same question; the
    family of verdicts is stated. Tables of adaptive samplers, and tables with an open question about what is
    independent, are described without a verdict.

    Examples
    --------
    >>> import tempfile
    >>> import ogive
    >>> trials = ogive.read({"a": [5, 6, 7, 8, 9, 8, 7], "b": [1, 2, 3, 2, 1, 2, 3]}, unit="row")
    >>> write(trials, Path(tempfile.mkdtemp()) / "report.html").name
    'report.html'
    """
    from ogive.curves import LearningCurves

    if isinstance(trials, LearningCurves):
        raise InputError(
            "`report.write` takes trials; learning curves are written by report.write_curves(curves, path)."
        )
    trials = as_trials(trials)
    target = as_target(path)
    with during("judging methods"):
        found = find(
            trials, metric=metric, confidence=as_confidence(confidence), failures=failures, margin=margin, looks=looks,
            criterion=criterion, over=over, guaranteed=guaranteed,
        )  # fmt: skip
    named = not set(trials.source.split(", ")) <= IN_MEMORY
    title = f"Ogive report: {trials.source}" if named else "Ogive report"
    with during("drawing pictures and tables"):
        report = compose(found)
    return write_page(target, title, found.opening, report)


def as_target(path: str | Path, *, folders: bool = False, follow: bool = True) -> Path:
    """Where a report can be written, looked at before anything is computed; the options are those of `ogive.writing.ready`."""
    target = as_path(path)
    if target.suffix.lower() not in (".html", ".htm"):
        raise InputError(f"a report's name must end in .html; got {target.name!r}.")
    return ready(target, least=LEAST, folders=folders, follow=follow)


def write_page(target: Path, title: str, opening: str, report: Report) -> Path:
    """Write sections and pictures as one file."""
    script = ""
    if report.figures:
        from plotly.offline import get_plotlyjs  # type: ignore[import-untyped]

        script = get_plotlyjs()
    with during("writing the page"):
        content = page(title, body(opening, report, title), report.figures, script)
        write_file(target, content.encode(errors="backslashreplace"))
    return target
