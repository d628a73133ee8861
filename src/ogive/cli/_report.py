"""`ogive report`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._compare import Margin
from ogive.cli._options import (
    Confidence,
    Looks,
    MetricName,
    Quiet,
    Sources,
    beside,
    note_looks,
    read_sources,
    reading_options,
)
from ogive.cli._output import tell

Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="The page: .html.")]
ReportFailures = Annotated[
    str | None,
    typer.Option(
        "--failures",
        metavar="RULE",
        help="How failed runs count: exclude (and say whether it matters), worst, like:NAME or a number.",
    ),
]


@reading_options
def report(
    source: Sources, out: Out = None, margin: Margin = None, failures: ReportFailures = None, confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Write one page with verdicts, pictures, tables and caveats; it needs no network."""
    target = out or beside(source, "-report.html")
    trials = read_sources(source, roles)
    from ogive.report import write

    if not quiet:
        tell(trials.notes)
    target.parent.mkdir(parents=True, exist_ok=True)
    print(write(trials, target, confidence=confidence, failures=failures, margin=margin, metric=metric, looks=looks))
    note_looks(source, trials)
