"""`ogive rank`."""

from __future__ import annotations

from typing import Any

from ogive.cli._compare import Margin
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
    source: Sources, method: Methods = None, on: Tasks = None, margin: Margin = None, failures: Failures = "refuse", confidence: Confidence = 0.95,
    looks: Looks = 1, metric: MetricName = None, as_json: Json = False, quiet: Quiet = False,
    *, roles: dict[str, Any],
) -> None:  # fmt: skip
    """Methods in tiers, with rank intervals and the probability of being first, not 1 … N."""
    trials = read_sources(source, roles)
    from ogive.answers import rank as ask

    result = ask(
        only(trials, method, on), margin=margin, failures=failures, confidence=confidence, looks=looks, metric=metric
    )
    if not quiet:
        tell(trials.notes)
    show(result, as_json=as_json)
    note_looks(source, trials)
