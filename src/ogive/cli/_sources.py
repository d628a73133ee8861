"""`ogive sources`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    MetricName,
    Quiet,
    Sources,
    read_sources,
    reading_options,
    refuse_unknown_task,
)
from ogive.cli._output import show, tell
from ogive.cli._target import as_picture, picture_options, save_picture
from ogive.cli._verdicts import OnTask
from ogive.errors import InputError

# fmt: off
Method = Annotated[str | None, typer.Option("--method", metavar="NAME", help="Only this method.")]
Holds = Annotated[str | None, typer.Option("--holds", metavar="JSON", help='What the study held, where the table does not say: {"config": {"every": 10}}.')]
Budget = Annotated[float | None, typer.Option("--budget", metavar="RUNS", help="Divide so many runs between configurations and seeds.")]
CostRatio = Annotated[float, typer.Option("--cost-ratio", metavar="RUNS", help="What a new configuration costs beside its runs.")]
Out = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", help="A picture of one method on one task: .png, .pdf, .svg or .eps.")]
# fmt: on


@reading_options
@picture_options
def sources(
    source: Sources, on: OnTask = None, method: Method = None, out: Out = None, holds: Holds = None, budget: Budget = None,
    cost_ratio: CostRatio = 0.0, failures: Failures = "refuse", confidence: Confidence = 0.95,
    metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any], drawing: dict[str, Any],
) -> None:  # fmt: skip
    """Where the spread comes from: configuration, data or seed; which hyper-parameter, which of its values."""
    held = _holds(holds)
    target = None if out is None else as_picture(out, source)
    trials = read_sources(source, roles)
    from ogive.answers import sources as ask

    refuse_unknown_task(trials, on)
    result = ask(
        trials, algorithm=method, task=on, metric=metric, confidence=confidence, failures=failures, holds=held, budget=budget,
        cost_ratio=cost_ratio,
    )  # fmt: skip
    if not quiet:
        tell(trials.notes)
    if target is not None and len(result.cells) > 1:
        raise InputError("`--out` draws one method on one task; choose them with --method and --on.")
    show(result, as_json=as_json)
    if target is not None:  # last: an answer is not lost with its picture
        from ogive.plots import sources as picture

        print(save_picture(picture(result), target, drawing), file=sys.stderr if as_json else sys.stdout)


def _holds(text: str | None) -> dict[str, Any] | None:
    if text is None:
        return None
    try:
        held = json.loads(text)
    except ValueError:
        held = None
    if not isinstance(held, dict):
        raise InputError(f'`--holds` must be JSON like {{"config": {{"every": 10}}}}; got {text!r}.')
    return held
