"""`ogive rank`."""

from __future__ import annotations

from typing import Any

from ogive.cli._compare import Criterion, Guaranteed, Margin, Over
from ogive.cli._options import (
    Confidence,
    Failures,
    Json,
    Looks,
    Methods,
    MetricName,
    Quiet,
    Sources,
    Tasks,
    note_looks,
    only,
    read_sources,
    reading_options,
)
from ogive.cli._output import show, tell


@reading_options
def rank(
    source: Sources, method: Methods = None, on: Tasks = None, margin: Margin = None,
    criterion: Criterion = None, over: Over = None, guaranteed: Guaranteed = False, failures: Failures = "refuse", confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Methods in tiers, with the ranks that the data allow, not 1 … N."""
    trials = read_sources(source, roles)
    from ogive.answers import rank as ask

    result = ask(
        only(trials, method, on), margin=margin, criterion=criterion, over=over, guaranteed=guaranteed, failures=failures,
        confidence=confidence, looks=looks, metric=metric,
    )  # fmt: skip
    if not quiet:
        tell(trials.notes)
    show(result, as_json=as_json)
    note_looks(source, trials)
